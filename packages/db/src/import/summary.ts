import type { ImportFormat } from './format.ts';
import type { LineDefaults } from './memory-line.ts';

export interface LoadOptions {
  format: ImportFormat | 'auto';
  fileName?: string;
  defaults: LineDefaults;
  /** Epoch ms. */
  at: number;
  maxContentChars: number;
  /** Adds the memories of an export to what is there, as an ordinary file; without it, an export is restored into empty users. */
  merge?: boolean;
  /** Whether an export may be restored; false: it is refused unless it is merged. Default true. */
  restore?: boolean;
  /**
   * Which folder of this machine a restored workspace gets for the one that its line names, or why it gets none. A restore grants no more
   * than the caller may name otherwise. Left out: none.
   */
  folderOf?: (rootDir: string) => Promise<RestoredFolder>;
  /** Lines of any other tenant are refused. */
  onlyTenant?: string;
  /**
   * Gives an export whole before its users are restored, each in one transaction: a source that comes slowly would hold it open.
   * Default: read as it comes.
   */
  spool?: (source: AsyncIterable<Uint8Array>) => Promise<AsyncIterable<Uint8Array>>;
  /** Called after every batch. */
  onProgress?: (progress: { lines: number; inserted: number }) => void;
  signal?: AbortSignal;
}

export type RestoredFolder = { folder: string } | { refused: string };

export interface LineProblem {
  line: number;
  code: string;
  message: string;
}

export interface ImportSummary {
  /** The last line's number. */
  lines: number;
  inserted: number;
  /** Lines whose memory stood there before, in this file or in the database. */
  unchanged: number;
  /** Lines whose memory was forgotten: each is among the problems, with what to do. */
  forgotten: number;
  relations: number;
  usersCreated: number;
  users: { tenant: string; user: string }[];
  /** The first 1,000; `problemCount` counts all. */
  problems: LineProblem[];
  problemCount: number;
  /** Relations whose target is neither in the file nor in the database. */
  unresolvedRelations: number;
  /** Of an export that was restored: lines by their kind, and users. */
  restored?: Record<string, number>;
  /** Lines that an ordinary import has no place for, by their kind or why: questions, and much of an export that was merged. */
  leftOut?: Record<string, number>;
}

export const emptySummary = (): ImportSummary => ({
  lines: 0,
  inserted: 0,
  unchanged: 0,
  forgotten: 0,
  relations: 0,
  usersCreated: 0,
  users: [],
  problems: [],
  problemCount: 0,
  unresolvedRelations: 0,
});
