import { askModel, questionOf } from './ask.ts';
import type { FusionTier } from './derive.ts';
import { runLimit } from './limits.ts';
import type { Candidate, Cluster } from './memory.ts';
import {
  type ClusterOutcome,
  type DeferCode,
  type Ending,
  errorCodeOf,
  type FusionEvent,
  failure,
  failureWord,
  isRetryable,
  notify,
  type Usage,
} from './outcome.ts';
import {
  type ClaimResult,
  type LLMProvider,
  type MemoryStore,
  ModelError,
  type ModelErrorCode,
  type StatementsResult,
  type StoredAnswer,
} from './ports.ts';
import {
  countLanes,
  type DecidedStatement,
  decideStatements,
  type StatementsVerdict,
} from './statements/decide.ts';
import { buildStatementsRequest } from './statements/prompt.ts';
import { decideRestatements, restatedPairs } from './statements/restatements.ts';
import type { JudgeQuestion, StatementJudge } from './statements/verdicts.ts';

export interface FuseOneOptions {
  store: MemoryStore;
  provider: LLMProvider;
  tier: FusionTier;
  /** The instant of the job, epoch milliseconds. */
  at: number;
  /** A clock, for durations and the deadline only. */
  nowMs: () => number;
  latestCount: number;
  /** How many memories this run has superseded already; 0 when absent. */
  alreadySuperseded?: number;
  /** No model call starts at or after this instant of `nowMs`. */
  deadlineMs?: number;
  signal?: AbortSignal;
  /** Lets others have their turn; awaited between statements at the gate. */
  pause?: () => Promise<void>;
  /** Repair requests per cluster; 1 when absent. */
  maxRepairs?: number;
  /** Opens the next attempt of a key that failed before (the retry queue). */
  retry?: boolean;
  /** Set when no model may be called any more: an answer paid before is still used. */
  callsStopped?: { code: DeferCode; retryAfterMs: number | null };
  onEvent?: (event: FusionEvent) => void;
  statements: StatementsOptions;
}

/** The judge of one fusion. Its `ask` calls `mayCall` before a model is really asked, and throws what that throws. */
export type OpenJudge = (fusion: { key: string; cluster: Cluster; mayCall: () => void }) => StatementJudge;

/** How statements are judged. */
export interface StatementsOptions {
  /** Null: only word-for-word repetitions are joined. */
  judge: OpenJudge | null;
  /** Whether a statement of exactly these sources was taken back or turned down before. */
  isKnown?: (members: Candidate[]) => boolean;
}

interface Work {
  cluster: Cluster;
  options: FuseOneOptions;
  usage: Usage;
  key: string | null;
  /** How long the judge took to answer: no part of what our own checks take. */
  judgeMs: number;
}

/**
 * Takes one cluster from its claim to its commit: a paid answer is used again, else the model is asked; each answer is stored before it
 * is judged; a failed one is repaired once. Never throws: whatever happens is the outcome of this cluster alone.
 */
export async function fuseOne(cluster: Cluster, options: FuseOneOptions): Promise<ClusterOutcome> {
  const startedMs = options.nowMs();
  const work: Work = {
    cluster,
    options,
    usage: { calls: 0, inputTokens: 0, outputTokens: 0 },
    key: null,
    judgeMs: 0,
  };
  let ending: Ending;
  try {
    ending = await run(work);
  } catch (error) {
    ending = endingOfError(work, error);
  }
  return {
    ...ending,
    memberIds: cluster.members.map(({ id }) => id),
    usage: work.usage,
    durationMs: Math.max(0, options.nowMs() - startedMs),
  };
}

/** The writer's answer stands in the ledger, every further one beside it. */
async function run(work: Work): Promise<Ending> {
  const { cluster, options } = work;
  const { store, signal } = options;
  const { judge, isKnown } = options.statements;
  const early = refusalToStart(work);
  if (early) return deferred(work, early);
  let claim = await store.claimFusion(cluster, options.retry ? { retry: true } : undefined);
  for (let again = 0; ; again += 1) {
    work.key = claim.key;
    if (claim.status === 'skipped') return endingOfSkip(claim);
    const answered = cluster.restates ? null : await answerOf(work, claim);
    if (answered && 'ending' in answered) return answered.ending;
    const startedMs = options.nowMs();
    const { key } = claim;
    const context = {
      tier: options.tier,
      at: options.at,
      latestCount: options.latestCount,
      alreadySuperseded: options.alreadySuperseded ?? 0,
      judge: judge && judging(work, key, judge),
      isKnown,
      repairs: (options.maxRepairs ?? 1) > 0,
      pause: () => pauseGate(work, startedMs),
    };
    let verdict: StatementsVerdict;
    try {
      verdict = answered
        ? await decideStatements(cluster, answered.answer, context)
        : await decideRestatements(cluster, context);
    } catch (error) {
      if (error instanceof CallsStopped) return endingOfStop(work, key, error.code);
      if (!(error instanceof ModelError)) throw error;
      return endingOfModelError(work, key, error);
    }
    const durationMs = Math.max(0, options.nowMs() - startedMs - work.judgeMs);
    const code = verdict.ok ? null : verdict.reason;
    notify(options, { type: 'judged', key, code, durationMs, judgeMs: work.judgeMs });
    if (signal?.aborted) return deferred(work, 'aborted'); // guard: abort-statements
    if (verdict.ok) return commit(work, key, verdict);
    const mayRepeat = verdict.reason === 'invalid_output' || verdict.reason === 'truncated';
    const isLast = again >= (options.maxRepairs ?? 1); // guard: repair-once
    if (!mayRepeat || isLast) return endAsJudged(work, key, verdict);
    await store.failFusion(key, { code: verdict.reason, final: false, rejectAnswer: true });
    notify(options, { type: 'repair', key, code: verdict.reason });
    claim = await store.claimFusion(cluster, { retry: true });
  }
}

