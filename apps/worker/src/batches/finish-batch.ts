import { endBatch, listUsersOf, type ModelBatch, requestBatchRun } from '@slowwave/db';
import { errorFacts, type TierJob } from '@slowwave/queue';
import { type BatchDeps, logOf } from './deps.ts';

/** Answers that no run has used are kept so long, ms. */
const KEPT_MS = 3 * 86_400_000;

/** Asks for the runs that go on with what came of a batch. Asking again is the same run, as long as it has not begun. */
export async function requestRuns(deps: BatchDeps, batch: ModelBatch): Promise<void> {
  const { database, queues, now, logger } = deps;
  const { tenant, id } = batch;
  const users = await database.withTenant(tenant, (tx) => listUsersOf(tx, { tenant, id, at: now() }));
  const jobs: TierJob[] = [];
  for (const user of users) {
    const runId = await database.withTenant(tenant, (tx) => requestBatchRun(tx, { tenant, user, at: now() }));
    if (runId !== null) jobs.push({ v: 1, tenant, user, tier: 'sleep', why: 'batch', runId });
  }
  try {
    if (jobs.length > 0) await queues.addBulk(jobs);
  } catch (error) {
    // They stand in the database, and are found there.
    logger.warn({ ...logOf(batch), runs: jobs.length, ...errorFacts(error) }, 'runs wait for the next tick');
  }
}

/** @param unknown results that belong to no question of ours */
export async function finishBatch(deps: BatchDeps, batch: ModelBatch, unknown: number): Promise<void> {
  const { database, now, failpoints } = deps;
  const { tenant, id } = batch;
  await failpoints?.('after-results');
  await requestRuns(deps, batch);
  await failpoints?.('after-requested');
  const at = now();
  await database.withTenant(tenant, (tx) => endBatch(tx, { tenant, id, at, lookAt: at + KEPT_MS, unknown }));
  deps.logger.info({ ...logOf(batch), unknown }, 'batch ended');
}
