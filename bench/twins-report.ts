/** What `npm run bench:twins` prints and how it exits, apart from reading files and writing to the terminal. */
import { parseArgs } from 'node:util';
import {
  type DuplicateJudge,
  PAIR_SHAPE,
  type PairLabel,
  readPairs,
  scorePairs,
  type TwinScore,
  type UnreadableLine,
} from './twins-score.ts';

export const DEFAULT_FILE = 'bench/data/twins.jsonl';
const USAGE = 'usage: npm run bench:twins [FILE] [-- --list] [--json]';
/** More unreadable lines than these are only counted. */
const SHOWN_LINES = 20;
const HEADINGS: Record<PairLabel, string> = { twin: 'twins', duplicate: 'duplicates' };

export interface TwinRun {
  args: readonly string[];
  /** The text of a file. Throws when there is none. */
  read: (file: string) => string;
  judge: DuplicateJudge;
}

export interface TwinReport {
  /** 0 the set holds; 1 a twin was merged or too few duplicates were found; 2 nothing could be measured. */
  code: 0 | 1 | 2;
  out: string[];
  errors: string[];
}

function readOptions(args: readonly string[]): { file: string; list: boolean; json: boolean } | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { list: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    });
    return positionals.length > 1 ? null : { file: positionals[0] ?? DEFAULT_FILE, ...values };
  } catch {
    return null;
  }
}

function describeLines(file: string, unreadable: readonly UnreadableLine[]): string[] {
  const shown = unreadable.slice(0, SHOWN_LINES).map(({ line, problem }) => `${file}:${line}: ${problem}`);
  const rest = unreadable.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : []), `expected on every line: ${PAIR_SHAPE}`];
}

function tableOf(score: TwinScore): string[] {
  const wide = Math.max('duplicates'.length, ...score.kinds.map(({ kind }) => kind.length)) + 2;
  const line = (first: string, ...cells: readonly (string | number)[]) =>
    first.padEnd(wide) + cells.map((cell) => String(cell).padStart(8)).join('');
  return (['twin', 'duplicate'] as const).flatMap((label) => {
    const rows = score.kinds.filter((kind) => kind.label === label);
    if (rows.length === 0) return [];
    const total = (key: 'pairs' | 'merged' | 'apart') => rows.reduce((sum, row) => sum + row[key], 0);
    return [
      line(HEADINGS[label], 'pairs', 'merged', 'apart'),
      ...rows.map(({ kind, pairs, merged, apart }) => line(kind, pairs, merged, apart)),
      line('total', total('pairs'), total('merged'), total('apart')),
      '',
    ];
  });
}

/** Rounded down, so that 89.96 % does not read as the 90 % it is not. */
const percent = (share: number): string => (Math.floor(share * 1_000 + 1e-9) / 10).toFixed(1);

function totalsOf({ twins, duplicates, holds }: TwinScore): string[] {
  const { found, pairs, share } = duplicates;
  return [
    `twins merged: ${twins.merged} of ${twins.pairs} (may be 0)`,
    `duplicates found: ${found} of ${pairs}${share === null ? '' : ` = ${percent(share)} %`}`,
    holds ? 'the set holds' : 'the set does not hold',
  ];
}

export function reportTwins({ args, read, judge }: TwinRun): TwinReport {
  const refuse = (...errors: string[]): TwinReport => ({ code: 2, out: [], errors });
  const options = readOptions(args);
  if (!options) return refuse(USAGE);
  let text: string;
  try {
    text = read(options.file);
  } catch {
    return refuse(`${options.file}: cannot be read`, USAGE);
  }
  const { pairs, unreadable } = readPairs(text);
  if (unreadable.length > 0) return refuse(...describeLines(options.file, unreadable));
  const score = scorePairs(pairs, judge);
  const code = score.holds ? 0 : 1;
  if (options.json) {
    return { code, out: [JSON.stringify({ file: options.file, ...score }, null, 2)], errors: [] };
  }
  const listed = options.list
    ? score.wrong.map(({ id, label, kind }) => `wrong: ${id} (${label}, ${kind})`)
    : [];
  return { code, out: [options.file, '', ...tableOf(score), ...listed, ...totalsOf(score)], errors: [] };
}
