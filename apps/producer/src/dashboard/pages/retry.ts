import { type Database, readFusion } from '@slowwave/db';
import { fusionJobId, type Queues } from '@slowwave/queue';
import type { Logger } from 'pino';
import { Problem } from '../../http/problem.ts';

/**
 * Has a failed fusion tried again with fresh attempts, as a retry on Bull Board does.
 * @returns requeued: its job was gone (a queue that was wiped, or past its retention) and stands in the failed list again soon
 * @throws Problem 404 `unknown_fusion`, 409 `not_failed`
 */
export async function retryFusion(
  { database, queues, logger }: { database: Database; queues: Queues; logger: Logger },
  of: { tenant: string; user: string; key: string; at: number; by: string },
): Promise<'retried' | 'requeued'> {
  const { tenant, user, key, at, by } = of;
  const fusion = await database.withTenant(tenant, (tx) => readFusion(tx, { tenant, user, key, at }));
  if (fusion === null) throw new Problem(404, 'unknown_fusion', 'this user has no such fusion');
  if (fusion.status !== 'failed') {
    throw new Problem(409, 'not_failed', `the fusion has not failed: it is ${fusion.status}`);
  }
  const retried = await queues.retryFailed('fusions', fusionJobId(key));
  // A worker tries what failed for good only when somebody retries its job, not when it is new.
  if (!retried) {
    const { tier, runId } = fusion;
    await queues.addFusion({ v: 1, tenant, user, key, tier, runId: runId ?? 'none' });
  }
  logger.info({ tenant, user, key, by, retried }, 'a person has a failed fusion tried again');
  return retried ? 'retried' : 'requeued';
}
