import { setImmediate as turn } from 'node:timers/promises';
import {
  countUnended,
  createMemoryStore,
  type FusionScope,
  failFusion,
  getUser,
  type LoadedFusion,
  loadFusion,
  markStale,
  readPeriods,
  readRunTokens,
  type ScheduledUser,
  type UserMode,
} from '@slowwave/db';
import {
  type ClusterOutcome,
  type FusionEvent,
  failureWord,
  fuseOne,
  type LLMProvider,
  type Tier,
} from '@slowwave/fusion';
import type { FusionJob, JobContext, JobResult, JobView } from '@slowwave/queue';
import { openRunBudget } from './budget.ts';
import { openClusterSpans } from './cluster-spans.ts';
import type { UserJobDeps } from './context.ts';
import { JobFailure } from './errors.ts';
import { fusionScope } from './fusion-scope.ts';
import { isBlameless, paceTurn, retryDelayMs } from './fusion-turn.ts';
import { takeUser } from './hold.ts';
import { reachOf, reachStore } from './reach.ts';
import { admittedJudge, type StatementModels, statementsOptions } from './statements.ts';
import { judgeOf, type LimitedProvider, limitTokens, providerOf } from './step-models.ts';
import { createTurn, TURN_MS, type Turn } from './turn.ts';
import { busyDelayMs } from './user-job.ts';

const RATE_LIMIT_DEFAULT_MS = 10_000;
const PAUSED_MS = 30_000;

/**
 * One cluster whose fusion failed inside a user's job, tried again on its own. A fusion that failed for good stands in the failed list
 * until somebody retries it there: its first turn in the queue only puts it there, without another call.
 *
 * @param turn as that of createUserJob
 */
export function createFusionJob(given: UserJobDeps, holderName: string, turn: Turn = createTurn()) {
  return async (job: JobView<FusionJob>, context: JobContext): Promise<JobResult> => {
    const { tenant, user, key } = job.data;
    const deps = reachOf(given, { tenant, user });
    const at = deps.now();
    const [fusion, owner] = await deps.database.withTenant(tenant, async (tx) => [
      await loadFusion(tx, { tenant, user, key, at }),
      await getUser(tx, tenant, user),
    ]);
    // Forgotten since, with everything about them.
    if (!owner) return context.completed({ outcome: 'closed', reason: 'unknown_user' });
    if (!fusion) throw new JobFailure('unknown_fusion', { retryable: false });
    if (fusion.status === 'failed' && job.starts <= 1) {
      throw new JobFailure(fusion.errorCode ?? 'failed', { retryable: false });
    }
    if (!['planned', 'generated', 'failed', 'stale', 'expired'].includes(fusion.status)) {
      return context.completed({ outcome: fusion.status });
    }
    // A merge asks no model, so nothing of it belongs here.
    if (fusion.kind === 'merge') return context.completed({ outcome: 'merge' });
    // Waits for the release, as everything of this user does.
    if (owner.quarantine) return context.postpone(PAUSED_MS);
    // Nothing is fused for this user any more; should that change, the next run plans it again.
    if (owner.mode === 'off') return context.completed({ outcome: 'mode_off' });
    const { tier } = fusion;
    const models = budgeted(deps, job.data, { tier, timezone: owner.timezone, at });
    const step = tier === 'sleep' ? 'nrem' : 'fusion';
    const asked = providerOf(models, step);
    // As long as nobody is there to ask: once somebody is, the next run goes on with it.
    if (asked === null) return context.completed({ outcome: 'no_model_provider' });
    const { tokens } = deps.limits.steps[step];
    const used = await usedTokens(deps, job.data, { step, tier, timezone: owner.timezone, at });
    const limited = limitTokens(asked, tokens - used); // guard: retry-tokens
    if (limited.exhausted()) return context.completed({ outcome: 'tokens' });
    const { provider } = limited;
    if (!provider.isAvailable()) return context.postpone(PAUSED_MS);
    const paced = await paceTurn(deps.pacing, provider, { fusion, attempt: job.attempt });
    if ('rateLimitedMs' in paced) {
      return context.rateLimited(paced.rateLimitedMs); // guard: turn-limited
    }
    if ('noRetryMs' in paced) return context.postpone(retryDelayMs(paced.noRetryMs, job.postponed));
    try {
      const hold = await takeUser(deps, { tenant, user, holder: `${holderName}:${job.id}` }, context.signal);
      if (hold === 'busy') return context.postpone(busyDelayMs(job.postponed));
      const { suspect } = hold;
      if (suspect && !(await turn.take(AbortSignal.any([hold.signal, context.stopping]), TURN_MS))) {
        await hold.release();
        return context.postpone(TURN_MS);
      }
      try {
        const judging = judgeOf(models, tier);
        const outcome = await attempt(deps, job.data, {
          fusion,
          owner,
          provider,
          ...(await admittedJudge(deps, judging && limited.also(judging))),
          deadlineMs: deps.nowMs() + deps.limits.steps[step].ms,
          at,
          lease: hold.lease,
          signal: hold.signal,
        });
        // guard: fusion-blocked
        if (hold.wasBlocked() && outcome !== 'stale' && outcome.status === 'deferred') {
          await countBlocked(deps, job.data, at);
          return context.postpone(busyDelayMs(job.postponed));
        }
        return await judge(deps, job, context, outcome, {
          limited,
          asked: judging ? [provider, judging] : [provider],
        });
      } finally {
        if (suspect) turn.giveBack();
        await hold.release();
      }
    } finally {
      paced.ended();
    }
  };
}

