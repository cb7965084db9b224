import type { Cluster, DerivedMemory, Merge, ReportedPair, StatementsResult } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';
import { derivedIdOf, newId, sourceSetOf, statementKeyOf } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';
import { reportFrom } from './answer.ts';
import { type Fusing, insertDerived, lockSources, supersede } from './apply.ts';
import { skipReasonOf } from './claim.ts';
import { applyMerge, lockPair } from './merge-apply.ts';
import { outcomeOf, Rollback } from './rollback.ts';
import {
  ALL_GUARDS,
  type CommitGuards,
  type CommitOptions,
  type FusionScope,
  leaseHeld,
  NO_FAILPOINTS,
  owned,
  type PlannedMember,
  type PlannedMerge,
  REVIEW_MS,
} from './scope.ts';
import { markStale } from './stale.ts';

export interface StatementsInput {
  key: string;
  cluster: Cluster;
  statements: readonly DerivedMemory[];
  /** Notes of the cluster that say one of its statements again. */
  merges?: readonly Merge[];
  /** Pairs inside the cluster that the model says disagree. */
  conflicts: readonly ReportedPair[];
  /** In one word, why nothing was accepted; null when something was, or nothing was proposed. */
  reason: string | null;
}

/** A row of the ledger that answers the request. */
interface AnswerRow {
  key: string;
  kind: 'fusion' | 'merge';
  makes: string;
  sourceSet: string;
  members: PlannedMember[];
  /** What a person is asked to approve. */
  proposal: DerivedMemory | Merge;
  /** Of its members, those that it supersedes. */
  superseded: readonly string[];
}

type StatementRow = AnswerRow & Fusing;
type MergeRow = AnswerRow & { pair: PlannedMerge };

/**
 * One short transaction of a constant number of round trips, whatever the number of statements: for each a row of the ledger with its own
 * key, its derived memory, lineage, superseded sources and change set; and the fusion that they answer is closed. Or nothing. For a user who
 * wants to see fusions first the proposals instead, under the same guards; for a preview nothing. A note that says a statement again costs
 * a constant number of round trips more.
 */
export async function commitStatements(
  database: Database,
  scope: FusionScope,
  input: StatementsInput,
  options: CommitOptions = {},
): Promise<StatementsResult> {
  const guards = { ...ALL_GUARDS, ...options.guards };
  const reach = options.failpoints ?? NO_FAILPOINTS;
  const statements = input.statements.map((derived) => statementRow(input, derived, guards));
  const merges = (input.merges ?? []).map((merge) => mergeRow(input, merge));
  const rows = [...statements, ...merges];
  const derivedIds = statements.map(({ makes }) => makes);
  const none = rows.length === 0;
  if (scope.mode === 'preview')
    return none ? { status: 'closed' } : { status: 'previewed', derivedIds, superseded: 0 };
  await reach('before-transaction');
  let result: StatementsResult;
  try {
    result = await database.withTenant(scope.tenant, async (tx): Promise<StatementsResult> => {
      await checkLedgerAndLease(tx, scope, input.key, guards);
      await reach('after-ledger');
      // One list for all, so that every row is locked in one order.
      await lockSources(
        tx,
        scope,
        rows.flatMap(({ members }) => members),
        guards,
      );
      for (const { pair } of merges) await lockPair(tx, scope, pair, guards);
      await reach('after-sources');
      await closeFusion(tx, scope, input, none);
      await reach('after-marked');
      if (!none) await insertRows(tx, scope, input, rows);
      if (!none && scope.mode === 'review') await reach('after-proposal');
      let superseded = 0;
      if (statements.length > 0 && scope.mode === 'auto') {
        await insertDerived(tx, scope, statements);
        await reach('after-derived');
        superseded = await supersede(tx, scope, statements, guards);
        await reach('after-supersede');
      }
      for (const { key, pair } of scope.mode === 'auto' ? merges : []) {
        await applyMerge(tx, scope, { key, pair, decidedBy: null }, { guards, reach });
        superseded += 1;
      }
      await reportFrom(tx, scope, [...input.conflicts]);
      await reach('after-applied');
      if (none) return { status: 'closed' };
      return { status: scope.mode === 'auto' ? 'applied' : 'proposed', derivedIds, superseded };
    });
  } catch (error) {
    result = resultOf(error);
  }
  if (result.status === 'stale') await markStale(database, scope, input.key); // guard: commit-stale-marked
  await reach('after-commit');
  return result;
}

function statementRow(
  { key, cluster }: StatementsInput,
  derived: DerivedMemory,
  guards: CommitGuards,
): StatementRow {
  const ids = new Set(derived.coveredIds);
  const members = cluster.members.filter(({ id }) => ids.has(id));
  // guard: commit-content-key
  const request = guards.contentKey ? key : newId(derived.documentDate);
  const own = statementKeyOf(request, members);
  const makes = derivedIdOf(own, members);
  const answer = { key: own, kind: 'fusion' as const, makes, sourceSet: sourceSetOf(members), members };
  return { ...answer, proposal: derived, superseded: derived.coveredIds, derived, decidedBy: null };
}

function mergeRow({ key, cluster }: StatementsInput, merge: Merge): MergeRow {
  const keep = cluster.members.find(({ id }) => id === merge.keepId)!;
  const drop = cluster.members.find(({ id }) => id === merge.dropId)!;
  const members = [keep, drop];
  const own = statementKeyOf(key, members);
  const answer = {
    key: own,
    kind: 'merge' as const,
    makes: keep.id,
    sourceSet: sourceSetOf(members),
    members,
  };
  return { ...answer, proposal: merge, superseded: [drop.id], pair: { keep, drop } };
}

