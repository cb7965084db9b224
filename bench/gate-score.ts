/**
 * Labelled summaries of source clusters and how well a gate does on them. Pure: text in, rows and figures out.
 */

export type RowLabel = 'good' | 'unsafe';

export interface LabelledSource {
  content: string;
  /** When it was said, epoch ms. */
  documentDate: number;
}

/** One summary of a few memories. A good one holds every fact of every source and no other; an unsafe one does not. */
export interface LabelledRow {
  id: string;
  lang: string;
  sources: LabelledSource[];
  summary: string;
  label: RowLabel;
  kind: string;
  /**
   * Unsafe rows: the sources, from 1, that the summary does not hold. Empty when it holds them all and says something besides;
   * null when the file does not tell.
   */
  lost: number[] | null;
}

/** A line that is no labelled row. Says what was expected, never what stands there. */
export interface UnreadableLine {
  /** From 1. */
  line: number;
  problem: string;
}

/** What a gate says of a row whose sources are all claimed: the sources it would supersede, from 1, or why there are none. */
export type RowVerdict = { covered: number[] } | { refused: string };
export type RowJudge = (row: LabelledRow) => RowVerdict;

/** Rows by what became of them: every source superseded, some of them, none. */
export interface GroupScore {
  rows: number;
  whole: number;
  partly: number;
  refused: number;
  /** How often each reason of a refusal came. */
  reasons: Record<string, number>;
}

export interface WrongRow {
  id: string;
  label: RowLabel;
  kind: string;
  why: string;
}

export interface GateScore {
  /** Good kinds first, each label's kinds in the order of the file. */
  kinds: (GroupScore & { label: RowLabel; kind: string })[];
  /** In the order of the file, good before unsafe. */
  languages: (GroupScore & { label: RowLabel; lang: string })[];
  /**
   * `superseding`: passed in part and took a source that the summary does not hold. `inventing`: passed in part although nothing is
   * lost in it, so what was wrong with it is in the new memory.
   */
  unsafe: { rows: number; whole: number; superseding: number; inventing: number };
  /** `share` is whole / rows, null without rows. */
  good: { rows: number; whole: number; share: number | null };
  /** Unsafe rows that did harm and good rows that did not pass whole, in the order of the file. */
  wrong: WrongRow[];
  /** No unsafe row did harm. */
  holds: boolean;
}

export const ROW_SHAPE =
  '{"id": "…", "lang": "…", "sources": [{"content": "…", "documentDate": "2025-01-31"}, …], "summary": "…", ' +
  '"label": "good" or "unsafe", "kind": "…"}, and where known "lost": [numbers of the sources, from 1, that the summary does not hold]';

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** An ISO date is taken as midnight in UTC; an instant keeps its time. Null for everything else, days that do not exist among it. */
function readDate(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(?:$|T)/.test(value)) return null;
  const day = Date.parse(value.slice(0, 10));
  const at = Date.parse(value);
  if (Number.isNaN(at) || Number.isNaN(day)) return null;
  return new Date(day).toISOString().startsWith(value.slice(0, 10)) ? at : null;
}

/** The sources of a line, or what is wrong with them. */
function readSources(value: unknown): LabelledSource[] | string {
  if (!Array.isArray(value) || value.length === 0) return '"sources" is no list of sources';
  const sources: LabelledSource[] = [];
  for (const [index, source] of (value as unknown[]).entries()) {
    const at = `source ${index + 1}:`;
    if (!isRecord(source)) return `${at} no object`;
    if (!isText(source.content)) return `${at} "content" is no text`;
    const documentDate = readDate(source.documentDate);
    if (documentDate === null) return `${at} "documentDate" is no ISO date`;
    sources.push({ content: source.content, documentDate });
  }
  return sources;
}

const isLost = (value: unknown, sources: number): value is number[] =>
  Array.isArray(value) &&
  value.every((number) => Number.isInteger(number) && number >= 1 && number <= sources);

/** The row on a line, or what is wrong with it. Numbers are welcome as ids; further fields are left alone. */
function readRow(line: string): LabelledRow | string {
  const value = parseObject(line);
  if (!value) return 'no JSON object';
  const id = typeof value.id === 'number' ? String(value.id) : value.id;
  const { lang, summary, label, kind } = value;
  if (!isText(id)) return '"id" is no text';
  if (!isText(lang)) return '"lang" is no text';
  const sources = readSources(value.sources);
  if (typeof sources === 'string') return sources;
  if (!isText(summary)) return '"summary" is no text';
  if (label !== 'good' && label !== 'unsafe') return '"label" is neither "good" nor "unsafe"';
  if (!isText(kind)) return '"kind" is no text';
  const lost = value.lost ?? null;
  if (lost !== null && !isLost(lost, sources.length)) return '"lost" is no list of numbers of sources';
  return { id, lang, sources, summary, label, kind, lost };
}

