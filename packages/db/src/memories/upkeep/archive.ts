import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../database.ts';
import { owned } from '../../fusions/scope.ts';
import { instantOf } from '../../instants.ts';
import { imageOf, journalled } from '../../journal.ts';
import { type Question, theRow } from '../../questions.ts';
import { prominenceOf } from '../candidates.ts';

const DAY_MS = 86_400_000;
export const ARCHIVE_MIN_AGE_MS = 14 * DAY_MS;
/** Below this utility a memory is no longer worth being looked at first. */
export const ARCHIVE_BELOW = 0.03;
export const ARCHIVE_LIMIT = 50;

/** What a row called m is still good for: prominence × ln(2 + confirmations). */
export function utilityOf(at: number): SQL {
  return sql`${prominenceOf(at)} * ln(2 + m.confirmations::float8)`;
}

export interface ArchiveCounts {
  /** Nearly faded (prominence below 0.05), older than 14 days, latest, not archived, not of the static profile. */
  considered: number;
  /** Of these: of too little use. */
  belowUtility: number;
  /** Of those: left alone, since a fusion works on them. */
  claimed: number;
  archived: number;
}

const COLUMNS = ['archived_at', 'updated_at'];

/**
 * Archives the memories of least use, the lowest first. The rows stay latest, readable and of the same version; recall looks there
 * only when nothing better is found. Journalled.
 * @param input.at epoch ms
 * @param input.limit most memories archived; 50 without one
 */
export async function archiveLowUtility(
  tx: Transaction,
  input: { tenant: string; user: string; at: number; runId: string | null; limit?: number },
): Promise<ArchiveCounts> {
  const at = instantOf(input.at);
  const faded = fadedOf(input);
  const useless = sql`${utilityOf(input.at)} < ${ARCHIVE_BELOW}::float8`;
  const [row] = await tx.rows<ArchiveCounts>(sql`
    with considered as materialized (${consideredOf(input)}), picked as (
      -- Judged again under the lock: somebody may have confirmed it meanwhile.
      select m.id, ${imageOf('m', COLUMNS)} as image from slowwave.memories m
      where ${faded} and ${useless} and m.id = any(array(
        select id from considered where utility < ${ARCHIVE_BELOW}::float8 and not claimed
        order by utility, id limit ${input.limit ?? ARCHIVE_LIMIT}))
      order by m.id
      for no key update
    ), archived as (
      update slowwave.memories m set archived_at = ${at}, updated_at = ${at}
      from picked p where ${owned(input, 'm')} and m.id = p.id
      returning m.id, p.image as before, ${imageOf('m', COLUMNS)} as after
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, before, after from archived
    ), ${journalled({ ...input, kind: 'archive' })}
    select ${COUNTED}, (select count(*)::int from archived) as archived
    from considered`);
  return row!;
}

/** What archiveLowUtility would look at. It archives those that are below the utility and not claimed. */
export function askArchive(input: { tenant: string; user: string; at: number }): Question<ArchiveCounts> {
  return theRow(sql`select ${COUNTED}, 0 as archived from (${consideredOf(input)}) considered`);
}

/**
 * ln(2 + confirmations) is at least 0.69, so a utility below 0.03 means a prominence below 0.044, and all of these have crossed 0.05 (and
 * 0.8 before): a range of the index on those two. The static profile crosses nothing.
 */
function fadedOf(input: { tenant: string; user: string; at: number }): SQL {
  const at = instantOf(input.at);
  return sql`${owned(input, 'm')} and m.is_latest and m.archived_at is null and m.crosses_080_at < ${at}
    and m.crosses_005_at < ${at} and m.created_at < ${instantOf(input.at - ARCHIVE_MIN_AGE_MS)}`;
}

function consideredOf(input: { tenant: string; user: string; at: number }): SQL {
  const claimed = sql`exists (select 1 from slowwave.fusion_sources s where ${owned(input, 's')} and s.memory_id = m.id and s.live)`;
  return sql`
    select m.id, ${utilityOf(input.at)} as utility, ${claimed} as claimed from slowwave.memories m where ${fadedOf(input)}`;
}

const COUNTED = sql`count(*)::int as considered, count(*) filter (where utility < ${ARCHIVE_BELOW}::float8)::int as "belowUtility",
  count(*) filter (where utility < ${ARCHIVE_BELOW}::float8 and claimed)::int as claimed`;
