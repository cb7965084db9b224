import { endBatch, listUsersOf, type ModelBatch, requestBatchRuns } from '@slowwave/db';
import { errorFacts, type TierJob } from '@slowwave/queue';
import { type BatchDeps, logOf } from './deps.ts';
import { inPages } from './pages.ts';

/** Answers that no run has used are kept so long, ms. */
const KEPT_MS = 3 * 86_400_000;
/** Users whose runs are asked for in one transaction: their tiers are locked until it ends. */
const USERS_AT_ONCE = 500;

/** Asks for the runs that go on with what came of a batch. Asking again is the same run, as long as it has not begun. */
export async function requestRuns(deps: BatchDeps, batch: ModelBatch): Promise<void> {
  const { database, now } = deps;
  const { tenant, id } = batch;
  const users = await database.withTenant(tenant, (tx) => listUsersOf(tx, { tenant, id, at: now() }));
  for await (const page of inPages(users, USERS_AT_ONCE)) {
    const runs = await database.withTenant(tenant, (tx) =>
      requestBatchRuns(tx, { tenant, users: page, at: now() }),
    );
    await enqueue(deps, batch, runs);
  }
}

async function enqueue(
  { queues, logger }: BatchDeps,
  batch: ModelBatch,
  runs: Awaited<ReturnType<typeof requestBatchRuns>>,
): Promise<void> {
  const { tenant } = batch;
  const jobs = runs.map(
    ({ user, runId }): TierJob => ({ v: 1, tenant, user, tier: 'sleep', why: 'batch', runId }),
  );
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
