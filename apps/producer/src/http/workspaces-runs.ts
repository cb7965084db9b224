import * as api from '@slowwave/api';
import { type CursorShape, decodeCursor, pageOf } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { WorkspaceCalls } from '../workspaces/types.ts';
import type { AppOptions } from './options.ts';
import { serve } from './serve.ts';

const PAGE = {
  list: 'workspace-runs',
  key: { startedAt: 'instant', id: 'uuid' },
} as const satisfies CursorShape;

/** What was done to a workspace and taking it back, and what of the memories stands in its documents. */
export function registerWorkspaceRuns(
  app: FastifyInstance,
  { logger }: Pick<AppOptions, 'logger'>,
  calls: WorkspaceCalls,
): void {
  serve(app, api.listWorkspaceRuns, async ({ tenant, params, query }) => {
    const { user, limit, work, cursor } = query;
    const key = { tenant, user, workspace: params.workspace };
    const before = decodeCursor(PAGE, cursor);
    const found = await calls.runs(key, { limit: limit + 1, work, before });
    const { rows, nextCursor } = pageOf(PAGE, found, limit, ({ startedAt, id }) => ({ startedAt, id }));
    return { ...key, runs: rows, nextCursor };
  });

  serve(app, api.getWorkspaceRun, async ({ tenant, params: { workspace, run }, query: { user } }) => {
    const key = { tenant, user, workspace };
    return { ...key, run: await calls.run(key, run) };
  });

  serve(app, api.undoWorkspaceRun, async ({ tenant, params, body, principal }) => {
    const { user, by = principal.name } = body;
    const { workspace, run } = params;
    const key = { tenant, user, workspace };
    const undone = await calls.undoRun(key, run, { by });
    logger.info({ ...key, run, by, status: undone.status }, 'a run of a workspace was undone');
    return { ...key, ...undone };
  });

  // What would be written, and writing it.
  serve(app, api.previewProjection, async ({ tenant, params: { workspace }, query: { user } }) => {
    const key = { tenant, user, workspace };
    return { ...key, ...(await calls.preview(key)) };
  });

  serve(app, api.projectMemories, async ({ tenant, params: { workspace }, body, principal }) => {
    const { user, by = principal.name } = body;
    const key = { tenant, user, workspace };
    const result = await calls.project(key);
    logger.info(
      { ...key, by, run: result.id, status: result.status },
      'memories were projected into a workspace',
    );
    return { ...key, ...result };
  });
}
