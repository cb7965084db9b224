import {
  closeCall,
  type Database,
  lapseCalls,
  newId,
  periodsOf,
  type Refusal,
  reserveCall,
} from '@slowwave/db';
import { type LLMProvider, ModelError, type Tier } from '@slowwave/fusion';
import {
  type CallBound,
  costOf,
  type Ledger,
  meterProvider,
  OFFLINE_MODEL,
  type Price,
  priceOf,
  type ReservedCall,
} from '@slowwave/models';
import { errorFacts } from '@slowwave/queue';
import type { Logger } from 'pino';
import { MODEL_STEPS, type ModelStep, type UserJobDeps } from './context.ts';
import type { BudgetOptions, RunBudget, RunSpend } from './run-budget.ts';
import { providerOf } from './step-models.ts';

interface BudgetOwner {
  tenant: string;
  user: string;
  runId: string | null;
  tier: Tier;
  timezone: string;
  /** When the run began, epoch ms. */
  at: number;
}

type BudgetDeps = Pick<UserJobDeps, 'provider' | 'providers'> & {
  database: Database;
  budget: BudgetOptions;
  logger: Logger;
};

/**
 * Opens the budgets of a run. Once one of them has refused a call the run asks no model any more: what is left is for the run after
 * the budget's renewal.
 */
export function openRunBudget(deps: BudgetDeps, owner: BudgetOwner): RunBudget {
  const books = openBooks(deps, owner);
  const { tenant, user } = owner;
  const onLost = (error: unknown): void =>
    deps.logger.warn({ tenant, user, ...errorFacts(error) }, 'a model call was not entered in the books');
  const providers: RunBudget['models']['providers'] = {};
  for (const step of MODEL_STEPS) {
    const inner = providerOf(deps, step);
    if (inner) providers[step] = metered(inner, books.ledgerOf(step), books.refusal, onLost);
  }
  return { models: { provider: deps.provider, providers }, refusal: books.refusal, spend: books.spend };
}

/** Nobody charges for the offline model, and it counts no tokens. */
function metered(
  inner: LLMProvider,
  ledger: Ledger,
  refusal: () => Refusal | null,
  onLost: (error: unknown) => void,
): LLMProvider {
  if (inner.model === OFFLINE_MODEL) return inner;
  const provider = meterProvider(inner, ledger, onLost);
  return { ...provider, isAvailable: () => refusal() === null && provider.isAvailable() };
}

function openBooks({ database, budget }: BudgetDeps, owner: BudgetOwner) {
  const { tenant, user, at } = owner;
  const periods = periodsOf(owner);
  const spend: RunSpend = { calls: 0, tokens: 0, costNanos: 0 };
  let refused: Refusal | null = null;
  let looked = false;

  function count(tokens: number, nanos: bigint | null): void {
    spend.tokens += tokens;
    spend.costNanos = nanos === null || spend.costNanos === null ? null : spend.costNanos + Number(nanos);
  }

  /** What an earlier worker of this user left open is closed before anything new is reserved. */
  async function closeLeft(): Promise<void> {
    if (looked) return;
    await database.withTenant(tenant, (tx) => lapseCalls(tx, { tenant, user }));
    looked = true;
  }

  async function reserve(step: ModelStep, bound: CallBound): Promise<ReservedCall> {
    if (refused) throw refusalError(refused, at);
    await closeLeft();
    const price = priceOf(budget.prices, bound.model, at);
    const tokens = bound.inputTokens + bound.outputTokens;
    const nanos = price && highestCost(price, bound);
    const id = newId(at);
    const { provider, model } = bound;
    const call = { id, provider, model, tokens, nanos, holdMs: budget.holdMs };
    const got = await reserveCall(database, { ...owner, step, periods }, call, budget.limits);
    if (got.status === 'refused') {
      const { scope, unit, renewsAt } = got;
      refused = { scope, unit, renewsAt };
      throw refusalError(refused, at);
    }
    spend.calls += 1;
    const close = (end: Parameters<typeof closeCall>[2]) =>
      database.withTenant(tenant, (tx) => closeCall(tx, { tenant, user, id }, end));
    return {
      async settle(usage) {
        const cost = usage && price && costOf(price, usage);
        if (usage) count(usage.inputTokens + usage.outputTokens, cost);
        else count(tokens, nanos);
        await close(usage ? { state: 'settled', ...usage, nanos: cost } : { state: 'lapsed' });
      },
      async release() {
        await close({ state: 'released' });
      },
    };
  }

  return {
    refusal: () => refused,
    spend: () => ({ ...spend }),
    ledgerOf: (step: ModelStep): Ledger => ({ reserve: (bound) => reserve(step, bound) }),
  };
}

/** Whatever a cache makes of the tokens that are read. */
function highestCost(price: Price, { inputTokens, outputTokens }: CallBound): bigint {
  const plain = costOf(price, { inputTokens, outputTokens });
  const cached = costOf(price, { inputTokens: 0, outputTokens, cacheWriteTokens: inputTokens });
  return plain > cached ? plain : cached;
}

function refusalError({ scope, unit, renewsAt }: Refusal, at: number): ModelError {
  return new ModelError('budget', {
    retryable: true,
    retryAfterMs: Math.max(0, renewsAt - at),
    hint: unit === 'price' ? 'nobody knows what the model costs' : `the ${unit} of ${scope} are used up`,
  });
}
