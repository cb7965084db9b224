import {
  type BudgetLimits,
  closeCall,
  type Database,
  getUser,
  newId,
  RecallError,
  readPeriods,
  reserveCall,
} from '@slowwave/db';
import { type Embedder, ModelError } from '@slowwave/fusion';
import { costOf, meterEmbedder, type Prices, priceOf } from '@slowwave/models';

const HOLD_MS = 300_000;

/** What embedding a question may cost. */
export interface RecallBudget {
  limits: BudgetLimits;
  prices: Prices;
}

/** The same embedder, each question entered in the ledger of its user where it may be charged for. */
export function meteredFor(
  of: { database: Database; embedder: Embedder; budget: RecallBudget; at: number },
  { tenant, user }: { tenant: string; user: string },
): Embedder {
  const { database, embedder, budget, at } = of;
  return meterEmbedder(embedder, {
    async reserve({ provider, model, inputTokens: tokens }) {
      const price = priceOf(budget.prices, model, at);
      const nanos = price && costOf(price, { inputTokens: tokens, outputTokens: 0 });
      const call = { id: newId(at), provider, model, tokens, nanos, holdMs: HOLD_MS };
      const periods = await database.withTenant(tenant, async (tx) => {
        const owner = await getUser(tx, tenant, user);
        if (owner === null)
          throw new RecallError('unknown_user', 'there is no such user: nothing was recalled');
        return readPeriods(tx, { tenant, user, tier: 'light', timezone: owner.timezone, at });
      });
      const owner = { tenant, user, runId: null, tier: 'light', step: 'recall', periods, at } as const;
      const got = await reserveCall(database, owner, call, budget.limits);
      if (got.status === 'refused')
        throw new ModelError('budget', {
          retryable: false,
          hint: `the budget ${got.scope} (${got.unit}) is used up until ${new Date(got.renewsAt).toISOString()}`,
        });
      const close = (end: Parameters<typeof closeCall>[2]) =>
        database.withTenant(tenant, (tx) => closeCall(tx, { tenant, user, id: call.id }, end));
      return {
        async settle(usage) {
          const cost = usage && price && costOf(price, usage);
          await close(usage ? { state: 'settled', ...usage, nanos: cost } : { state: 'lapsed' });
        },
        async release() {
          await close({ state: 'released' });
        },
      };
    },
  });
}
