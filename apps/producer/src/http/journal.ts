import { CHANGE_SETS_PER_LIST_MAX, getUser, listChangeSets, readChangeSet } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { unknownUser } from './users.ts';

const LIMIT = `expected a whole number from 1 to ${CHANGE_SETS_PER_LIST_MAX}`;
const userPath = z.object({ user: idSchema });
const setPath = z.object({ id: idSchema });
const listQuery = z.strictObject({
  tenant: tenantSchema,
  limit: z.coerce
    .number({ error: LIMIT })
    .int(LIMIT)
    .min(1, LIMIT)
    .max(CHANGE_SETS_PER_LIST_MAX, LIMIT)
    .default(50),
  /** The last entry of the page before. */
  before: idSchema.optional(),
  run: idSchema.optional(),
  fusion: idSchema.optional(),
  memory: idSchema.optional(),
});
const oneQuery = z.strictObject({ tenant: tenantSchema, user: idSchema });

/** What was changed of a user's memories, by whom and when, and one change set row by row. */
export function registerJournal(app: FastifyInstance, { database }: AppOptions): void {
  app.get('/v1/users/:user/change-sets', async (request) => {
    const { user } = parseInput(userPath, request.params, 'path');
    const { tenant, limit, before, run, fusion, memory } = parseInput(listQuery, request.query, 'query');
    const changeSets = await database.withTenant(tenant, async (tx) => {
      if ((await getUser(tx, tenant, user)) === null) throw unknownUser();
      return listChangeSets(tx, { tenant, user, limit, before, runId: run, fusionKey: fusion, memory });
    });
    return { tenant, user, changeSets };
  });

  app.get('/v1/change-sets/:id', async (request) => {
    const { id } = parseInput(setPath, request.params, 'path');
    const { tenant, user } = parseInput(oneQuery, request.query, 'query');
    const found = await database.withTenant(tenant, (tx) => readChangeSet(tx, { tenant, user, id }));
    if (found === null) throw new Problem(404, 'unknown_change', 'this user has no such change set');
    return { tenant, user, ...found };
  });
}
