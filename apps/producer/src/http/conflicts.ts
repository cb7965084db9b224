import { listConflictsRoute, readConflictRoute, resolveConflictRoute } from '@slowwave/api';
import { getConflict, pageConflicts, resolveConflict } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

function unknownConflict(): Problem {
  return new Problem(404, 'unknown_conflict', 'this user has no such conflict');
}

/** Memories that disagree: the list with both texts, and how one is settled. */
export function registerConflicts(app: FastifyInstance, { database, logger, now }: AppOptions): void {
  serve(app, listConflictsRoute, async ({ tenant, query }) => {
    const { user, status, limit, cursor } = query;
    const wanted = status === 'all' ? undefined : status;
    const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
      pageConflicts(tx, { tenant, user, status: wanted, limit, cursor }),
    );
    return { tenant, conflicts: rows, nextCursor };
  });

  serve(app, readConflictRoute, async ({ tenant, params: { id }, query: { user } }) => {
    const found = await database.withTenant(tenant, (tx) => getConflict(tx, { tenant, user, id }));
    if (found === null) throw unknownConflict();
    return { tenant, ...found };
  });

  serve(app, resolveConflictRoute, async ({ tenant, params: { id }, body, principal }) => {
    const { user, keep, note, by = principal.name } = body;
    const resolution = { keep, note };
    const settled = await resolveConflict(database, { tenant, user, id, resolution, by, at: now() });
    const { winner, loser } = settled;
    logger.info({ tenant, user, conflict: id, keep, winner, loser, by }, 'an operator settled a conflict');
    return { tenant, user, ...settled };
  });
}
