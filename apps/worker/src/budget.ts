import {
  type CallRefusal,
  type CallRequest,
  closeCall,
  collectRequest,
  type Database,
  findBatched,
  lapseCalls,
  newId,
  type Periods,
  type Refusal,
  readPeriods,
  readSpend,
  reserveCall,
} from '@slowwave/db';
import { type LLMProvider, ModelError, type Tier } from '@slowwave/fusion';
import {
  type CallBound,
  costOf,
  inputTokensOf,
  type Ledger,
  meterEmbedder,
  meterProvider,
  OFFLINE_MODEL,
  type Price,
  priceOf,
  type ReservedCall,
  tokensOf,
} from '@slowwave/models';
import { errorFacts } from '@slowwave/queue';
import type { Logger } from 'pino';
import { batchingProvider } from './batches/batching-provider.ts';
import type { BatchingOptions } from './batches/options.ts';
import type { UserJobDeps } from './context.ts';
import { MODEL_ROLES, type ModelRole, type ModelStep, stepOfRole } from './model-roles.ts';
import type { BudgetOptions, RunBudget, RunSpend } from './run-budget.ts';
import { judgeOf, providerOf } from './step-models.ts';
import { type StepShare, shareOf } from './step-shares.ts';

interface BudgetOwner {
  tenant: string;
  user: string;
  runId: string | null;
  tier: Tier;
  timezone: string;
  /** When the run began, epoch ms. */
  at: number;
  /** No step comes after the one that asks, such as in the queue of retries. */
  isAlone?: boolean;
  /** Its questions may wait in a batch; see openWaiting. Absent: those that wait are not looked for either. */
  waiting?: { collects: boolean; forgets: number };
}

type BudgetDeps = Pick<UserJobDeps, 'provider' | 'providers' | 'embedder' | 'limits'> & {
  database: Database;
  budget: BudgetOptions;
  batching?: BatchingOptions;
  logger: Logger;
};

/**
 * Opens the budgets of a run. Once one of them has refused a call the run asks no model any more; a step whose share is used up asks none,
 * and those that come after it do. What is left is for the run after the budget's renewal.
 */
export function openRunBudget(deps: BudgetDeps, owner: BudgetOwner): RunBudget {
  const books = openBooks(deps, owner);
  const { tenant, user } = owner;
  const onLost = (error: unknown): void =>
    deps.logger.warn({ tenant, user, ...errorFacts(error) }, 'a model call was not entered in the books');
  const providers: RunBudget['models']['providers'] = {};
  let waiting = 0;
  const onWaiting = (): void => {
    waiting += 1;
  };
  for (const step of MODEL_ROLES) {
    const inner = step === 'judge' ? judgeOf(deps, owner.tier) : providerOf(deps, step);
    if (!inner) continue;
    const direct = metered(inner, books.ledgerOf(step), () => books.isUsedUp(step), onLost);
    providers[step] = awaitable(deps, owner, direct, { step, books, onWaiting });
  }
  return {
    models: {
      provider: deps.provider,
      providers,
      embedder: meterEmbedder(deps.embedder, books.embeddings, onLost),
    },
    refusal: books.refusal,
    isUsedUp: books.isUsedUp,
    spend: () => ({ ...books.spend(), ...(waiting > 0 ? { batched: waiting } : {}) }),
    waiting: () => waiting,
  };
}

/** The same provider, whose answers may come with a batch. */
function awaitable(
  { database, batching }: BudgetDeps,
  owner: BudgetOwner,
  direct: LLMProvider,
  of: { step: ModelRole; books: ReturnType<typeof openBooks>; onWaiting(): void },
): LLMProvider {
  const { waiting, tenant, user, at } = owner;
  if (!batching || !waiting || direct.model === OFFLINE_MODEL) return direct;
  const collect = (bound: CallBound, asked: { question: string; body: string }) =>
    of.books.collect(of.step, bound, { ...asked, forgets: waiting.forgets }, batching);
  return batchingProvider(direct, {
    find: (question) => database.withTenant(tenant, (tx) => findBatched(tx, { tenant, user, question, at })),
    collect: waiting.collects ? collect : null,
    bodyOf: batching.bodyOf,
    onWaiting: of.onWaiting,
  });
}

/** Nobody charges for the offline model, and it counts no tokens. */
function metered(
  inner: LLMProvider,
  ledger: Ledger,
  isUsedUp: () => boolean,
  onLost: (error: unknown) => void,
): LLMProvider {
  if (inner.model === OFFLINE_MODEL) return inner;
  const provider = meterProvider(inner, ledger, onLost);
  return { ...provider, isAvailable: () => !isUsedUp() && provider.isAvailable() };
}

