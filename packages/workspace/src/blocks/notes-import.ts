import {
  type Database,
  DatabaseError,
  endWorkspaceRun,
  type ImportedFile,
  listImportedFiles,
  startWorkspaceRun,
  type Transaction,
  type WorkspaceKey,
} from '@slowwave/db';
import { localDay } from '@slowwave/fusion';
import { MemoryBackendError } from '../backend/errors.ts';
import { MEMORY_LONG_TERM_FILENAME } from '../files/paths.ts';
import type { FileEntry, WorkspaceFiles } from '../files/port.ts';
import { dayOfFile, daysBefore, hasEnded } from './day.ts';
import { type FileResult, importFile } from './notes-file.ts';
import { addFile, countIn, emptyReport, type NotesReport } from './notes-report.ts';

export interface NotesImportOptions {
  files: WorkspaceFiles;
  database: Database;
  key: WorkspaceKey;
  /** Epoch ms. */
  now: () => number;
  /** Ids of runs; drawn by the database's own rule without one. */
  newId?: (() => string) | undefined;
  /** The user's, an IANA name. */
  timezone: string;
  /** A day is looked at again for so many days after it, closed or not; default 2. */
  lookbackDays?: number | undefined;
  /** The transaction of a writer, for those who have to prove that they may write; the database's own without one. */
  write?: (<T>(work: (tx: Transaction) => Promise<T>) => Promise<T>) | undefined;
}

export interface NotesRun {
  /** Who imports, as the journal names them; default `notes`. */
  actor?: string | undefined;
  /** The run of a tier that it belongs to: undoing that takes back what was superseded and archived. */
  runId?: string | undefined;
  /** Looked at between files. */
  signal?: AbortSignal | undefined;
  /** Files imported at most; the others come next time. Default 200. */
  filesMax?: number | undefined;
}

export interface NotesImport {
  run(options?: NotesRun): Promise<NotesReport>;
}

export const LOOKBACK_DAYS = 2;
const FILES_MAX = 200;
/** How often somebody else may be let go first. */
const ATTEMPTS = 3;

/**
 * Makes memories of what stands in MEMORY.md, outside of what we wrote there, and in daily notes. Files are only ever read. Each changed file
 * is one transaction, so that whatever breaks off in between is done by the next run, and what was done is not done again. A file that
 * is no longer there changes nothing: people tidy up their notes without meaning to forget.
 */
export function createNotesImport(options: NotesImportOptions): NotesImport {
  const { files, database, key, now, timezone } = options;
  const lookbackDays = options.lookbackDays ?? LOOKBACK_DAYS;
  const transaction = options.write ?? ((work) => database.withTenant(key.tenant, work));

  async function write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await transaction(work);
      } catch (error) {
        const again = error instanceof DatabaseError && error.code === 'serialization';
        if (!again || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  /** Why a file is left out; null: it is to be read. */
  function skipOf({ path }: FileEntry, before: ImportedFile | undefined, today: string): 'closed' | null {
    const day = dayOfFile(path);
    if (day === null || !before || before.closedAt === null) return null;
    return day < daysBefore(today, lookbackDays) ? 'closed' : null;
  }

  async function take(
    entry: FileEntry,
    before: ImportedFile | undefined,
    writer: { at: number; actor: string; runId: string | null; begin: () => Promise<void> },
  ): Promise<FileResult | null> {
    const { path } = entry;
    const file = await files.read(path);
    if (!file) return null;
    const { at, actor, runId } = writer;
    const changed = before?.sha256 !== file.sha256;
    // Nothing is written for what did not change, but that its day is over.
    if (!changed && !(before?.closedAt === null && hasEnded(path, at, timezone)))
      return { state: 'unchanged', closed: false };
    if (changed) await writer.begin();
    return write((tx) =>
      importFile(tx, key, { path, ...file, updatedAt: entry.updatedAt }, { at, actor, runId, timezone }),
    );
  }

  return {
    async run({ actor = 'notes', runId, signal, filesMax = FILES_MAX } = {}) {
      const at = now();
      const report = emptyReport();
      const recorder = createRunRecorder({ key, write, at, newId: options.newId, runId: runId ?? null });
      const today = localDay(at, timezone) ?? '';
      const entries = (await files.list()).filter(isNotes).sort(lastingFirst);
      const imported = await database.withTenant(key.tenant, (tx) => listImportedFiles(tx, key));
      const known = new Map(imported.map((file) => [file.path, file]));
      report.files.found = entries.length;
      const writer = { at, actor, runId: runId ?? null, begin: recorder.begin };
      await recorder.during(report, async () => {
        for (const entry of entries) {
          signal?.throwIfAborted();
          const before = known.get(entry.path);
          const skip = report.files.imported >= filesMax ? 'later' : skipOf(entry, before, today);
          if (skip !== null) {
            countIn(report.files.skipped, skip);
            continue;
          }
          try {
            countResult(report, await take(entry, before, writer));
          } catch (error) {
            // A file that cannot be read leaves the others as they are; whatever else fails is the caller's to judge.
            if (!(error instanceof MemoryBackendError)) throw error;
            countIn(report.files.failed, error.code);
          }
        }
      });
      return report;
    },
  };
}

function isNotes({ path }: FileEntry): boolean {
  return path === MEMORY_LONG_TERM_FILENAME || dayOfFile(path) !== null;
}

/** The long-term file, then days from the oldest on, so that what was said first becomes the older memory. */
function lastingFirst(a: FileEntry, b: FileEntry): number {
  const rank = ({ path }: FileEntry): string => dayOfFile(path) ?? '';
  return rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : 0;
}

function countResult(report: NotesReport, result: FileResult | null): void {
  // It was removed since it was listed.
  if (!result) return;
  if (result.state === 'too_many_blocks') {
    countIn(report.files.skipped, result.state);
    return;
  }
  if (result.closed) report.files.closed++;
  if (result.state === 'unchanged') {
    countIn(report.files.skipped, result.state);
    return;
  }
  report.files.imported++;
  addFile(report, result);
}

/** Records a run of the workspace, from the first file that changed on; where none did there is nothing to tell. */
function createRunRecorder(input: {
  key: WorkspaceKey;
  write: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  at: number;
  newId: (() => string) | undefined;
  runId: string | null;
}) {
  const { key, write, at, newId, runId } = input;
  let id: string | null = null;
  return {
    async begin(): Promise<void> {
      id ??= await write((tx) => startWorkspaceRun(tx, key, { id: newId?.(), work: 'import', runId, at }));
    },
    async during(report: NotesReport, work: () => Promise<void>): Promise<void> {
      const end = async (reason: string | null): Promise<void> => {
        const started = id;
        if (started === null) return;
        const status = reason === null ? 'completed' : 'failed';
        await write((tx) =>
          endWorkspaceRun(tx, key, { id: started, report: { ...report }, at, reason, status }),
        );
      };
      try {
        await work();
      } catch (error) {
        // Why it broke off is told by the error; that this could not be recorded as well says nothing more.
        await end('broken_off').catch(() => undefined);
        throw error;
      }
      await end(Object.keys(report.files.failed).length > 0 ? 'unreadable_files' : null);
    },
  };
}
