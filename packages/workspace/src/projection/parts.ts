import { newId, planWorkspaceRun, type Transaction } from '@slowwave/db';
import { isMemoryError } from '../backend/errors.ts';
import { textHash } from '../files/folder-change.ts';
import type { StoredFile } from '../files/port.ts';
import type { ProjectionReport } from './records.ts';
import type { ProjectionOptions, ProjectionStep } from './types.ts';

/** What all parts of a projection work with. */
export interface ProjectionParts extends Omit<ProjectionOptions, 'write' | 'newId' | 'onStep'> {
  write: NonNullable<ProjectionOptions['write']>;
  drawId: () => string;
  step(name: ProjectionStep): Promise<void>;
}

export function partsOf(options: ProjectionOptions): ProjectionParts {
  const { write, newId: drawId, onStep, ...rest } = options;
  const { database, key, now } = options;
  return {
    ...rest,
    write: write ?? ((work) => database.withTenant(key.tenant, work)),
    drawId: drawId ?? (() => newId(now())),
    step: async (name) => onStep?.(name),
  };
}

/** One attempt to put something else in place of a document. */
export interface Replacement {
  /** Of the workspace's run. */
  id: string;
  report: ProjectionReport;
  path: string;
  found: StoredFile | null;
  content: string;
  /** The step at which the plan stands in the database and nothing is written yet. */
  planned: ProjectionStep;
  /** Done together with the plan. */
  alongside?: (tx: Transaction) => Promise<unknown>;
}

/**
 * Writes a document under a plan that stands in the run's report before, with an id of its own under which what it replaces is kept.
 * @returns false when somebody else changed the document since it was read
 */
export async function replaceDocument(parts: ProjectionParts, replacement: Replacement): Promise<boolean> {
  const { files, key, write, drawId, step } = parts;
  const { id, report, path, found, content } = replacement;
  const [before, after, writeId] = [found?.sha256 ?? null, textHash(content), drawId()];
  report.writes.push({ path, write: writeId, before, after });
  await write(async (tx) => {
    await replacement.alongside?.(tx);
    await planWorkspaceRun(tx, key, { id, report: { ...report } });
  });
  await step(replacement.planned);
  try {
    await files.write(path, content, { expected: before, by: 'projection', runId: writeId });
    return true;
  } catch (error) {
    if (!isMemoryError(error, 'CONFLICT')) throw error;
    report.writes.pop();
    return false;
  }
}
