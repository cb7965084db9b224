import type { CommitResult } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';
import { fusionKeyOf, sourceSetOf } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { storeProposal } from './apply.ts';
import { claimMembers, skipReasonOf } from './claim.ts';
import { applyMerge, lockPair } from './merge-apply.ts';
import { LeaseLost } from './require-lease.ts';
import { outcomeOf, Rollback } from './rollback.ts';
import {
  ALL_GUARDS,
  type CommitGuards,
  type CommitOptions,
  type FusionScope,
  leaseHeld,
  NO_FAILPOINTS,
  owned,
  type PlannedMerge,
  REVIEW_MS,
} from './scope.ts';

export interface MergeResult {
  merged: number;
  /** Put before a person instead. */
  proposed: number;
  /** A memory changed since it was compared: planned anew by the next run. */
  stale: number;
  /** Merged, undone or rejected before, or a memory of it is in another fusion's hands. */
  skipped: number;
  /** Keys of the ledger rows that were written, in the order given. */
  keys: string[];
}

/** No model is asked; in place of a prompt stands the rule by which duplicates are told. */
const MODEL = 'none';
const RULE_VERSION = 'merge-1';

/** The key of a merge: that of the pair, whichever of the two stays. */
export function mergeKeyOf(scope: FusionScope, { keep, drop }: PlannedMerge): string {
  const { tenant, user, tier } = scope;
  const identity = { tenant, user, step: `${tier}.merge`, promptVersion: RULE_VERSION, model: MODEL };
  return fusionKeyOf(identity, [keep, drop]);
}

/**
 * Lets one of two duplicates stand for both, pair by pair, each in one short transaction with a ledger row of its own, so that each can
 * be undone alone. For a user who wants to see fusions first they are proposed; a preview only writes down which ones there are.
 * @param options.signal no further pair is begun once it is aborted
 * @throws LeaseLost
 */
export async function mergeDuplicates(
  database: Database,
  scope: FusionScope,
  merges: readonly PlannedMerge[],
  options: CommitOptions & { signal?: AbortSignal } = {},
): Promise<MergeResult> {
  const result: MergeResult = { merged: 0, proposed: 0, stale: 0, skipped: 0, keys: [] };
  for (const pair of merges) {
    if (options.signal?.aborted) break;
    const key = mergeKeyOf(scope, pair);
    const ended = await mergePair(database, scope, key, pair, options);
    if (ended.status === 'lease_lost') throw new LeaseLost();
    if (ended.status === 'applied') result.merged += 1;
    else if (ended.status === 'proposed') result.proposed += 1;
    else if (ended.status === 'stale') result.stale += 1;
    else if (ended.status !== 'previewed') result.skipped += 1;
    if (ended.status !== 'stale' && ended.status !== 'stopped') result.keys.push(key);
  }
  return result;
}

async function mergePair(
  database: Database,
  scope: FusionScope,
  key: string,
  pair: PlannedMerge,
  options: CommitOptions,
): Promise<CommitResult> {
  const guards = { ...ALL_GUARDS, ...options.guards };
  const reach = options.failpoints ?? NO_FAILPOINTS;
  const makes = pair.keep.id;
  await reach('before-transaction');
  let result: CommitResult;
  try {
    result = await database.withTenant(scope.tenant, async (tx): Promise<CommitResult> => {
      await openMerge(tx, scope, key, pair, guards);
      await reach('after-opened');
      const members = [pair.keep, pair.drop];
      if (scope.mode === 'preview') {
        await claimMembers(tx, scope, members, { key, reach });
        return { status: 'previewed', derivedId: makes };
      }
      await reach('after-ledger');
      // Before they are claimed, as in every commit: who claims them shares them, and two who share them cannot both lock them.
      await lockPair(tx, scope, pair, guards);
      await reach('after-sources');
      await claimMembers(tx, scope, members, { key, reach });
      if (scope.mode === 'review') {
        const proposal = { keepId: pair.keep.id, dropId: pair.drop.id };
        const { reviewMs = REVIEW_MS } = scope;
        await storeProposal(tx, scope, { key, makes, proposal, reviewMs });
        await reach('after-proposal');
        await reach('after-applied');
        return { status: 'proposed', derivedId: makes };
      }
      await applyMerge(tx, scope, { key, pair, decidedBy: null }, { guards, reach });
      await reach('after-applied');
      return { status: 'applied', derivedId: makes, superseded: 1 };
    });
  } catch (error) {
    result = outcomeOf(error);
  }
  await reach('after-commit');
  return result;
}

interface OpenedRow {
  opened: boolean;
  held: boolean;
  /** Of the same pair, under the key of another tier. */
  elsewhere: string | null;
  status: string | null;
}

/** Writes the ledger row of a merge or opens it again, and judges it and the lease. */
async function openMerge(
  tx: Transaction,
  scope: FusionScope,
  key: string,
  { keep, drop }: PlannedMerge,
  guards: CommitGuards,
): Promise<void> {
  const at = instantOf(scope.at);
  const sourceSet = sourceSetOf([keep, drop]);
  // guard: merge-ledger
  const open = guards.ledger
    ? sql`fusions.status in ('planned', 'generated', 'stale', 'expired')`
    : sql`true`;
  const [row] = await tx.rows<OpenedRow>(sql`
    with elsewhere as materialized (
      select f.status from slowwave.fusions f
      where ${owned(scope, 'f')} and f.source_set = ${sourceSet} and f.key <> ${key}
        and f.status in ('undone', 'rejected', 'forgotten', 'review')
      limit 1
    ), opened as (
      insert into slowwave.fusions (
        tenant, user_id, key, source_set, run_id, kind, tier, prompt_version, model, status, fence, derived_id, created_at, updated_at)
      select ${scope.tenant}, ${scope.user}, ${key}, ${sourceSet}, ${scope.runId}::uuid, 'merge', ${scope.tier}, ${RULE_VERSION},
        ${MODEL}, 'planned', ${scope.lease.fence}::bigint, ${keep.id}::uuid, ${at}, ${at}
      where not (${guards.sourceSet} and exists (select 1 from elsewhere)) /* guard: merge-source-set */
      on conflict (tenant, user_id, key) do update set
        fence = excluded.fence, run_id = excluded.run_id, derived_id = excluded.derived_id, status = 'planned', proposal = null,
        review_expires_at = null, error_code = null, updated_at = excluded.updated_at
      where ${open}
      returning 1
    )
    select exists (select 1 from opened) as opened, ${leaseHeld(scope)} as held, (select status from elsewhere) as elsewhere,
      (select status from slowwave.fusions where ${owned(scope)} and key = ${key}) as status`);
  const { opened, held, elsewhere, status } = row!;
  // Merged before, by this or another worker whose answer was lost.
  if (!opened && status === 'applied') throw new Rollback({ status: 'already', derivedId: keep.id });
  if (guards.lease && !held) throw new Rollback({ status: 'lease_lost' }); // guard: merge-lease
  if (!opened)
    throw new Rollback({ status: 'stopped', reason: skipReasonOf(status ?? elsewhere ?? undefined) });
}
