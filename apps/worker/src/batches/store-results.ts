import { type CallEnd, findAskers, type ModelBatch, type NewResult, storeResults } from '@slowwave/db';
import { textOf } from '@slowwave/fusion';
import { type BatchResult, costOf, inputTokensOf, priceOf, tokensOf } from '@slowwave/models';
import { type BatchDeps, PAGE_SIZE } from './deps.ts';
import { groupBy, inPages } from './pages.ts';

/**
 * Stores all results of an ended batch, page by page. What was stored before changes nothing, so whoever was interrupted begins anew.
 * @returns how many belong to no question of ours
 */
export async function storeAll(deps: BatchDeps, batch: ModelBatch, providerId: string): Promise<number> {
  const { api, pageSize = PAGE_SIZE } = deps;
  let unknown = 0;
  for await (const page of inPages(api.results(providerId), pageSize))
    unknown += await storePage(deps, batch, page);
  return unknown;
}

/** In one transaction for each user: see OwnedCall. */
async function storePage(
  deps: BatchDeps,
  batch: ModelBatch,
  page: readonly (BatchResult | null)[],
): Promise<number> {
  const { database, failpoints } = deps;
  const { tenant, id: batchId } = batch;
  const results = page.filter((result) => result !== null);
  const askers = await database.withTenant(tenant, (tx) =>
    findAskers(tx, { tenant, batchId, ids: results.map(({ id }) => id) }),
  );
  const ours = results.filter(({ id }) => askers.has(id));
  let unknown = page.length - ours.length;
  for (const [user, ofUser] of groupBy(ours, ({ id }) => askers.get(id)!)) {
    const stored = await database.withTenant(tenant, (tx) =>
      storeResults(
        tx,
        { tenant, user, batchId, at: deps.now() },
        ofUser.map((result) => newResultOf(deps, batch, result)),
      ),
    );
    for (const [index, became] of stored.entries()) {
      if (became === 'unknown') unknown += 1;
      else if (became !== 'known') tell(deps, batch, ofUser[index]!);
    }
    await failpoints?.('after-result');
  }
  return unknown;
}

function newResultOf(deps: BatchDeps, batch: ModelBatch, result: BatchResult): NewResult {
  return {
    id: result.id,
    answer: answerOf(batch, result),
    end: (collectedAt) => endOf(deps, batch, result, collectedAt),
  };
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
