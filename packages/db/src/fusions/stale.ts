import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Database, Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { anyRow, type Question } from '../questions.ts';
import { type FusionScope, owned } from './scope.ts';

type Owner = Pick<FusionScope, 'tenant' | 'user'>;

/** Waiting for an answer, for the commit or for a person. */
const IS_OPEN = sql.raw(`f.status in ('planned', 'generated', 'review')`);

/**
 * Marks a fusion whose sources changed under it: a later plan makes a new one of them.
 * @param options.evenFailed also one that had failed for good, when another fusion of the same sources took its place
 */
export async function markStale(
  database: Database,
  scope: Owner & { at: number },
  key: string,
  options: { evenFailed?: boolean } = {},
): Promise<void> {
  await database.withTenant(scope.tenant, (tx) =>
    tx.rows(sql`with ${staled(scope, sql`f.key = ${key}`, options)} select 1`),
  );
}

/**
 * For a caller that changes memories: those of the given fusions that are open and have one of the memories as a source are stale from here on,
 * and planned anew from what the memories say then. To be called with the fusions locked, and before memories are removed, since their part
 * in fusions goes with them.
 * @param of.at epoch ms
 * @param input.keys of the fusions; others would have to be locked before the memories are
 */
export async function staleFusionsOver(
  tx: Transaction,
  of: Owner & { at: number },
  { keys, memoryIds }: { keys: readonly string[]; memoryIds: readonly string[] },
): Promise<void> {
  if (keys.length === 0 || memoryIds.length === 0) return;
  const over = openFusionsOver(of, uuidArray(memoryIds));
  const given = sql`f.key = any(${`{${keys.join(',')}}`}::text[])`;
  await tx.rows(sql`with ${staled(of, sql`${given} and f.key = any(array(${over}))`)} select 1`);
}

/**
 * Fusions that no run can finish any more are stale from here on: they were planned under an earlier hold on the user, and a source is gone, superseded
 * or changed since. A job that ended on its way left them behind, and the plans after it took other ways.
 *
 * @param of.at epoch ms
 * @param of.fence of the hold under which this is called
 */
export async function staleLeftFusions(
  tx: Transaction,
  of: Owner & { at: number; fence: number },
): Promise<void> {
  const changed = sql`exists (
    select 1 from slowwave.fusion_sources s
    left join slowwave.memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
      and m.is_latest and m.content_hash = s.content_hash and m.version = s.version
    where ${owned(of, 's')} and s.fusion_key = f.key and m.id is null)`;
  const left = sql`f.status <> 'review'
    and f.fence < ${of.fence} /* guard: left-fence */
    and ${changed} /* guard: left-changed */`;
  await tx.rows(sql`with ${staled(of, left)} select 1`);
}

/** Whether any fusion waits for an answer or its commit: where none does before a run, nothing can be left for it to close. */
export function askOpenFusions(of: Owner): Question<boolean> {
  return anyRow(
    sql`select 1 from slowwave.fusions f where ${owned(of, 'f')} and f.status in ('planned', 'generated')`,
  );
}

/** A SELECT of the keys of open fusions that have one of these memories as a source. @param memoryIds uuid[] */
export function openFusionsOver(of: Owner, memoryIds: SQL): SQL {
  return sql`select f.key from slowwave.fusion_sources s
    join slowwave.fusions f on ${owned(of, 'f')} and f.key = s.fusion_key
    where ${owned(of, 's')} and s.live and s.memory_id = any(${memoryIds}) and ${IS_OPEN}`;
}

/**
 * The parts of a WITH list that make open fusions stale and let go of all their sources. A later part may read their keys from `stale`.
 * @param of.at epoch ms
 * @param which condition on the fusions, called f
 */
export function staled(
  of: Owner & { at: number },
  which: SQL,
  { evenFailed = false }: { evenFailed?: boolean } = {},
): SQL {
  return sql`stale as (
      update slowwave.fusions f set status = 'stale', error_code = null, proposal = null, review_expires_at = null,
        updated_at = ${instantOf(of.at)}
      where ${owned(of, 'f')}
        and (${IS_OPEN} or (f.status = 'failed' and ${evenFailed})) /* guard: stale-open */
        and ${which}
      returning f.key
    ), released as (
      update slowwave.fusion_sources s set live = false
      where ${owned(of, 's')} and s.live and s.fusion_key = any(array(select key from stale))
    )`;
}