/** Locks the ledger row and the lease, and judges both. */
async function checkLedgerAndLease(
  tx: Transaction,
  scope: FusionScope,
  key: string,
  guards: CommitGuards,
): Promise<void> {
  const [row] = await tx.rows<{ status: string | null; held: boolean }>(sql`
    with ledger as (
      select status from slowwave.fusions where ${owned(scope)} and key = ${key}
      for update /* guard: commit-ledger-lock */
    )
    select (select status from ledger) as status, ${leaseHeld(scope)} as held`);
  const status = row?.status ?? undefined;
  if (guards.lease && !row?.held) throw new Rollback({ status: 'lease_lost' }); // guard: commit-lease
  if (guards.ledger && status === 'stale') throw new Rollback({ status: 'stale' });
  // guard: commit-ledger-closed
  if (guards.ledger && status !== 'planned' && status !== 'generated') {
    throw new Rollback({ status: 'stopped', reason: skipReasonOf(status) });
  }
}

/** What was written before is found when its fusion is claimed: it is closed. */
function resultOf(error: unknown): StatementsResult {
  const outcome = outcomeOf(error);
  switch (outcome.status) {
    case 'stale':
    case 'stopped':
    case 'lease_lost':
      return outcome;
    default:
      return { status: 'stopped', reason: 'closed' };
  }
}

/** The answer was used, its claims are released, and light embeds what was derived. */
async function closeFusion(
  tx: Transaction,
  scope: FusionScope,
  { key, reason }: StatementsInput,
  none: boolean,
): Promise<void> {
  const at = instantOf(scope.at);
  const woken = sql`, woken as (
      update slowwave.user_tiers set due_at = ${lightDueAfterWrite(scope.at)} where ${owned(scope)} and tier = 'light'
    )`;
  await tx.rows(sql`
    with closed as (
      update slowwave.fusions set status = 'closed', error_code = ${reason},
        answer_state = case when output is null then answer_state else 'accepted' end, fence = ${scope.lease.fence},
        run_id = ${scope.runId}::uuid, updated_at = ${at}
      where ${owned(scope)} and key = ${key}
    ) ${none || scope.mode !== 'auto' ? sql`` : woken}
    update slowwave.fusion_sources set
      live = false /* guard: statements-release */
    where ${owned(scope)} and fusion_key = ${key} and live`);
}

/** The ledger's rows and their sources. One that a person turned down or took back stays so, and nothing is written. */
async function insertRows(
  tx: Transaction,
  scope: FusionScope,
  { key: request }: StatementsInput,
  rows: readonly AnswerRow[],
): Promise<void> {
  const { tenant, user, tier, promptVersion, model, mode, reviewMs = REVIEW_MS } = scope;
  const at = instantOf(scope.at);
  const isReview = mode !== 'auto';
  const given = rows.map(({ key, kind, makes, sourceSet, proposal, superseded, members }, position) => ({
    ...{ key, kind, makes, position, sourceSet },
    proposal: isReview ? proposal : null,
    sources: members.map(({ id, contentHash, version }, place) => ({
      ...{ id, contentHash, version, place },
      superseded: !isReview && superseded.includes(id),
    })),
  }));
  const [written] = await tx.rows<{ rows: number }>(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as g(key text, kind text, makes uuid, position integer, "sourceSet" text, proposal jsonb, sources jsonb)
    ), written as (
      insert into slowwave.fusions (tenant, user_id, key, kind, source_set, run_id, tier, prompt_version, model, status, fence, derived_id,
        request, position, proposal, review_expires_at, created_at, updated_at)
      select ${tenant}, ${user}, key, kind, "sourceSet", ${scope.runId}::uuid, ${tier}, ${promptVersion}, ${model},
        ${isReview ? 'review' : 'applied'}, ${scope.lease.fence}, makes, ${request}, position, proposal,
        ${isReview ? instantOf(scope.at + reviewMs) : sql`null::timestamptz`}, ${at}, ${at}
      from given
      on conflict (tenant, user_id, key) do update set
        status = excluded.status, fence = excluded.fence, run_id = excluded.run_id, proposal = excluded.proposal,
        review_expires_at = excluded.review_expires_at, error_code = null, updated_at = excluded.updated_at
      where
        fusions.status in ('expired', 'stale') /* guard: statement-open */
      returning key
    ), sources as (
      insert into slowwave.fusion_sources (tenant, user_id, fusion_key, memory_id, content_hash, version, position, live, superseded)
      select ${tenant}, ${user}, g.key, s.id, s."contentHash", s.version, s.place, ${isReview}, s.superseded
      from given g cross join lateral jsonb_to_recordset(g.sources)
        as s(id uuid, "contentHash" text, version integer, place integer, superseded boolean)
      where exists (select 1 from written w where w.key = g.key)
      order by s.id
      on conflict (tenant, user_id, fusion_key, memory_id) do update set
        live = excluded.live, superseded = excluded.superseded, version = excluded.version, position = excluded.position
    )
    select (select count(*)::int from written) as rows`);
  if (written!.rows !== rows.length) throw new Rollback({ status: 'stale' });
}
