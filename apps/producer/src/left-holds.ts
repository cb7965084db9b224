import { type Database, listLeftHolds, PAGE_MAX } from '@slowwave/db';
import type { Queues, TierJob } from '@slowwave/queue';
import { HOLD_GRACE_MS, isCarriable } from './fill.ts';

/**
 * Wakes users whose worker ended without a word, so that somebody looks for what it left: the job that would lead there is lost when the queue
 * was emptied meanwhile, and a run that somebody asked for and that had begun is found by nobody else. Waking twice is one job.
 * @returns how many were woken
 */
export async function wakeLeftHolds(parts: {
  database: Pick<Database, 'asDispatcher'>;
  queues: Pick<Queues, 'addBulk'>;
}): Promise<number> {
  const left = await parts.database.asDispatcher((tx) =>
    listLeftHolds(tx, { limit: PAGE_MAX, graceMs: HOLD_GRACE_MS }),
  );
  const jobs = left.map((of): TierJob => ({ v: 1, ...of, tier: 'light', why: 'sweep' })).filter(isCarriable);
  if (jobs.length > 0) await parts.queues.addBulk(jobs);
  return jobs.length;
}
