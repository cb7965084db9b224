import { type Parsed, readArguments, unknownText } from './arguments.ts';

export interface BenchOptions {
  /** Names of rows in the order of the table; all of them when none is given. */
  ids: string[];
  quick: boolean;
  seed: number;
  rounds: number;
  /** Where the figures go for programs; null: nowhere. */
  json: string | null;
}

export type ParsedOptions = Parsed<BenchOptions> | { kind: 'list' };

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

/** Every mistake is reported at once, each with what was expected. */
export function readOptions(args: readonly string[], known: readonly string[]): ParsedOptions {
  const texts = ['seed', 'rounds', 'json'];
  const given = readArguments(args, { texts, flags: ['quick', 'list'], words: true });
  if (given.help) return { kind: 'help' };
  const { errors } = given;
  const quick = given.flag('quick');
  const list = given.flag('list');
  const seed = given.whole('seed', { otherwise: SEED, least: 0, most: 0xffff_ffff });
  const usual = quick ? QUICK_ROUNDS : ROUNDS;
  const rounds = given.whole('rounds', { otherwise: usual, least: 1, most: ROUNDS_MAX });
  const json = given.text('json', null, 'a file');
  const asked = new Set(given.words.map((name) => name.toUpperCase()));
  for (const name of asked) if (!known.includes(name)) errors.push(unknownText('row', name, known));
  if (errors.length > 0) return { kind: 'refused', errors };
  if (list) return { kind: 'list' };
  const ids = known.filter((id) => asked.size === 0 || asked.has(id));
  return { kind: 'run', options: { ids, quick, seed, rounds, json } };
}