/**
 * JSON Lines of ROW_SHAPE. Empty lines are skipped and a byte order mark is allowed.
 *
 * @returns the rows in order, and every line that is none; a text without any row is unreadable in its first line
 */
export function readRows(text: string): { rows: LabelledRow[]; unreadable: UnreadableLine[] } {
  const rows: LabelledRow[] = [];
  const unreadable: UnreadableLine[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, content] of lines.entries()) {
    if (content.trim() === '') continue;
    const row = readRow(content);
    if (typeof row === 'string') unreadable.push({ line: index + 1, problem: row });
    else rows.push(row);
  }
  if (rows.length === 0 && unreadable.length === 0) unreadable.push({ line: 1, problem: 'no row at all' });
  return { rows, unreadable };
}

type Outcome = 'whole' | 'partly' | 'refused';
type Harm = 'whole' | 'superseding' | 'inventing';

function outcomeOf(row: LabelledRow, verdict: RowVerdict): Outcome {
  if ('refused' in verdict || verdict.covered.length === 0) return 'refused';
  return new Set(verdict.covered).size >= row.sources.length ? 'whole' : 'partly';
}

/**
 * What an unsafe row did, null when nothing. Of a row that does not tell what it loses, passing in part cannot be judged, unless
 * its kind says that the wrong is in what it adds.
 */
function harmOf(row: LabelledRow, verdict: RowVerdict): { harm: Harm; why: string } | null {
  const outcome = outcomeOf(row, verdict);
  if (outcome === 'refused' || 'refused' in verdict) return null;
  if (outcome === 'whole') return { harm: 'whole', why: 'passed whole' };
  const taken = verdict.covered.filter((number) => row.lost?.includes(number));
  if (taken.length > 0)
    return { harm: 'superseding', why: `supersedes ${taken.join(', ')} without holding it` };
  const adds = row.lost ? row.lost.length === 0 : row.kind === 'inventive';
  return adds ? { harm: 'inventing', why: 'passed in part with what it adds' } : null;
}

function missedOf(row: LabelledRow, verdict: RowVerdict): string | null {
  const outcome = outcomeOf(row, verdict);
  if (outcome === 'whole') return null;
  if ('refused' in verdict) return verdict.refused;
  const open = row.sources.map((_, index) => index + 1).filter((number) => !verdict.covered.includes(number));
  return `not covered: ${open.join(', ')}`;
}

/** Groups in the order in which they come, good before unsafe. */
function createGroups<Name extends object>() {
  const groups = new Map<string, GroupScore & Name & { label: RowLabel }>();
  return {
    add(key: string, name: Name, label: RowLabel, outcome: Outcome, verdict: RowVerdict): void {
      const group = groups.get(key) ?? {
        ...name,
        label,
        rows: 0,
        whole: 0,
        partly: 0,
        refused: 0,
        reasons: {},
      };
      groups.set(key, group);
      group.rows += 1;
      group[outcome] += 1;
      if ('refused' in verdict) group.reasons[verdict.refused] = (group.reasons[verdict.refused] ?? 0) + 1;
    },
    all: () =>
      (['good', 'unsafe'] as const).flatMap((label) =>
        [...groups.values()].filter((group) => group.label === label),
      ),
  };
}

/** Exit condition and figures of a set. Every source of every row is taken as claimed: the gate alone decides. */
export function scoreRows(rows: readonly LabelledRow[], judge: RowJudge): GateScore {
  const kinds = createGroups<{ kind: string }>();
  const languages = createGroups<{ lang: string }>();
  const unsafe = { rows: 0, whole: 0, superseding: 0, inventing: 0 };
  const good = { rows: 0, whole: 0 };
  const wrong: WrongRow[] = [];
  for (const row of rows) {
    const { id, label, kind, lang } = row;
    const verdict = judge(row);
    const outcome = outcomeOf(row, verdict);
    kinds.add(`${label} ${kind}`, { kind }, label, outcome, verdict);
    languages.add(`${label} ${lang}`, { lang }, label, outcome, verdict);
    if (label === 'good') {
      good.rows += 1;
      if (outcome === 'whole') good.whole += 1;
      const why = missedOf(row, verdict);
      if (why !== null) wrong.push({ id, label, kind, why });
    } else {
      unsafe.rows += 1;
      const harm = harmOf(row, verdict);
      if (harm) {
        unsafe[harm.harm] += 1;
        wrong.push({ id, label, kind, why: harm.why });
      }
    }
  }
  const share = good.rows === 0 ? null : good.whole / good.rows;
  const harmless = unsafe.whole + unsafe.superseding + unsafe.inventing === 0;
  return {
    kinds: kinds.all(),
    languages: languages.all(),
    unsafe,
    good: { ...good, share },
    wrong,
    holds: harmless,
  };
}
