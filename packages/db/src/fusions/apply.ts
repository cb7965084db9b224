import type { DerivedMemory } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { contentHashOf, newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';
import { Rollback } from './rollback.ts';
import { type CommitGuards, owned, type PlannedMember, type WriteScope } from './scope.ts';

/** What one commit writes under one key of the ledger. */
export interface Fusing {
  key: string;
  /** Id of the derived memory. */
  makes: string;
  derived: DerivedMemory;
  /** Who said yes to it; null when nobody was asked. */
  decidedBy: string | null;
}

/** Locks the sources in id order; each must be what was planned. One that was archived since is a source as well: nothing of it is lost. */
export async function lockSources(
  tx: Transaction,
  scope: Pick<WriteScope, 'tenant' | 'user'>,
  members: readonly PlannedMember[],
  guards: CommitGuards,
): Promise<void> {
  const rows = await tx.rows<{ id: string; version: number; hash: string; usable: boolean }>(sql`
    select id, version, content_hash as hash,
      is_latest /* guard: sources-latest */ as usable
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

/** The derived memories, each under the id that follows from its key; one statement whatever their number. */
export async function insertDerived(
  tx: Transaction,
  scope: WriteScope,
  fusings: readonly Fusing[],
): Promise<void> {
  const made = fusings.map(({ makes, derived: d }) => ({
    ...d,
    id: makes,
    hash: contentHashOf(d.content),
    documentDate: numberText(d.documentDate),
    eventDate: numberText(d.eventDate),
    validFrom: numberText(d.validFrom),
    validTo: numberText(d.validTo),
  }));
  const at = instantOf(scope.at);
  const rows = await tx.rows(sql`
    insert into slowwave.memories (
      tenant, user_id, id, visibility, content, content_hash, category, memory_type, importance, confidence, trust, origin,
      learned_from, document_date, event_date, valid_from, valid_to, peak, anchor_at, source_chunk, metadata, created_at,
      updated_at)
    select ${scope.tenant}, ${scope.user}, id, visibility, content, hash, category, 'derived', importance, confidence, trust, origin,
      "learnedFrom", to_timestamp("documentDate" / 1000), to_timestamp("eventDate" / 1000), to_timestamp("validFrom" / 1000),
      to_timestamp("validTo" / 1000), prominence, ${at}, "sourceChunk", metadata, ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as d(
      id uuid, visibility text, content text, hash text, category text, importance float8, confidence float8, trust float8,
      origin text, "learnedFrom" text, "documentDate" float8, "eventDate" float8, "validFrom" float8,
      "validTo" float8, prominence float8, "sourceChunk" text, metadata jsonb)
    order by id
    on conflict do nothing /* guard: derived-conflict */
    returning id`);
  if (rows.length < made.length) throw new Rollback({ status: 'already', derivedId: made[0]!.id }); // guard: derived-once
}

/** JSON has no infinity. */
const numberText = (value: number | null): string | null => (value === null ? null : String(value));

/**
 * Lineage, supersede and journal, a change set for each derived memory; one statement whatever their number. Before-images come from the
 * rows that were locked. @returns how many were superseded
 */
export async function supersede(
  tx: Transaction,
  scope: WriteScope,
  fusings: readonly Fusing[],
  guards: CommitGuards,
): Promise<number> {
  const sets = fusings.map(({ key, makes, decidedBy }) => ({ key, makes, decidedBy, id: newId(scope.at) }));
  const pairs = fusings.flatMap(({ makes, derived }) => derived.coveredIds.map((id) => ({ makes, id })));
  const at = instantOf(scope.at);
  const [row] = await tx.rows<{ superseded: number; linked: number }>(sql`
    with covered as materialized (
      select id, makes from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as c(id uuid, makes uuid)
    ), sets as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(sets)}::jsonb) as s(id uuid, key text, makes uuid, "decidedBy" text)
    ), before as (
      select m.id, to_jsonb(m) - 'words' as image from slowwave.memories m join covered using (id) where ${owned(scope, 'm')}
    ), superseded as (
      update slowwave.memories m set is_latest = false, prior_type = memory_type, memory_type = 'superseded',
        superseded_by = covered.makes, version = version + 1, updated_at = ${at}
      from covered where ${owned(scope, 'm')} and m.id = covered.id
        and m.is_latest /* guard: supersede-latest */
      returning m.id, m.superseded_by as makes, to_jsonb(m) - 'words' as image
    ), linked as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select ${scope.tenant}, ${scope.user}, makes, id, 'DERIVES', 0.95, ${at} from covered
      returning source_id, target_id, to_jsonb(relations) as image
    ), opened as (
      insert into slowwave.change_sets (tenant, user_id, id, run_id, fusion_key, kind, actor, created_at)
      select ${scope.tenant}, ${scope.user}, id, ${scope.runId}::uuid, key, 'fusion', "decidedBy", ${at} from sets
      returning id
    ), images as (
      select 0 as part, s.makes, m.id, 'memories' as table_name, jsonb_build_object('id', m.id) as row_key,
        null::jsonb as before, to_jsonb(m) - 'words' as after
      from sets s join slowwave.memories m on ${owned(scope, 'm')} and m.id = s.makes
      union all
      select 1, s.makes, s.id, 'memories', jsonb_build_object('id', s.id),
        b.image, /* guard: journal-before */
        s.image
      from superseded s join before b using (id)
      union all
      select 2, l.source_id, l.target_id, 'relations',
        jsonb_build_object('source_id', l.source_id, 'target_id', l.target_id, 'relation_type', 'DERIVES'), null, l.image
      from linked l
    ), journalled as (
      insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
      select ${scope.tenant}, ${scope.user}, opened.id, row_number() over (partition by opened.id order by part, images.id),
        table_name, row_key, before, after
      from images join sets using (makes) join opened on opened.id = sets.id
      returning 1
    )
    select (select count(*)::int from superseded) as superseded, (select count(*)::int from linked) as linked,
      (select count(*)::int from journalled) as journalled`);
  // guard: row-count
  if (guards.rowCount && row!.superseded !== pairs.length) throw new Rollback({ status: 'stale' });
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
        fence = ${scope.lease.fence},
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
 * Puts a merge before a person. It keeps its claims, so that no run plans with its sources meanwhile.
 * @param of.proposal the ids of the merge
 */
export async function storeProposal(
  tx: Transaction,
  scope: WriteScope,
  of: { key: string; makes: string; proposal: object; reviewMs: number },
): Promise<void> {
  await tx.rows(sql`
    update slowwave.fusions set status = 'review', derived_id = ${of.makes}::uuid, error_code = null,
      fence = ${scope.lease.fence},
      run_id = ${scope.runId}::uuid, proposal = ${JSON.stringify(of.proposal)}::jsonb,
      review_expires_at = ${instantOf(scope.at + of.reviewMs)}, decided_by = null, decided_at = null,
      updated_at = ${instantOf(scope.at)}
    where ${owned(scope)} and key = ${of.key}`);
}
