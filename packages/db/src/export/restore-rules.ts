import { DEFAULT_IMPORT_LIMITS, grouped } from '../import/limits.ts';
import { isObject } from '../import/metadata.ts';
import type { LoadOptions } from '../import/summary.ts';
import { InputError } from '../input-error.ts';
import { requireWorkspaceSettings, type WorkspaceChange } from '../workspaces/settings.ts';
import { RestoreRefused } from './refused.ts';
import type { Row } from './write-line.ts';

/** What the caller of a restore may do, beside writing the rows of a user. */
export type RestoreRules = Pick<LoadOptions, 'folderOf' | 'maxContentChars'>;

const NO_FOLDERS = 'no folder of the machine may be named here';

/**
 * A workspace of a file has to be one that the caller could have made: its folder, schedule and time zone are used, not only kept. One whose
 * folder the caller may not name is restored without it, as `readonly`, so that all rows that belong to it come back and no file is reached.
 * @throws RestoreRefused
 */
export async function placeWorkspace(
  row: Row,
  { folderOf }: RestoreRules,
): Promise<{ row: Row; note?: { code: string; message: string } }> {
  requireWorkspaceRow(row);
  if (row.root_dir === null) return { row };
  const found = await (folderOf?.(String(row.root_dir)) ?? { refused: NO_FOLDERS });
  if ('folder' in found) return { row: { ...row, root_dir: found.folder } };
  const message = `the workspace was restored without its folder, as readonly (${found.refused}); everything else of it was restored: set its folder and its backend again`;
  return {
    row: { ...row, root_dir: null, backend: 'readonly' },
    note: { code: 'folder_not_restored', message },
  };
}

/** @throws RestoreRefused */
function requireWorkspaceRow(row: Row): void {
  // Their types were looked at where the line was read.
  const settings = {
    backend: row.backend,
    rootDir: row.root_dir,
    memoryEnabled: row.memory_enabled,
    projectionEnabled: row.projection_enabled,
    importEnabled: row.import_enabled,
    quotaBytes: row.quota_bytes,
    insightsEnabled: row.insights_enabled,
    insightsSchedule: row.insights_schedule,
    insightsTimezone: row.insights_timezone,
    insightsMinIntervalMs: row.insights_min_interval_ms,
    insightsMinGrowth: row.insights_min_growth,
    insightsDueAt: null,
  } as Required<WorkspaceChange>;
  try {
    requireWorkspaceSettings(settings);
  } catch (error) {
    throw error instanceof InputError ? new RestoreRefused(error.code, error.message) : error;
  }
}

/**
 * A memory of a file is at most as long as one that is written here. Never below the default, so that an export still comes back after the
 * setting was lowered.
 * @throws RestoreRefused
 */
export function requireContent(kind: string, row: Row, { maxContentChars }: RestoreRules): void {
  const moved = kind === 'cold-memory' && isObject(row.memory) ? row.memory.content : null;
  const content = kind === 'memory' ? row.content : moved;
  const limit = Math.max(maxContentChars, DEFAULT_IMPORT_LIMITS.contentChars);
  if (typeof content !== 'string' || content.length <= limit) return;
  // Characters are counted as the database counts them.
  const chars = [...content].length;
  if (chars <= limit) return;
  const message = `content has ${grouped(chars)} characters; the limit is ${grouped(limit)}, which SLOWWAVE_MAX_MEMORY_CHARS can raise`;
  throw new RestoreRefused('too_long', message);
}
