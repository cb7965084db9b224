import type { CommitResult, DerivedMemory, ReportedPair } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';
import { derivedIdOf, newId } from '../ids.ts';
import { reportFrom } from './answer.ts';
import { type Fusing, insertDerived, lockSources, markApplied, storeProposal, supersede } from './apply.ts';
import { skipReasonOf } from './claim.ts';
import { outcomeOf, Rollback } from './rollback.ts';
import {
  ALL_GUARDS,
  type CommitGuards,
  type Failpoints,
  type FusionScope,
  leaseHeld,
  NO_FAILPOINTS,
  owned,
  type PlannedMember,
  REVIEW_MS,
} from './scope.ts';
import { markStale } from './stale.ts';

export interface CommitOptions {
  guards?: Partial<CommitGuards>;
  failpoints?: Failpoints;
}

interface CommitInput {
  key: string;
  cluster: { members: readonly PlannedMember[] };
  derived: DerivedMemory;
  /** Pairs inside the cluster that the model says disagree. */
  conflicts?: ReportedPair[] | undefined;
}

/**
 * One short transaction of a constant number of round trips: the derived memory, its lineage, the superseded sources, the journal
 * and the ledger, or nothing. For a user who wants to see fusions first, the proposal instead, under the same guards; for a preview
 * nothing. Safe to call again after an unknown end: it finds what it wrote.
 */
export async function commitFusion(
  database: Database,
  scope: FusionScope,
  input: CommitInput,
  options: CommitOptions = {},
): Promise<CommitResult> {
  const guards = { ...ALL_GUARDS, ...options.guards };
  const { members } = input.cluster;
  // guard: commit-content-key
  const derivedId = guards.contentKey ? derivedIdOf(input.key, members) : newId(input.derived.documentDate);
  if (scope.mode === 'preview') return { status: 'previewed', derivedId };
  const reach = options.failpoints ?? NO_FAILPOINTS;
  await reach('before-transaction');
  let result: CommitResult;
  try {
    result = await database.withTenant(scope.tenant, async (tx) => {
      await checkLedgerAndLease(tx, scope, { key: input.key, derivedId }, guards);
      await reach('after-ledger');
      await lockSources(tx, scope, members, guards);
      await reach('after-sources');
      const ended = await write(tx, scope, input, { derivedId, guards, reach });
      await reportFrom(tx, scope, input.conflicts);
      await reach('after-applied');
      return ended;
    });
  } catch (error) {
    result = outcomeOf(error);
  }
  if (result.status === 'stale') await markStale(database, scope, input.key); // guard: commit-stale-marked
  await reach('after-commit');
  return result;
}

async function write(
  tx: Transaction,
  scope: FusionScope,
  input: CommitInput,
  how: { derivedId: string; guards: CommitGuards; reach: Failpoints },
): Promise<CommitResult> {
  const { derivedId } = how;
  const { key, derived } = input;
  if (scope.mode === 'review') {
    const { reviewMs = REVIEW_MS } = scope;
    await storeProposal(tx, scope, { key, makes: derivedId, proposal: derived, reviewMs });
    await how.reach('after-proposal');
    return { status: 'proposed', derivedId };
  }
  const fusing = { key, makes: derivedId, derived, decidedBy: null };
  return { status: 'applied', derivedId, superseded: await applyFusion(tx, scope, fusing, how) };
}

/** The writes of a fusion, its ledger row and its sources being locked and found as planned. @returns how many were superseded */
export async function applyFusion(
  tx: Transaction,
  scope: Pick<FusionScope, 'tenant' | 'user' | 'at' | 'lease' | 'runId'>,
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

/** Locks the ledger row and the lease, and judges both. */
export async function checkLedgerAndLease(
  tx: Transaction,
  scope: FusionScope,
  { key, derivedId }: { key: string; derivedId: string },
  guards: CommitGuards,
): Promise<void> {
  const [row] = await tx.rows<{ status: string | null; held: boolean }>(sql`
    with ledger as (
      select status from slowwave.fusions where ${owned(scope)} and key = ${key}
      for update /* guard: commit-ledger-lock */
    )
    select (select status from ledger) as status, ${leaseHeld(scope)} as held`);
  const status = row?.status ?? undefined;
  // guard: commit-ledger-applied
  if (guards.ledger && status === 'applied') throw new Rollback({ status: 'already', derivedId });
  // guard: commit-ledger-review
  if (guards.ledger && status === 'review' && scope.mode === 'review') {
    throw new Rollback({ status: 'proposed', derivedId });
  }
  if (guards.lease && !row?.held) throw new Rollback({ status: 'lease_lost' }); // guard: commit-lease
  if (guards.ledger && status === 'stale') throw new Rollback({ status: 'stale' });
  // guard: commit-ledger-closed
  if (guards.ledger && status !== 'planned' && status !== 'generated') {
    throw new Rollback({ status: 'stopped', reason: skipReasonOf(status) });
  }
}