function openBooks({ database, budget, limits: { steps } }: BudgetDeps, owner: BudgetOwner) {
  const { tenant, user, tier, at } = owner;
  const spend: RunSpend = { calls: 0, tokens: 0, costNanos: 0 };
  /** The first refusal, and the one that ends all model work of the run. */
  let refused: Refusal | null = null;
  let over: Refusal | null = null;
  const sharesUsedUp = new Map<ModelStep, Refusal>();
  const shares = new Map<ModelStep, StepShare | null>();
  const begun = new Set<ModelStep>();
  let opened: Periods | null = null;

  function count(tokens: number, nanos: bigint | null): void {
    spend.tokens += tokens;
    spend.costNanos = nanos === null || spend.costNanos === null ? null : spend.costNanos + Number(nanos);
  }

  /** Finds the periods that the run counts in. What an earlier worker of this user left open is closed before anything new is reserved. */
  async function open(): Promise<Periods> {
    opened ??= await database.withTenant(tenant, async (tx) => {
      await lapseCalls(tx, { tenant, user });
      return readPeriods(tx, owner);
    });
    return opened;
  }

  /**
   * Up to where the next call of a step may go; what the steps after it keep is settled when it first asks. Its first call needs room in the
   * budgets alone: a share that is smaller than any call would keep the step from ever working.
   */
  async function shareFor(step: ModelStep, periods: Periods): Promise<{ share?: StepShare }> {
    if (owner.isAlone) return {};
    let share = shares.get(step);
    if (share === undefined) {
      const read = await database.withTenant(tenant, (tx) => readSpend(tx, { tenant, user, periods }));
      share = shareOf({ tier, step, limits: steps }, budget.limits, read);
      shares.set(step, share);
    }
    return share !== null && begun.has(step) ? { share } : {}; // guard: step-share
  }

  /** The most that a call can take, under a name of its own. */
  function callOf(bound: CallBound, { holdMs, batch }: { holdMs: number; batch: boolean }) {
    const price = priceOf(budget.prices, bound.model, at);
    const tokens = bound.inputTokens + bound.outputTokens;
    const nanos = price && highestCost(price, bound, batch);
    const { provider, model } = bound;
    return { price, call: { id: newId(at), provider, model, tokens, nanos, holdMs } };
  }

  function refuse(step: ModelStep, { scope, unit, renewsAt, isOfShare }: CallRefusal): ModelError {
    const refusal = { scope, unit, renewsAt };
    refused ??= refusal;
    if (isOfShare) sharesUsedUp.set(step, refusal);
    else over = refusal;
    return refusalError(refusal, at);
  }

  const refusalFor = (step: ModelStep): Refusal | null => over ?? sharesUsedUp.get(step) ?? null;

  /** Before anything is reserved. @throws ModelError `budget` */
  async function begin(step: ModelStep) {
    const refusal = refusalFor(step);
    if (refusal) throw refusalError(refusal, at);
    const periods = await open();
    return { periods, share: await shareFor(step, periods) };
  }

  /** Reserved at the price of a batch, and written down to be asked, in one. */
  async function collect(
    role: ModelRole,
    bound: CallBound,
    asked: { question: string; body: string; forgets: number },
    { deadlineMs, holdMs, failpoints }: BatchingOptions,
  ): Promise<'waits' | 'forbidden'> {
    const step = stepOfRole(role, tier);
    const { periods, share } = await begin(step);
    const { call } = callOf(bound, { holdMs, batch: true });
    const request = { ...asked, deadlineAt: at + deadlineMs };
    const { limits } = budget;
    const got = await collectRequest(
      database,
      { ...owner, step: role, periods },
      { call: { ...call, ...share }, limits, request },
    );
    if (got.status === 'refused') throw refuse(step, got);
    begun.add(step);
    await failpoints?.('after-collect');
    // What was read is not what is there any more: another run asks about what is left.
    return got.status === 'forbidden' ? 'forbidden' : 'waits';
  }

  async function reserve(role: ModelRole, bound: CallBound): Promise<ReservedCall> {
    const step = stepOfRole(role, tier);
    const { periods, share } = await begin(step);
    const { price, call } = callOf(bound, { holdMs: budget.holdMs, batch: false });
    const got = await reserveCall(
      database,
      { ...owner, step: role, periods },
      { ...call, ...share },
      budget.limits,
    );
    if (got.status === 'refused') throw refuse(step, got);
    begun.add(step);
    return reserved(price, call);
  }

  /** Texts that are embedded count in money alone, and end no other work. */
  async function reserveEmbedding(bound: CallBound): Promise<ReservedCall> {
    const periods = await open();
    const { price, call } = callOf(bound, { holdMs: budget.holdMs, batch: false });
    const got = await reserveCall(database, { ...owner, step: 'embed', periods }, call, budget.limits);
    if (got.status !== 'refused') return reserved(price, call);
    const { scope, unit, renewsAt } = got;
    refused ??= { scope, unit, renewsAt };
    throw refusalError(got, at);
  }

  function reserved(price: Price | null, { id, tokens, nanos }: CallRequest): ReservedCall {
    spend.calls += 1;
    const close = (end: Parameters<typeof closeCall>[2]) =>
      database.withTenant(tenant, (tx) => closeCall(tx, { tenant, user, id }, end));
    return {
      async settle(usage) {
        const cost = usage && price && costOf(price, usage);
        if (usage) count(tokensOf(usage), cost);
        else count(tokens, nanos);
        const settled = usage && { ...usage, inputTokens: inputTokensOf(usage), nanos: cost };
        await close(settled ? { state: 'settled', ...settled } : { state: 'lapsed' });
      },
      async release() {
        await close({ state: 'released' });
      },
    };
  }

  return {
    refusal: () => refused,
    isUsedUp: (role: ModelRole) => refusalFor(stepOfRole(role, tier)) !== null,
    spend: () => ({ ...spend }),
    collect,
    embeddings: { reserve: reserveEmbedding } satisfies Ledger,
    ledgerOf: (role: ModelRole): Ledger => ({ reserve: (bound) => reserve(role, bound) }),
  };
}

/** Whatever a cache makes of the tokens that are read. */
function highestCost(price: Price, { inputTokens, outputTokens }: CallBound, batch: boolean): bigint {
  const plain = costOf(price, { inputTokens, outputTokens, batch });
  const cached = costOf(price, { inputTokens: 0, outputTokens, cacheWriteTokens: inputTokens, batch });
  return plain > cached ? plain : cached;
}

function refusalError({ scope, unit, renewsAt }: Refusal, at: number): ModelError {
  return new ModelError('budget', {
    retryable: true,
    retryAfterMs: Math.max(0, renewsAt - at),
    hint: unit === 'price' ? 'nobody knows what the model costs' : `the ${unit} of ${scope} are used up`,
  });
}
