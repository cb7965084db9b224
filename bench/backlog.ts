/**
 * npm run bench:backlog [-- --queue redis|postgres|embedded --users N --cap N --asked N]
 *
 * Many users due at once: the queue must never hold more than its cap, and whoever asks for a run meanwhile must not wait for them.
 * Prints how long asked runs took from asking to their start, idle and under the backlog, in one process for all parts.
 */
import { parseArgs } from 'node:util';
import { readConfig } from '@slowwave/config';
import { type BackendFixture, openEmbedded, openOnPostgres, openOnRedis } from '../test/fixtures/backends.ts';
import { BACKLOG_GOAL_MS, type BacklogFigures, measureBacklog, type Spread } from './stage/backlog.ts';

interface BacklogQueue {
  name: string;
  lookEveryMs: number;
  open(): Promise<BackendFixture>;
}
const QUEUES: Record<string, BacklogQueue> = {
  redis: { name: 'Redis and PostgreSQL', lookEveryMs: 2, open: () => openOnRedis() },
  postgres: { name: 'PostgreSQL', lookEveryMs: 5, open: openOnPostgres },
  // One connection for everything: looking all the time would leave none of it to the work.
  embedded: { name: 'embedded', lookEveryMs: 50, open: openEmbedded },
};

interface Options {
  queue: BacklogQueue;
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

function tell(what: string, { p50, p95, max }: Spread): void {
  process.stdout.write(
    `${what.padEnd(20)} p50 ${String(p50).padStart(5)} ms   p95 ${String(p95).padStart(5)} ms   max ${String(max).padStart(5)} ms\n`,
  );
}

function report({ users, cap, asked }: Options, figures: BacklogFigures): void {
  const { idle, loaded, seconds, doneMeanwhile, queue } = figures;
  process.stdout.write(
    `${users} users, each ran once, in ${seconds.toFixed(1)} s (${Math.round(users / seconds)} a second)\n`,
  );
  process.stdout.write(`queue: at most ${queue.largest} of ${cap} wake-ups in ${queue.looks} looks\n`);
  process.stdout.write(
    `asked runs, from asking to their start (${asked} each, ${doneMeanwhile} users done meanwhile):\n`,
  );
  tell('  idle', idle);
  tell('  under the backlog', loaded);
  const ratio = (key: keyof Spread) => (loaded[key] / Math.max(1, idle[key])).toFixed(1);
  const verdict = loaded.p95 < BACKLOG_GOAL_MS ? 'met' : 'missed';
  process.stdout.write(
    `  ratio               p50 ${ratio('p50')}   p95 ${ratio('p95')}; goal p95 under ${BACKLOG_GOAL_MS} ms: ${verdict}\n`,
  );
}

const options = readOptions();
process.stdout.write(`queue: ${options.queue.name}\n`);
const backend = await options.queue.open();
try {
  const { users, cap, asked, queue } = options;
  report(options, await measureBacklog(backend, { users, cap, asked, lookEveryMs: queue.lookEveryMs }));
} finally {
  await backend.drop();
}
