import { createHash } from 'node:crypto';
import type {
  EvaluationQuestion,
  MemoryCategory,
  MemoryType,
  Origin,
  RelationType,
  Visibility,
} from '@slowwave/fusion';

/** Types that a file may give: derived and superseded memories are made by consolidation only. */
export const IMPORT_MEMORY_TYPES = ['regular', 'static_profile', 'dynamic_profile'] as const;
export type ImportMemoryType = Extract<MemoryType, (typeof IMPORT_MEMORY_TYPES)[number]>;

/** Relations that a file may give: DERIVES is the lineage of a fusion and cannot be claimed from outside. */
export const IMPORT_RELATION_TYPES = ['EXTENDS', 'UPDATES'] as const;
export type ImportRelationType = Extract<RelationType, (typeof IMPORT_RELATION_TYPES)[number]>;

/** From the memory of the line to the memory with the id `target`, which may stand anywhere in the file or be stored already. */
export interface ImportRelation {
  type: ImportRelationType;
  target: string;
  /** 0 to 1 */
  confidence: number;
}

/** One memory of an import file, every default filled in. Times are epoch milliseconds (UTC). */
export interface MemoryRecord {
  kind: 'memory';
  tenant: string;
  user: string;
  /** The id that the line gave, or one made from what it says (see `externalIdOf`): unique within tenant and user. */
  externalId: string;
  content: string;
  category: MemoryCategory;
  memoryType: ImportMemoryType;
  /** 1 to 10 */
  importance: number;
  /** 0 to 1 */
  confidence: number;
  /** 0 to 1 */
  trust: number;
  source: Origin;
  session: string | null;
  visibility: Visibility;
  /** When it was said. */
  date: number;
  /** When it happened or will happen. */
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  expiresAt: number | null;
  relations: ImportRelation[];
  /** The line's metadata; fields of the line that are not known stand under `import`. */
  metadata: Record<string, unknown>;
}

/** What a file says about a user. Null means that it does not say. */
export interface UserRecord {
  kind: 'user';
  tenant: string;
  user: string;
  /** An IANA zone name. */
  timezone: string | null;
  /** Minutes after local midnight, both or neither given; equal means no quiet hours. */
  quietStart: number | null;
  quietEnd: number | null;
}

/** What a file asks about a user's memories, for an evaluation. An import passes over it. */
export interface QuestionRecord extends EvaluationQuestion {
  kind: 'question';
  tenant: string;
  user: string;
}

export type ImportRecord = MemoryRecord | UserRecord | QuestionRecord;

/** What a line without the field gets. */
export const RECORD_DEFAULTS = {
  tenant: 'default',
  memoryType: 'regular',
  importance: 5,
  confidence: 0.8,
  trust: 0.8,
  // Who said it is unknown, and an unknown origin must not pass for the user's own word.
  source: 'import',
  visibility: 'private',
  relationConfidence: 1,
} as const;

/**
 * The id under which a line is known: its own, or `line:` and the SHA-256 (hex) of content, date and category. `date` is
 * what the line itself says and null where a default stood in, so that the same file gives the same ids on every day.
 */
export function externalIdOf(line: {
  id: string | null;
  content: string;
  date: number | null;
  category: MemoryCategory;
}): string {
  if (line.id !== null) return line.id;
  const said = JSON.stringify([line.content, line.date, line.category]);
  return `line:${createHash('sha256').update(said, 'utf8').digest('hex')}`;
}

const isoOf = (ms: number | null): string | undefined =>
  ms === null ? undefined : new Date(ms).toISOString();

const clockOf = (minutes: number | null): string | undefined =>
  minutes === null
    ? undefined
    : `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** A record as a line of JSON Lines, without its end: read back, it is the same record. */
export function lineOf(record: ImportRecord): string {
  if (record.kind === 'user') {
    const { quietStart, quietEnd, timezone, ...names } = record;
    return JSON.stringify({
      ...names,
      timezone: timezone ?? undefined,
      quietStart: clockOf(quietStart),
      quietEnd: clockOf(quietEnd),
    });
  }
  if (record.kind === 'question') return JSON.stringify(record);
  const { kind: _, externalId, date, eventDate, validFrom, validTo, expiresAt, session, ...rest } = record;
  return JSON.stringify({
    id: externalId,
    ...rest,
    session: session ?? undefined,
    date: isoOf(date),
    eventDate: isoOf(eventDate),
    validFrom: isoOf(validFrom),
    validTo: isoOf(validTo),
    expiresAt: isoOf(expiresAt),
  });
}
