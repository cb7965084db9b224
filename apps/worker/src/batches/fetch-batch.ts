import { failUnheard, lookAgain, type ModelBatch, markCancelled } from '@slowwave/db';
import { ModelError } from '@slowwave/fusion';
import { type BatchDeps, closeAll, logOf } from './deps.ts';
import { finishBatch, requestRuns } from './finish-batch.ts';
import { storeAll } from './store-results.ts';

const FIRST_LOOK_MS = 5_000;
const LONGEST_LOOK_MS = 60_000;
const NOT_FOUND = 404;

/** Looks at a batch more and more rarely: most end within the hour. */
export function lookAfterMs(looks: number): number {
  return Math.min(LONGEST_LOOK_MS, FIRST_LOOK_MS * 2 ** Math.min(10, Math.max(0, looks - 1)));
}

/** Looks whether a batch has ended, and stores what came of it. One that is past its deadline is cancelled, and its questions asked directly. */
export async function fetchBatch(deps: BatchDeps, batch: ModelBatch): Promise<void> {
  const { tenant, id, providerId, looks } = batch;
  if (providerId === null) throw new TypeError('a batch that was sent has a name');
  const ended = await hasEnded(deps, batch, providerId);
  if (ended) return store(deps, batch, ended === 'gone' ? null : providerId);
  const lookAt = deps.now() + lookAfterMs(looks);
  await deps.database.withTenant(tenant, (tx) => lookAgain(tx, { tenant, id, lookAt }));
}

async function hasEnded(deps: BatchDeps, batch: ModelBatch, providerId: string): Promise<boolean | 'gone'> {
  const { tenant, id, deadlineAt, cancelledAt } = batch;
  try {
    if ((await deps.api.retrieve(providerId)).ended) return true;
    const at = deps.now();
    if (at < deadlineAt || cancelledAt !== null) return false;
    await deps.api.cancel(providerId);
    // Whoever waits does not wait for the end of what was cancelled.
    await requestRuns(deps, batch);
    await deps.database.withTenant(tenant, (tx) => markCancelled(tx, { tenant, id, at }));
    deps.logger.warn(logOf(batch), 'a batch is past its deadline and was cancelled');
    return false;
  } catch (error) {
    if (error instanceof ModelError && error.status === NOT_FOUND) return 'gone';
    throw error;
  }
}

/** @param providerId null: the provider does not know the batch any more */
async function store(deps: BatchDeps, batch: ModelBatch, providerId: string | null): Promise<void> {
  const { tenant, id } = batch;
  const unknown = providerId === null ? 0 : await storeAll(deps, batch, providerId);
  const unheard = await deps.database.withTenant(tenant, (tx) => failUnheard(tx, { tenant, id }));
  await closeAll(deps, tenant, unheard, 'lapsed');
  await finishBatch(deps, batch, unknown);
}
