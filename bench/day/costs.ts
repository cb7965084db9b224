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
  /** Commands that the queue in Redis is sent, from the wake-up to the end of the job. */
  queueCommands: number;
}

/**
 * Runs that find nothing new to do, of a user with 200 memories, with the queue in Redis; measured by bench:profile and the row P7 on a machine of two
 * cores that PostgreSQL and Redis share, and rounded up. Give figures of your own where yours differ.
 */
export const QUIET_RUNS: Readonly<Record<Tier, TierCost>> = {
  light: { cpuMs: 10, wallMs: 30, statements: 10, roundTrips: 40, queueCommands: 5 },
  deep: { cpuMs: 20, wallMs: 60, statements: 20, roundTrips: 60, queueCommands: 5 },
  sleep: { cpuMs: 15, wallMs: 50, statements: 16, roundTrips: 50, queueCommands: 5 },
};

/** What each model call adds to its run: the claim, the stored answer and the commit. */
export const PER_CALL = { cpuMs: 5, statements: 10, roundTrips: 20 } as const;