interface Attempt {
  fusion: LoadedFusion;
  owner: Pick<ScheduledUser, 'mode' | 'timezone'>;
  provider: LLMProvider;
  judge: LLMProvider | null;
  isExamined: boolean;
  /** No call is begun from this instant of `nowMs` on. */
  deadlineMs: number;
  at: number;
  lease: { holder: string; fence: number };
  signal: AbortSignal;
}

async function attempt(
  deps: UserJobDeps,
  data: FusionJob,
  input: Attempt,
): Promise<ClusterOutcome | 'stale'> {
  const { fusion, owner, provider, judge, isExamined, deadlineMs, at, lease, signal } = input;
  const tier: Tier = fusion.tier;
  const scope = scopeOf(deps, data, { ...owner, tier, at, lease }, { writer: provider, judge });
  const { tenant, user, key } = data;
  // Loaded again under the lease: nobody else changes this user's memories from here on.
  const current = await deps.database.withTenant(tenant, (tx) => loadFusion(tx, { tenant, user, key, at }));
  if (!current?.cluster || tier === 'light') {
    // What failed before its sources changed has had its day too: nobody could ever retry it to an end.
    await markStale(deps.database, scope, key, { evenFailed: true });
    return 'stale';
  }
  const store = reachStore(
    deps.failpoints,
    { tenant, user },
    createMemoryStore(deps.database, scope, deps.commitOptions),
  );
  // A person may have decided about the same sources since it was planned.
  await store.loadTakenBack();
  const latestCount = await store.countLatest();
  const { nowMs } = deps;
  const spans = openClusterSpans();
  const tell = (event: FusionEvent): void => {
    spans.event(event);
    deps.onEvent?.({ tenant, user, tier, runId: data.runId, type: 'fusion', event });
  };
  tell({ type: 'cluster_started', index: 0, members: current.cluster.members.length });
  const outcome = await fuseOne(current.cluster, {
    store: spans.store(store),
    provider: spans.provider(provider),
    onEvent: tell,
    tier,
    at,
    nowMs,
    deadlineMs,
    latestCount,
    signal,
    pause: () => turn(),
    retry: true,
    statements: {
      ...statementsOptions(
        deps,
        scope,
        { writer: provider, judge: judge && spans.provider(judge), isExamined },
        signal,
      ),
      isKnown: store.isTakenBack,
    },
  });
  tell({ type: 'cluster_ended', index: 0, outcome });
  const asked = fusion.model === scope.model && fusion.promptVersion === scope.promptVersion;
  // Under another model or prompt it is another fusion: the old row has had its day.
  const isAnswered =
    outcome.status === 'committed' || outcome.status === 'proposed' || outcome.status === 'closed';
  if (!asked && isAnswered) await markStale(deps.database, scope, key, { evenFailed: true });
  return outcome;
}

/** A turn that blocked its worker counts as a run does that did so: a user whose turns do this again and again is put in quarantine. */
async function countBlocked(
  { database, logger }: UserJobDeps,
  { tenant, user, tier, key }: FusionJob,
  at: number,
): Promise<void> {
  const { quarantined } = await database.withTenant(tenant, (tx) =>
    countUnended(tx, { tenant, user, tier, at }),
  );
  logger.warn(
    { tenant, user, key },
    'a fusion kept its worker from everything else for longer than its lease',
  );
  if (quarantined)
    logger.error({ tenant, user, tier, key }, 'user put in quarantine: nothing runs until it is released');
}

async function judge(
  deps: UserJobDeps,
  job: JobView<FusionJob>,
  context: JobContext,
  outcome: ClusterOutcome | 'stale',
  { limited, asked }: { limited: LimitedProvider; asked: LLMProvider[] },
): Promise<JobResult> {
  const { tenant, user, key } = job.data;
  const status = outcome === 'stale' ? 'stale' : outcome.status;
  deps.logger.info({ tenant, user, key, status, attempt: job.attempt }, 'fusion retried');
  if (outcome !== 'stale' && outcome.status === 'deferred') {
    // The user's next run plans it anew.
    if (outcome.code === 'auth' && limited.exhausted()) return context.completed({ outcome: 'tokens' });
    // The time of a whole step was not enough for our own work alone: the next turn would begin the same.
    // guard: fusion-deadline
    if (outcome.code === 'deadline' && outcome.usage.calls === 0)
      return failed(deps, job, outcome, 'deadline');
    return deferred(context, outcome);
  }
  if (outcome === 'stale' || outcome.status !== 'failed') return context.completed({ outcome: status });
  // guard: blameless
  if (isBlameless(deps.pacing, asked, { ...outcome, postponed: job.postponed }))
    return context.postpone(retryDelayMs(0, job.postponed));
  return failed(deps, job, outcome, failureWord(outcome.code, outcome.modelCode));
}

