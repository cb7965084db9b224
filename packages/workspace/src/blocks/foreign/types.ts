import type { MemoryRecord } from '@slowwave/db';

/** What memories can be read from, beside the formats of the import of lines. */
export const FOREIGN_FORMATS = ['mem0', 'letta', 'openclaw', 'markdown'] as const;
export type ForeignFormat = (typeof FOREIGN_FORMATS)[number];

export type ForeignProblemCode =
  | 'not_text'
  | 'too_large'
  | 'invalid_json'
  | 'unknown_shape'
  | 'not_object'
  | 'missing'
  | 'wrong_type'
  | 'empty'
  | 'too_long'
  | 'too_many'
  | 'invalid_date';

/** Something that could not be read. The message says what to do and repeats nothing of the file. */
export interface ForeignProblem {
  /** The line of a text file, or the number of the entry of a list, from 1; 0: the file as a whole. */
  line: number;
  code: ForeignProblemCode;
  message: string;
}

/** Something that was left out on purpose. */
export interface ForeignSkip {
  line: number;
  /** As a code, as in `messages` or `persona`. */
  reason: string;
  count: number;
}

export interface ForeignRecord {
  /** As in ForeignProblem. */
  line: number;
  record: MemoryRecord;
}

export interface ForeignResult {
  /** In the order of their lines; each id once. */
  records: ForeignRecord[];
  problems: ForeignProblem[];
  skipped: ForeignSkip[];
}

/** What a file is read with. */
export interface ForeignOptions {
  tenant: string;
  /** Whose memories these are where the file does not say; null: it has to. */
  user: string | null;
  /** Of the file, as it was given; its name says what it is about. */
  path: string;
  /** When the file was last changed, epoch ms: when things were said of which it does not say. */
  at: number;
  /** IANA name, for daily notes. */
  timezone: string;
  /** The largest text that is read, UTF-16 units; default 64 Mi. */
  charsMax?: number | undefined;
  /** The most entries; default 1,000,000. */
  entriesMax?: number | undefined;
}

export const FOREIGN_CHARS_MAX = 64 * 1024 * 1024;
export const FOREIGN_ENTRIES_MAX = 1_000_000;
