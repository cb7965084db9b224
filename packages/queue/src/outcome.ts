import { MAX_POSTPONE_MS, MAX_RATE_LIMIT_MS } from './defaults.ts';
import { type SafeFailure, safeFailure } from './safe-error.ts';

/** Counts and ids of a finished job, for the operator's screen. No text. */
export type JobSummary = Record<string, number | boolean | string | null>;

/** What a handler may hand back. A failure is thrown instead: `retryable: false` on it means never again. */
export type JobResult =
  | { outcome: 'completed'; summary?: JobSummary }
  /** Not now: come back in `delayMs`, without using an attempt. */
  | { outcome: 'postponed'; delayMs: number }
  /** The whole queue rests for `delayMs`; the job waits in it, without using an attempt. */
  | { outcome: 'rate_limited'; delayMs: number }
  /** Unfinished (the worker is stopping): somebody else goes on, without using an attempt. */
  | { outcome: 'moved_back' };

/** How a job's turn ended: what a handler handed back, and what became of it. */
export type JobOutcome =
  | 'completed'
  | 'retry'
  | 'failed'
  | 'postponed'
  | 'rate_limited'
  | 'moved_back'
  /** Postponed as often as allowed: it ends here and the sweeper takes the user up again. */
  | 'returned'
  /** The lock is gone: the job belongs to another worker, nothing is written about it. */
  | 'lost';

/** Why a job's signal was aborted. */
export type AbortCause = 'lock_lost' | 'shutdown';

export type Ended = { result: JobResult } | { error: unknown };

export interface Turn {
  ended: Ended;
  aborted: AbortCause | null;
  /** Attempts used before this turn. */
  attemptsMade: number;
  attempts: number;
  postponed: number;
  maxPostpones: number;
  ids: Record<string, string>;
}

export type Verdict =
  | { outcome: 'completed' | 'returned'; value: JobSummary }
  | { outcome: 'postponed'; delayMs: number; postponed: number }
  | { outcome: 'rate_limited'; delayMs: number }
  | { outcome: 'moved_back' }
  | { outcome: 'lost' }
  | { outcome: 'retry' | 'failed'; failure: SafeFailure };

/** The one place that decides what becomes of a job. */
export function judge(turn: Turn): Verdict {
  return 'error' in turn.ended ? judgeError(turn.ended.error, turn) : judgeResult(turn.ended.result, turn);
}

function judgeResult(result: JobResult, turn: Turn): Verdict {
  switch (result.outcome) {
    case 'completed':
      // Done is done: if the lock went meanwhile, the datastore refuses and the fence has already decided.
      return { outcome: 'completed', value: safeSummary(result.summary) };
    case 'postponed':
      if (turn.aborted !== null) return judgeAborted(turn.aborted);
      return postponedBy(result.delayMs, turn);
    case 'rate_limited':
      if (turn.aborted === 'lock_lost') return { outcome: 'lost' };
      return { outcome: 'rate_limited', delayMs: bounded(result.delayMs, MAX_RATE_LIMIT_MS) };
    case 'moved_back':
      return turn.aborted === 'lock_lost' ? { outcome: 'lost' } : { outcome: 'moved_back' };
  }
}

function postponedBy(delayMs: number, { postponed, maxPostpones }: Turn): Verdict {
  // guard: postpone-bound
  if (postponed >= maxPostpones) return { outcome: 'returned', value: { outcome: 'returned', postponed } };
  return { outcome: 'postponed', delayMs: bounded(delayMs, MAX_POSTPONE_MS), postponed: postponed + 1 };
}

/** What the state of the database or of the queue's server is to blame for says nothing about the job, so it uses none of its attempts. */
const OUTAGES: readonly string[] = ['unavailable', 'out_of_space', 'queue_unavailable'];
const OUTAGE_FIRST_MS = 1_000;
const OUTAGE_LONGEST_MS = 15_000;

function judgeError(error: unknown, turn: Turn): Verdict {
  // Work that we interrupted ourselves did not fail.
  if (turn.aborted !== null) return judgeAborted(turn.aborted); // guard: lost-silent
  const failure = safeFailure(error, turn.ids);
  // guard: outage-attempts
  if (failure.retryable && OUTAGES.includes(failure.code)) {
    return postponedBy(Math.min(OUTAGE_LONGEST_MS, OUTAGE_FIRST_MS * (turn.postponed + 1)), turn);
  }
  const final = !failure.retryable || turn.attemptsMade + 1 >= turn.attempts;
  return { outcome: final ? 'failed' : 'retry', failure };
}

function judgeAborted(cause: AbortCause): Verdict {
  return { outcome: cause === 'lock_lost' ? 'lost' : 'moved_back' };
}

function bounded(ms: number, max: number): number {
  return Number.isFinite(ms) ? Math.min(max, Math.max(1, Math.ceil(ms))) : max;
}

const MAX_SUMMARY_FIELDS = 20;
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;
const WORD = /^[A-Za-z0-9._:@-]{1,100}$/;

// guard: summary-text
const isSentence = (value: JobSummary[string]): boolean => typeof value === 'string' && !WORD.test(value);

/** Keeps numbers, flags and ids. Sentences have no place in a queue. */
function safeSummary(summary: JobSummary | undefined): JobSummary {
  const kept = Object.entries(summary ?? {}).filter(([name, value]) => NAME.test(name) && !isSentence(value));
  return Object.fromEntries(kept.slice(0, MAX_SUMMARY_FIELDS));
}
