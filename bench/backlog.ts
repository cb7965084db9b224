/**
 * npm run bench:backlog [-- --queue redis|postgres|embedded --users N --cap N --asked N]
 *
 * Many users due at once: the queue must never hold more than its cap, and whoever asks for a run meanwhile must not wait for them.
 * Prints how long asked runs took from asking to their start, idle and under the backlog, in one process for all parts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '@slowwave/config';
import { BACKENDS } from '../test/fixtures/backends.ts';
import { type Backlog, startBacklog } from '../test/fixtures/backlog.ts';
import { until } from '../test/fixtures/wait.ts';

/** Work of one run, ms. */
const STEP_MS = 5;
const TICK_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** The questions begin when the queue is as full as this. */
const FULL_SHARE = 0.8;
/** The goal for asked runs under the backlog, p95 in ms. */
const GOAL_MS = 2_000;
const QUEUES: Record<string, { name: string; lookEveryMs: number }> = {
  redis: { name: 'Redis and PostgreSQL', lookEveryMs: 2 },
  postgres: { name: 'PostgreSQL', lookEveryMs: 5 },
  // One connection for everything: looking all the time would leave none of it to the work.
  embedded: { name: 'embedded', lookEveryMs: 50 },
};

interface Options {
  queue: { name: string; lookEveryMs: number };
  users: number;
  cap: number;
  asked: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      queue: { type: 'string', default: 'redis' },
      users: { type: 'string', default: '10000' },
      cap: { type: 'string', default: String(readConfig({}).producer.queueCap) },
      asked: { type: 'string', default: '100' },
    },
  });
  const queue = QUEUES[values.queue];
  const [users, cap, asked] = [values.users, values.cap, values.asked].map(Number);
  const whole = [users, cap, asked].every((value) => Number.isInteger(value) && value! > 0);
  if (!queue || !whole) throw new Error('expected --queue redis, postgres or embedded, and whole numbers');
  return { queue, users: users!, cap: cap!, asked: asked! };
}

interface Spread {
  p50: number;
  p95: number;
  max: number;
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

async function askInTurn(backlog: Backlog, times: number): Promise<number[]> {
  const waits: number[] = [];
  for (let turn = 0; turn < times; turn += 1) waits.push(await backlog.ask());
  return waits;
}

function tell(what: string, { p50, p95, max }: Spread): void {
  process.stdout.write(
    `${what.padEnd(20)} p50 ${String(p50).padStart(5)} ms   p95 ${String(p95).padStart(5)} ms   max ${String(max).padStart(5)} ms\n`,
  );
}

function insist(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

async function measure({ users, cap, asked }: Options, backlog: Backlog): Promise<void> {
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

  process.stdout.write(
    `${users} users, each ran once, in ${seconds.toFixed(1)} s (${Math.round(users / seconds)} a second)\n`,
  );
  process.stdout.write(`queue: at most ${largest} of ${cap} wake-ups in ${looks} looks\n`);
  process.stdout.write(
    `asked runs, from asking to their start (${asked} each, ${doneMeanwhile} users done meanwhile):\n`,
  );
  tell('  idle', idle);
  tell('  under the backlog', loaded);
  const ratio = (key: keyof Spread) => (loaded[key] / Math.max(1, idle[key])).toFixed(1);
  const verdict = loaded.p95 < GOAL_MS ? 'met' : 'missed';
  process.stdout.write(
    `  ratio               p50 ${ratio('p50')}   p95 ${ratio('p95')}; goal p95 under ${GOAL_MS} ms: ${verdict}\n`,
  );
}

const options = readOptions();
const [, connect] = BACKENDS.find(([name]) => name === options.queue.name)!;
process.stdout.write(`queue: ${options.queue.name}\n`);
const backend = await connect();
try {
  const backlog = await startBacklog(backend, {
    users: options.users,
    cap: options.cap,
    tickMs: TICK_MS,
    lookEveryMs: options.queue.lookEveryMs,
    work: () => sleep(STEP_MS),
  });
  try {
    await measure(options, backlog);
  } finally {
    await backlog.close();
  }
} finally {
  await backend.drop();
}
