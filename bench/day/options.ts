import { parseArgs } from 'node:util';
import { nearestName, readConfig } from '@slowwave/config';
import { priceOf } from '@slowwave/models';

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

export type ParsedDayOptions =
  | { kind: 'run'; options: DayOptions }
  | { kind: 'help' }
  | { kind: 'refused'; errors: string[] };

const DEFAULT_DAY = '2026-11-22';
const SEED = 20_261_122;

interface Whole {
  otherwise: number;
  least: number;
  most: number;
  what: string;
}

function wholeOptions(): Record<string, Whole> {
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
export function readDayOptions(args: readonly string[]): ParsedDayOptions {
  const wholes = wholeOptions();
  const names = [...Object.keys(wholes), 'day', 'workers', 'model', 'json'];
  const { values, positionals } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return { kind: 'help' };
  const errors = positionals.map((word) => `unexpected ${word}: options begin with --`);
  for (const name of Object.keys(values)) {
    if (names.includes(name)) continue;
    const nearest = nearestName(name, names);
    errors.push(`unknown option --${name}${nearest === null ? '' : `: did you mean --${nearest}?`}`);
  }
  const textOf = (name: string, otherwise: string): string => {
    const value = values[name] ?? otherwise;
    if (typeof value === 'string' && value !== '') return value;
    errors.push(`--${name} needs a value`);
    return otherwise;
  };
  const numberOf = (name: string, { otherwise, least, most }: Omit<Whole, 'what'>): number => {
    const value = values[name];
    if (value === undefined) return otherwise;
    if (typeof value === 'string' && /^\d+$/.test(value) && +value >= least && +value <= most) return +value;
    errors.push(`--${name}: expected a whole number from ${least} to ${most}`);
    return otherwise;
  };
  const whole = (name: string) => numberOf(name, wholes[name]!);
  const date = textOf('day', DEFAULT_DAY);
  const day = Date.parse(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(day)) errors.push('--day: expected YYYY-MM-DD');
  const model = textOf('model', 'claude-haiku-5-5');
  if (priceOf({}, model) === null) errors.push(`--model: nobody knows the price of ${model}`);
  const options: DayOptions = {
    users: whole('users'),
    day,
    active: whole('active') / 100,
    memories: whole('memories'),
    sessions: whole('sessions'),
    fused: whole('fused') / 100,
    historyDays: whole('history-days'),
    workers:
      values.workers === undefined ? null : numberOf('workers', { otherwise: 1, least: 1, most: 1_000_000 }),
    concurrency: whole('concurrency'),
    queueCap: whole('queue-cap'),
    tickSeconds: whole('tick-seconds'),
    model,
    modelMs: whole('model-ms'),
    seed: whole('seed'),
    json: values.json === undefined ? null : textOf('json', '-'),
  };
  return errors.length > 0 ? { kind: 'refused', errors } : { kind: 'run', options };
}
