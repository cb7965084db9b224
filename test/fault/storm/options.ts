import { parseArgs } from 'node:util';
import type { QueueKind } from '../types.ts';

export interface StormOptions {
  kind: QueueKind;
  seed: number;
  minutes: number;
  /** Rounds at most; null: as many as fit. */
  rounds: number | null;
  /** Processes of the service killed in a minute, on average over all. */
  killsPerMinute: number;
  workers: number;
  users: number;
  stormSeconds: number;
  /** Everything that is due has to be done so soon after a storm. */
  recoverSeconds: number;
  /** The writer of statements lies, about people too; their judge is honest. */
  lies: boolean;
  /** Nights are due, and their questions wait for batches. */
  batches: boolean;
  mutant: string | null;
  report: string | null;
}

export const HELP = `The service under faults: processes are killed and stopped, servers crash, connections break, the model fails.
After each round every promise is judged in the database.

npm run test:fault -- [options]

  --queue KIND              redis (default), postgres or embedded
  --seed N                  a whole number; the same faults are drawn again from the same one (default: 1)
  --minutes M               how long altogether (default: 2)
  --rounds N                at most so many rounds; with the seed of a round and 1, that round alone
  --kills-per-minute N      processes killed in a minute (default: 110)
  --workers N               worker processes (default: 4)
  --users N                 users of each round (default: 40)
  --storm-seconds N         how long each storm lasts (default: 40)
  --recover-seconds N       within which everything has to be done after it (default: 60)
  --lies                    the writer of statements lies; an honest judge reads its request alone
  --batches                 nights are due as well, and their questions wait for batches
  --mutant NAME             with one guard of the product taken out
  --report FILE             everything that was counted, as JSON
  --help

Exit code: 0 when every promise was kept, 1 when one was broken, 2 when the options are wrong.`;

/** What somebody asked for cannot be done. */
export class OptionsError extends Error {
  readonly code = 'invalid_options';

  constructor(message: string) {
    super(message);
    this.name = 'OptionsError';
  }
}

const KINDS: readonly QueueKind[] = ['redis', 'postgres', 'embedded'];
const MINUTES_MAX = 24 * 60;

/** @returns null when only the help is wanted. @throws OptionsError */
export function readOptions(args: readonly string[]): StormOptions | null {
  const { values } = parse(args);
  if (values.help) return null;
  const kind = KINDS.find((known) => known === values.queue);
  if (!kind) throw new OptionsError(`--queue is one of ${KINDS.join(', ')}`);
  return {
    kind,
    seed: numberOf('seed', values.seed, { from: 0, to: 2 ** 32 - 1, whole: true }),
    minutes: numberOf('minutes', values.minutes, { from: 0.1, to: MINUTES_MAX }),
    rounds: values.rounds ? numberOf('rounds', values.rounds, { from: 1, to: 10_000, whole: true }) : null,
    killsPerMinute: numberOf('kills-per-minute', values['kills-per-minute'], { from: 1, to: 1_000 }),
    workers: numberOf('workers', values.workers, { from: 1, to: 32, whole: true }),
    users: numberOf('users', values.users, { from: 1, to: 5_000, whole: true }),
    stormSeconds: numberOf('storm-seconds', values['storm-seconds'], { from: 1, to: 3_600 }),
    recoverSeconds: numberOf('recover-seconds', values['recover-seconds'], { from: 1, to: 3_600 }),
    lies: values.lies,
    batches: values.batches,
    mutant: values.mutant ?? null,
    report: values.report ?? null,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        queue: { type: 'string', default: 'redis' },
        seed: { type: 'string', default: '1' },
        minutes: { type: 'string', default: '2' },
        rounds: { type: 'string' },
        'kills-per-minute': { type: 'string', default: '110' },
        workers: { type: 'string', default: '4' },
        users: { type: 'string', default: '40' },
        'storm-seconds': { type: 'string', default: '40' },
        'recover-seconds': { type: 'string', default: '60' },
        lies: { type: 'boolean', default: false },
        batches: { type: 'boolean', default: false },
        mutant: { type: 'string' },
        report: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : 'the options cannot be read');
  }
}

function numberOf(name: string, text: string, limits: { from: number; to: number; whole?: boolean }): number {
  const { from, to, whole } = limits;
  const value = Number(text);
  const isFit = value >= from && value <= to && (!whole || Number.isInteger(value));
  if (text.trim() !== '' && isFit) return value;
  throw new OptionsError(`--${name} is a ${whole ? 'whole ' : ''}number from ${from} to ${to}`);
}
