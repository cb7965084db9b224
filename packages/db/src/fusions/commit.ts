import type { Cluster, CommitResult, DerivedMemory } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Database, Transaction } from '../database.ts';
import { DatabaseError } from '../errors.ts';
import { contentHashOf, derivedIdOf, newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';
import { markStale } from './answer.ts';
import { skipReasonOf } from './claim.ts';
import {
  ALL_GUARDS,
  type CommitGuards,
  type Failpoints,
  type FusionScope,
  leaseHeld,
  owned,
} from './scope.ts';

export interface CommitOptions {
  guards?: Partial<CommitGuards>;
  failpoints?: Failpoints;
}

interface CommitInput {
  key: string;
  cluster: Cluster;
  derived: DerivedMemory;
}

/** Thrown to roll back; becomes the outcome. */
class Rollback extends Error {
  readonly result: CommitResult;
  constructor(result: CommitResult) {
    super('rolled back');
    this.result = result;
  }
}

/**
 * One short transaction of a constant number of round trips: the derived memory, its lineage, the superseded sources, the journal
 * and the ledger, or nothing. Safe to call again after an unknown end: it finds what it applied.
 */
export async function commitFusion(
  database: Database,
  scope: FusionScope,
  input: CommitInput,
  options: CommitOptions = {},
): Promise<CommitResult> {
  const guards = { ...ALL_GUARDS, ...options.guards };
  const reach: Failpoints = options.failpoints ?? (() => undefined);
  await reach('before-transaction');
  const result = await attempt(database, scope, input, guards, reach);
  if (result.status === 'stale') await markStale(database, scope, input.key);
  await reach('after-commit');
  return result;
}

async function attempt(
  database: Database,
  scope: FusionScope,
  input: CommitInput,
  guards: CommitGuards,
  reach: Failpoints,
): Promise<CommitResult> {
  try {
    return await database.withTenant(scope.tenant, async (tx) => {
      const derivedId = guards.contentKey
        ? derivedIdOf(input.key, input.cluster.members)
        : newId(input.derived.documentDate);
      await checkLedgerAndLease(tx, scope, input.key, derivedId, guards);
      await reach('after-ledger');
      await lockSources(tx, scope, input.cluster, guards);
      await reach('after-sources');
      await insertDerived(tx, scope, input, derivedId);
      await reach('after-derived');
      const superseded = await supersede(tx, scope, input, derivedId, guards);
      await reach('after-supersede');
      await markApplied(tx, scope, input, derivedId);
      await reach('after-applied');
      return { status: 'applied', derivedId, superseded };
    });
  } catch (error) {
    if (error instanceof Rollback) return error.result;
    // The schema is the last defence: a source that another fusion superseded meanwhile.
    if (error instanceof DatabaseError && error.constraint === 'fusion_sources_superseded')
      return { status: 'stale' };
    throw error;
  }
}

/** Statements 0 and 1: locks the ledger row and the lease, and judges both. */
async function checkLedgerAndLease(
  tx: Transaction,
  scope: FusionScope,
  key: string,
  derivedId: string,
  guards: CommitGuards,
): Promise<void> {
  const [row] = await tx.rows<{ status: string | null; held: boolean }>(sql`
    with ledger as (select status from slowwave.fusions where ${owned(scope)} and key = ${key} for update)
    select (select status from ledger) as status, ${leaseHeld(scope)} as held`);
  const status = row?.status ?? undefined;
  if (guards.ledger && status === 'applied') throw new Rollback({ status: 'already', derivedId });
  if (guards.lease && !row?.held) throw new Rollback({ status: 'lease_lost' });
  if (guards.ledger && status === 'stale') throw new Rollback({ status: 'stale' });
  if (guards.ledger && status !== 'planned' && status !== 'generated') {
    throw new Rollback({ status: 'stopped', reason: skipReasonOf(status) });
  }
}

/** Statement 2: locks the sources in id order; each must be what was planned. */
async function lockSources(
  tx: Transaction,
  scope: FusionScope,
  cluster: Cluster,
  guards: CommitGuards,
): Promise<void> {
  const rows = await tx.rows<{ id: string; version: number; hash: string; latest: boolean }>(sql`
    select id, version, content_hash as hash, is_latest as latest from slowwave.memories
    where ${owned(scope)} and id = any(${uuidArray(cluster.members.map((member) => member.id))})
    order by id
    for update`);
  if (!guards.sources) return;
  const found = new Map(rows.map((row) => [row.id, row]));
  const unchanged = cluster.members.every((member) => {
    const row = found.get(member.id);
    return row?.latest && row.version === member.version && row.hash === member.contentHash;
  });
  if (!unchanged) throw new Rollback({ status: 'stale' });
}

/** Statement 3: the derived memory, under the id that follows from the key. */
async function insertDerived(
  tx: Transaction,
  scope: FusionScope,
  input: CommitInput,
  id: string,
): Promise<void> {
  const d = input.derived;
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
    on conflict do nothing
    returning id`);
  if (rows.length === 0) throw new Rollback({ status: 'already', derivedId: id });
}

/** Statement 4: lineage, supersede and journal. Before-images come from the rows that statement 2 locked. */
async function supersede(
  tx: Transaction,
  scope: FusionScope,
  input: CommitInput,
  derivedId: string,
  guards: CommitGuards,
): Promise<number> {
  const { coveredIds } = input.derived;
  const at = instantOf(scope.at);
  const [row] = await tx.rows<{ superseded: number; linked: number }>(sql`
    with covered as (select unnest(${uuidArray(coveredIds)}) as id
    ), before as (
      select m.id, to_jsonb(m) - 'words' as image from slowwave.memories m join covered using (id) where ${owned(scope, 'm')}
    ), superseded as (
      update slowwave.memories m set is_latest = false, prior_type = memory_type, memory_type = 'superseded',
        superseded_by = ${derivedId}::uuid, version = version + 1, updated_at = ${at}
      from covered where ${owned(scope, 'm')} and m.id = covered.id and m.is_latest
      returning m.id, to_jsonb(m) - 'words' as image
    ), linked as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select ${scope.tenant}, ${scope.user}, ${derivedId}::uuid, id, 'DERIVES', 0.95, ${at} from covered
      returning target_id, to_jsonb(relations) as image
    ), opened as (
      insert into slowwave.change_sets (tenant, user_id, id, run_id, fusion_key, kind, created_at)
      values (${scope.tenant}, ${scope.user}, ${newId(scope.at)}::uuid, ${scope.runId}::uuid, ${input.key}, 'fusion', ${at})
      returning id
    ), images as (
      select 0 as part, m.id, 'memories' as table_name, jsonb_build_object('id', m.id) as row_key,
        null::jsonb as before, to_jsonb(m) - 'words' as after
      from slowwave.memories m where ${owned(scope, 'm')} and m.id = ${derivedId}::uuid
      union all
      select 1, s.id, 'memories', jsonb_build_object('id', s.id), b.image, s.image from superseded s join before b using (id)
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
  if (guards.rowCount && row!.superseded !== coveredIds.length) throw new Rollback({ status: 'stale' });
  return row!.superseded;
}

/** Statement 5: the ledger, the claims, and the wake-up that will embed the derived memory. */
async function markApplied(
  tx: Transaction,
  scope: FusionScope,
  input: CommitInput,
  derivedId: string,
): Promise<void> {
  const covered = uuidArray(input.derived.coveredIds);
  await tx.rows(sql`
    with applied as (
      update slowwave.fusions set status = 'applied', derived_id = ${derivedId}::uuid, error_code = null,
        answer_state = case when output is null then answer_state else 'accepted' end, fence = ${scope.lease.fence},
        run_id = ${scope.runId}::uuid, updated_at = ${instantOf(scope.at)}
      where ${owned(scope)} and key = ${input.key}
    ), woken as (
      update slowwave.user_tiers set due_at = ${lightDueAfterWrite(scope.at)} where ${owned(scope)} and tier = 'light'
    )
    update slowwave.fusion_sources set live = false, superseded = memory_id = any(${covered})
    where ${owned(scope)} and fusion_key = ${input.key}`);
}
