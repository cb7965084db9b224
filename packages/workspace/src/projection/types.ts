import type { Database, Night, Transaction, WorkspaceKey } from '@slowwave/db';
import type { WorkspaceFiles } from '../files/port.ts';
import type { LineDiff } from './line-diff.ts';
import type { ProjectionReport } from './records.ts';

/** Where a run can be stopped by a test, as a crash would. */
export type ProjectionStep = 'planned' | 'written' | 'recorded' | 'diary_planned' | 'diary_written';

export interface ProjectionOptions {
  files: WorkspaceFiles;
  database: Database;
  key: WorkspaceKey;
  /** Epoch ms. */
  now: () => number;
  /** The zone in which a night has its date; default UTC. */
  timezone?: string;
  /** Ids under which replaced contents are kept, UUIDs. */
  newId?: () => string;
  /** Characters of MEMORY.md as a whole; default 10,000. */
  maxChars?: number;
  /** Entries of DREAMS.md; default 90. */
  maxEntries?: number;
  /** A transaction that writes; default one of the key's tenant. */
  write?: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  onStep?: (step: ProjectionStep) => void | Promise<void>;
}

export interface ProjectionRun {
  /** The run of the tier that this belongs to; another UUID where a person asks. */
  runId: string;
  /** What that run did: it gets one entry in the diary. Absent: the diary stays as it is. */
  report?: Night;
}

export interface ProjectionResult {
  /** Of the workspace's run. */
  id: string;
  status: 'completed' | 'failed' | 'undone';
  /** Why it failed, as a code. */
  reason: string | null;
  /** It had been done before, and nothing was done now. */
  repeated: boolean;
  report: ProjectionReport;
}

export interface DocumentPreview {
  path: string;
  /** Null: there is none. */
  before: string | null;
  /** Null: there would be none. */
  after: string | null;
  /** Null: it would stay as it is. */
  diff: LineDiff | null;
}

export interface ProjectionPreview {
  documents: DocumentPreview[];
  report: Omit<ProjectionReport, 'writes' | 'plan'>;
}

/** What became of an undo. */
export type UndoOutcome =
  | { status: 'undone'; paths: string[] }
  | { status: 'already_undone' }
  | { status: 'unknown_run' };

/** The memories and the diary of a user, written into the documents of a workspace. */
export interface Projection {
  /**
   * Brings the managed region of MEMORY.md up to date and, with a report, gives the run its entry in DREAMS.md. The same run again does nothing, and
   * takes up what it left undone. A document with broken markers fails the run and nothing is written.
   * Errors: BACKEND_UNAVAILABLE, and those of the database.
   */
  run(input: ProjectionRun): Promise<ProjectionResult>;
  /** What a run would make of the documents now. Without a report, of MEMORY.md only. @throws RegionRefused */
  preview(input?: ProjectionRun): Promise<ProjectionPreview>;
  /** Puts the documents back as they stood before a run, as long as nobody has changed them since. @param id of the workspace's run */
  undo(id: string): Promise<UndoOutcome>;
}
