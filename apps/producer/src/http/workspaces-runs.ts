import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { WORKSPACE_WORKS, type WorkspaceCalls } from '../workspaces/types.ts';
import { idSchema, parseInput } from './input.ts';
import type { AppOptions } from './options.ts';
import {
  byField,
  ownerFields,
  ownerQuery,
  RUNS_LIMIT_MAX,
  wholeNumber,
  workspacePath,
} from './workspaces-input.ts';

const runPath = z.object({
  workspace: idSchema,
  run: z.uuid('expected the id of a run, as the list of runs has it'),
});
const ownerBody = z.strictObject({ ...ownerFields, ...byField });
const runsQuery = z.strictObject({
  ...ownerFields,
  limit: wholeNumber(1, RUNS_LIMIT_MAX).default(50),
  work: z.enum(WORKSPACE_WORKS, { error: `expected one of ${WORKSPACE_WORKS.join(', ')}` }).optional(),
});

/** What was done to a workspace and taking it back, and what of the memories stands in its documents. */
export function registerWorkspaceRuns(
  app: FastifyInstance,
  { logger }: Pick<AppOptions, 'logger'>,
  calls: WorkspaceCalls,
): void {
  app.get('/v1/workspaces/:workspace/runs', async (request) => {
    const { workspace } = parseInput(workspacePath, request.params, 'path');
    const { limit, work, ...owner } = parseInput(runsQuery, request.query, 'query');
    const key = { ...owner, workspace };
    return { ...key, runs: await calls.runs(key, { limit, work }) };
  });

  app.get('/v1/workspaces/:workspace/runs/:run', async (request) => {
    const { workspace, run } = parseInput(runPath, request.params, 'path');
    const key = { ...parseInput(ownerQuery, request.query, 'query'), workspace };
    return { ...key, run: await calls.run(key, run) };
  });

  app.post('/v1/workspaces/:workspace/runs/:run/undo', async (request) => {
    const { workspace, run } = parseInput(runPath, request.params, 'path');
    const { by, ...owner } = parseInput(ownerBody, request.body ?? {}, 'body');
    const key = { ...owner, workspace };
    const undone = await calls.undoRun(key, run, { by });
    logger.info({ ...key, run, by, status: undone.status }, 'a run of a workspace was undone');
    return { ...key, ...undone };
  });

  // What would be written, and writing it.
  app.get('/v1/workspaces/:workspace/projection', async (request) => {
    const { workspace } = parseInput(workspacePath, request.params, 'path');
    const key = { ...parseInput(ownerQuery, request.query, 'query'), workspace };
    return { ...key, ...(await calls.preview(key)) };
  });

  app.post('/v1/workspaces/:workspace/projection', async (request) => {
    const { workspace } = parseInput(workspacePath, request.params, 'path');
    const { by, ...owner } = parseInput(ownerBody, request.body ?? {}, 'body');
    const key = { ...owner, workspace };
    const result = await calls.project(key);
    logger.info(
      { ...key, by, run: result.id, status: result.status },
      'memories were projected into a workspace',
    );
    return { ...key, ...result };
  });
}
