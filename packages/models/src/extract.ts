import { MAX_SUMMARY_CHARS, openDates, resolveRelativeDates } from '@slowwave/fusion';
import { clausesOf, leans } from './clauses.ts';
import { type Opposition, opposes, readStatement, type Statement, says } from './redundancy.ts';
import { type Subject, subjectOf } from './subject.ts';
import { isUnspaced } from './tokens.ts';

export interface ExtractSource {
  n: number;
  text: string;
  /** When it was said, YYYY-MM-DD: what "yesterday" in it means. Without it nobody knows. */
  date?: string | null;
  /** 1 to 10; the least important source is left out first. Default 5. */
  importance?: number;
}

export interface ExtractConflict {
  a: number;
  b: number;
  opposition: Opposition;
  /** What `a` says of it. */
  statement: string;
}

export interface Extract {
  /** '' only when there is nothing to say. */
  summary: string;
  /** Numbers of the sources of which every statement is in the summary, ascending. */
  covered: number[];
  /** Pairs that oppose each other. Their sources are in neither the summary nor `covered`. */
  conflicts: ExtractConflict[];
}

interface Placed {
  statement: Statement;
  subject: Subject | null;
}

function conflictsOf(statements: Statement[]): ExtractConflict[] {
  const conflicts: ExtractConflict[] = [];
  for (const [i, left] of statements.entries()) {
    for (const right of statements.slice(i + 1)) {
      const [a, b] = [left.clause.n, right.clause.n];
      const opposition = a === b ? null : opposes(left, right);
      const known = opposition && conflicts.some((pair) => pair.a === a && pair.b === b);
      if (opposition && !known) conflicts.push({ a, b, opposition, statement: left.clause.text });
    }
  }
  return conflicts;
}

/** Leaves out what another statement says already; of two that say the same, the first stays. */
function distinct(statements: Statement[]): Statement[] {
  return statements.filter(
    (one, i) => !statements.some((other, j) => i !== j && says(other, one) && (j < i || !says(one, other))),
  );
}

/**
 * Where a statement may stand. One that leans on something said before ("She") must not come to lean on another source, so these
 * go first, the single ones before those that name others.
 */
function rank({ clause }: Statement): number {
  if (!leans(clause.text)) return 2;
  return clause.whole ? 1 : 0;
}

/** Statements about the same subject, in the order of first appearance; one without a subject stands alone. */
function grouped(statements: Statement[]): Placed[][] {
  const groups: Placed[][] = [];
  for (const statement of statements) {
    const subject = statement.clause.whole ? null : subjectOf(statement.clause.text);
    const group = groups.find((other) => subject !== null && other[0]?.subject?.key === subject.key);
    if (group) group.push({ statement, subject });
    else groups.push([{ statement, subject }]);
  }
  const rankOf = ([first]: Placed[]) => (first ? rank(first.statement) : 2);
  return groups.sort((a, b) => rankOf(a) - rankOf(b));
}

interface Separators {
  within: string;
  stop: string;
  between: string;
}

function separatorsOf(text: string): Separators {
  if (/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(text)) {
    return { within: ' ', stop: '', between: ' ' };
  }
  if (isUnspaced(text)) return { within: '；', stop: '。', between: '' };
  if (/\p{Script=Arabic}/u.test(text)) return { within: '؛ ', stop: '.', between: ' ' };
  return { within: '; ', stop: '.', between: ' ' };
}

/** A statement after the first of its group, without the subject; a denial keeps it, so that nobody misses what is denied. */
function rest({ statement, subject }: Placed): string {
  const { text } = statement.clause;
  return statement.denies ? text : text.slice(subject?.prefix.length ?? 0);
}

function writeGroup(group: Placed[]): string {
  const first = group[0]?.statement.clause.text ?? '';
  return [first, ...group.slice(1).map(rest)].join(separatorsOf(first).within);
}

/** Ends in a punctuation mark of any script. */
const CLOSED = /\p{P}$/u;

