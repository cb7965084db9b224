import { MemoryBackendError } from '../backend/errors.ts';
import type { WorkspaceFiles } from '../files/port.ts';
import { hashOf, INSIGHTS_FILE, WORKING_FILE } from './sources.ts';

/**
 * Puts back what stood in the working memory and the insights before a run; a file that was not there becomes empty. Nothing is written
 * when one of them was changed since. A second call changes nothing.
 * @returns the files that were put back
 * @throws MemoryBackendError NOT_FOUND when the run changed neither, CONFLICT
 */
export async function undoInsightRun(
  files: WorkspaceFiles,
  runId: string,
  by: string,
): Promise<{ restored: string[] }> {
  const plans: { path: string; content: string; expected: string | null }[] = [];
  let changed = 0;
  for (const path of [WORKING_FILE, INSIGHTS_FILE]) {
    const before = await files.before(runId, path);
    if (before === null) continue;
    changed += 1;
    const standing = await files.read(path);
    const content = before.content ?? '';
    if ((standing?.sha256 ?? null) === hashOf(content)) continue;
    if (before.sha256After === null || standing?.sha256 !== before.sha256After)
      throw new MemoryBackendError('CONFLICT', `${path} was changed after the run`, 'insights');
    plans.push({ path, content, expected: standing.sha256 });
  }
  if (changed === 0) throw new MemoryBackendError('NOT_FOUND', 'The run changed no file', 'insights');
  for (const { path, content, expected } of plans) await files.write(path, content, { expected, by });
  return { restored: plans.map(({ path }) => path) };
}
