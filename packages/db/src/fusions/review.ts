import type { CommitResult, DerivedMemory, Merge, Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';
import { derivedIdOf, newId } from '../ids.ts';
import { instantOf, msOf } from '../instants.ts';
import { anyRow, type Question } from '../questions.ts';
import { whileHolding } from '../scheduling/hold-user.ts';
import { type Fusing, insertDerived, lockSources, markApplied, supersede } from './apply.ts';
import { skipReasonOf } from './claim.ts';
import { applyMerge, lockPair } from './merge-apply.ts';
import { ReviewRefused } from './review-refused.ts';
import { outcomeOf, Rollback } from './rollback.ts';
import {
  ALL_GUARDS,
  type CommitGuards,
  type CommitOptions,
  type Failpoints,
  leaseHeld,
  NO_FAILPOINTS,
  owned,
  type PlannedMember,
  type WriteScope,
} from './scope.ts';
import { markStale } from './stale.ts';

/** How long an approval waits for a run that is at work for the user, ms. */
const APPROVE_WAIT_MS = 5_000;

/** Which fusion, and who decides about it. */
export interface Decision {
  tenant: string;
  user: string;
  key: string;
  /** Epoch ms. */
  at: number;
  /** As the caller names them. */
  by: string;
}

export type ApproveResult =
  /** `makes`: the derived memory; of a merge, the one that stays. `already`: approved or applied before. */
  | { status: 'applied'; kind: 'fusion' | 'merge'; makes: string; superseded: number; already: boolean }
  /** A source changed since it was proposed: nothing was written, and its sources are free for another plan. */
  | { status: 'stale' };

/**
 * Applies a proposal as it was shown, under all guards of a commit: in one transaction, under a hold on the user, from sources that are
 * still what was proposed. Approving twice is approving once.
 * @throws ReviewRefused `unknown`, `not_in_review`, `expired`, `busy`
 */
export async function approveFusion(
  database: Database,
  decision: Decision,
  options: CommitOptions & { waitMs?: number } = {},
): Promise<ApproveResult> {
  const { tenant, user, key, at } = decision;
  const known = await database.withTenant(tenant, (tx) => readStatus(tx, decision));
  if (known === null) throw new ReviewRefused('unknown', key);
  if (known.status === 'applied') return { ...known, status: 'applied', superseded: 0, already: true };
  if (known.status !== 'review') throw new ReviewRefused('not_in_review', key, known.status);
  const hold = { tenant, user, at, purpose: 'approve', waitMs: options.waitMs ?? APPROVE_WAIT_MS };
  const ended = await whileHolding(database, hold, (lease) => approve(database, decision, lease, options));
  if (ended === 'unknown_user') throw new ReviewRefused('unknown', key);
  if (ended === 'busy' || ended.status === 'lease_lost') throw new ReviewRefused('busy', key, known.status);
  switch (ended.status) {
    case 'applied':
      return {
        ...known,
        status: 'applied',
        makes: ended.derivedId,
        superseded: ended.superseded,
        already: false,
      };
    case 'already':
      return { ...known, status: 'applied', makes: ended.derivedId, superseded: 0, already: true };
    case 'stale':
      await markStale(database, decision, key);
      return { status: 'stale' };
    case 'expired':
      await database.withTenant(tenant, (tx) => expireReviews(tx, decision));
      throw new ReviewRefused('expired', key, 'expired');
    default: {
      const now = await database.withTenant(tenant, (tx) => readStatus(tx, decision));
      throw new ReviewRefused('not_in_review', key, now?.status ?? null);
    }
  }
}

/** `already`: it had been rejected before. */
export interface RejectResult {
  status: 'rejected';
  kind: 'fusion' | 'merge';
  already: boolean;
}

async function readStatus(
  tx: Transaction,
  of: { tenant: string; user: string; key: string },
): Promise<{ status: string; kind: 'fusion' | 'merge'; makes: string } | null> {
  const [row] = await tx.rows<{ status: string; kind: 'fusion' | 'merge'; makes: string }>(sql`
    select status, kind, derived_id as makes from slowwave.fusions where ${owned(of)} and key = ${of.key}`);
  return row ?? null;
}

/** The time of a proposal was over. Rolls back like every other refusal. */
class Expired extends Error {}

async function approve(
  database: Database,
  decision: Decision,
  lease: { holder: string; fence: number },
  options: CommitOptions,
): Promise<CommitResult | { status: 'expired' }> {
  const guards = { ...ALL_GUARDS, ...options.guards };
  const reach = options.failpoints ?? NO_FAILPOINTS;
  const { key, by } = decision;
  await reach('before-transaction');
  try {
    const result = await database.withTenant(decision.tenant, async (tx): Promise<CommitResult> => {
      const found = await lockProposal(tx, decision, lease, guards);
      const { tenant, user, at } = decision;
      const scope = { tenant, user, at, lease, runId: found.runId, tier: found.tier };
      await reach('after-ledger');
      if (found.kind === 'merge') {
        const pair = pairOf(found.proposal, found.members);
        await lockPair(tx, scope, pair, guards);
        await reach('after-sources');
        await applyMerge(tx, scope, { key, pair, decidedBy: by }, { guards, reach });
        await reach('after-applied');
        return { status: 'applied', derivedId: pair.keep.id, superseded: 1 };
      }
      const { members, proposal: derived } = found;
      const derivedId = guards.contentKey ? derivedIdOf(key, members) : newId(derived.documentDate);
      await lockSources(tx, scope, members, guards);
      await reach('after-sources');
      const fusing = { key, makes: derivedId, derived, decidedBy: by };
      const superseded = await applyStatement(tx, scope, fusing, { guards, reach });
      await reach('after-applied');
      return { status: 'applied', derivedId, superseded };
    });
    await reach('after-commit');
    return result;
  } catch (error) {
    return error instanceof Expired ? { status: 'expired' } : outcomeOf(error);
  }
}

/** The writes of a statement, its ledger row and its sources being locked and found as planned. @returns how many were superseded */
async function applyStatement(
  tx: Transaction,
  scope: WriteScope,
  fusing: Fusing,
  { guards, reach }: { guards: CommitGuards; reach: Failpoints },
): Promise<number> {
  await insertDerived(tx, scope, [fusing]);
  await reach('after-derived');
  const superseded = await supersede(tx, scope, [fusing], guards);
  await reach('after-supersede');
  const { key, makes, decidedBy } = fusing;
  const { coveredIds } = fusing.derived;
  await markApplied(tx, scope, { key, makes, superseded: coveredIds, decidedBy, wake: true });
  await reach('after-marked');
  return superseded;
}

type Proposal = { runId: string | null; tier: Tier; members: PlannedMember[] } & (
  | { kind: 'fusion'; proposal: DerivedMemory }
  | { kind: 'merge'; proposal: Merge }
);

/** Locks the ledger row and the lease, judges both, and reads what was proposed. */
async function lockProposal(
  tx: Transaction,
  decision: Decision,
  lease: { holder: string; fence: number },
  guards: CommitGuards,
): Promise<Proposal> {
  const { tenant, user, key, at } = decision;
  type Row = Proposal & { status: string; expiresAt: number | null; makes: string; held: boolean };
  const [row] = await tx.rows<Row>(sql`
    with ledger as materialized (
      select f.* from slowwave.fusions f where ${owned(decision, 'f')} and f.key = ${key}
      for update /* guard: approve-lock */
    )
    select l.status, l.kind, l.tier, l.run_id as "runId", l.proposal, ${msOf('l.review_expires_at')} as "expiresAt",
      l.derived_id as makes, ${leaseHeld({ tenant, user, lease })} as held,
      (select coalesce(jsonb_agg(jsonb_build_object('id', s.memory_id, 'contentHash', s.content_hash, 'version', s.version)
          order by s.position), '[]')
        from slowwave.fusion_sources s where ${owned(decision, 's')} and s.fusion_key = l.key) as members
    from ledger l`);
  if (guards.ledger && row?.status === 'applied') {
    throw new Rollback({ status: 'already', derivedId: row.makes });
  }
  if (guards.lease && !row?.held) throw new Rollback({ status: 'lease_lost' }); // guard: approve-lease
  const approvable = guards.ledger ? row?.status === 'review' : true; // guard: approve-ledger
  if (!row || !approvable) {
    throw new Rollback({ status: 'stopped', reason: skipReasonOf(row?.status) });
  }
  // guard: approve-expiry
  if (guards.expiry && row.expiresAt !== null && row.expiresAt <= at) throw new Expired();
  if (!row.proposal) throw new Rollback({ status: 'stale' });
  return row;
}

function pairOf(
  merge: Merge,
  members: readonly PlannedMember[],
): { keep: PlannedMember; drop: PlannedMember } {
  const keep = members.find(({ id }) => id === merge.keepId);
  const drop = members.find(({ id }) => id === merge.dropId);
  // A source that was forgotten took its row with it.
  if (!keep || !drop) throw new Rollback({ status: 'stale' });
  return { keep, drop };
}

/**
 * Turns a proposal down: its sources stay as they are, are free for other fusions, and are never planned together again.
 * @throws ReviewRefused `unknown`, `not_in_review`
 */
export async function rejectFusion(database: Database, decision: Decision): Promise<RejectResult> {
  const { tenant, key, at, by } = decision;
  return database.withTenant(tenant, async (tx) => {
    const [row] = await tx.rows<{ status: string; kind: 'fusion' | 'merge' }>(sql`
      select status, kind from slowwave.fusions where ${owned(decision)} and key = ${key} for update`);
    if (!row) throw new ReviewRefused('unknown', key);
    const { kind } = row;
    if (row.status === 'rejected') return { status: 'rejected', kind, already: true };
    if (row.status !== 'review') throw new ReviewRefused('not_in_review', key, row.status);
    await tx.rows(sql`
      with rejected as (
        update slowwave.fusions set status = 'rejected', proposal = null, review_expires_at = null, decided_by = ${by},
          decided_at = ${instantOf(at)}, updated_at = ${instantOf(at)}
        where ${owned(decision)} and key = ${key}
      )
      update slowwave.fusion_sources set live = false where ${owned(decision)} and fusion_key = ${key} and live`);
    return { status: 'rejected', kind, already: false };
  });
}

/** A proposal f that no person decided about in time. */
function isOver(of: { tenant: string; user: string; at: number }): SQL {
  return sql`${owned(of, 'f')} and f.status = 'review' and f.review_expires_at <= ${instantOf(of.at)}`;
}

/**
 * A closed fusion f of which nothing came: its statements were taken back, since no person decided about them in time or a source changed under
 * them. Only statements of its last commit count, which share its fence: what an earlier answer left behind opens nothing.
 * @param over keys of statements that are being taken back, which the snapshot still has in review
 */
function cameToNothing(of: { tenant: string; user: string }, over: SQL): SQL {
  return sql`${owned(of, 'f')} and f.status = 'closed'
    and exists (
      select 1 from slowwave.fusions o where ${owned(of, 'o')} and o.request = f.key
        and (o.status in ('expired', 'stale') or o.key in (${over}))
        and o.fence = f.fence /* guard: reopen-fence */)
    and not exists (
      select 1 from slowwave.fusions o where ${owned(of, 'o')} and o.request = f.key
        and o.status in ('applied', 'review') and o.key not in (${over}))`;
}

/** Whether expireReviews would take a proposal back or open a fusion again. */
export function askExpiredReviews(of: { tenant: string; user: string; at: number }): Question<boolean> {
  const over = sql`select f.key from slowwave.fusions f where ${isOver(of)}`;
  const opens = sql`select f.key from slowwave.fusions f where ${cameToNothing(of, sql`select null::text where false`)}`;
  return anyRow(sql`${over} union all ${opens}`);
}

/**
 * Takes back the proposals of a user that no person decided about in time, and opens the fusions again of which nothing came. Their sources
 * are free, and this run plans them again with the answer that was paid for.
 * @param of.at epoch ms
 * @returns how many proposals there were
 */
export async function expireReviews(
  tx: Transaction,
  of: { tenant: string; user: string; at: number },
): Promise<number> {
  const rows = await tx.rows(sql`
    with over as materialized (
      select f.key from slowwave.fusions f where ${isOver(of)}
      order by f.key
      for update
    ), reopened as (
      update slowwave.fusions f set status = 'expired', updated_at = ${instantOf(of.at)}
      where ${cameToNothing(of, sql`select key from over`)}
    ), expired as (
      update slowwave.fusions f set status = 'expired', proposal = null, review_expires_at = null, updated_at = ${instantOf(of.at)}
      from over where ${owned(of, 'f')} and f.key = over.key
    ), released as (
      update slowwave.fusion_sources s set live = false
      from over where ${owned(of, 's')} and s.fusion_key = over.key and s.live
    )
    select key from over`);
  return rows.length;
}
