import {
  endWorkspaceRun,
  getWorkspaceRun,
  stableId,
  startWorkspaceRun,
  type WorkspaceKey,
} from '@slowwave/db';
import { isMemoryError, type MemoryBackendError } from '../backend/errors.ts';
import { MEMORY_DREAMS_FILENAME, MEMORY_LONG_TERM_FILENAME } from '../files/paths.ts';
import type { StoredFile } from '../files/port.ts';
import { nightOf, planDiaryWork, writeDiary } from './diary-work.ts';
import { diffLines } from './line-diff.ts';
import { RegionRefused } from './markers.ts';
import { planMemoryWork, writeMemory } from './memory-work.ts';
import { type ProjectionParts, partsOf } from './parts.ts';
import { type ProjectionReport, reportOf } from './records.ts';
import type {
  DocumentPreview,
  Projection,
  ProjectionOptions,
  ProjectionPreview,
  ProjectionResult,
  ProjectionRun,
} from './types.ts';
import { undoProjection } from './undo.ts';

/** How often somebody who edits by hand may be let go first. */
const ATTEMPTS = 3;

/** The id of the workspace's run that belongs to a run of a tier. */
export function projectionIdOf(key: WorkspaceKey, runId: string): string {
  return stableId(0, 'projection', key.tenant, key.user, key.workspace, runId);
}

/** The projection of one workspace. Whoever calls it holds the user: two at a time would take each other for hands. */
export function createProjection(options: ProjectionOptions): Projection {
  const parts = partsOf(options);
  return {
    run: (input) => runProjection(parts, input),
    preview: (input) => previewProjection(parts, input),
    undo: (id) => undoProjection(parts, id),
  };
}

async function runProjection(parts: ProjectionParts, input: ProjectionRun): Promise<ProjectionResult> {
  const { key, now, write } = parts;
  const { runId } = input;
  const id = projectionIdOf(key, runId);
  const begun = await write(async (tx) => {
    await startWorkspaceRun(tx, key, { id, work: 'projection', runId, at: now() });
    return getWorkspaceRun(tx, key, id);
  });
  const report = reportOf(begun);
  if (begun?.status === 'completed' || begun?.status === 'undone') {
    return { id, status: begun.status, reason: begun.reason, repeated: true, report };
  }
  const reason = await project(parts, id, report, input);
  const status = reason === null ? 'completed' : 'failed';
  await write((tx) => endWorkspaceRun(tx, key, { id, status, reason, report: { ...report }, at: now() }));
  return { id, status, reason, repeated: false, report };
}

const isKnownFailure = (error: unknown): error is RegionRefused | MemoryBackendError =>
  error instanceof RegionRefused || (isMemoryError(error) && error.code !== 'BACKEND_UNAVAILABLE');

/** @returns why it failed, as a code; null when it did not */
async function project(
  parts: ProjectionParts,
  id: string,
  report: ProjectionReport,
  input: ProjectionRun,
): Promise<string | null> {
  try {
    const night = nightOf(input);
    // Looked at first: a diary that cannot be written leaves everything as it is.
    if (night) await planDiaryWork(parts, night);
    const isDone =
      (await insist(() => writeMemory(parts, id, report))) &&
      (night === null || (await insist(() => writeDiary(parts, id, report, night))));
    return isDone ? null : 'conflict';
  } catch (error) {
    if (!isKnownFailure(error)) throw error;
    return error.code.toLowerCase();
  }
}

/** Does the work anew as long as somebody else comes in between. */
async function insist(work: () => Promise<boolean>): Promise<boolean> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) if (await work()) return true;
  return false;
}

async function previewProjection(
  parts: ProjectionParts,
  input: ProjectionRun | undefined,
): Promise<ProjectionPreview> {
  const { found, plan, promotion } = await planMemoryWork(parts);
  const memory = shown(MEMORY_LONG_TERM_FILENAME, found, plan.content);
  const counts = { promotion, memory: plan.counts };
  const night = input ? nightOf(input) : null;
  if (!night) return { documents: [memory], report: { ...counts, dreams: null } };
  const diary = await planDiaryWork(parts, night);
  const { content, ...dreams } = diary.plan;
  const documents = [memory, shown(MEMORY_DREAMS_FILENAME, diary.found, content)];
  return { documents, report: { ...counts, dreams } };
}

function shown(path: string, found: StoredFile | null, after: string | null): DocumentPreview {
  const before = found?.content ?? null;
  return { path, before, after, diff: diffLines(before ?? '', after ?? '') };
}
