import { readEstimateRoute } from '@slowwave/api';
import { estimateNight, pageUsers, type StepEstimate } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { noEmbedder } from './memories-recall.ts';
import type { AppOptions } from './options.ts';
import { serve } from './serve.ts';
import { unknownUser } from './users.ts';

/** What the next night would ask of language models. Users are planned one after the other, so that others have their turn. */
export function registerEstimate(app: FastifyInstance, options: AppOptions): void {
  const { database, embedder, now, overdueMs, steps, isJudged } = options;
  serve(app, readEstimateRoute, async ({ tenant, query: { user, limit, cursor } }) => {
    if (!embedder) throw noEmbedder();
    const at = now();
    const items = steps && {
      conflicts: steps.conflicts.items,
      nrem: steps.nrem.items,
      rem: steps.rem.items,
      reflection: steps.reflection.items,
    };
    const estimate = (of: string) =>
      estimateNight(database, { tenant, user: of, at, embedder, items, isJudged });
    if (user !== undefined && cursor === undefined) {
      const found = await estimate(user);
      if (found === null) throw unknownUser();
      return { tenant, at, users: [{ user, steps: found }], nextCursor: null };
    }
    const page = await database.withTenant(tenant, (tx) =>
      pageUsers(tx, { tenant, at, graceMs: overdueMs, limit, cursor }),
    );
    const users: { user: string; steps: StepEstimate[] }[] = [];
    for (const { user: one } of page.rows) {
      if (user !== undefined && one !== user) continue;
      const found = await estimate(one);
      // Forgotten while others were planned.
      if (found !== null) users.push({ user: one, steps: found });
    }
    return { tenant, at, users, nextCursor: page.nextCursor };
  });
}
