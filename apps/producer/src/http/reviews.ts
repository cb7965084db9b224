import {
  approveFusion,
  type Decision,
  listReviews,
  previewOf,
  REVIEWS_PER_LIST_MAX,
  ReviewRefused,
  rejectFusion,
} from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';

const KEY = 'expected the key of a fusion, 64 hexadecimal digits';
const keyPath = z.object({ key: z.string({ error: KEY }).regex(/^[0-9a-f]{64}$/, KEY) });
const runPath = z.object({ id: z.uuid('expected the runId that POST /v1/consolidations gave') });
const LIMIT = `expected 1 to ${REVIEWS_PER_LIST_MAX}`;
const listQuery = z.strictObject({
  tenant: tenantSchema,
  user: idSchema.optional(),
  limit: z.coerce
    .number({ error: LIMIT })
    .int(LIMIT)
    .min(1, LIMIT)
    .max(REVIEWS_PER_LIST_MAX, LIMIT)
    .default(50),
});
const decisionBody = z.strictObject({
  tenant: tenantSchema,
  user: idSchema,
  /** Who decides, for whoever looks at it later. */
  by: idSchema.default('operator'),
});
const ownerQuery = z.strictObject({ tenant: tenantSchema, user: idSchema });

/** What waits for a person, what a run would do, and the person's word. */
export function registerReviews(app: FastifyInstance, options: AppOptions): void {
  const { database } = options;
  app.get('/v1/reviews', async (request) => {
    const { tenant, user, limit } = parseInput(listQuery, request.query, 'query');
    const reviews = await database.withTenant(tenant, (tx) => listReviews(tx, { tenant, user, limit }));
    return { tenant, reviews };
  });

  app.get('/v1/runs/:id/preview', async (request) => {
    const { id: runId } = parseInput(runPath, request.params, 'path');
    const { tenant, user } = parseInput(ownerQuery, request.query, 'query');
    const preview = await database.withTenant(tenant, (tx) => previewOf(tx, { tenant, user, runId }));
    if (preview === null) throw new Problem(404, 'unknown_preview', 'this user has no such preview');
    return preview;
  });

  registerDecision(app, options, 'approve', async (decision) => {
    const result = await approveFusion(database, decision);
    if (result.status === 'applied') return result;
    throw new Problem(
      409,
      'stale',
      'a source has changed since this was proposed; nothing was written, and a later run proposes it anew',
    );
  });
  registerDecision(app, options, 'reject', (decision) => rejectFusion(database, decision));
}

function registerDecision(
  app: FastifyInstance,
  { now, logger }: AppOptions,
  action: 'approve' | 'reject',
  decide: (decision: Decision) => Promise<object>,
): void {
  app.post(`/v1/fusions/:key/${action}`, async (request) => {
    const { key } = parseInput(keyPath, request.params, 'path');
    const { tenant, user, by } = parseInput(decisionBody, request.body ?? {}, 'body');
    const result = await decide({ tenant, user, key, at: now(), by }).catch((error: unknown) => {
      throw error instanceof ReviewRefused ? problemOfRefusal(error) : error;
    });
    logger.info({ action, tenant, user, key, ...result }, 'an operator decided about a fusion');
    return { tenant, user, key, ...result };
  });
}

/** Its sentences say what to do, in states and keys. */
function problemOfRefusal(refused: ReviewRefused): Problem {
  const { code, message, retryable, status } = refused;
  if (code === 'unknown') return new Problem(404, 'unknown_fusion', message);
  return new Problem(409, code, message, { retryable, fusionStatus: status });
}
