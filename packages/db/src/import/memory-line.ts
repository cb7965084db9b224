import { CATEGORIES, type MemoryCategory, ORIGINS, type Origin, VISIBILITIES } from '@slowwave/fusion';
import { AHEAD_MS, FIRST_SAID } from './dates.ts';
import {
  charsOf,
  checkText,
  type FieldSource,
  fieldOf,
  readEpoch,
  readInstant,
  readName,
  readNumber,
  readWord,
} from './fields.ts';
import { grouped } from './limits.ts';
import { metadataOf } from './metadata.ts';
import type { Report } from './problems.ts';
import { externalIdOf, IMPORT_MEMORY_TYPES, type MemoryRecord, RECORD_DEFAULTS } from './record.ts';
import { readRelations } from './relation-list.ts';

/** Stands in where a line does not say. */
export interface LineDefaults {
  tenant?: string;
  user?: string;
  /** Epoch milliseconds. */
  date?: number;
  category?: MemoryCategory;
  /** 1 to 10 */
  importance?: number;
  source?: Origin;
}

export interface MemoryRules {
  defaults: LineDefaults;
  /** Epoch milliseconds. A date more than a day after it is refused; absent means that no date is too late. */
  now?: number;
  contentChars: number;
  /** How instants are given: as ISO 8601 text, which is the default, or in epoch milliseconds. */
  instants?: 'iso' | 'epoch';
}

const SCORE = { min: 0, max: 1 };

const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  'kind',
  'id',
  'user',
  'tenant',
  'content',
  'category',
  'memoryType',
  'importance',
  'confidence',
  'trust',
  'date',
  'eventDate',
  'validFrom',
  'validTo',
  'source',
  'session',
  'visibility',
  'expiresAt',
  'relations',
  'metadata',
]);

/** The text of a memory exactly as it stands, or null with what is wrong with it. */
export function contentOf(value: unknown, maxChars: number, report: Report): string | null {
  if (value === null || typeof value !== 'string') {
    if (value === null) report('missing', 'content', 'content is missing; expected the text of the memory');
    else report('wrong_type', 'content', 'content must be a string');
    return null;
  }
  if (value.trim() === '') {
    report('empty', 'content', 'content is empty; expected the text of the memory');
    return null;
  }
  const chars = value.length <= maxChars ? value.length : charsOf(value);
  if (chars > maxChars) {
    report(
      'too_long',
      'content',
      `content has ${grouped(chars)} characters; the limit is ${grouped(maxChars)}; split it into several memories`,
    );
    return null;
  }
  return checkText(value, 'content', report) ? value : null;
}

function required<Value>(
  value: Value | null,
  source: FieldSource,
  field: string,
  expected: string,
): Value | null {
  // A wrong value has been reported already; only an absent one is missing.
  if (value === null && fieldOf(source, field) === null) {
    source.report('missing', field, `${field} is missing; expected ${expected}`);
  }
  return value;
}

function readDates(source: FieldSource, rules: MemoryRules) {
  const read = rules.instants === 'epoch' ? readEpoch : readInstant;
  const said = read(source, 'date');
  if (said !== null && said < FIRST_SAID) {
    const unit = rules.instants === 'epoch' ? ', in epoch milliseconds and not in seconds' : '';
    source.report('early_date', 'date', `date lies before 1971; it says when the memory was said${unit}`);
  }
  if (said !== null && rules.now !== undefined && said > rules.now + AHEAD_MS) {
    source.report(
      'future_date',
      'date',
      'date lies more than a day in the future; it says when the memory was said',
    );
  }
  const validFrom = read(source, 'validFrom');
  const validTo = read(source, 'validTo');
  if (validFrom !== null && validTo !== null && validTo < validFrom) {
    source.report('out_of_range', 'validTo', 'validTo lies before validFrom');
  }
  const eventDate = read(source, 'eventDate');
  const expiresAt = read(source, 'expiresAt');
  return { said, eventDate, validFrom, validTo, expiresAt };
}

/**
 * A parsed object as a memory. Everything wrong is reported, not only the first thing; null when anything is. Fields that
 * are not known are kept under `metadata.import` and named in `unknown`, so that a mistyped field can be pointed out.
 */
export function readMemory(
  object: Record<string, unknown>,
  rules: MemoryRules,
  report: Report,
): { record: MemoryRecord; unknown: string[] } | null {
  let clean = true;
  const source: FieldSource = {
    object,
    report: (...problem) => {
      clean = false;
      report(...problem);
    },
  };
  const { defaults } = rules;
  const id = readName(source, 'id');
  const user = required(
    readName(source, 'user') ?? defaults.user ?? null,
    source,
    'user',
    'the name of a user',
  );
  const tenant = readName(source, 'tenant') ?? defaults.tenant ?? RECORD_DEFAULTS.tenant;
  const content = contentOf(fieldOf(source, 'content'), rules.contentChars, source.report);
  const category = required(
    readWord(source, 'category', CATEGORIES) ?? defaults.category ?? null,
    source,
    'category',
    `one of ${CATEGORIES.join(', ')}`,
  );
  const { said, ...dates } = readDates(source, rules);
  const date = required(said ?? defaults.date ?? null, source, 'date', 'an ISO 8601 date, as in 2026-04-12');
  const rest = {
    memoryType: readWord(source, 'memoryType', IMPORT_MEMORY_TYPES) ?? RECORD_DEFAULTS.memoryType,
    importance:
      readNumber(source, 'importance', { min: 1, max: 10, whole: true }) ??
      defaults.importance ??
      RECORD_DEFAULTS.importance,
    confidence: readNumber(source, 'confidence', SCORE) ?? RECORD_DEFAULTS.confidence,
    trust: readNumber(source, 'trust', SCORE) ?? RECORD_DEFAULTS.trust,
    source: readWord(source, 'source', ORIGINS) ?? defaults.source ?? RECORD_DEFAULTS.source,
    session: readName(source, 'session'),
    visibility: readWord(source, 'visibility', VISIBILITIES) ?? RECORD_DEFAULTS.visibility,
    relations: readRelations(source, id),
  };
  const extra = Object.entries(object).filter(([field]) => !KNOWN_FIELDS.has(field));
  const metadata = metadataOf(fieldOf(source, 'metadata'), extra, source.report);
  if (!clean || content === null || user === null || category === null || date === null || !metadata)
    return null;
  const externalId = externalIdOf({ id, content, date: said, category });
  const record: MemoryRecord = {
    kind: 'memory',
    tenant,
    user,
    externalId,
    content,
    category,
    date,
    ...dates,
    ...rest,
    metadata,
  };
  return { record, unknown: extra.map(([field]) => field) };
}
