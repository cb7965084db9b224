import type { RunStatus, Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { decodeCursor, type ListPage, pageOf } from '../paging.ts';
import { RUN_COLUMNS, RUNS_PER_LIST_MAX, type Run } from './run-records.ts';

const CURSOR = { list: 'runs', key: { at: 'instant', id: 'uuid' } } as const;

export interface RunFilter {
  tenant: string;
  /** Absent: everybody of the tenant. */
  user?: string | undefined;
  tier?: Tier | undefined;
  status?: RunStatus | undefined;
  /** At most RUNS_PER_LIST_MAX, a larger one is cut. */
  limit: number;
  cursor?: string | undefined;
}

/** Runs of a user or of a whole tenant, newest first. @throws InputError for a cursor of another list */
export async function pageRuns(tx: Transaction, filter: RunFilter): Promise<ListPage<Run>> {
  const limit = Math.max(1, Math.min(RUNS_PER_LIST_MAX, Math.floor(filter.limit)));
  const after = decodeCursor(CURSOR, filter.cursor);
  const conditions: SQL[] = [sql`r.tenant = ${filter.tenant}`];
  if (filter.user !== undefined) conditions.push(sql`r.user_id = ${filter.user}`);
  if (filter.tier !== undefined) conditions.push(sql`r.tier = ${filter.tier}`);
  if (filter.status !== undefined) conditions.push(sql`r.status = ${filter.status}`);
  if (after) conditions.push(sql`(r.requested_at, r.id) < (${instantOf(after.at)}, ${after.id}::uuid)`);
  const rows = await tx.rows<Run>(sql`
    select ${RUN_COLUMNS} from slowwave.runs r
    where ${sql.join(conditions, sql` and `)}
    order by r.requested_at desc, r.id desc
    limit ${limit + 1}`);
  return pageOf(CURSOR, rows, limit, ({ requestedAt, id }) => ({ at: requestedAt, id }));
}

/** How the change sets of a run stand. */
export interface RunChanges {
  total: number;
  /** Taken back, and not made good again. */
  undone: number;
  /** Can still be taken back, unless something later stands on one of them. */
  undoable: number;
}

/** Counts what a run changed. */
export async function countRunChanges(
  tx: Transaction,
  of: { tenant: string; user: string; runId: string },
): Promise<RunChanges> {
  const [counted] = await tx.rows<RunChanges>(sql`
    select count(*)::int as total, count(*) filter (where undone_by is not null)::int as undone,
      count(*) filter (where undone_by is null and images_dropped_at is null)::int as undoable
    from slowwave.change_sets
    where tenant = ${of.tenant} and user_id = ${of.user} and run_id = ${of.runId}::uuid and kind not in ('undo', 'redo')`);
  return counted!;
}