/**
 * Between two statements at the gate others have their turn. What was left of the step's time when the gate began is all that its own work
 * may take: then the answers so far stay stored, and a later run goes on with them. An answer that was paid for before is judged after the
 * deadline too, and ends with the signal.
 */
async function pauseGate({ options, judgeMs }: Work, startedMs: number): Promise<void> {
  const { pause, signal, deadlineMs, nowMs } = options;
  await pause?.();
  signal?.throwIfAborted();
  const leftMs = (deadlineMs ?? Number.POSITIVE_INFINITY) - startedMs;
  const isOver = leftMs > 0 && nowMs() - startedMs - judgeMs >= leftMs;
  if (isOver) throw new CallsStopped('deadline'); // guard: gate-deadline
}

/** A judge whose questions count, and are not asked once model work is over; what was answered before is still found. */
function judging(work: Work, key: string, open: OpenJudge): StatementJudge {
  const { options, usage, cluster } = work;
  const mayCall = (): void => {
    const stopped = refusalToCall(work);
    if (stopped) throw new CallsStopped(stopped); // guard: judge-stopped
    usage.calls += 1;
  };
  const judge = open({ key, cluster, mayCall });
  return {
    ...judge,
    async ask(question: JudgeQuestion): Promise<StoredAnswer> {
      const before = usage.calls;
      const startedMs = options.nowMs();
      const answer = await judge.ask(question);
      const durationMs = Math.max(0, options.nowMs() - startedMs);
      work.judgeMs += durationMs;
      if (usage.calls === before) return answer;
      const { inputTokens, outputTokens } = answer;
      usage.inputTokens += inputTokens;
      usage.outputTokens += outputTokens;
      notify(options, {
        type: 'judge_answered',
        key,
        purpose: question.purpose,
        inputTokens,
        outputTokens,
        durationMs,
      });
      return answer;
    },
  };
}

/** Model work ended between two answers of one fusion, or its gate between two statements. */
class CallsStopped extends Error {
  readonly code: DeferCode;
  constructor(code: DeferCode) {
    super(`no model is called any more: ${code}`);
    this.code = code;
  }
}

async function commit(
  work: Work,
  key: string,
  verdict: Extract<StatementsVerdict, { ok: true }>,
): Promise<Ending> {
  const { derived, merges, conflicts, counts, decided } = verdict;
  const reason = derived.length + merges.length > 0 ? null : refusalIn(decided);
  const of = { merges, conflicts, reason };
  const result = await work.options.store.commitStatements(key, work.cluster, derived, of);
  const told = { key, conflicts: conflicts.map(({ a, b, kind }) => ({ a, b, kind })), counts, decided };
  switch (result.status) {
    case 'applied': {
      const { derivedIds, superseded } = result;
      return { status: 'committed', ...told, derivedIds, superseded, already: false };
    }
    case 'proposed':
    case 'previewed':
      return { status: result.status, ...told, derivedIds: result.derivedIds };
    case 'closed':
      return { status: 'closed', ...told };
    default:
      return endingOfRefusal(work, key, result);
  }
}

/** The commonest reason why statements were not accepted; null when none was proposed. */
function refusalIn(decided: readonly DecidedStatement[]): string | null {
  const reasons = Object.entries(countLanes(decided)).sort(([, one], [, other]) => other - one);
  return reasons[0]?.[0] ?? null;
}

/** Why this cluster is not even claimed, or null. */
function refusalToStart(work: Work): DeferCode | null {
  const { options, cluster } = work;
  const room = runLimit(options.latestCount) - (options.alreadySuperseded ?? 0);
  const most = cluster.restates ? restatedPairs(cluster).length : cluster.members.length;
  // Before the call, so that no answer is paid that may not be used.
  if (most > room) return 'share_exceeded'; // guard: share-before-call
  const stopped = refusalToCall(work);
  // A rate limit passes: the claim gives the cluster a key by which the retry queue finds it.
  return stopped === 'rate_limited' ? null : stopped;
}

