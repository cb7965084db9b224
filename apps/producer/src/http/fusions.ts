import { listFusionsRoute, readFusionRoute } from '@slowwave/api';
import { pageFusions, readFusion } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

/** The ledger of fusions and merges, and one of them with everything that is known of it. */
export function registerFusions(app: FastifyInstance, { database, now }: AppOptions): void {
  serve(app, listFusionsRoute, async ({ tenant, query: { run, ...query } }) => {
    const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
      pageFusions(tx, { ...query, tenant, runId: run }),
    );
    return { tenant, fusions: rows, nextCursor };
  });

  serve(app, readFusionRoute, async ({ tenant, params: { key }, query: { user } }) => {
    const fusion = await database.withTenant(tenant, (tx) =>
      readFusion(tx, { tenant, user, key, at: now() }),
    );
    if (fusion === null) {
      throw new Problem(404, 'unknown_fusion', 'there is no such fusion of this user');
    }
    return { tenant, ...fusion };
  });
}
