import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Database, Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { type FusionScope, owned } from './scope.ts';

/**
 * Marks a fusion whose sources changed under it: a later plan makes a new one of them.
 * @param options.evenFailed also one that had failed for good, when another fusion of the same sources took its place
 */
export async function markStale(
  database: Database,
  scope: Pick<FusionScope, 'tenant' | 'user' | 'at'>,
  key: string,
  options: { evenFailed?: boolean } = {},
): Promise<void> {
  await database.withTenant(scope.tenant, (tx) =>
    tx.rows(sql`
      with stale as (
        update slowwave.fusions set status = 'stale', error_code = null, proposal = null, review_expires_at = null,
          updated_at = ${instantOf(scope.at)}
        where ${owned(scope)} and key = ${key}
          and (status in ('planned', 'generated', 'review') or (status = 'failed' and ${options.evenFailed ?? false}))
        returning 1
      )
      update slowwave.fusion_sources set live = false
      where ${owned(scope)} and fusion_key = ${key} and live and exists (select 1 from stale)`),
  );
}

/**
 * For whoever changes memories: every open fusion that has one of them as a source, waiting for its answer, its commit or a person, is
 * stale from here on and lets go of all its sources. Locks rows of the ledger in the order of their keys: to be called before the
 * memories are locked, as a commit does.
 * @param input.at epoch ms
 * @returns the keys of the fusions
 */
export async function staleFusionsOver(
  tx: Transaction,
  input: { tenant: string; user: string; memoryIds: readonly string[]; at: number },
): Promise<string[]> {
  const rows = await tx.rows<{ key: string }>(sql`
    with open as materialized (
      select f.key from slowwave.fusions f
      where ${owned(input, 'f')} and f.status in ('planned', 'generated', 'review') and f.key = any(array(
        select s.fusion_key from slowwave.fusion_sources s
        where ${owned(input, 's')} and s.live and s.memory_id = any(${uuidArray(input.memoryIds)})))
      order by f.key
      for update
    ), stale as (
      update slowwave.fusions f set status = 'stale', error_code = null, proposal = null, review_expires_at = null,
        updated_at = ${instantOf(input.at)}
      from open where ${owned(input, 'f')} and f.key = open.key
    ), released as (
      update slowwave.fusion_sources s set live = false
      from open where ${owned(input, 's')} and s.fusion_key = open.key and s.live
    )
    select key from open order by key`);
  return rows.map(({ key }) => key);
}
