import { readMarkedMemories } from '@slowwave/db';
import { MEMORY_DREAMS_FILENAME } from '../files/paths.ts';
import type { StoredFile } from '../files/port.ts';
import { getDefaultDreamsScaffold } from '../files/scaffolds.ts';
import { nightEntry } from './diary.ts';
import { type DreamsPlan, planDreams } from './entries.ts';
import { marksIn } from './markers.ts';
import { type ProjectionParts, replaceDocument } from './parts.ts';
import type { ProjectionReport } from './records.ts';
import type { ProjectionRun } from './types.ts';

const ENTRIES_MAX = 90;
const path = MEMORY_DREAMS_FILENAME;

/** A run that the diary is to tell of. */
export type NightRun = Required<ProjectionRun>;

export function nightOf({ runId, report }: ProjectionRun): NightRun | null {
  return report ? { runId, report } : null;
}

/** What DREAMS.md should be once a run has its entry. Writes nothing. @throws RegionRefused */
export async function planDiaryWork(
  parts: ProjectionParts,
  { runId, report }: NightRun,
): Promise<{ found: StoredFile | null; plan: DreamsPlan }> {
  const { files, database, key, now, timezone = 'UTC', maxEntries: keep = ENTRIES_MAX } = parts;
  const found = await files.read(path);
  const content = found?.content ?? null;
  const lines = nightEntry(report, { at: now(), timezone });
  const ids = marksIn([content ?? '', ...lines].join('\n'));
  const marked = await database.withTenant(key.tenant, (tx) => readMarkedMemories(tx, key, ids));
  const forgotten = new Set([...marked].flatMap(([id, text]) => (text === null ? [id] : [])));
  // Forgotten between the reading of the night and now.
  const entry = lines.filter((line) => !marksIn(line).some((id) => forgotten.has(id)));
  const heading = getDefaultDreamsScaffold();
  return { found, plan: planDreams({ content, heading, runId, entry, forgotten, keep, path }) };
}

/**
 * Gives a run its entry in DREAMS.md.
 * @param id of the workspace's run
 * @returns false when somebody else changed the document meanwhile: nothing was written
 */
export async function writeDiary(
  parts: ProjectionParts,
  id: string,
  report: ProjectionReport,
  input: NightRun,
): Promise<boolean> {
  const { found, plan } = await planDiaryWork(parts, input);
  const { content, ...counts } = plan;
  report.dreams = counts;
  if (content === found?.content) return true;
  const replacement = { id, report, path, found, content, planned: 'diary_planned' as const };
  if (!(await replaceDocument(parts, replacement))) return false;
  await parts.step('diary_written');
  return true;
}
