import { TIERS, type Tier } from '@slowwave/fusion';
import { type Day, emptyDay } from './wake-ups.ts';

/** What one run of a tier takes on average. */
export interface RunCost {
  /** Of the worker's processor, ms. */
  cpuMs: number;
  /** Of a slot, from beginning to end, waiting for servers and models included, ms. */
  slotMs: number;
}

export interface Crew {
  /** Processes with a core each. */
  workers: number;
  /** Runs of one tier that a worker has under way at once. */
  concurrency: number;
  /** Most wake-ups of a tier that a minute's beats can put in the queue: its cap, once a beat. */
  dispatchPerMinute: number;
}

export interface Drained {
  /** Runs done in each minute. */
  done: Day;
  /** Users who are due and have not run at the end of each minute. */
  waiting: Day;
  /** Most users waiting at once, all tiers. */
  longestQueue: number;
  /** Longest time from being due to the run, minutes, by tier; Infinity where it is more every day. */
  longestWait: Record<Tier, number>;
  /** Share of the processors in use in the busiest minute and over the day, 0 to 1. */
  cpu: { peak: number; mean: number };
}

const MINUTE_MS = 60_000;
/** Days that are the same until what is left over from the evening is what the morning begins with. */
const DAYS = 3;
const TOLERANCE = 1e-6;

/**
 * Lets so many workers do a day's wake-ups, minute by minute, as often as it takes until the days repeat, and tells of the last one. Of each
 * minute a tier gets as much as its slots and the dispatcher's beats allow; where that is more than the processors can do, all tiers get
 * the same share of it.
 */
export function drain(arrivals: Day, costs: Record<Tier, RunCost>, crew: Crew): Drained {
  const minutes = arrivals.light.length;
  const left = { light: 0, deep: 0, sleep: 0 };
  let before = { ...left };
  let result = { done: emptyDay(), waiting: emptyDay(), longestQueue: 0, cpu: { peak: 0, mean: 0 } };
  const most = (tier: Tier) =>
    Math.min(crew.dispatchPerMinute, (crew.workers * crew.concurrency * MINUTE_MS) / costs[tier].slotMs);
  const processors = crew.workers * MINUTE_MS;
  for (let day = 0; day < DAYS; day += 1) {
    before = { ...left };
    result = { done: emptyDay(), waiting: emptyDay(), longestQueue: 0, cpu: { peak: 0, mean: 0 } };
    for (let minute = 0; minute < minutes; minute += 1) {
      for (const tier of TIERS) left[tier] += arrivals[tier][minute]!;
      const wanted = TIERS.map((tier) => Math.min(left[tier], most(tier)));
      const demand = wanted.reduce((sum, runs, i) => sum + runs * costs[TIERS[i]!].cpuMs, 0);
      const share = demand > processors ? processors / demand : 1;
      for (const [i, tier] of TIERS.entries()) {
        result.done[tier][minute] = wanted[i]! * share;
        left[tier] = Math.max(0, left[tier] - wanted[i]! * share);
        result.waiting[tier][minute] = left[tier];
      }
      const used = Math.min(1, demand / processors);
      result.cpu.peak = Math.max(result.cpu.peak, used);
      result.cpu.mean += used / minutes;
      result.longestQueue = Math.max(
        result.longestQueue,
        TIERS.reduce((sum, tier) => sum + left[tier], 0),
      );
    }
  }
  const longestWait = { light: 0, deep: 0, sleep: 0 };
  for (const tier of TIERS) {
    // A user more in the evening than in the evening before is one who never gets a turn.
    longestWait[tier] =
      left[tier] > before[tier] + 1
        ? Number.POSITIVE_INFINITY
        : longestWaitOf(arrivals[tier], result.done[tier], before[tier]);
  }
  return { ...result, longestWait };
}

/** Minutes from the minute in which somebody becomes due until as many have run as were due by then; first come, first served. */
export function longestWaitOf(arrivals: Float64Array, done: Float64Array, leftOver: number): number {
  let [due, ran, served, longest] = [leftOver, 0, -1, 0];
  for (const [minute, came] of arrivals.entries()) {
    due += came;
    if (came === 0) continue;
    // Sums of parts of users are not exact. Whoever waits at the end of the day runs in the morning of the next, which is the same.
    while (ran < due * (1 - TOLERANCE) - TOLERANCE && served < 2 * done.length) {
      served += 1;
      ran += done[served % done.length]!;
    }
    longest = Math.max(longest, served - minute);
  }
  return longest;
}
