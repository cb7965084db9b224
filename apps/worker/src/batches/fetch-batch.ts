import {
  type CallEnd,
  failUnheard,
  lookAgain,
  type ModelBatch,
  markCancelled,
  storeResult,
} from '@slowwave/db';
import { ModelError, textOf } from '@slowwave/fusion';
import { type BatchResult, costOf, inputTokensOf, priceOf, tokensOf } from '@slowwave/models';
import { type BatchDeps, closeAll, logOf } from './deps.ts';
import { finishBatch, requestRuns } from './finish-batch.ts';

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
  const { database, failpoints } = deps;
  const { tenant, id } = batch;
  let unknown = 0;
  for await (const result of providerId === null ? [] : deps.api.results(providerId)) {
    if (result === null) {
      unknown += 1;
      continue;
    }
    const stored = await database.withTenant(tenant, (tx) =>
      storeResult(tx, {
        tenant,
        batchId: id,
        id: result.id,
        answer: answerOf(batch, result),
        end: (collectedAt) => endOf(deps, batch, result, collectedAt),
        at: deps.now(),
      }),
    );
    if (stored === 'unknown') unknown += 1;
    else if (stored !== 'known') tell(deps, batch, result);
    await failpoints?.('after-result');
  }
  const unheard = await database.withTenant(tenant, (tx) => failUnheard(tx, { tenant, id }));
  await closeAll(deps, tenant, unheard, 'lapsed');
  await finishBatch(deps, batch, unknown);
}

function answerOf(batch: ModelBatch, result: BatchResult) {
  if (result.outcome !== 'answered') return null;
  const { answer } = result;
  return {
    text: textOf(answer),
    stopReason: answer.stopReason,
    model: answer.model || batch.model,
    inputTokens: inputTokensOf(answer.usage),
    outputTokens: answer.usage.outputTokens,
  };
}

/** What a result took: nobody charges for one that did not come; one that does not say counts in full. */
function endOf({ prices }: BatchDeps, batch: ModelBatch, result: BatchResult, collectedAt: number): CallEnd {
  if (result.outcome !== 'answered')
    return { state: result.outcome === 'unreadable' ? 'lapsed' : 'released' };
  const { usage } = result.answer;
  if (tokensOf(usage) === 0) return { state: 'lapsed' };
  const price = priceOf(prices, batch.model, collectedAt);
  const nanos = price && costOf(price, { ...usage, batch: true });
  return { state: 'settled', ...usage, inputTokens: inputTokensOf(usage), nanos };
}

function tell({ onCall, provider }: BatchDeps, { model }: ModelBatch, result: BatchResult): void {
  const usage = result.outcome === 'answered' ? result.answer.usage : { inputTokens: 0, outputTokens: 0 };
  const { outcome } = result;
  onCall?.({ provider, model, outcome, ...usage, durationMs: null, batch: true });
}
