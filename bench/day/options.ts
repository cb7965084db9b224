import { readConfig } from '@slowwave/config';
import { priceOf } from '@slowwave/models';
import { type Parsed, readArguments, type WholeNumber } from '../arguments.ts';

export interface DayOptions {
  users: number;
  /** Midnight in UTC of the simulated day, epoch ms. */
  day: number;
  /** Share of users who write on a day, 0 to 1. */
  active: number;
  /** Written by each of them. */
  memories: number;
  sessions: number;
  /** Share of memories that end up in a fusion, 0 to 1. */
  fused: number;
  historyDays: number;
  /** Null: the number that the day turns out to need. */
  workers: number | null;
  concurrency: number;
  queueCap: number;
  tickSeconds: number;
  model: string;
  /** How long the model takes to answer, ms. */
  modelMs: number;
  seed: number;
  /** A file, '-' for standard output instead of the table, or null for none. */
  json: string | null;
}

const DEFAULT_DAY = '2026-11-22';
const SEED = 20_261_122;

function wholeOptions(): Record<string, WholeNumber & { what: string }> {
  const { worker, producer } = readConfig({});
  return {
    users: { otherwise: 10_000_000, least: 1, most: 1_000_000_000, what: 'users' },
    active: { otherwise: 20, least: 0, most: 100, what: 'users who write on a day, in percent of all' },
    memories: { otherwise: 30, least: 1, most: 1_000, what: 'memories that each of them writes on it' },
    sessions: { otherwise: 3, least: 1, most: 100, what: 'conversations in which they do' },
    fused: { otherwise: 40, least: 0, most: 100, what: 'memories that end up in a fusion, in percent' },
    'history-days': { otherwise: 365, least: 0, most: 3_650, what: 'days that people have written before' },
    concurrency: {
      otherwise: worker.concurrency,
      least: 1,
      most: 100,
      what: 'SLOWWAVE_WORKER_CONCURRENCY',
    },
    'queue-cap': { otherwise: producer.queueCap, least: 1, most: 100_000, what: 'SLOWWAVE_QUEUE_CAP' },
    'tick-seconds': {
      otherwise: producer.tickMs / 1_000,
      least: 1,
      most: 3_600,
      what: 'SLOWWAVE_TICK_SECONDS',
    },
    'model-ms': { otherwise: 2_000, least: 0, most: 600_000, what: 'how long a model takes to answer' },
    seed: { otherwise: SEED, least: 0, most: 0xffff_ffff, what: 'the people who are made' },
  };
}

export function dayUsage(): string {
  const lines = Object.entries(wholeOptions()).map(
    ([name, { otherwise, what }]) => `  --${name.padEnd(14)} ${what}; default ${otherwise}`,
  );
  return `usage: npm run bench:day [-- OPTION …]

Reckons a day of wake-ups of many users over all time zones, with the service's own due times, and what it asks of workers, PostgreSQL, the queue
and models. Nothing is started.

${lines.join('\n')}
  --day            the day in UTC, YYYY-MM-DD; default ${DEFAULT_DAY}
  --workers        worker processes; default: as many as the day needs
  --model          whose price counts; default claude-haiku-5-5
  --json           a file for the figures; - prints them instead of the table
  --help           this text`;
}

/** Every mistake is reported at once, each with what was expected. */
export function readDayOptions(args: readonly string[]): Parsed<DayOptions> {
  const wholes = wholeOptions();
  const given = readArguments(args, { texts: [...Object.keys(wholes), 'day', 'workers', 'model', 'json'] });
  if (given.help) return { kind: 'help' };
  const { errors } = given;
  const whole = (name: string) => given.whole(name, wholes[name]!);
  const date = given.text('day', DEFAULT_DAY, 'YYYY-MM-DD');
  const day = Date.parse(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(day)) errors.push('--day: expected YYYY-MM-DD');
  const model = given.text('model', 'claude-haiku-5-5', 'the name of a model');
  if (priceOf({}, model) === null) errors.push(`--model: nobody knows the price of ${model}`);
  const options: DayOptions = {
    users: whole('users'),
    day,
    active: whole('active') / 100,
    memories: whole('memories'),
    sessions: whole('sessions'),
    fused: whole('fused') / 100,
    historyDays: whole('history-days'),
    workers: given.isGiven('workers')
      ? given.whole('workers', { otherwise: 1, least: 1, most: 1_000_000 })
      : null,
    concurrency: whole('concurrency'),
    queueCap: whole('queue-cap'),
    tickSeconds: whole('tick-seconds'),
    model,
    modelMs: whole('model-ms'),
    seed: whole('seed'),
    json: given.text('json', null, 'a file, or - for standard output'),
  };
  return errors.length > 0 ? { kind: 'refused', errors } : { kind: 'run', options };
}
