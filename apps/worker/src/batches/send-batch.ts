import {
  beginSending,
  countRequests,
  findAskers,
  listKnownProviderIds,
  lookAgain,
  type ModelBatch,
  markCancelled,
  recordSubmitted,
  rejectBatch,
  returnBatch,
  type SendLimits,
} from '@slowwave/db';
import { ModelError, type ModelErrorCode } from '@slowwave/fusion';
import type { BatchResult, BatchState } from '@slowwave/models';
import { type BatchDeps, closeAll, logOf, PAGE_SIZE } from './deps.ts';
import { finishBatch, requestRuns } from './finish-batch.ts';
import { inPages } from './pages.ts';

/** What is held in memory while it is sent: less than a provider takes. What is more is sent as another batch. */
const LIMITS: SendLimits = { requests: 10_000, bytes: 64 * 1024 * 1024 };
/** While a batch collects it is looked at so often. */
const COLLECTING_LOOK_MS = 10_000;
/** Whoever sends a batch has stopped trying by then: from then on others may look what became of it. */
export const SENDING_MS = 15 * 60_000;
/** A request whose connection is gone has arrived by then, or never will. */
const ARRIVED_MS = 2 * 60_000;
/** Clocks may differ by so much. */
const SKEW_MS = 10 * 60_000;
/** How long one waits after a provider could not take a batch. */
const LATER_MS = 60_000;
/** How long a batch that may be ours is waited for before one looks again. */
const PERHAPS_OURS_MS = 60_000;

/** The provider said no, and has nothing. */
const REFUSED: ReadonlySet<ModelErrorCode> = new Set(['auth', 'rate_limited', 'overloaded']);
const UNACCEPTABLE: ReadonlySet<ModelErrorCode> = new Set(['invalid_request', 'too_large']);

/** Sends a batch once it is worth it: when enough questions wait in it, or when the first has waited long enough. */
export async function sendWhenRipe(deps: BatchDeps, batch: ModelBatch): Promise<void> {
  const { database, settings, now } = deps;
  const { tenant, id } = batch;
  const at = now();
  const waited = at - batch.createdAt;
  const ripe =
    waited >= settings.waitMs ||
    (await database.withTenant(tenant, (tx) => countRequests(tx, { tenant, id, state: 'collected' }))) >=
      settings.minCalls;
  if (ripe) return send(deps, batch);
  const lookAt = Math.min(batch.createdAt + settings.waitMs, at + COLLECTING_LOOK_MS);
  await database.withTenant(tenant, (tx) => lookAgain(tx, { tenant, id, lookAt }));
}

async function send(deps: BatchDeps, batch: ModelBatch): Promise<void> {
  const { database, api, now, settings, failpoints } = deps;
  const { tenant, id, model } = batch;
  const at = now();
  const begun = await database.withTenant(tenant, (tx) =>
    beginSending(
      tx,
      { tenant, id, model, at },
      {
        limits: deps.limits ?? LIMITS,
        until: at + SENDING_MS,
        deadlineAt: at + settings.deadlineMs,
        isLate: at >= batch.deadlineAt,
      },
    ),
  );
  if (begun.status === 'gone') return;
  if (begun.status === 'rejected') return reject(deps, batch);
  await failpoints?.('after-sending');
  let made: BatchState;
  try {
    made = await api.create(begun.requests);
  } catch (error) {
    return afterFailure(deps, batch, error);
  }
  await failpoints?.('after-create');
  await submitted(deps, batch, made.id);
  await failpoints?.('after-recorded');
  deps.logger.info({ ...logOf(batch), requests: begun.requests.length }, 'batch sent');
}

async function submitted(deps: BatchDeps, { tenant, id }: ModelBatch, providerId: string): Promise<void> {
  const lookAt = deps.now();
  const recorded = await deps.database.withTenant(tenant, (tx) =>
    recordSubmitted(tx, { tenant, id, providerId, lookAt }),
  );
  // Somebody thought that it had not arrived and took its questions elsewhere: nobody is to be paid twice.
  if (!recorded) await deps.api.cancel(providerId);
}

