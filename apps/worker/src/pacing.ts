import type { RateAnswer, RateKey, RateReport, RateWish } from '@slowwave/db';
import { PERMIT_WAIT_MS, RATE_LOOK_MS, RETRY_TOKENS, RETRY_TOKENS_KEPT } from '@slowwave/db';
import { type LLMProvider, ModelError, type ModelErrorCode } from '@slowwave/fusion';
import { OFFLINE_MODEL } from '@slowwave/models';

/** Port: the one place where all workers together keep how fast a model may be asked. */
export interface RateBooks {
  exchange(key: RateKey, report: RateReport, wish: RateWish): Promise<RateAnswer>;
}

/** How one model may be asked, as this process knows it. */
export interface ModelRate extends RateKey {
  /** Calls a minute, of all workers together; null: not limited. */
  perMinute: number | null;
  /** No call before, ms from when it was looked at. */
  pausedMs: number;
  /** What is left of the budget of retries, of RETRY_TOKENS. */
  retryTokens: number;
}

/** A call that was not made now, and why. */
export type HeldBack = RateKey & { reason: 'rate' | 'retries' };

/** A retry that may be made. */
export interface Retry {
  /** To be told when it has ended, however it ended. */
  ended(): void;
}

/** Paces the calls of a process beside those of all others. */
export interface Pacing {
  /** The same model: a call takes a permit, waits a little for one that is near, or fails as `rate_limited`. */
  pace(inner: LLMProvider): LLMProvider;
  /** How long a call would have to wait, ms, when that is longer than a call waits by itself; else 0. */
  waitMs(provider: LLMProvider): Promise<number>;
  /** A retry, or how long none may be made, ms: while an endpoint fails for everybody only some ask how it is. */
  retry(provider: LLMProvider): Promise<Retry | { waitMs: number }>;
  /** So many calls failed lately that retries are held back: whoever fails now is not to blame. */
  isFailing(provider: LLMProvider): boolean;
  /** Several calls of this process in a row failed at the endpoint, and none was answered in between. */
  isUnanswered(provider: LLMProvider): boolean;
  /** All models of this process, looked at again when the last look is old. */
  rates(): Promise<ModelRate[]>;
}

export interface PacingDeps {
  books: RateBooks;
  /** A clock for durations. */
  nowMs: () => number;
  /** Waits; ends early with the signal's reason. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** 0 to 1. */
  random?: () => number;
  /** The books could not be reached: calls go on as if nobody had objected. */
  onLost?: (error: unknown) => void;
  onHeldBack?: (held: HeldBack) => void;
}

/** What the endpoint, not the request, is to blame for. */
const FAILURES: ReadonlySet<ModelErrorCode> = new Set(['overloaded', 'server_error', 'timeout', 'network']);

/** Whether another call may fare better by waiting alone. */
export function isEndpointFailure(code: ModelErrorCode | null): boolean {
  return code !== null && FAILURES.has(code);
}

type Told = Required<Pick<RateReport, 'calls' | 'answered' | 'retried'>>;

/** What this process knows of one model, and has not told yet. */
interface Local {
  key: RateKey;
  known: RateAnswer | null;
  knownAtMs: number;
  /** When the next retry may be made, as was last heard, and until when that is believed; instants of `nowMs`. */
  noRetry: { untilMs: number; believedUntilMs: number };
  untold: Told;
  looking: Promise<void> | null;
  /** Calls that failed at the endpoint since the last answer. */
  unanswered: number;
}

const NOTHING: Told = { calls: 0, answered: 0, retried: 0 };

