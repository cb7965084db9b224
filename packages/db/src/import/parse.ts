import { CATEGORIES, ORIGINS } from '@slowwave/fusion';
import { canBeSaid, FIRST_SAID, parseIsoDate } from './dates.ts';
import { createDuplicates } from './duplicates.ts';
import { ImportError } from './errors.ts';
import { checkNewName } from './fields.ts';
import { formatOf, formatOfText, type ImportFormat } from './format.ts';
import { readJson } from './json.ts';
import { DEFAULT_IMPORT_LIMITS, type ImportLimits } from './limits.ts';
import { linesOfBytes, linesOfText, type RawLine } from './lines.ts';
import { contentOf, type LineDefaults, type MemoryRules, readMemory } from './memory-line.ts';
import { isObject } from './metadata.ts';
import { collectProblems, type LineReason, type Problem, type Report, reasonOf } from './problems.ts';
import { readQuestion } from './question-line.ts';
import { externalIdOf, type ImportRecord, type MemoryRecord, RECORD_DEFAULTS } from './record.ts';
import { readUser } from './user-line.ts';

export interface ImportOptions {
  /** `auto`, the default, goes by the file's name where one is given, else by the first line that is not blank. */
  format?: ImportFormat | 'auto';
  /** Helps `auto` only. */
  fileName?: string;
  defaults?: LineDefaults;
  /** Epoch milliseconds. A date more than a day after it is refused; absent means that no date is too late. */
  now?: number;
  limits?: Partial<ImportLimits>;
}

/** What became of one line. Every line that may say something is told exactly once, in order. */
export type ImportedLine =
  | {
      ok: true;
      /** From 1, as editors count. */
      line: number;
      record: ImportRecord;
      /** The line on which the same record stood before, or null: a duplicate needs no storing. */
      duplicateOf: number | null;
      /** Fields that are not known and were kept under `metadata.import`. */
      unknown: string[];
    }
  | { ok: false; line: number; reason: LineReason };

type Parsed = { record: ImportRecord; unknown: string[] };

function objectOf(text: string, report: Report): Record<string, unknown> | null {
  const read = readJson(text);
  if ('code' in read) {
    if (read.code === 'too_deep') {
      report(read.code, null, read.message);
      return null;
    }
    const open = text.trimStart().startsWith('{') && !text.trimEnd().endsWith('}');
    const list = text.trimStart().startsWith('[');
    const hint = open ? '; the object does not end on its line' : list ? '; a list is not JSON Lines' : '';
    report('invalid_json', null, `the line is not valid JSON; expected one object on each line${hint}`);
    return null;
  }
  const { value } = read;
  if (isObject(value)) return value;
  const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  report('not_object', null, `the line is ${found}; expected one object on each line`);
  return null;
}

function parseJson(text: string, rules: MemoryRules, report: Report): Parsed | null {
  const object = objectOf(text, report);
  if (!object) return null;
  const kind = (Object.hasOwn(object, 'kind') ? object.kind : null) ?? 'memory';
  if (kind === 'memory') return readMemory(object, rules, report);
  if (kind !== 'user' && kind !== 'question') {
    report('not_allowed', 'kind', 'kind must be one of memory, user, question');
    return null;
  }
  const record = (kind === 'user' ? readUser : readQuestion)(object, rules.defaults, report);
  return record && { record, unknown: [] };
}

/** A day in brackets at the beginning of a line of plain text, before what was said on it. */
const SAID_ON = /^\[(\d{4}-\d{2}-\d{2})\](?:\s*[-–—:]\s+|\s+)(?=.*[\p{L}\p{N}])/u;

/** What a line of plain text says, and the day in front of it where that is one on which it can have been said, epoch ms. */
function saidOn(line: string, now: number | undefined): { text: string; said: number | null } {
  const [mark, day] = SAID_ON.exec(line) ?? [];
  const date = parseIsoDate(day ?? '');
  if (mark === undefined || !date.ok || !canBeSaid(date.ms, now)) return { text: line, said: null };
  return { text: line.slice(mark.length), said: date.ms };
}

/** One line of plain text is one memory. */
function parseText(line: string, rules: MemoryRules, report: Report): Parsed | null {
  const { defaults } = rules;
  const { text, said } = saidOn(line.trim(), rules.now);
  const content = contentOf(text, rules.contentChars, report);
  const date = said ?? defaults.date ?? rules.now;
  if (defaults.user === undefined) {
    throw new ImportError('user_required', 'plain text does not say whose memories it holds: name the user');
  }
  if (date === undefined) {
    throw new ImportError('date_required', 'plain text does not say when it was said: give a date');
  }
  if (content === null) return null;
  const category = defaults.category ?? 'fact';
  const record: MemoryRecord = {
    kind: 'memory',
    tenant: defaults.tenant ?? RECORD_DEFAULTS.tenant,
    user: defaults.user,
    externalId: externalIdOf({ id: null, content, date: said, category }),
    content,
    category,
    memoryType: RECORD_DEFAULTS.memoryType,
    importance: defaults.importance ?? RECORD_DEFAULTS.importance,
    confidence: RECORD_DEFAULTS.confidence,
    trust: RECORD_DEFAULTS.trust,
    source: defaults.source ?? RECORD_DEFAULTS.source,
    session: null,
    visibility: RECORD_DEFAULTS.visibility,
    date,
    eventDate: null,
    validFrom: null,
    validTo: null,
    expiresAt: null,
    relations: [],
    metadata: {},
  };
  return { record, unknown: [] };
}