/** What a failed attempt to send leaves: nothing at the provider, or nobody knows. */
async function afterFailure(deps: BatchDeps, batch: ModelBatch, error: unknown): Promise<void> {
  const { tenant, id } = batch;
  const code = error instanceof ModelError ? error.code : 'unexpected_error';
  deps.logger.warn({ ...logOf(batch), code }, 'a batch could not be sent');
  if (error instanceof ModelError) {
    if (error.unsent || REFUSED.has(error.code)) return takeBack(deps, batch, error.retryAfterMs ?? LATER_MS);
    if (UNACCEPTABLE.has(error.code)) return reject(deps, batch);
  }
  const lookAt = deps.now() + ARRIVED_MS;
  await deps.database.withTenant(tenant, (tx) => lookAgain(tx, { tenant, id, lookAt }));
}

async function takeBack(deps: BatchDeps, batch: ModelBatch, laterMs: number): Promise<void> {
  const { tenant, id, model } = batch;
  const at = deps.now();
  const { deadlineMs } = deps.settings;
  const calls = await deps.database.withTenant(tenant, (tx) =>
    returnBatch(tx, { tenant, id, model, at, deadlineAt: at + deadlineMs, lookAt: at + laterMs }),
  );
  await closeAll(deps, tenant, calls, 'released');
}

/** No provider will ever take it: its questions are asked directly. */
async function reject(deps: BatchDeps, batch: ModelBatch): Promise<void> {
  const { tenant, id } = batch;
  const calls = await deps.database.withTenant(tenant, (tx) => rejectBatch(tx, { tenant, id }));
  await closeAll(deps, tenant, calls, 'released');
  await finishBatch(deps, batch, 0);
}

/**
 * Finds out what became of a batch that was about to be sent when nobody heard of it again. There is no idempotency: what the provider has and
 * nobody here knows may be it. Its results tell; as long as there are none it is waited for. Only when the list shows that nothing like it was
 * received is it sent again.
 */
export async function reconcile(deps: BatchDeps, batch: ModelBatch): Promise<void> {
  const { database, api, now } = deps;
  const { tenant, id, requests } = batch;
  // Written down, and then found that the tenant wants none.
  if (requests === 0) return reject(deps, batch);
  const listed = await api.list((batch.sentAt ?? batch.createdAt) - SKEW_MS);
  const known = await database.asDispatcher((tx) =>
    listKnownProviderIds(
      tx,
      listed.map((one) => one.id),
    ),
  );
  const perhaps = listed.filter((one) => !known.has(one.id) && one.requests === requests);
  for (const one of perhaps.filter(({ ended }) => ended)) {
    if (await isOurs(deps, batch, one.id)) return submitted(deps, batch, one.id); // guard: batch-reconcile
  }
  if (perhaps.every(({ ended }) => ended)) return takeBack(deps, batch, 0); // guard: batch-perhaps
  const at = now();
  if (
    at >= batch.deadlineAt &&
    (await database.withTenant(tenant, (tx) => markCancelled(tx, { tenant, id, at })))
  )
    await requestRuns(deps, batch);
  const lookAt = now() + PERHAPS_OURS_MS;
  await database.withTenant(tenant, (tx) => lookAgain(tx, { tenant, id, lookAt }));
}

/** Whether any result answers a question of ours. Users may have gone meanwhile, and their questions with them. */
async function isOurs(deps: BatchDeps, { tenant, id }: ModelBatch, providerId: string): Promise<boolean> {
  const { database, api, pageSize = PAGE_SIZE } = deps;
  for await (const ids of inPages(idsOf(api.results(providerId)), pageSize)) {
    const askers = await database.withTenant(tenant, (tx) => findAskers(tx, { tenant, batchId: id, ids }));
    if (askers.size > 0) return true;
  }
  return false;
}

/** The answers are not kept: only whose they are is asked for. */
async function* idsOf(results: AsyncIterable<BatchResult | null>): AsyncGenerator<string, void, void> {
  for await (const result of results) if (result !== null) yield result.id;
}
