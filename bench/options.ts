import { parseArgs } from 'node:util';
import { nearestName } from '@slowwave/config';

export interface BenchOptions {
  /** Names of rows in the order of the table; all of them when none is given. */
  ids: string[];
  quick: boolean;
  seed: number;
  rounds: number;
  /** Where the figures go for programs; null: nowhere. */
  json: string | null;
}

export type ParsedOptions =
  | { kind: 'run'; options: BenchOptions }
  | { kind: 'help' }
  | { kind: 'list' }
  | { kind: 'refused'; errors: string[] };

const SEED = 20_261_122;
const ROUNDS = 5;
const QUICK_ROUNDS = 3;
const ROUNDS_MAX = 1_000;

export const USAGE = `usage: npm run bench [-- NAME … --quick --seed N --rounds N --json FILE]

  NAME         rows to measure, such as P4; without one, all of them
  --quick      small data: all rows in a few minutes, with figures that say nothing of the goals
  --seed N     the data that is made; default ${SEED}
  --rounds N   interleaved rounds of each comparison; default ${ROUNDS}, with --quick ${QUICK_ROUNDS}
  --json FILE  also writes the figures for programs
  --list       names the rows and their goals
  --help       this text

Exits with 1 when a goal was missed (never with --quick), and with 2 when a row could not be measured.`;

const FLAGS = ['quick', 'seed', 'rounds', 'json', 'list', 'help'];

/** Every mistake is reported at once, each with what was expected. */
export function readOptions(args: readonly string[], known: readonly string[]): ParsedOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      seed: { type: 'string' },
      rounds: { type: 'string' },
      json: { type: 'string' },
      list: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true || values.h === true) return { kind: 'help' };
  const errors = Object.keys(values)
    .filter((name) => !FLAGS.includes(name))
    .map((name) =>
      unknown(
        'option',
        `--${name}`,
        FLAGS.map((flag) => `--${flag}`),
      ),
    );
  const quick = values.quick ?? false;
  if (typeof quick !== 'boolean') errors.push('--quick takes no value');
  const whole = (name: 'seed' | 'rounds', otherwise: number, least: number, most: number): number => {
    const given = values[name];
    if (given === undefined) return otherwise;
    const value = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (value >= least && value <= most) return value;
    errors.push(`--${name}: expected a whole number from ${least} to ${most}`);
    return otherwise;
  };
  const seed = whole('seed', SEED, 0, 0xffff_ffff);
  const rounds = whole('rounds', quick ? QUICK_ROUNDS : ROUNDS, 1, ROUNDS_MAX);
  const json = values.json ?? null;
  if (json !== null && (typeof json !== 'string' || json === '')) errors.push('--json: expected a file');
  const asked = new Set(positionals.map((name) => name.toUpperCase()));
  for (const name of asked) if (!known.includes(name)) errors.push(unknown('row', name, known));
  if (errors.length > 0) return { kind: 'refused', errors };
  if (values.list === true) return { kind: 'list' };
  const ids = known.filter((id) => asked.size === 0 || asked.has(id));
  return { kind: 'run', options: { ids, quick: quick === true, seed, rounds, json: json as string | null } };
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? `expected one of ${known.join(', ')}` : `did you mean ${nearest}?`;
  return `unknown ${what} ${name}: ${hint}`;
}