/** Defaults come from the caller, not from the file: a wrong one is told once and not with every line. */
function checkDefaults(defaults: LineDefaults): void {
  const { problems, report } = collectProblems();
  if (defaults.user !== undefined) checkNewName(defaults.user, 'user', report);
  if (defaults.tenant !== undefined) checkNewName(defaults.tenant, 'tenant', report);
  if (defaults.category !== undefined && !CATEGORIES.includes(defaults.category)) {
    report('not_allowed', 'category', `category must be one of ${CATEGORIES.join(', ')}`);
  }
  if (defaults.source !== undefined && !ORIGINS.includes(defaults.source)) {
    report('not_allowed', 'source', `source must be one of ${ORIGINS.join(', ')}`);
  }
  const { importance = 1, date = FIRST_SAID } = defaults;
  if (!Number.isInteger(importance) || importance < 1 || importance > 10) {
    report('out_of_range', 'importance', 'importance must be a whole number from 1 to 10');
  }
  if (!Number.isSafeInteger(date)) report('invalid_date', 'date', 'date must be epoch milliseconds');
  if (date < FIRST_SAID)
    report('early_date', 'date', 'date lies before 1971; it says when the lines were said');
  if (problems.length === 0) return;
  const message = problems.map((problem) => problem.message).join('; ');
  throw new ImportError('invalid_defaults', `the defaults of the import are wrong: ${message}`);
}

const refused = (line: number, problems: readonly [Problem, ...Problem[]]): ImportedLine => ({
  ok: false,
  line,
  reason: reasonOf(problems),
});

/** Turns readable lines into records, one after the other. The format is settled by the first line that can be read. */
function createLineParser(options: ImportOptions, limits: ImportLimits) {
  const rules: MemoryRules = {
    defaults: options.defaults ?? {},
    contentChars: limits.contentChars,
    ...(options.now === undefined ? {} : { now: options.now }),
  };
  const seenBefore = createDuplicates();
  let format: ImportFormat | null = options.format && options.format !== 'auto' ? options.format : null;
  return (line: number, text: string): ImportedLine | null => {
    format ??= options.fileName ? formatOf(options.fileName, Buffer.from(text)) : formatOfText(text);
    // A rule or a fence says nothing.
    if (format === 'text' && !/[\p{L}\p{N}]/u.test(text)) return null;
    const { problems, report } = collectProblems();
    const parsed = (format === 'jsonl' ? parseJson : parseText)(text, rules, report);
    const [first, ...more] = problems;
    if (first) return refused(line, [first, ...more]);
    if (!parsed) throw new TypeError('a line was refused without a reason');
    const seen = seenBefore(parsed.record, line);
    if ('problem' in seen) return refused(line, [seen.problem]);
    return { ok: true, line, ...parsed, ...seen };
  };
}

/**
 * Reads an import file line by line: JSON Lines (one object on each line) or plain text (one memory on each line). Bad
 * lines are yielded with their number and reason, and the others are kept. Blank lines are passed over, and so are lines of
 * plain text without a letter or a digit. A day in brackets before a line of plain text is when it was said. Holds one line
 * and one chunk at a time, and a small mark of each id.
 *
 * A file that is not text (UTF-16, an archive) or has too many lines ends with one bad line that says so.
 *
 * @throws ImportError `invalid_defaults`; for plain text `user_required`, and `date_required` with neither a default date
 *   nor `now`. What the input itself throws passes through.
 */
export async function* parseImport(
  input: string | AsyncIterable<Uint8Array> | Iterable<Uint8Array> | { lines: AsyncIterable<RawLine> },
  options: ImportOptions = {},
): AsyncGenerator<ImportedLine> {
  checkDefaults(options.defaults ?? {});
  const limits: ImportLimits = { ...DEFAULT_IMPORT_LIMITS, ...options.limits };
  const parseLine = createLineParser(options, limits);
  const lines: AsyncIterable<RawLine> | Iterable<RawLine> =
    typeof input === 'string'
      ? linesOfText(input, limits)
      : 'lines' in input
        ? input.lines
        : linesOfBytes(input, limits);
  for await (const raw of lines) {
    if ('problem' in raw) yield refused(raw.line, [raw.problem]);
    else if (raw.text.trim() !== '') {
      const parsed = parseLine(raw.line, raw.text);
      if (parsed) yield parsed;
    }
  }
}
