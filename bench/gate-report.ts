/** What `npm run bench:gate` prints and how it exits, apart from reading files and writing to the terminal. */
import { parseArgs } from 'node:util';
import {
  type GateScore,
  type GroupScore,
  type LabelledRow,
  ROW_SHAPE,
  type RowJudge,
  type RowLabel,
  readRows,
  scoreRows,
  type UnreadableLine,
} from './gate-score.ts';

const USAGE = 'usage: npm run bench:gate [FILE …] [-- --list] [--json]';
/** More unreadable lines than these are only counted. */
const SHOWN_LINES = 20;

export interface GateRun {
  args: readonly string[];
  /** Read when the arguments name none. */
  files: readonly string[];
  /** The text of a file. Throws when there is none. */
  read: (file: string) => string;
  judge: RowJudge;
}

export interface GateReport {
  /** 0 the sets hold; 1 an unsafe row did harm; 2 nothing could be measured. */
  code: 0 | 1 | 2;
  out: string[];
  errors: string[];
}

function readOptions(args: readonly string[]): { files: string[]; list: boolean; json: boolean } | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { list: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    });
    return { files: positionals, ...values };
  } catch {
    return null;
  }
}

function describeLines(file: string, unreadable: readonly UnreadableLine[]): string[] {
  const shown = unreadable.slice(0, SHOWN_LINES).map(({ line, problem }) => `${file}:${line}: ${problem}`);
  const rest = unreadable.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])];
}

/** The rows of several files as one set, and what could not be read. */
export function readLabelled(
  files: readonly string[],
  read: GateRun['read'],
): { rows: LabelledRow[]; errors: string[] } {
  const rows: LabelledRow[] = [];
  const errors: string[] = [];
  for (const file of files) {
    let text: string;
    try {
      text = read(file);
    } catch {
      errors.push(`${file}: cannot be read`);
      continue;
    }
    const found = readRows(text);
    for (const row of found.rows) rows.push(row);
    errors.push(...describeLines(file, found.unreadable));
  }
  return { rows, errors };
}

const reasonsOf = (reasons: Readonly<Record<string, number>>): string =>
  Object.entries(reasons)
    .sort(([one, oneCount], [other, otherCount]) => otherCount - oneCount || one.localeCompare(other))
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ');

type NamedGroup = GroupScore & { name: string; label: RowLabel };

function tableOf(title: string, groups: readonly NamedGroup[]): string[] {
  const wide = Math.max(title.length, 'unsafe, total'.length, ...groups.map(({ name }) => name.length)) + 2;
  const line = (first: string, cells: readonly (string | number)[], reasons: string) =>
    `${first.padEnd(wide)}${cells.map((cell) => String(cell).padStart(8)).join('')}  ${reasons}`.trimEnd();
  const lines = [line(title, ['rows', 'whole', 'partly', 'refused'], 'refused for')];
  for (const label of ['good', 'unsafe'] as const) {
    const rows = groups.filter((group) => group.label === label);
    if (rows.length === 0) continue;
    const total = { rows: 0, whole: 0, partly: 0, refused: 0 };
    for (const group of rows) {
      const { name, reasons, ...counts } = group;
      for (const key of ['rows', 'whole', 'partly', 'refused'] as const) total[key] += counts[key];
      lines.push(line(name, [group.rows, group.whole, group.partly, group.refused], reasonsOf(reasons)));
    }
    lines.push(line(`${label}, total`, [total.rows, total.whole, total.partly, total.refused], ''), '');
  }
  return lines;
}

/** Rounded down, so that 94.96 % does not read as the 95 % it is not. */
const percent = (share: number): string => (Math.floor(share * 1_000 + 1e-9) / 10).toFixed(1);

function totalsOf({ unsafe, good, holds }: GateScore): string[] {
  const share = good.share === null ? '' : ` = ${percent(good.share)} %`;
  return [
    `unsafe that passed whole: ${unsafe.whole} of ${unsafe.rows} (may be 0)`,
    `unsafe that supersede a source listed in lost: ${unsafe.superseding} of ${unsafe.rows} (may be 0)`,
    `unsafe that passed in part with what they add: ${unsafe.inventing} of ${unsafe.rows} (may be 0)`,
    `good that passed whole: ${good.whole} of ${good.rows}${share}`,
    holds ? 'the gate holds' : 'the gate does not hold',
  ];
}

/** Reads the sets, takes them together as one, and says how the gate did. Ids are printed, texts never. */
export function reportGate({ args, files, read, judge }: GateRun): GateReport {
  const refuse = (...errors: string[]): GateReport => ({ code: 2, out: [], errors });
  const options = readOptions(args);
  if (!options) return refuse(USAGE);
  const chosen = options.files.length > 0 ? options.files : [...files];
  if (chosen.length === 0) return refuse('no file to read', USAGE);
  const { rows, errors } = readLabelled(chosen, read);
  if (errors.length > 0) return refuse(...errors, `expected on every line: ${ROW_SHAPE}`);
  const score = scoreRows(rows, judge);
  const code = score.holds ? 0 : 1;
  if (options.json) {
    return { code, out: [JSON.stringify({ files: chosen, ...score }, null, 2)], errors: [] };
  }
  const kinds = score.kinds.map((group) => ({ ...group, name: group.kind }));
  const languages = score.languages.map((group) => ({ ...group, name: `${group.lang}, ${group.label}` }));
  const listed = options.list
    ? [...score.wrong.map(({ id, label, kind, why }) => `wrong: ${id} (${label}, ${kind}): ${why}`), '']
    : [];
  const tables = [...tableOf('kind', kinds), ...tableOf('language', languages)];
  return { code, out: [...chosen, '', ...tables, ...listed, ...totalsOf(score)], errors: [] };
}
