import type { BackoffStrategy, DefaultJobOptions } from 'bullmq';
import type { QueueName } from './names.ts';

/** Bounds of one retry's delay, in milliseconds. */
export interface BackoffOptions {
  baseMs: number;
  maxMs: number;
}

export interface JobDefaults {
  /** Attempts of a job per queue, the first one included. */
  attempts: Record<QueueName, number>;
  backoff: BackoffOptions;
  /** How long a completed job stays visible, in seconds; 0 removes it at once. */
  keepCompletedSeconds: number;
  /** How long a failed job stays in the failed list, in seconds. */
  keepFailedSeconds: number;
}

export const JOB_DEFAULTS: JobDefaults = {
  attempts: { light: 3, deep: 3, sleep: 3, fusions: 6, adhoc: 3, ticks: 1 },
  backoff: { baseMs: 1_000, maxMs: 120_000 },
  keepCompletedSeconds: 0,
  keepFailedSeconds: 14 * 24 * 60 * 60,
};

export interface LockDefaults {
  lockDurationMs: number;
  stalledIntervalMs: number;
  maxStalledCount: number;
}

// After a worker is killed its jobs run again within at most lock + two stalled intervals: a check that comes a moment too early, as judged by the
// check before, looks at nothing. Short on servers; long in one process, where the database shares the event loop and nobody else could take
// the job over.
export const SERVER_LOCK: LockDefaults = {
  lockDurationMs: 10_000,
  stalledIntervalMs: 1_500,
  maxStalledCount: 5,
};
export const EMBEDDED_LOCK: LockDefaults = {
  ...SERVER_LOCK,
  lockDurationMs: 60_000,
  stalledIntervalMs: 3_000,
};

/** Postponements after which a job goes back to the sweeper. */
export const MAX_POSTPONES = 60;
/** Longest pause of a queue that one rate-limited answer may cause, in milliseconds. */
export const MAX_RATE_LIMIT_MS = 5 * 60_000;
/** Longest single postponement, in milliseconds. */
export const MAX_POSTPONE_MS = 10 * 60_000;

const EVENTS_KEPT = 1_000;
const LOGS_KEPT = 20;
const STACKS_KEPT = 3;
const MAX_PAYLOAD_BYTES = 4_096;
/** Any name that BullMQ does not know makes it ask the worker's own strategy. */
const BACKOFF_TYPE = 'full-jitter';

export function jobOptions(
  queue: QueueName,
  defaults: JobDefaults,
): DefaultJobOptions & { sizeLimit: number } {
  // Removal by age or at once: removal by count costs tens of milliseconds per job on PostgreSQL.
  const completed = defaults.keepCompletedSeconds;
  return {
    attempts: defaults.attempts[queue],
    backoff: { type: BACKOFF_TYPE, delay: defaults.backoff.baseMs },
    removeOnComplete: completed > 0 && queue !== 'ticks' ? { age: completed } : true,
    removeOnFail: queue === 'ticks' ? { age: 3_600 } : { age: defaults.keepFailedSeconds },
    keepLogs: LOGS_KEPT,
    stackTraceLimit: STACKS_KEPT,
    sizeLimit: MAX_PAYLOAD_BYTES,
  };
}

export const EVENT_STREAM = { events: { maxLen: EVENTS_KEPT } };

/**
 * Full jitter: anything from 1 ms up to base × 2^(attempts made − 1), capped at the maximum, so that jobs which failed
 * together do not come back together. A wait that the other side asked for is kept, within the same cap.
 */
export function fullJitter(options: BackoffOptions, random: () => number): BackoffStrategy {
  return (attemptsMade, _type, error) => {
    const ceiling = Math.min(
      options.maxMs,
      options.baseMs * 2 ** Math.min(30, Math.max(0, attemptsMade - 1)),
    );
    const asked = (error as { retryAfterMs?: number | null } | undefined)?.retryAfterMs ?? 0;
    const jittered = 1 + Math.floor(random() * ceiling);
    return Math.min(options.maxMs, Math.max(jittered, asked));
  };
}
