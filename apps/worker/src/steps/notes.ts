import type { Workspace } from '@slowwave/db';
import { createNotesImport, MemoryBackendError, type NotesReport } from '@slowwave/workspace';
import type { Step, StepContext } from '../context.ts';
import { WORKSPACES } from '../questions.ts';
import { count, type Tally } from './tally.ts';

interface NotesCounts {
  /** Workspaces of the user, and those whose files were looked at. */
  workspaces: number;
  read: number;
  /** Workspaces that were left out, by reason. */
  skipped: Tally;
  /** Workspaces whose files could not be listed, by code. */
  failed: Tally;
  files: NotesReport['files'];
  blocks: NotesReport['blocks'];
  memories: NotesReport['memories'];
}

/** What was noted in the files of a user's workspaces since they were last read becomes memories. The files stay as they are. */
export const notes: Step = {
  name: 'notes',
  asks: [WORKSPACES],
  async run(context) {
    const { look, signal } = context;
    const workspaces = await look.seen(WORKSPACES);
    if (workspaces.length === 0) return { status: 'skipped', reason: 'no_workspace' };
    const counts = emptyCounts(workspaces.length);
    for (const workspace of workspaces) {
      signal.throwIfAborted();
      if (context.stopping.aborted) {
        count(counts.skipped, 'stopping');
        continue;
      }
      await readOne(context, workspace, counts);
    }
    return { status: 'done', counts: { ...counts } };
  },
};

async function readOne(context: StepContext, workspace: Workspace, counts: NotesCounts): Promise<void> {
  const { database, tenant, user, at, timezone, runId, signal, write } = context;
  if (!workspace.memoryEnabled || !workspace.importEnabled) {
    count(counts.skipped, 'disabled');
    return;
  }
  const files = context.workspaces?.(workspace) ?? null;
  if (!files) {
    count(counts.skipped, 'no_folder');
    return;
  }
  const key = { tenant, user, workspace: workspace.workspace };
  const notesImport = createNotesImport({ files, database, key, now: () => at, timezone, write });
  try {
    addReport(counts, await notesImport.run({ runId, signal }));
    counts.read++;
  } catch (error) {
    // The files of one workspace that cannot be reached say nothing against the others.
    if (!(error instanceof MemoryBackendError)) throw error;
    count(counts.failed, error.code);
  }
}

function emptyCounts(workspaces: number): NotesCounts {
  return {
    workspaces,
    read: 0,
    skipped: {},
    failed: {},
    files: { found: 0, imported: 0, closed: 0, skipped: {}, failed: {} },
    blocks: {
      found: 0,
      unchanged: 0,
      imported: 0,
      known: 0,
      forgotten: 0,
      projected: 0,
      tooLong: 0,
      removed: 0,
    },
    memories: { superseded: 0, archived: 0 },
  };
}

function addReport(counts: NotesCounts, report: NotesReport): void {
  addNumbers(counts.files, report.files);
  addNumbers(counts.files.skipped, report.files.skipped);
  addNumbers(counts.files.failed, report.files.failed);
  addNumbers(counts.blocks, report.blocks);
  addNumbers(counts.memories, report.memories);
}

/** Adds the numbers of one object to those of another, name by name. */
function addNumbers(into: object, from: object): void {
  const sums = into as Record<string, unknown>;
  for (const [name, value] of Object.entries(from)) {
    if (typeof value === 'number') sums[name] = (typeof sums[name] === 'number' ? sums[name] : 0) + value;
  }
}
