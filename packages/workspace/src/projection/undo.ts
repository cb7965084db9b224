import { endWorkspaceRun, getWorkspaceRun, replaceProjectedLines } from '@slowwave/db';
import { MemoryBackendError } from '../backend/errors.ts';
import { textHash } from '../files/folder-change.ts';
import { MEMORY_LONG_TERM_FILENAME } from '../files/paths.ts';
import type { WorkspaceFiles } from '../files/port.ts';
import { lineHash, marksIn, RegionRefused } from './markers.ts';
import type { ProjectionParts } from './parts.ts';
import { reportOf, type WriteRecord } from './records.ts';
import { parseRegion } from './region.ts';
import type { UndoOutcome } from './types.ts';

interface Restoration {
  path: string;
  /** SHA-256 of what stands there now. */
  current: string | null;
  /** Null: it stands there as it was already. */
  content: string | null;
}

const BY = 'undo';

const conflict = (path: string, why: string): MemoryBackendError =>
  new MemoryBackendError('CONFLICT', `${path} cannot be put back: ${why}`, 'projection');

/** Of the writes to one document, the first one of those that led to what stands there now. */
function firstOf(writes: readonly WriteRecord[], current: string | null): WriteRecord | null {
  let at = writes.findLastIndex(({ after }) => after === current);
  if (at === -1) return null;
  for (let i = at - 1; i >= 0; i--) if (writes[i]!.after === writes[at]!.before) at = i;
  return writes[at]!;
}

async function restorationOf(
  files: WorkspaceFiles,
  path: string,
  writes: readonly WriteRecord[],
): Promise<Restoration> {
  const current = (await files.read(path))?.sha256 ?? null;
  const first = firstOf(writes, current);
  if (first === null) {
    // A document that the run made is put back as an empty one: it stays a document.
    const isBack = writes.some(({ before }) => (before ?? textHash('')) === current || before === current);
    if (isBack) return { path, current, content: null };
    throw conflict(path, 'it was changed since');
  }
  const kept = await files.before(first.write, path);
  if (kept === null) throw conflict(path, 'what stood there before is not kept any more');
  const content = kept.content ?? '';
  const isWhole = first.before === null ? kept.content === null : textHash(content) === first.before;
  if (!isWhole) throw conflict(path, 'something in what stood there before was forgotten since');
  return { path, current, content };
}

/** The lines of memories in a document, as the ledger has them. What hands removed stays removed there. */
function linesIn(content: string, path: string): { memoryId: string; line: number; lineHash: string }[] {
  try {
    const region = parseRegion(content, path);
    if (region === null) return [];
    const first = (region.before + region.lead).split('\n').length + 1;
    return region.lines.flatMap((line, i) => {
      const ids = marksIn(line);
      return ids.length === 1 ? [{ memoryId: ids[0]!, line: first + i, lineHash: lineHash(line) }] : [];
    });
  } catch (error) {
    if (error instanceof RegionRefused) return [];
    throw error;
  }
}

/**
 * Puts the documents of a run back as they stood before it. All are looked at before the first is written.
 * @throws MemoryBackendError CONFLICT when one was changed since, or what stood there is not kept any more; nothing is written then
 */
export async function undoProjection(
  parts: Pick<ProjectionParts, 'files' | 'database' | 'key' | 'now' | 'write'>,
  id: string,
): Promise<UndoOutcome> {
  const { files, database, key, now, write } = parts;
  const run = await database.withTenant(key.tenant, (tx) => getWorkspaceRun(tx, key, id));
  if (run?.work !== 'projection') return { status: 'unknown_run' };
  if (run.status === 'undone') return { status: 'already_undone' };
  const { writes, ...report } = reportOf(run);
  const restorations: Restoration[] = [];
  for (const path of new Set(writes.map((one) => one.path))) {
    const own = writes.filter((one) => one.path === path);
    restorations.push(await restorationOf(files, path, own));
  }
  for (const { path, current, content } of restorations) {
    if (content !== null) await files.write(path, content, { expected: current, by: BY });
  }
  const memory = restorations.find(({ path }) => path === MEMORY_LONG_TERM_FILENAME);
  await write(async (tx) => {
    if (memory) {
      const path = memory.path;
      const content = memory.content ?? (await files.read(path))?.content ?? '';
      await replaceProjectedLines(tx, key, { path, lines: linesIn(content, path) });
    }
    const { plan: _plan, ...rest } = report;
    await endWorkspaceRun(tx, key, { id, status: 'undone', report: { ...rest, writes }, at: now() });
  });
  return { status: 'undone', paths: restorations.map(({ path }) => path) };
}
