import { type ConflictsProblem, type ReportedConflict, readConflicts } from '../answer.ts';
import { isSafeText } from '../fence.ts';
import { findJsonObject, type JsonProblem } from '../json-object.ts';

export const MIN_SOURCES = 2;
export const MAX_SOURCES = 5;
export const MAX_WORDS = 60;
/** A statement has at most this share of the characters of its sources, or it would save next to nothing. */
export const LENGTH_SHARE = 0.85;
/** In scripts without spaces a text is one word. */
const MAX_CHARS = 1_000;

/** A statement that a writer proposes in place of some sources. */
export interface WrittenStatement {
  /** Numbers of its sources from 1, ascending. */
  sources: number[];
  text: string;
}

/** Why a proposed statement is not looked at. */
export type StatementProblem =
  | 'not_object'
  | 'sources_invalid'
  | 'too_few_sources'
  | 'too_many_sources'
  /** A source belongs to one statement at most. */
  | 'source_taken'
  | 'text_missing'
  | 'text_unsafe'
  | 'too_long'
  | 'not_shorter';

export interface StatementsAnswer {
  statements: WrittenStatement[];
  /** Proposals that are left out, each with why. */
  problems: StatementProblem[];
  conflicts: ReportedConflict[];
}

/** What the object of an answer with statements is known by. */
export const STATEMENTS_KEYS = ['statements'];

/** Why an answer has no statements to read. */
export type StatementsProblem = JsonProblem | 'statements_missing' | ConflictsProblem;

export type StatementsReading =
  | { ok: true; answer: StatementsAnswer }
  | { ok: false; problem: StatementsProblem };

/**
 * Reads the answer to a request of statements: tolerant of what stands around the JSON, strict on each statement. One that is not as asked
 * is left out and its sources stay as they are; of two with a source in common the first counts. No statement at all is a good answer.
 *
 * @param contents of the sources, in the order of their numbers
 * @param done numbers of sources that other statements have already
 */
export function parseStatements(
  text: string,
  contents: readonly string[],
  done: ReadonlySet<number> = new Set(),
): StatementsReading {
  const json = findJsonObject(text, STATEMENTS_KEYS);
  if (!json.ok) return { ok: false, problem: json.problem };
  const { statements: given, conflicts: pairs } = json.value;
  if (!Array.isArray(given)) return { ok: false, problem: 'statements_missing' };
  const conflicts = readConflicts(pairs, contents.length);
  if (typeof conflicts === 'string') return { ok: false, problem: conflicts };
  const answer: StatementsAnswer = { statements: [], problems: [], conflicts };
  const taken = new Set<number>(done);
  for (const one of given as unknown[]) {
    const statement = readStatement(one, contents, taken);
    if (typeof statement === 'string') answer.problems.push(statement);
    else {
      answer.statements.push(statement);
      for (const number of statement.sources) taken.add(number);
    }
  }
  return { ok: true, answer };
}

function readStatement(
  given: unknown,
  contents: readonly string[],
  taken: ReadonlySet<number>,
): WrittenStatement | StatementProblem {
  if (typeof given !== 'object' || given === null) return 'not_object';
  const { sources: numbers, text: written } = given as Record<string, unknown>;
  if (!Array.isArray(numbers) || !numbers.every((n) => Number.isInteger(n) && n >= 1 && n <= contents.length))
    return 'sources_invalid';
  const sources = [...new Set(numbers as number[])].sort((one, other) => one - other);
  if (sources.length < MIN_SOURCES) return 'too_few_sources';
  if (sources.length > MAX_SOURCES) return 'too_many_sources';
  if (sources.some((number) => taken.has(number))) return 'source_taken'; // guard: statement-source-once
  if (typeof written !== 'string' || written.trim() === '') return 'text_missing';
  if (!isSafeText(written)) return 'text_unsafe';
  const text = written.trim();
  if (text.length > MAX_CHARS || text.split(/\s+/u).length > MAX_WORDS) return 'too_long';
  const length = sources.reduce((sum, number) => sum + contents[number - 1]!.length, 0);
  if (text.length > LENGTH_SHARE * length) return 'not_shorter'; // guard: statement-shorter
  return { sources, text };
}
