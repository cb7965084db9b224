import type { DerivedMemory } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { contentHashOf, newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';
import { Rollback } from './rollback.ts';
import { type CommitGuards, owned, type PlannedMember, type WriteScope } from './scope.ts';

/** One fusion as a commit sees it. */
export interface Fusing {
  key: string;
  members: readonly PlannedMember[];
  derived: DerivedMemory;
  /** Who said yes to it; null when nobody was asked. */
  decidedBy: string | null;
}

/** Locks the sources in id order; each must be what was planned, and nobody may have put it away. */
export async function lockSources(
  tx: Transaction,
  scope: Pick<WriteScope, 'tenant' | 'user'>,
  members: readonly PlannedMember[],
  guards: CommitGuards,
): Promise<void> {
  const rows = await tx.rows<{ id: string; version: number; hash: string; usable: boolean }>(sql`
    select id, version, content_hash as hash,
      is_latest /* guard: sources-latest */
      and archived_at is null /* guard: sources-archived */
      as usable
    from slowwave.memories
    where id = any(${uuidArray(members.map((member) => member.id))})
      and ${owned(scope)} /* guard: sources-owner */
    order by id
    for update /* guard: sources-lock */`);
  if (!guards.sources) return;
  const found = new Map(rows.map((row) => [row.id, row]));
  const unchanged = members.every((member) => {
    const row = found.get(member.id);
    return (
      row?.usable &&
      row.version === member.version && // guard: sources-version
      row.hash === member.contentHash // guard: sources-content
    );
  });
  if (!unchanged) throw new Rollback({ status: 'stale' }); // guard: sources-judged
}

/** The derived memory, under the id that follows from the key. */
export async function insertDerived(
  tx: Transaction,
  scope: WriteScope,
  { derived: d }: Fusing,
  id: string,
): Promise<void> {
  const rows = await tx.rows(sql`
    insert into slowwave.memories (
      tenant, user_id, id, visibility, content, content_hash, category, memory_type, importance, confidence, trust, origin,
      learned_from, document_date, event_date, valid_from, valid_to, peak, anchor_at, source_chunk, metadata, created_at,
      updated_at)
    values (${scope.tenant}, ${scope.user}, ${id}::uuid, ${d.visibility}, ${d.content}, ${contentHashOf(d.content)},
      ${d.category}, 'derived', ${d.importance}, ${d.confidence}, ${d.trust}, ${d.origin}, ${d.learnedFrom},
      ${instantOf(d.documentDate)}, ${instantOf(d.eventDate)}, ${instantOf(d.validFrom)}, ${instantOf(d.validTo)},
      ${d.prominence}, ${instantOf(scope.at)}, ${d.sourceChunk}, ${JSON.stringify(d.metadata)}::jsonb, ${instantOf(scope.at)},
      ${instantOf(scope.at)})
    on conflict do nothing /* guard: derived-conflict */
    returning id`);
  if (rows.length === 0) throw new Rollback({ status: 'already', derivedId: id }); // guard: derived-once
}

/** Lineage, supersede and journal. Before-images come from the rows that were locked. @returns how many were superseded */
export async function supersede(
  tx: Transaction,
  scope: WriteScope,
  { key, derived, decidedBy }: Fusing,
  derivedId: string,
  guards: CommitGuards,
): Promise<number> {
  const { coveredIds } = derived;
  const at = instantOf(scope.at);
  const [row] = await tx.rows<{ superseded: number; linked: number }>(sql`
    with covered as (select unnest(${uuidArray(coveredIds)}) as id
    ), before as (
      select m.id, to_jsonb(m) - 'words' as image from slowwave.memories m join covered using (id) where ${owned(scope, 'm')}
    ), superseded as (
      update slowwave.memories m set is_latest = false, prior_type = memory_type, memory_type = 'superseded',
        superseded_by = ${derivedId}::uuid, version = version + 1, updated_at = ${at}
      from covered where ${owned(scope, 'm')} and m.id = covered.id
        and m.is_latest /* guard: supersede-latest */
      returning m.id, to_jsonb(m) - 'words' as image
    ), linked as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select ${scope.tenant}, ${scope.user}, ${derivedId}::uuid, id, 'DERIVES', 0.95, ${at} from covered
      returning target_id, to_jsonb(relations) as image
    ), opened as (
      insert into slowwave.change_sets (tenant, user_id, id, run_id, fusion_key, kind, actor, created_at)
      values (${scope.tenant}, ${scope.user}, ${newId(scope.at)}::uuid, ${scope.runId}::uuid, ${key}, 'fusion', ${decidedBy},
        ${at})
      returning id
    ), images as (
      select 0 as part, m.id, 'memories' as table_name, jsonb_build_object('id', m.id) as row_key,
        null::jsonb as before, to_jsonb(m) - 'words' as after
      from slowwave.memories m where ${owned(scope, 'm')} and m.id = ${derivedId}::uuid
      union all
      select 1, s.id, 'memories', jsonb_build_object('id', s.id),
        b.image, /* guard: journal-before */
        s.image
      from superseded s join before b using (id)
      union all
      select 2, l.target_id, 'relations',
        jsonb_build_object('source_id', ${derivedId}::uuid, 'target_id', l.target_id, 'relation_type', 'DERIVES'), null, l.image
      from linked l
    ), journalled as (
      insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
      select ${scope.tenant}, ${scope.user}, opened.id, row_number() over (order by part, images.id), table_name, row_key,
        before, after
      from images cross join opened
      returning 1
    )
    select (select count(*)::int from superseded) as superseded, (select count(*)::int from linked) as linked,
      (select count(*)::int from journalled) as journalled`);
  // guard: row-count
  if (guards.rowCount && row!.superseded !== coveredIds.length) throw new Rollback({ status: 'stale' });
  return row!.superseded;
}

/**
 * The ledger and the claims, and the wake-up that will embed what was derived.
 * @param of.makes the derived memory; of a merge, the one that stays
 * @param of.superseded ids of the sources that are superseded
 */
export async function markApplied(
  tx: Transaction,
  scope: WriteScope,
  of: { key: string; makes: string; superseded: readonly string[]; decidedBy: string | null; wake: boolean },
): Promise<void> {
  const at = instantOf(scope.at);
  const woken = sql`, woken as (
      update slowwave.user_tiers set due_at = ${lightDueAfterWrite(scope.at)} where ${owned(scope)} and tier = 'light'
    )`;
  await tx.rows(sql`
    with applied as (
      update slowwave.fusions set status = 'applied', derived_id = ${of.makes}::uuid, error_code = null,
        answer_state = case when output is null then answer_state else 'accepted' end, fence = ${scope.lease.fence},
        run_id = ${scope.runId}::uuid, proposal = null, review_expires_at = null, decided_by = ${of.decidedBy},
        decided_at = case when ${of.decidedBy}::text is null then null else ${at} end, updated_at = ${at}
      where ${owned(scope)} and key = ${of.key}
    ) ${of.wake ? woken : sql``}
    update slowwave.fusion_sources set
      live = false, /* guard: applied-releases */
      superseded = memory_id = any(${uuidArray(of.superseded)})
    where ${owned(scope)} and fusion_key = ${of.key}`);
}

/**
 * Puts a fusion or a merge before a person. It keeps its claims, so that nobody plans with its sources meanwhile.
 * @param proposal a DerivedMemory, or the ids of a merge
 */
export async function storeProposal(
  tx: Transaction,
  scope: WriteScope,
  of: { key: string; makes: string; proposal: object; reviewMs: number },
): Promise<void> {
  await tx.rows(sql`
    update slowwave.fusions set status = 'review', derived_id = ${of.makes}::uuid, error_code = null,
      answer_state = case when output is null then answer_state else 'accepted' end, fence = ${scope.lease.fence},
      run_id = ${scope.runId}::uuid, proposal = ${JSON.stringify(of.proposal)}::jsonb,
      review_expires_at = ${instantOf(scope.at + of.reviewMs)}, decided_by = null, decided_at = null,
      updated_at = ${instantOf(scope.at)}
    where ${owned(scope)} and key = ${of.key}`);
}
