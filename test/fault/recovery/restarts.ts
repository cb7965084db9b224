import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../fixtures/wait.ts';
import { type Ground, waitForStarts } from './ground.ts';

const DUE = 20;
const LIMIT_MS = 240_000;
const TIERS = 3;

/** A server that can be crashed and started again. */
export interface Crashable {
  crash(): Promise<void>;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
}

/** ms from the moment when the server accepts connections again. */
export interface Restarted {
  firstRun: number[];
  lastRun: number[];
  schedulers: number[];
}

/**
 * Crashes a server with users due, leaves it down for each of these times, and starts it again.
 * @param downMs how long it is away, ms, one crash each
 */
export async function measureRestarts(
  parts: { name: string; ground: Ground; server: Crashable; say: (line: string) => void },
  downMs: readonly number[],
): Promise<Restarted> {
  const { name, ground, server } = parts;
  const found: Restarted = { firstRun: [], lastRun: [], schedulers: [] };
  for (const [round, ms] of downMs.entries()) {
    const users = Array.from({ length: DUE }, (_, i) => `${name}-${round}-${i}`);
    await ground.addUsers(users, 'deep');
    await server.crash();
    await sleep(ms);
    await server.start();
    const since = Date.now();
    const [starts, schedulers] = await Promise.all([
      waitForStarts(ground, users, since, LIMIT_MS),
      waitForSchedulers(ground, since),
    ]);
    found.firstRun.push(Math.min(...starts));
    found.lastRun.push(Math.max(...starts));
    found.schedulers.push(schedulers);
    parts.say(`${name}, down for ${ms / 1_000} s: ${Math.min(...starts) / 1_000} s to the first run`);
    await until('all of them to be done', async () => (await ground.countDone(users)) === DUE, LIMIT_MS);
  }
  return found;
}

/** Each beats in the future again: one that is lost or overdue does not count. */
async function waitForSchedulers(ground: Ground, since: number): Promise<number> {
  return until(
    'the schedulers to be back',
    async () => {
      const nexts = await ground.nextTicks().catch(() => []);
      const now = Date.now();
      return nexts.filter((next) => next !== null && next > now).length === TIERS ? now - since : null;
    },
    LIMIT_MS,
  );
}
