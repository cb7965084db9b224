import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFixture } from '../../test/fixtures/backends.ts';
import { type Backlog, startBacklog } from '../../test/fixtures/backlog.ts';
import { until } from '../../test/fixtures/wait.ts';
import { shareOf } from '../compare.ts';

/** Work of one run, ms. */
const STEP_MS = 5;
const TICK_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The questions begin when the queue is as full as this. */
const FULL_SHARE = 0.8;
/** The goal for asked runs under the backlog, p95 in ms. */
export const BACKLOG_GOAL_MS = 2_000;

export interface BacklogSize {
  users: number;
  /** Most wake-ups in the queue. */
  cap: number;
  /** Runs asked for, idle and under the backlog. */
  asked: number;
  /** Pause between two looks at the size of the queue, ms. */
  lookEveryMs: number;
}

/** From asking to the start of the run, ms. */
export interface Spread {
  p50: number;
  p95: number;
  max: number;
}

export interface BacklogFigures {
  idle: Spread;
  loaded: Spread;
  /** From the moment in which all were due until each had run. */
  seconds: number;
  /** Users of the backlog who had run when the last question under it was answered. */
  doneMeanwhile: number;
  queue: { largest: number; looks: number };
}

function spreadOf(values: readonly number[]): Spread {
  return { p50: shareOf(values, 0.5), p95: shareOf(values, 0.95), max: shareOf(values, 1) };
}

async function askInTurn(backlog: Backlog, times: number): Promise<number[]> {
  const waits: number[] = [];
  for (let turn = 0; turn < times; turn += 1) waits.push(await backlog.ask());
  return waits;
}

function insist(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

/**
 * Many users due at once, and how long runs that somebody asks for meanwhile take to start.
 * @throws Error when the queue held more than its cap, or a user of the backlog did not run exactly once
 */
export async function measureBacklog(backend: BackendFixture, size: BacklogSize): Promise<BacklogFigures> {
  const { users, cap, lookEveryMs } = size;
  const backlog = await startBacklog(backend, {
    users,
    cap,
    tickMs: TICK_MS,
    lookEveryMs,
    work: () => sleep(STEP_MS),
  });
  try {
    return await measure(size, backlog);
  } finally {
    await backlog.close();
  }
}

async function measure({ users, cap, asked }: BacklogSize, backlog: Backlog): Promise<BacklogFigures> {
  await askInTurn(backlog, Math.min(10, asked)); // The first runs open connections and compile.
  // Half of the idle ones before and half after, so that a machine that grows slower favours neither side.
  const before = await askInTurn(backlog, Math.ceil(asked / 2));
  await backlog.makeDue();
  const begun = performance.now();
  // Workers take from it while it is filled: it may never be quite full.
  const full = FULL_SHARE * Math.min(cap, users);
  await until('the queue to fill', () => backlog.size.largest >= full, MINUTE_MS);
  const loaded = spreadOf(await askInTurn(backlog, asked));
  const doneMeanwhile = await backlog.done();
  insist(doneMeanwhile < users, 'the backlog was gone before the last question: take more users');
  await until(
    'everybody to have had a turn',
    async () => {
      await sleep(250);
      return (await backlog.done()) === users;
    },
    HOUR_MS,
  );
  const seconds = (performance.now() - begun) / 1_000;
  const odd = await backlog.odd();
  insist(odd.length === 0, `${odd.length} users did not run exactly once`);
  const idle = spreadOf([...before, ...(await askInTurn(backlog, Math.floor(asked / 2)))]);
  const { largest, looks } = backlog.size;
  insist(largest <= cap, `the queue held ${largest} wake-ups, its cap is ${cap}`);
  return { idle, loaded, seconds, doneMeanwhile, queue: { largest, looks } };
}