/** @param closed whether the last sentence gets its full stop. */
function writeParagraph(groups: Placed[][], closed: boolean): string {
  return groups.reduce((text, group, i) => {
    const body = writeGroup(group);
    const { stop, between } = separatorsOf(body);
    const last = i === groups.length - 1;
    const clause = group.at(-1)?.statement.clause;
    const own = clause?.stop ?? '';
    // Several sentences stand as they were given, with the last one's own end or none.
    const asGiven = own === '' && clause?.whole === true;
    const end = asGiven || (last && !closed) ? '' : own || stop;
    // Scripts without spaces need none between sentences, but two that nothing else parts would run into one word.
    const gap = between === '' && end === '' && !CLOSED.test(body) ? ' ' : between;
    return text + body + end + (last ? '' : gap);
  }, '');
}

interface Attempt {
  active: ExtractSource[];
  /** The most readable form that is short enough, or null. */
  summary: string | null;
  /** Characters below the limit of the shortest form. */
  slack: number;
}

function attempt(active: ExtractSource[], statements: Map<number, Statement[]>): Attempt {
  const groups = grouped(distinct(active.flatMap((source) => statements.get(source.n) ?? [])));
  // One line for each group takes no full stops at all.
  const lines = groups.map(writeGroup).join('\n');
  const forms = [writeParagraph(groups, true), writeParagraph(groups, false), lines];
  const sum = active.reduce((total, source) => total + source.text.length, 0);
  const limit = Math.min(sum, MAX_SUMMARY_CHARS + 1);
  return {
    active,
    summary: forms.find((form) => form.length < limit) ?? null,
    slack: limit - Math.min(...forms.map((form) => form.length)),
  };
}

/** The attempt without one source that comes nearest to the limit, or passes it; among equals, without the least important. */
function withoutOne(active: ExtractSource[], statements: Map<number, Statement[]>): Attempt {
  const order = [...active].sort((a, b) => (a.importance ?? 5) - (b.importance ?? 5) || b.n - a.n);
  const attempts = order.map((out) =>
    attempt(
      active.filter((source) => source !== out),
      statements,
    ),
  );
  const fitting = attempts.find(({ summary }) => summary !== null);
  return fitting ?? attempts.reduce((best, next) => (next.slack > best.slack ? next : best));
}

/** With its relative dates resolved: "yesterday" would mean another day in a summary. */
function dated(source: ExtractSource): ExtractSource {
  return { ...source, text: resolveRelativeDates(source.text, source.date ?? null).text };
}

/**
 * Fuses sources without a model: their own clauses, verbatim, each once, with a subject that several share written once
 * ("Mara works at Halden; plays the cello"). What would change the meaning is not done: clauses are not cut, reordered inside a
 * source, or taken from the sentence that they lean on.
 *
 * The summary is strictly shorter than the covered sources together (UTF-16 lengths added), and no longer than an answer may be.
 * A source with a relative date that nothing resolves ("on Friday") is left out and not counted as covered.
 * Where the above does not save enough, whole sources are left out and not counted as covered; when no two sources can be merged,
 * the most important one stands alone.
 * @param options `whole` leaves nothing out, neither sources that oppose each other nor those that do not fit: what cannot be
 * kept whole is then not summarised at all ('' and nothing covered).
 */
export function extractSummary(given: ExtractSource[], options: { whole?: boolean } = {}): Extract {
  const sources = options.whole ? given : given.map(dated);
  const statements = new Map(sources.map(({ n, text }) => [n, clausesOf(n, text).map(readStatement)]));
  const conflicts = conflictsOf([...statements.values()].flat());
  const opposed = new Set(options.whole ? [] : conflicts.flatMap(({ a, b }) => [a, b]));
  const usable = sources.filter(
    ({ n, text }) =>
      !opposed.has(n) &&
      (statements.get(n)?.length ?? 0) > 0 &&
      (options.whole || openDates(text, null).length === 0),
  );
  let tried = attempt(usable, statements);
  while (!options.whole && tried.summary === null && tried.active.length > 2) {
    tried = withoutOne(tried.active, statements);
  }
  if (tried.summary !== null && tried.active.length > 1) {
    const covered = tried.active.map(({ n }) => n).sort((a, b) => a - b);
    return { summary: tried.summary, covered, conflicts };
  }
  const alone = usable.filter(({ text }) => text.trim().length <= MAX_SUMMARY_CHARS);
  const [single] = alone.sort((a, b) => (b.importance ?? 5) - (a.importance ?? 5) || a.n - b.n);
  if (options.whole || !single) return { summary: '', covered: [], conflicts };
  return { summary: single.text.trim(), covered: [single.n], conflicts };
}