export function createPacing(deps: PacingDeps): Pacing {
  const { books, nowMs, random = Math.random } = deps;
  const locals = new Map<string, Local>();

  function localOf({ name: provider, model = provider }: LLMProvider): Local {
    const id = JSON.stringify([provider, model]);
    const local = locals.get(id) ?? {
      key: { provider, model },
      known: null,
      knownAtMs: Number.NEGATIVE_INFINITY,
      noRetry: { untilMs: Number.NEGATIVE_INFINITY, believedUntilMs: Number.NEGATIVE_INFINITY },
      untold: { ...NOTHING },
      looking: null,
      unanswered: 0,
    };
    locals.set(id, local);
    return local;
  }

  /** Whatever was not told goes with it. @returns null when the books could not be reached */
  async function exchange(local: Local, wish: RateWish, report: RateReport = {}): Promise<RateAnswer | null> {
    const told = local.untold;
    local.untold = { ...NOTHING };
    try {
      const answer = await books.exchange(local.key, { ...told, ...report }, wish);
      local.known = answer;
      local.knownAtMs = nowMs();
      return answer;
    } catch (error) {
      // guard: pace-untold
      for (const name of ['calls', 'answered', 'retried'] as const) local.untold[name] += told[name];
      deps.onLost?.(error);
      return null;
    }
  }

  /** As a rule without a statement: what was looked at a moment ago is believed. */
  async function look(local: Local): Promise<void> {
    if (nowMs() - local.knownAtMs < RATE_LOOK_MS) return; // guard: pace-look-cached
    local.looking ??= exchange(local, 'look')
      .then((answer) => {
        // Not again and again while nobody answers.
        if (answer === null) local.knownAtMs = nowMs();
      })
      .finally(() => {
        local.looking = null;
      });
    await local.looking;
  }

  function holdBack(local: Local, reason: HeldBack['reason']): void {
    deps.onHeldBack?.({ ...local.key, reason });
  }

  /** How long until the next permit, ms, as far as is known, when nobody waits that long; else 0. Others can only make it later. */
  function farMs({ known, knownAtMs }: Local): number {
    const left = (known?.permitInMs ?? 0) - (nowMs() - knownAtMs);
    return left > PERMIT_WAIT_MS ? left : 0;
  }

  /** @throws ModelError `rate_limited` */
  async function takePermit(local: Local, signal: AbortSignal | undefined): Promise<void> {
    await look(local);
    if ((local.known?.perMinute ?? null) === null && (local.known?.pausedMs ?? 0) === 0) {
      local.untold.calls += 1;
      return;
    }
    const far = farMs(local);
    const answer = far > 0 ? { granted: false, waitMs: far } : await exchange(local, 'permit');
    if (answer === null) return;
    // guard: pace-refused
    if (!answer.granted) {
      holdBack(local, 'rate');
      // Those who were told the same do not come back together, and not in the same order again and again.
      const retryAfterMs = Math.ceil(answer.waitMs * (1 + random() / 4));
      throw new ModelError('rate_limited', {
        retryable: true,
        retryAfterMs,
        unsent: true,
        hint: 'not asked: too many calls',
      });
    }
    if (answer.waitMs === 0) return;
    try {
      await deps.sleep(Math.ceil(answer.waitMs), signal);
    } catch {
      throw new ModelError('aborted', { retryable: false, unsent: true });
    }
  }

  async function tell(local: Local, error: unknown, begunAtMs: number): Promise<void> {
    if (!(error instanceof ModelError) || error.code === 'aborted') return;
    const { code, retryAfterMs } = error;
    const report: RateReport = {};
    if (code === 'rate_limited' || code === 'overloaded')
      report.refusal = { begunMsAgo: nowMs() - begunAtMs, retryAfterMs };
    if (isEndpointFailure(code)) {
      report.failed = 1;
      local.unanswered += 1;
    }
    if (report.refusal || report.failed) await exchange(local, 'look', report);
  }

  return {
    pace(inner) {
      // Nobody is asked.
      if (inner.model === OFFLINE_MODEL) return inner;
      const local = localOf(inner);
      return {
        ...inner,
        isAvailable: () => inner.isAvailable(),
        async complete(request) {
          await takePermit(local, request.signal);
          const begunAtMs = nowMs();
          try {
            const response = await inner.complete(request);
            local.untold.answered += 1;
            local.unanswered = 0; // guard: pace-answered
            return response;
          } catch (error) {
            await tell(local, error, begunAtMs);
            throw error;
          }
        },
      };
    },
    async waitMs(provider) {
      if (provider.model === OFFLINE_MODEL) return 0;
      const local = localOf(provider);
      await look(local);
      const far = farMs(local);
      if (far > 0) holdBack(local, 'rate');
      return Math.ceil(far);
    },
    async retry(provider) {
      if (provider.model === OFFLINE_MODEL) return { ended() {} };
      const local = localOf(provider);
      const { untilMs, believedUntilMs } = local.noRetry;
      // guard: pace-believed
      if (nowMs() < Math.min(untilMs, believedUntilMs)) {
        holdBack(local, 'retries');
        return { waitMs: Math.ceil(untilMs - nowMs()) };
      }
      const answer = await exchange(local, 'retry');
      if (answer?.granted === false) {
        const { waitMs } = answer;
        local.noRetry = { untilMs: nowMs() + waitMs, believedUntilMs: nowMs() + RATE_LOOK_MS };
        holdBack(local, 'retries');
        return { waitMs: Math.ceil(waitMs) };
      }
      return {
        ended() {
          if (answer) local.untold.retried += 1; // guard: pace-retry-ended
        },
      };
    },
    isFailing: (provider) => (localOf(provider).known?.retryTokens ?? RETRY_TOKENS) <= RETRY_TOKENS_KEPT,
    isUnanswered: (provider) => localOf(provider).unanswered > 1,
    async rates() {
      const all = [...locals.values()];
      await Promise.all(all.map(look));
      return all.map(({ key, known }) => ({
        ...key,
        perMinute: known?.perMinute ?? null,
        pausedMs: Math.round(known?.pausedMs ?? 0),
        retryTokens: known?.retryTokens ?? RETRY_TOKENS,
      }));
    },
  };
}
