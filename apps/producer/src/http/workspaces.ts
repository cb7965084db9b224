import * as api from '@slowwave/api';
import type { FastifyInstance } from 'fastify';
import { createWorkspaceCalls } from '../workspaces/calls.ts';
import type { AppOptions } from './options.ts';
import type { Principal } from './principal.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';
import { registerMemoryRoutes } from './workspaces-memory.ts';
import { registerWorkspaceRuns } from './workspaces-runs.ts';
import { askForLight } from './workspaces-wake.ts';

/** Workspaces: places with documents of one user, in a folder or in the database, and what their memory backend answers. */
export function registerWorkspaces(app: FastifyInstance, options: AppOptions): void {
  const { database, now, logger, folders = [] } = options;
  const wake = (owner: { tenant: string; user: string }) => askForLight(options, owner);
  const calls = createWorkspaceCalls({ database, now, folders, wake });
  registerMemoryRoutes(app, options, calls);
  registerWorkspaceRuns(app, options, calls);

  serve(app, api.listWorkspaces, async ({ tenant, query: { user } }) => {
    const owner = { tenant, user };
    return { ...owner, workspaces: await calls.list(owner) };
  });

  serve(app, api.putWorkspace, async ({ tenant, params: { workspace }, body, principal, reply }) => {
    const { tenant: _tenant, user, ...change } = body;
    if (typeof change.rootDir === 'string') requireMachine(principal);
    const put = await calls.put({ tenant, user, workspace }, change);
    const { backend } = put.workspace;
    logger.info({ tenant, user, workspace, backend, created: put.created }, 'a workspace was set');
    reply.code(put.created ? 201 : 200);
    return put;
  });

  serve(app, api.getWorkspace, ({ tenant, params: { workspace }, query: { user } }) =>
    calls.show({ tenant, user, workspace }),
  );

  serve(app, api.removeWorkspace, async ({ tenant, params: { workspace }, query: { user, confirm } }) => {
    const key = { tenant, user, workspace };
    if (confirm !== workspace && (await calls.show(key)).rootDir === null) {
      throw new Problem(
        409,
        'not_confirmed',
        'its documents are in the database and go with it: name the workspace once more as "confirm"',
      );
    }
    await calls.remove(key);
    logger.info({ ...key }, 'a workspace was removed');
    return { ...key, removed: true as const };
  });
}

/** Folders are of the machine: one tenant's token must not reach another tenant's files by naming where they are. */
function requireMachine(principal: Principal): void {
  if (principal.tenant === null) return;
  throw new Problem(
    403,
    'operator_only',
    'rootDir names a folder of the machine, which only the operator token may do; left out, the documents are in the database',
  );
}
