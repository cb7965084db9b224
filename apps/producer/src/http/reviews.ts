import { approveFusionRoute, listReviewsRoute, rejectFusionRoute } from '@slowwave/api';
import { approveFusion, type Decision, pageReviews, ReviewRefused, rejectFusion } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

/** What waits for a person, and the person's word. */
export function registerReviews(app: FastifyInstance, { database, now, logger }: AppOptions): void {
  serve(app, listReviewsRoute, async ({ tenant, query }) => {
    const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
      pageReviews(tx, { ...query, tenant }),
    );
    return { tenant, reviews: rows, nextCursor };
  });

  /** Carries a decision out and writes it down. @throws Problem */
  async function decided<T extends object>(
    action: 'approve' | 'reject',
    decision: Omit<Decision, 'at'>,
    decide: (decision: Decision) => Promise<T>,
  ) {
    const { tenant, user, key } = decision;
    const result = await decide({ ...decision, at: now() }).catch((error: unknown) => {
      throw error instanceof ReviewRefused ? problemOfRefusal(error) : error;
    });
    const facts: Record<string, unknown> = { action, ...decision, ...result };
    logger.info(facts, 'an operator decided about a fusion');
    return { tenant, user, key, ...result };
  }

  serve(app, approveFusionRoute, ({ tenant, params: { key }, body, principal }) => {
    const { user, by = principal.name } = body;
    return decided('approve', { tenant, user, key, by }, async (decision) => {
      const result = await approveFusion(database, decision);
      if (result.status === 'applied') return result;
      throw new Problem(
        409,
        'stale',
        'a source has changed since this was proposed; nothing was written, and a later run proposes it anew',
      );
    });
  });

  serve(app, rejectFusionRoute, ({ tenant, params: { key }, body, principal }) => {
    const { user, by = principal.name } = body;
    return decided('reject', { tenant, user, key, by }, (decision) => rejectFusion(database, decision));
  });
}

/** Its sentences say what to do, in states and keys. */
function problemOfRefusal(refused: ReviewRefused): Problem {
  const { code, message, retryable, status } = refused;
  if (code === 'unknown') return new Problem(404, 'unknown_fusion', message);
  return new Problem(409, code, message, { retryable, fusionStatus: status });
}
