import { readEvaluation as readRoute, storeEvaluation as storeRoute } from '@slowwave/api';
import { readEvaluation, storeEvaluation } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { serve } from './serve.ts';

/** The last evaluation of a tenant. */
export function registerEvaluations(app: FastifyInstance, { database, now }: AppOptions): void {
  serve(app, readRoute, async ({ tenant }) => ({
    tenant,
    ...(await database.withTenant(tenant, (tx) => readEvaluation(tx, tenant))),
  }));

  serve(app, storeRoute, async ({ tenant, body: evaluation }) => ({
    tenant,
    ...(await database.withTenant(tenant, (tx) => storeEvaluation(tx, { tenant, at: now(), evaluation }))),
  }));
}
