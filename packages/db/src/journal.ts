import { type SQL, sql } from 'drizzle-orm';
import { newId } from './ids.ts';
import { instantOf } from './instants.ts';
import type { CHANGE_KINDS } from './schema/ledger.ts';

export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** What a change set says of itself. */
export interface ChangeSetEntry {
  tenant: string;
  user: string;
  /** Epoch ms. */
  at: number;
  kind: ChangeKind;
  runId: string | null;
  fusionKey?: string | null;
  /** Of the change set, where the caller has to know it before. */
  changeSetId?: string;
  /** Who asked for it, as the caller named them; absent or null for the tiers themselves. */
  actor?: string | null;
}

/** An image of some columns of a row, under the columns' own names. `alias` is the row's name in the statement. */
export function imageOf(alias: string, columns: readonly string[]): SQL {
  const pairs = columns.map((column) => `'${column}', ${alias}.${column}`);
  return sql.raw(`jsonb_build_object(${pairs.join(', ')})`);
}

/**
 * The end of a WITH list that writes one change set about what the statement itself changes, so that there is no change without its
 * journal. It reads a part named `images` with the columns table_name, row_key (jsonb), before and after (jsonb, null where the row
 * did not exist), and writes nothing at all when that is empty.
 */
export function journalled(entry: ChangeSetEntry): SQL {
  const { tenant, user, at, kind, runId, changeSetId = newId(at), fusionKey = null, actor = null } = entry;
  return sql`opened as (
      insert into slowwave.change_sets (tenant, user_id, id, run_id, fusion_key, kind, actor, created_at)
      select ${tenant}, ${user}, ${changeSetId}::uuid, ${runId}::uuid, ${fusionKey}::text, ${kind}, ${actor}::text, ${instantOf(at)}
      where exists (select 1 from images)
      returning id
    ), journalled as (
      insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
      select ${tenant}, ${user}, opened.id, row_number() over (order by images.table_name, images.row_key), images.table_name,
        images.row_key, images.before, images.after
      from images cross join opened
    )`;
}
