import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { newId } from '../ids.ts';
import { requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import type { Quarantine } from './quarantine.ts';
import { getRun, type RunOwner } from './run-records.ts';
import type { UserMode } from './users.ts';

export type RequestResult =
  /** `existing`: somebody asked before and it has not begun: the same run answers both. */
  | { status: 'requested'; runId: string; existing: boolean }
  | { status: 'unknown_user' }
  /** A run that was asked for waits while a preview is wanted, or a preview while a run is: `runId` has not begun yet. */
  | { status: 'busy'; runId: string }
  /** A preview for a user whose memories are not fused at all. */
  | { status: 'mode_off' }
  /** Nothing runs for this user, and nothing was asked for, until somebody releases the user. */
  | ({ status: 'quarantined' } & Quarantine);

/** The tiers that fuse: the others have nothing to show before it happens. */
export const PREVIEWED_TIERS = ['deep', 'sleep'] as const satisfies readonly Tier[];

export interface RunRequest extends RunOwner {
  tier: Tier;
  /** Epoch ms. */
  at: number;
  /** Everything up to the commit, and nothing after it. For PREVIEWED_TIERS. */
  preview?: boolean | undefined;
  /** batch: nobody waits for it. It counts as put in the queue, since whoever asks puts it there. Default adhoc. */
  why?: 'adhoc' | 'batch';
}

/**
 * Asks for a run of one tier, now. It stands in the database before anything is queued, so it is not lost with the queue; asking
 * twice is one run. A wake-up of the schedule that is still in the queue does not hold it back, nor does a pause. A preview and a run
 * are not one: neither answers the other, so the later one of the two is busy until the earlier one has begun.
 * @throws InputError `not_allowed`: a preview of another tier
 */
export async function requestRun(tx: Transaction, input: RunRequest): Promise<RequestResult> {
  const preview = input.preview ?? false;
  if (preview) requireWord<Tier>(input.tier, 'tier', PREVIEWED_TIERS);
  const tier = await lockTier(tx, input);
  if (!tier) return { status: 'unknown_user' };
  const { requestedRun, code, since } = tier;
  if (since !== null) return { status: 'quarantined', code, since };
  if (preview && tier.mode === 'off') return { status: 'mode_off' };
  if (requestedRun !== null) {
    // Read only now, under the lock: whoever was faster may have written it while we waited.
    const waiting = await getRun(tx, { ...input, runId: requestedRun });
    return (waiting?.preview ?? false) === preview
      ? { status: 'requested', runId: requestedRun, existing: true }
      : { status: 'busy', runId: requestedRun };
  }
  const runId = newId(input.at);
  await insertRequest(tx, input, runId);
  return { status: 'requested', runId, existing: false };
}

interface TierRequest {
  requestedRun: string | null;
  mode: UserMode;
  code: string;
  since: number | null;
}

/** Reads who waits for a tier and whether it may run at all, and keeps others who ask for it waiting. */
async function lockTier(tx: Transaction, input: RunOwner & { tier: Tier }): Promise<TierRequest | undefined> {
  const [row] = await tx.rows<TierRequest>(sql`
    select t.requested_run as "requestedRun", u.mode, coalesce(t.quarantine_code, '') as code,
      ${msOf('t.quarantined_at')} as since
    from slowwave.user_tiers t join slowwave.users u on u.tenant = t.tenant and u.id = t.user_id
    where t.tenant = ${input.tenant} and t.user_id = ${input.user} and t.tier = ${input.tier}
    for update of t`);
  return row;
}

/** Writes a requested run and points its tier at it. */
async function insertRequest(tx: Transaction, input: RunRequest, runId: string): Promise<void> {
  const { tenant, user, tier, at, preview = false, why = 'adhoc' } = input;
  await tx.rows(sql`
    with requested as (
      insert into slowwave.runs (tenant, user_id, id, tier, why, status, requested_at, preview)
      values (${tenant}, ${user}, ${runId}::uuid, ${tier}, ${why}, 'requested', ${instantOf(at)}, ${preview})
      returning id
    )
    update slowwave.user_tiers t set requested_run = requested.id,
      enqueued_at = ${why === 'batch' ? instantOf(at) : sql`null`} from requested
    where t.tenant = ${tenant} and t.user_id = ${user} and t.tier = ${tier}`);
}
