import { createHash } from 'node:crypto';
import type { Rows } from './rows.ts';

/** What has to be the same whoever wrote it and when; ids that are drawn anew each time, and instants, do not. */
const SHOWN: Record<string, readonly string[]> = {
  memories: [
    'id',
    'content_hash',
    'category',
    'importance',
    'memory_type',
    'prior_type',
    'is_latest',
    'superseded_by',
    'version',
    'confirmations',
    'peak',
    'demotion',
    'learned_from',
    'archived_at',
    'valid_to',
  ],
  relations: ['source_id', 'target_id', 'relation_type', 'confidence', 'hypothesis'],
  conflicts: ['id', 'status', 'winner', 'resolved_by'],
  fusions: [
    'key',
    'kind',
    'status',
    'attempt',
    'answer_state',
    'fence',
    'derived_id',
    'error_code',
    'decided_by',
    'input_tokens',
  ],
  fusion_sources: ['fusion_key', 'memory_id', 'version', 'live', 'superseded'],
  change_sets: ['kind', 'fusion_key', 'actor'],
  changes: ['table_name', 'row_key'],
  cold_memories: ['id'],
  tombstones: ['memory_id'],
  leases: ['fence', 'holder'],
  runs: ['id', 'status', 'fence', 'error_code'],
  user_tiers: ['tier', 'failures', 'faults', 'unended', 'requested_run', 'quarantined_at'],
};

/** Whether, not when or who. */
const PRESENCE: Record<string, readonly string[]> = {
  fusions: ['output', 'proposal', 'review_expires_at'],
  change_sets: ['undone_by', 'images_dropped_at'],
  changes: ['before', 'after'],
  runs: ['finished_at', 'report'],
};

/** Everything that lasts, one line per row, in a fixed order. Ids, codes and numbers only. */
export function describeRows(rows: Rows): string[] {
  return Object.entries(SHOWN).flatMap(([table, columns]) =>
    (rows.get(table) ?? [])
      .map((row) => {
        const values = columns.map((column) => `${column}=${JSON.stringify(plain(column, row[column]))}`);
        const present = (PRESENCE[table] ?? []).map(
          (column) => `${column}=${row[column] === null ? 'no' : 'yes'}`,
        );
        return `${table} ${[...values, ...present].join(' ')}`;
      })
      .sort(),
  );
}

/** A holder's name ends in an id of its own. */
const plain = (column: string, value: unknown): unknown =>
  column === 'holder' && typeof value === 'string' ? value.replace(/:.*$/, '') : value;

export function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);
}
