import { getWorkspaceRun, listWorkspaceRuns, type WorkspaceKey, type WorkspaceRun } from '@slowwave/db';
import { createProjection, MemoryBackendError, undoClaimedInsights } from '@slowwave/workspace';
import { holding } from './holding.ts';
import { openPlace, type PlaceOptions, workspaceOf } from './places.ts';
import type { UndoneRun, WorkspaceCalls } from './types.ts';

/** There is no such run of the workspace. */
export class UnknownWorkspaceRun extends Error {
  readonly code = 'unknown_run';
  readonly retryable = false;

  constructor() {
    super('this workspace has no such run');
    this.name = 'UnknownWorkspaceRun';
  }
}

/** What was done to a workspace, and taking it back. */
export function createRunCalls(options: PlaceOptions): Pick<WorkspaceCalls, 'runs' | 'run' | 'undoRun'> {
  const { database } = options;

  async function runOf(of: WorkspaceKey, id: string): Promise<WorkspaceRun> {
    const found = await database.withTenant(of.tenant, (tx) => getWorkspaceRun(tx, of, id));
    if (found === null) throw new UnknownWorkspaceRun();
    return found;
  }

  return {
    async runs(of, input) {
      await workspaceOf(database, of);
      return database.withTenant(of.tenant, (tx) => listWorkspaceRuns(tx, of, input));
    },
    run: runOf,
    async undoRun(of, id, { by }) {
      return undo(options, of, { run: await runOf(of, id), by });
    },
  };
}

/** @throws MemoryBackendError CONFLICT when a document was changed since, UNSUPPORTED for a run that wrote none */
async function undo(
  options: PlaceOptions,
  of: WorkspaceKey,
  { run, by }: { run: WorkspaceRun; by: string },
): Promise<UndoneRun> {
  const { database, now } = options;
  const { id, work, status } = run;
  if (status === 'undone') return { id, work, status: 'already_undone', paths: [] };
  const { files, tree, backend } = await openPlace(options, of, by);
  if (files === null || tree === null) {
    throw new MemoryBackendError('READ_ONLY', 'This memory backend cannot be written', backend.type);
  }
  if (work === 'files') {
    const documents = Number(run.report.documents ?? 0);
    return { id, work, status: 'undone', paths: await tree.undo(id, { by, documents }) };
  }
  if (work === 'insights') {
    const undone = await holding(options, of, 'undo', (transact) =>
      undoClaimedInsights({ key: of, files, transact, runId: id, at: now(), by }),
    );
    return { id, work, status: 'undone', paths: undone.restored };
  }
  if (work === 'import') {
    throw new MemoryBackendError(
      'UNSUPPORTED',
      'an import changes memories and no document: the undo of the run that it belongs to takes it back',
      backend.type,
    );
  }
  const outcome = await holding(options, of, 'undo', (write) =>
    createProjection({ files, database, key: of, now, write }).undo(id),
  );
  if (outcome.status === 'unknown_run') throw new UnknownWorkspaceRun();
  return { id, work, status: outcome.status, paths: outcome.status === 'undone' ? outcome.paths : [] };
}
