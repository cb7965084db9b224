import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { imageOf, journalled } from '../journal.ts';
import { prominenceOf } from '../memories/candidates.ts';
import { REINFORCEMENT } from '../memories/operations.ts';
import { nextCrossingOf, wakeLightBy } from '../memories/wake-light.ts';
import { markApplied } from './apply.ts';
import { Rollback } from './rollback.ts';
import { type CommitGuards, type Failpoints, owned, type PlannedMerge, type WriteScope } from './scope.ts';

/** Confidence of the relation from the memory that stays to its duplicate. */
const LINK_CONFIDENCE = 0.95;

/**
 * Locks both memories in id order. Each must be what was compared, and they may differ neither in who said them nor in who may see
 * them: one cannot stand for the other then.
 */
export async function lockPair(
  tx: Transaction,
  scope: Pick<WriteScope, 'tenant' | 'user'>,
  { keep, drop }: PlannedMerge,
  guards: CommitGuards,
): Promise<void> {
  interface Row {
    id: string;
    version: number;
    hash: string;
    usable: boolean;
    origin: string;
    visibility: string;
  }
  const rows = await tx.rows<Row>(sql`
    select id, version, content_hash as hash, is_latest and archived_at is null as usable, origin, visibility
    from slowwave.memories
    where ${owned(scope)} and id = any(${uuidArray([keep.id, drop.id])})
    order by id
    for update`);
  if (!guards.sources) return;
  const unchanged = [keep, drop].every((member) => {
    const row = rows.find(({ id }) => id === member.id);
    return row?.usable && row.version === member.version && row.hash === member.contentHash;
  });
  if (!unchanged) throw new Rollback({ status: 'stale' }); // guard: merge-sources
  const [one, other] = rows;
  const alike = one?.origin === other?.origin && one?.visibility === other?.visibility;
  if (!alike) throw new Rollback({ status: 'stale' }); // guard: merge-alike
}

const CONFIRMED = ['peak', 'anchor_at', 'demotion', 'confirmations', 'document_date', 'updated_at'];
const SUPERSEDED = ['is_latest', 'prior_type', 'memory_type', 'superseded_by', 'version', 'updated_at'];

/**
 * The writes of a merge, its ledger row and both memories being locked and found as planned: one memory is confirmed, by the formula of
 * every confirmation, the other is superseded by it, and the journal says how both were before. A statement that was said again has one
 * more source from then on, and with it another last day of saying.
 */
export async function applyMerge(
  tx: Transaction,
  scope: WriteScope,
  of: { key: string; pair: PlannedMerge; decidedBy: string | null },
  { guards, reach }: { guards: CommitGuards; reach: Failpoints },
): Promise<void> {
  const { key, decidedBy } = of;
  const [keepId, dropId] = [of.pair.keep.id, of.pair.drop.id];
  const at = instantOf(scope.at);
  const entry = { ...scope, kind: 'merge' as const, fusionKey: key, actor: decidedBy };
  const [row] = await tx.rows<{ confirmed: number; superseded: number }>(sql`
    with kept as (
      select m.id, m.memory_type = 'derived' as derived, ${prominenceOf(scope.at)} as prominence, ${imageOf('m', CONFIRMED)} as image
      from slowwave.memories m where ${owned(scope, 'm')} and m.id = ${keepId}::uuid
    ), dropped as (
      select m.id, m.document_date as said, ${imageOf('m', SUPERSEDED)} as image
      from slowwave.memories m where ${owned(scope, 'm')} and m.id = ${dropId}::uuid
    ), confirmed as (
      update slowwave.memories m set peak = least(1, k.prominence + ${REINFORCEMENT}::float8 * (1 - k.prominence)),
        anchor_at = ${at}, demotion = 1, confirmations = m.confirmations + 1, updated_at = ${at},
        document_date = case when k.derived then greatest(m.document_date, d.said) else m.document_date end
      from kept k cross join dropped d where ${owned(scope, 'm')} and m.id = k.id and m.is_latest
      returning m.id, ${nextCrossingOf('m', scope.at)} as next, k.image as before, ${imageOf('m', CONFIRMED)} as after
    ), superseded as (
      update slowwave.memories m set is_latest = false, prior_type = m.memory_type, memory_type = 'superseded',
        superseded_by = ${keepId}::uuid, version = m.version + 1, updated_at = ${at}
      from dropped d where ${owned(scope, 'm')} and m.id = d.id and m.is_latest
      returning m.id, d.image as before, ${imageOf('m', SUPERSEDED)} as after
    ), linked as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select ${scope.tenant}, ${scope.user}, ${keepId}::uuid, ${dropId}::uuid, case when derived then 'DERIVES' else 'UPDATES' end,
        ${LINK_CONFIDENCE}, ${at}
      from kept
      -- They may have been linked like that before; then the link is not this merge's to take back.
      on conflict do nothing
      returning relation_type, to_jsonb(relations) as image
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, before, after from confirmed
      union all
      select 'memories', jsonb_build_object('id', id), before, after from superseded
      union all
      select 'relations',
        jsonb_build_object('source_id', ${keepId}::uuid, 'target_id', ${dropId}::uuid, 'relation_type', relation_type), null, image
      from linked
    ), ${journalled(entry)}, woken as (
      ${wakeLightBy(scope, scope.at, sql`(select next from confirmed)`)}
    )
    select (select count(*)::int from confirmed) as confirmed, (select count(*)::int from superseded) as superseded`);
  // guard: merge-row-count
  if (guards.rowCount && (row!.confirmed !== 1 || row!.superseded !== 1))
    throw new Rollback({ status: 'stale' });
  await reach('after-supersede');
  await markApplied(tx, scope, { key, makes: keepId, superseded: [dropId], decidedBy, wake: false });
  await reach('after-marked');
}
