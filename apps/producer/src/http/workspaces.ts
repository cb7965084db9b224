import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { createWorkspaceCalls } from '../workspaces/calls.ts';
import { idSchema, parseInput } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { flag, ownerFields, ownerQuery, text, workspacePath } from './workspaces-input.ts';
import { registerMemoryRoutes } from './workspaces-memory.ts';
import { registerWorkspaceRuns } from './workspaces-runs.ts';
import { askForLight } from './workspaces-wake.ts';

const NUMBER = 'expected a number';
const number = z.number({ error: NUMBER });
const removeQuery = z.strictObject({ ...ownerFields, confirm: idSchema.optional() });
const putBody = z.strictObject({
  ...ownerFields,
  backend: text.optional(),
  rootDir: text.nullable().optional(),
  memoryEnabled: flag.optional(),
  projectionEnabled: flag.optional(),
  importEnabled: flag.optional(),
  quotaBytes: number.optional(),
  insightsEnabled: flag.optional(),
  insightsSchedule: text.optional(),
  insightsTimezone: text.nullable().optional(),
  insightsMinIntervalMs: number.optional(),
  insightsMinGrowth: number.optional(),
});

/** Workspaces: places with documents of one user, in a folder or in the database, and what their memory backend answers. */
export function registerWorkspaces(app: FastifyInstance, options: AppOptions): void {
  const { database, now, logger, folders = [], provider, stopping } = options;
  const wake = (owner: { tenant: string; user: string }) => askForLight(options, owner);
  const calls = createWorkspaceCalls({ database, now, folders, provider, stopping, wake });
  registerMemoryRoutes(app, options, calls);
  registerWorkspaceRuns(app, options, calls);

  app.get('/v1/workspaces', async (request) => {
    const owner = parseInput(ownerQuery, request.query, 'query');
    return { ...owner, workspaces: await calls.list(owner) };
  });

  app.put('/v1/workspaces/:workspace', async (request, reply) => {
    const { workspace } = parseInput(workspacePath, request.params, 'path');
    const { tenant, user, ...change } = parseInput(putBody, request.body ?? {}, 'body');
    const put = await calls.put({ tenant, user, workspace }, change);
    const { backend } = put.workspace;
    logger.info({ tenant, user, workspace, backend, created: put.created }, 'a workspace was set');
    return reply.code(put.created ? 201 : 200).send(put);
  });

  app.get('/v1/workspaces/:workspace', async (request) => {
    const { workspace } = parseInput(workspacePath, request.params, 'path');
    return calls.show({ ...parseInput(ownerQuery, request.query, 'query'), workspace });
  });

  app.delete('/v1/workspaces/:workspace', async (request) => {
    const { workspace } = parseInput(workspacePath, request.params, 'path');
    const { confirm, ...owner } = parseInput(removeQuery, request.query, 'query');
    const key = { ...owner, workspace };
    if (confirm !== workspace && (await calls.show(key)).rootDir === null) {
      throw new Problem(
        409,
        'not_confirmed',
        'its documents are in the database and go with it: name the workspace once more as "confirm"',
      );
    }
    await calls.remove(key);
    logger.info({ ...key }, 'a workspace was removed');
    return { ...key, removed: true };
  });
}
