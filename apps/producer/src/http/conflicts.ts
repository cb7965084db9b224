import {
  CONFLICT_CHOICES,
  CONFLICT_LIST_MAX,
  CONFLICT_POLICIES,
  CONFLICT_STATUSES,
  getConflict,
  listConflicts,
  RESOLUTION_CHARS_MAX,
  resolveConflict,
  setConflictPolicy,
} from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { unknownUser } from './users.ts';

const LIMIT = `expected a whole number from 1 to ${CONFLICT_LIST_MAX}`;
const LIMIT_DEFAULT = 50;
const NOTE = `expected 1 to ${RESOLUTION_CHARS_MAX} characters`;
const wordOf = <Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `expected one of ${words.join(', ')}` });

const pathSchema = z.object({ id: z.uuid('expected the id of a conflict, as GET /v1/conflicts lists it') });
const userPath = z.object({ user: idSchema });
const listQuery = z.strictObject({
  tenant: tenantSchema,
  user: idSchema.optional(),
  status: wordOf([...CONFLICT_STATUSES, 'all'] as const).default('open'),
  limit: z.coerce
    .number({ error: LIMIT })
    .int(LIMIT)
    .min(1, LIMIT)
    .max(CONFLICT_LIST_MAX, LIMIT)
    .default(LIMIT_DEFAULT),
});
const oneQuery = z.strictObject({ tenant: tenantSchema, user: idSchema });
const resolveBody = z.strictObject({
  tenant: tenantSchema,
  user: idSchema,
  keep: wordOf(CONFLICT_CHOICES),
  note: z.string({ error: NOTE }).min(1, NOTE).max(RESOLUTION_CHARS_MAX, NOTE).optional(),
  by: idSchema.default('operator'),
});
const policyBody = z.strictObject({ tenant: tenantSchema, policy: wordOf(CONFLICT_POLICIES) });

function unknownConflict(): Problem {
  return new Problem(404, 'unknown_conflict', 'this user has no such conflict');
}

/** Memories that disagree: the list with both texts, how one is settled, and what a user's policy settles by itself. */
export function registerConflicts(app: FastifyInstance, { database, logger, now }: AppOptions): void {
  app.get('/v1/conflicts', async (request) => {
    const { tenant, user, status, limit } = parseInput(listQuery, request.query, 'query');
    const wanted = status === 'all' ? undefined : status;
    const conflicts = await database.withTenant(tenant, (tx) =>
      listConflicts(tx, { tenant, user, status: wanted, limit }),
    );
    return { tenant, conflicts };
  });

  app.get('/v1/conflicts/:id', async (request) => {
    const { id } = parseInput(pathSchema, request.params, 'path');
    const { tenant, user } = parseInput(oneQuery, request.query, 'query');
    const found = await database.withTenant(tenant, (tx) => getConflict(tx, { tenant, user, id }));
    if (found === null) throw unknownConflict();
    return { tenant, ...found };
  });

  app.post('/v1/conflicts/:id/resolve', async (request) => {
    const { id } = parseInput(pathSchema, request.params, 'path');
    const { tenant, user, keep, note, by } = parseInput(resolveBody, request.body ?? {}, 'body');
    const settled = await resolveConflict(database, {
      tenant,
      user,
      id,
      resolution: { keep, note },
      by,
      at: now(),
    });
    const { winner, loser } = settled;
    logger.info({ tenant, user, conflict: id, keep, winner, loser }, 'an operator settled a conflict');
    return { tenant, user, ...settled };
  });

  app.post('/v1/users/:user/conflict-policy', async (request) => {
    const { user } = parseInput(userPath, request.params, 'path');
    const { tenant, policy } = parseInput(policyBody, request.body ?? {}, 'body');
    const set = await database.withTenant(tenant, (tx) => setConflictPolicy(tx, { tenant, user, policy }));
    if (set === null) throw unknownUser();
    logger.info({ tenant, user, policy }, 'an operator changed how the conflicts of a user are settled');
    return { tenant, user, policy: set };
  });
}
