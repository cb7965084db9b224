import { listChangeSetsRoute, readChangeSetRoute } from '@slowwave/api';
import { getUser, pageChangeSets, readChangeSet } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';
import { unknownUser } from './users.ts';

/** What was changed of a user's memories, by whom and when, and one change set row by row. */
export function registerJournal(app: FastifyInstance, { database }: AppOptions): void {
  serve(app, listChangeSetsRoute, async ({ tenant, params: { user }, query }) => {
    const { limit, cursor, before, run: runId, fusion: fusionKey, memory } = query;
    const { rows, nextCursor } = await database.withTenant(tenant, async (tx) => {
      if ((await getUser(tx, tenant, user)) === null) throw unknownUser();
      return pageChangeSets(tx, { tenant, user, limit, cursor, before, runId, fusionKey, memory });
    });
    return { tenant, user, changeSets: rows, nextCursor };
  });

  serve(app, readChangeSetRoute, async ({ tenant, params: { id }, query: { user } }) => {
    const found = await database.withTenant(tenant, (tx) => readChangeSet(tx, { tenant, user, id }));
    if (found === null) throw new Problem(404, 'unknown_change', 'this user has no such change set');
    return { tenant, user, ...found };
  });
}