function refusalToCall({ options }: Work): DeferCode | null {
  if (options.signal?.aborted) return 'aborted';
  if (options.callsStopped) return options.callsStopped.code; // guard: calls-stopped
  // guard: deadline
  if (options.deadlineMs !== undefined && options.nowMs() >= options.deadlineMs) return 'deadline';
  return options.provider.isAvailable() ? null : 'unavailable';
}

async function answerOf(
  work: Work,
  claim: Extract<ClaimResult, { status: 'claimed' }>,
): Promise<{ answer: StoredAnswer } | { ending: Ending }> {
  const { options } = work;
  const { key, attempt } = claim;
  // guard: memo-used
  if (claim.answer) {
    notify(options, { type: 'answer_reused', key, attempt });
    return { answer: claim.answer };
  }
  const stopped = refusalToCall(work);
  if (stopped) return { ending: await endingOfStop(work, key, stopped) };
  const { signal } = options;
  const request = {
    ...buildStatementsRequest(work.cluster, signal ? { signal } : {}),
    question: questionOf(key, attempt),
  };
  const startedMs = options.nowMs();
  let answer: StoredAnswer;
  try {
    work.usage.calls += 1;
    answer = await askModel(options.provider, request, signal);
  } catch (error) {
    return { ending: await endingOfModelError(work, key, error) };
  }
  work.usage.inputTokens += answer.inputTokens;
  work.usage.outputTokens += answer.outputTokens;
  // Even when aborted meanwhile: it is paid for.
  await options.store.storeAnswer(key, attempt, answer);
  const { inputTokens, outputTokens } = answer;
  const durationMs = Math.max(0, options.nowMs() - startedMs);
  notify(options, { type: 'model_answered', key, attempt, inputTokens, outputTokens, durationMs });
  return { answer };
}

/** What was begun stays open: whoever goes on finds the answers so far. */
async function endingOfStop(work: Work, key: string, code: DeferCode): Promise<Ending> {
  if (code !== 'aborted')
    await work.options.store.failFusion(key, { code, final: false, rejectAnswer: false });
  return deferred(work, code);
}

/** Said of the moment, not of this request. */
function isDeferral(code: ModelErrorCode): code is 'rate_limited' | 'auth' | 'budget' | 'batched' {
  return code === 'rate_limited' || code === 'auth' || code === 'budget' || code === 'batched';
}

async function endingOfModelError(work: Work, key: string, error: unknown): Promise<Ending> {
  // Whoever aborts takes the lease or the process away: nothing may be written any more.
  if (work.options.signal?.aborted) return deferred(work, 'aborted');
  const modelCode = error instanceof ModelError ? error.code : null;
  if (error instanceof ModelError && isDeferral(error.code)) {
    await work.options.store.failFusion(key, { code: error.code, final: false, rejectAnswer: false });
    return { status: 'deferred', key, code: error.code, retryAfterMs: error.retryAfterMs };
  }
  const retryable = isRetryable(error);
  await work.options.store.failFusion(key, {
    code: failureWord('provider_error', modelCode),
    final: !retryable,
    rejectAnswer: false,
  });
  return { ...failure(key, 'provider_error', retryable), modelCode, errorCode: errorCodeOf(error) };
}

/** What a commit that wrote nothing says. */
function endingOfRefusal(
  work: Work,
  key: string,
  result: Extract<StatementsResult, { status: 'stale' | 'stopped' | 'lease_lost' }>,
): Ending {
  switch (result.status) {
    case 'stale':
      return { status: 'stale', key };
    case 'stopped':
      return { status: 'skipped', key, reason: result.reason };
    case 'lease_lost':
      return deferred(work, 'lease_lost');
  }
}

async function endAsJudged(
  work: Work,
  key: string,
  { reason, problem }: Extract<StatementsVerdict, { ok: false }>,
): Promise<Ending> {
  await work.options.store.failFusion(key, { code: reason, final: true, rejectAnswer: true });
  return { ...failure(key, reason, false), problem: problem ?? null };
}

function endingOfSkip(claim: Extract<ClaimResult, { status: 'skipped' }>): Ending {
  return claim.reason === 'stale'
    ? { status: 'stale', key: claim.key }
    : { status: 'skipped', key: claim.key, reason: claim.reason };
}

function endingOfError(work: Work, error: unknown): Ending {
  const errorCode = errorCodeOf(error);
  if (errorCode === 'lease_lost') return deferred(work, 'lease_lost');
  if (work.options.signal?.aborted) return deferred(work, 'aborted');
  return { ...failure(work.key, 'unexpected_error', isRetryable(error)), errorCode };
}

function deferred({ key, options }: Work, code: DeferCode): Ending {
  const retryAfterMs = options.callsStopped?.code === code ? options.callsStopped.retryAfterMs : null;
  return { status: 'deferred', key, code, retryAfterMs };
}
