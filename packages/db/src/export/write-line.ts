import type { ExportColumn } from './columns.ts';
import type { ExportKind } from './kinds.ts';
import { MEMORY_KIND } from './kinds.ts';
import { SAID_COLUMNS, STATE_COLUMNS } from './memory-shape.ts';

/** A row as the database gives it, under its columns' names. */
export type Row = Record<string, unknown>;
export interface Owner {
  tenant: string;
  user: string;
}

/** The database writes instants of a session in UTC with +00:00. */
const instantText = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/\+00:00$/, 'Z') : value;

/** Fields in the order of their columns; what is null is left out. */
function fieldsOf(row: Row, columns: readonly ExportColumn[]): Record<string, unknown> {
  const fields: [string, unknown][] = [];
  for (const { column, field, shape } of columns) {
    const value = row[column] ?? null;
    if (value !== null) fields.push([field, shape === 'instant' ? instantText(value) : value]);
  }
  // Not by assignment: a field may have any name.
  return Object.fromEntries(fields);
}

/** One row as a line, without its end. */
export function lineOfRow(kind: ExportKind, owner: Owner, row: Row): string {
  if (kind !== MEMORY_KIND)
    return JSON.stringify({ kind: kind.kind, ...owner, ...fieldsOf(row, kind.columns) });
  const said = fieldsOf(row, SAID_COLUMNS);
  return JSON.stringify({ kind: kind.kind, ...owner, ...said, state: fieldsOf(row, STATE_COLUMNS) });
}

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

export interface UserRow {
  id: string;
  timezone: string;
  quiet_start: number;
  quiet_end: number;
  mode: string;
  conflict_policy: string;
  created_at: string;
  /** Tiers that are paused for this user. */
  paused: string[];
}

/** The line that opens a user: what any import file may say, and the rest under `state`. */
export function lineOfUser(tenant: string, row: UserRow): string {
  return JSON.stringify({
    kind: 'user',
    tenant,
    user: row.id,
    timezone: row.timezone,
    quietStart: clock(row.quiet_start),
    quietEnd: clock(row.quiet_end),
    state: {
      mode: row.mode,
      conflictPolicy: row.conflict_policy,
      createdAt: instantText(row.created_at),
      ...(row.paused.length === 0 ? {} : { paused: row.paused }),
    },
  });
}
