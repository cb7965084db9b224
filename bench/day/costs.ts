import type { Tier } from '@slowwave/fusion';

/** What one run of a tier takes, a model's time apart. */
export interface TierCost {
  /** Of the worker's processor, ms. */
  cpuMs: number;
  /** From beginning to end, ms. */
  wallMs: number;
  /** Statements that read or write rows, and everything that waits for PostgreSQL, frames of transactions included. */
  statements: number;
  roundTrips: number;
  /** Scripts that the queue runs in Redis, from the wake-up to the end of the job. */
  queueScripts: number;
}

/**
 * Runs that find nothing new to do, of a user with 200 memories, with the queue in Redis; as `npm run bench:profile -- --again` has them on a busy
 * machine of two cores that PostgreSQL and Redis share, profiler included: on the high side.
 */
export const QUIET_RUNS: Readonly<Record<Tier, TierCost>> = {
  light: { cpuMs: 9, wallMs: 8, statements: 3, roundTrips: 9, queueScripts: 2 },
  deep: { cpuMs: 17, wallMs: 16, statements: 4, roundTrips: 12, queueScripts: 2 },
  sleep: { cpuMs: 9, wallMs: 10, statements: 4, roundTrips: 12, queueScripts: 2 },
};

/** What each model call adds to its run: the claim, the stored answer and the commit; a deep run with four against one without. */
export const PER_CALL = { cpuMs: 16, statements: 16, roundTrips: 29 } as const;
