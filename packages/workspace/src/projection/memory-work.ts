import {
  endWorkspaceRun,
  markLinesRemoved,
  planWorkspaceRun,
  promotable,
  readMarkedMemories,
  replaceProjectedLines,
  type Transaction,
} from '@slowwave/db';
import { textHash } from '../files/folder-change.ts';
import { MEMORY_LONG_TERM_FILENAME } from '../files/paths.ts';
import type { StoredFile } from '../files/port.ts';
import { marksIn } from './markers.ts';
import { type MemoryPlan, planMemory } from './memory-plan.ts';
import { type ProjectionParts, replaceDocument } from './parts.ts';
import { type LineState, type ProjectionReport, readLines, reportOf } from './records.ts';

const PROMOTED_MAX = 1_000;
const MEMORY_CHARS_MAX = 10_000;
const path = MEMORY_LONG_TERM_FILENAME;

export interface MemoryWork {
  found: StoredFile | null;
  lines: LineState;
  plan: MemoryPlan;
  promotion: ProjectionReport['promotion'];
}

/** What MEMORY.md should be now. Writes nothing. @throws RegionRefused */
export async function planMemoryWork(parts: ProjectionParts): Promise<MemoryWork> {
  const { files, database, key, now, maxChars = MEMORY_CHARS_MAX } = parts;
  const found = await files.read(path);
  const content = found?.content ?? null;
  return database.withTenant(key.tenant, async (tx) => {
    const lines = await readLines(tx, key, { path, content, sha256: found?.sha256 ?? null });
    const { memories, ...promotion } = await promotable(tx, key, { at: now(), limit: PROMOTED_MAX });
    const marked = await readMarkedMemories(tx, key, marksIn(content ?? ''));
    const plan = planMemory({ path, content, ...lines, marked, memories, maxChars });
    return { found, lines, plan, promotion };
  });
}

/**
 * Brings MEMORY.md and the ledger of its lines up to date.
 * @param id of the workspace's run
 * @returns false when somebody else changed the document meanwhile: nothing was written
 */
export async function writeMemory(
  parts: ProjectionParts,
  id: string,
  report: ProjectionReport,
): Promise<boolean> {
  const { key, now, write, step } = parts;
  const { found, lines, plan, promotion } = await planMemoryWork(parts);
  const { content, removed } = plan;
  Object.assign(report, { promotion, memory: plan.counts });
  // Said before the document is written: afterwards it would not show any more what a hand did to it.
  const alongside = (tx: Transaction): Promise<number> =>
    markLinesRemoved(tx, key, { memoryIds: removed, at: now() });
  if (content !== null && content !== found?.content) {
    const written = plan.lines.map(({ memoryId, lineHash }) => ({ memoryId, lineHash }));
    report.plan = { before: found?.sha256 ?? null, after: textHash(content), lines: written };
    const replacement = { id, report, path, found, content, planned: 'planned' as const, alongside };
    if (!(await replaceDocument(parts, replacement))) return false;
    await step('written');
  }
  delete report.plan;
  await write(async (tx) => {
    await alongside(tx);
    await replaceProjectedLines(tx, key, { path, lines: plan.lines });
    await planWorkspaceRun(tx, key, { id, report: { ...report } });
    for (const run of lines.unfinished.filter((one) => one.id !== id)) {
      const { plan: _done, ...rest } = reportOf(run);
      const reason = run.reason ?? 'interrupted';
      await endWorkspaceRun(tx, key, { id: run.id, status: 'failed', reason, report: rest, at: now() });
    }
  });
  await step('recorded');
  return true;
}
