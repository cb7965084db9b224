import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { isAmong } from '../lookups.ts';
import { type Question, theRow } from '../questions.ts';
import { JOIN_SIDES, type Owner, SIDES_ALIVE } from './columns.ts';

export const GONE = 'one of the two is no longer what it was';

/** Conflicts that may have become moot, or a question once more. */
function lookedAt(of: Owner): SQL {
  return sql`
    select c.id, c.status, ${SIDES_ALIVE} as alive from slowwave.conflicts c ${JOIN_SIDES}
    where ${owned(of, 'c')} and (c.status <> 'resolved' or c.resolved_by = 'gone')`;
}

/** Whether settleGone would change something, and what waits: for a label, and for a person. */
export function askConflicts(of: Owner): Question<{ moot: boolean; reported: number; open: number }> {
  return theRow(sql`
    select coalesce(bool_or(alive = (status = 'resolved')), false) as moot,
      count(*) filter (where status = 'reported')::int as reported, count(*) filter (where status = 'open')::int as open
    from (${lookedAt(of)}) looked`);
}

const isLooked = (which: SQL): SQL => isAmong(sql`c.id`, sql`select id from looked where ${which}`);

/**
 * Settles what no longer is a question, because one of the two was superseded or says something else, and takes up again what is one
 * once more, because that was undone. One statement; a second call changes nothing.
 * @param of.at epoch ms
 */
export async function settleGone(
  tx: Transaction,
  of: Owner & { at: number },
): Promise<{ gone: number; revived: number }> {
  const [row] = await tx.rows<{ gone: number; revived: number }>(sql`
    with looked as materialized (${lookedAt(of)}), gone as (
      update slowwave.conflicts c set status = 'resolved', resolved_by = 'gone', resolved_at = ${instantOf(of.at)},
        resolution = ${GONE}
      where ${owned(of, 'c')} and c.status <> 'resolved' and ${isLooked(sql`not alive`)}
      returning 1
    ), revived as (
      update slowwave.conflicts c set resolved_by = null, resolved_at = null, resolution = null,
        status = case when c.type in ('contradictory', 'ambiguous') then 'open' else 'reported' end
      where ${owned(of, 'c')} and c.status = 'resolved' and c.resolved_by = 'gone' and ${isLooked(sql`alive`)}
      returning 1
    )
    select (select count(*)::int from gone) as gone, (select count(*)::int from revived) as revived`);
  return row!;
}