/** Uses an attempt; after the last one, or where another makes no sense, the fusion has failed for good. @throws JobFailure */
async function failed(
  deps: UserJobDeps,
  job: JobView<FusionJob>,
  outcome: { key: string | null; retryable?: boolean },
  code: string,
): Promise<never> {
  if ((outcome.retryable ?? true) && !job.lastAttempt) throw new JobFailure(code, { retryable: true });
  await failForGood(deps, job.data, outcome.key ?? job.data.key, code);
  throw new JobFailure(code, { retryable: false });
}

function deferred(context: JobContext, outcome: Extract<ClusterOutcome, { status: 'deferred' }>): JobResult {
  switch (outcome.code) {
    case 'rate_limited':
      return context.rateLimited(outcome.retryAfterMs ?? RATE_LIMIT_DEFAULT_MS);
    case 'auth':
    case 'unavailable':
      return context.stopping.aborted ? context.moveBack() : context.postpone(PAUSED_MS);
    case 'batched':
      // The run that finds its answer goes on with it.
      return context.completed({ outcome: 'batched' });
    case 'budget':
      // Once the budget is whole again the user's next run plans it anew.
      return context.completed({ outcome: 'budget' });
    case 'aborted':
      return context.moveBack();
    default:
      return context.postpone(1_000);
  }
}

/** What the step that left this fusion, and its retries, took of the tokens that the step may use; nothing where no ledger counts. */
function usedTokens(
  { database, budget }: UserJobDeps,
  { tenant, user, runId }: FusionJob,
  { step, ...of }: { step: string; tier: Tier; timezone: string; at: number },
): Promise<number> {
  if (!budget) return Promise.resolve(0);
  return database.withTenant(tenant, async (tx) => {
    const { day } = (await readPeriods(tx, { tenant, user, ...of })).user_day;
    return readRunTokens(tx, { tenant, user, runId, steps: [step, 'judge'], day });
  });
}

/** The same models behind the budgets of this user, where somebody counts. */
function budgeted(
  deps: UserJobDeps,
  { tenant, user, runId }: FusionJob,
  of: { tier: Tier; timezone: string; at: number },
): Pick<UserJobDeps, 'provider' | 'providers'> {
  const { budget, batching } = deps;
  if (!budget) return deps;
  // What waits in a batch is waited for here too, and nothing new is put there.
  const waiting = batching && of.tier === 'sleep' ? { waiting: { collects: false, forgets: 0 } } : {};
  return openRunBudget({ ...deps, budget }, { tenant, user, runId, ...of, isAlone: true, ...waiting }).models;
}

/** The scope of one cluster in this queue, where previews never come by. */
function scopeOf(
  { embedder, limits, statements }: UserJobDeps,
  data: FusionJob,
  of: Pick<FusionScope, 'at' | 'lease' | 'tier' | 'timezone'> & { mode: UserMode },
  { writer, judge }: Pick<StatementModels, 'writer' | 'judge'>,
): FusionScope {
  const job = { ...data, ...of, preview: false, embedder, limits, ...(statements ? { statements } : {}) };
  return fusionScope(job, writer, judge);
}

/**
 * A fusion whose workers ended again and again is about to be in the failed list without another turn: the ledger says the same.
 * @returns false when there is nothing to fail: it is done, stale or forgotten
 */
export async function failStalledOut(
  deps: Pick<UserJobDeps, 'database' | 'now'>,
  data: FusionJob,
): Promise<boolean> {
  await failForGood(deps, data, data.key, 'stalled_out');
  const { tenant, user, key } = data;
  const at = deps.now();
  const fusion = await deps.database.withTenant(tenant, (tx) => loadFusion(tx, { tenant, user, key, at }));
  return fusion?.status === 'failed';
}

/** The last attempt is over: the ledger says what the failed list will say. */
async function failForGood(
  deps: Pick<UserJobDeps, 'database' | 'now'>,
  data: FusionJob,
  key: string,
  code: string,
): Promise<void> {
  const { tenant, user, runId } = data;
  const failure = { code, final: true, rejectAnswer: false };
  await failFusion(deps.database, { tenant, user, runId, at: deps.now(), mode: 'review' }, key, failure);
}
