import { InputError } from '../input-error.ts';
import { requireWorkspaceSettings, type WorkspaceChange } from '../workspaces/settings.ts';
import { RestoreRefused } from './refused.ts';
import type { Row } from './write-line.ts';

/**
 * A workspace of a file has to be one that somebody could have made: its folder, schedule and time zone are used, not only kept.
 * @throws RestoreRefused
 */
export function requireWorkspaceRow(row: Row): void {
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
