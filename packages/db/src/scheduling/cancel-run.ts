import type { RunStatus, Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { enqueueEvents } from '../webhooks/events.ts';
import type { RunOwner } from './run-records.ts';

export type CancelResult =
  /** It had not begun and never will, or had ended so before (`already`). */
  | { status: 'cancelled'; already: boolean }
  /** It is at work: it ends before its next step or cluster. `already`: somebody had asked for that before. */
  | { status: 'cancelling'; already: boolean }
  | { status: 'finished'; runStatus: RunStatus }
  | { status: 'unknown_run' };

interface LockedRun {
  tier: Tier;
  preview: boolean;
  status: RunStatus;
  why: string;
  asked: boolean;
}

/**
 * Asks for the end of a run. One that has not begun ends at once; one at work is told, and ends where nothing is half done: what it has
 * committed stays. The due times stay as they are, so what the schedule began it begins again, unless the tier is paused.
 * @param input.at epoch ms
 */
export async function cancelRun(
  tx: Transaction,
  input: RunOwner & { runId: string; at: number },
): Promise<CancelResult> {
  const run = await lockRun(tx, input);
  if (!run) return { status: 'unknown_run' };
  // What was put back waits for somebody to go on, but only if somebody asked for it: the schedule begins anew.
  if (run.status === 'requested' || (run.status === 'abandoned' && run.why === 'adhoc')) {
    await endAtOnce(tx, input);
    const { tenant, user, runId, at } = input;
    const data = { runId, tier: run.tier, preview: run.preview, status: 'cancelled', errorCode: null };
    await enqueueEvents(tx, { tenant, user, at, events: [{ type: 'run.finished', data }] });
    return { status: 'cancelled', already: false };
  }
  if (run.status === 'running') {
    await tellRunning(tx, input);
    return { status: 'cancelling', already: run.asked };
  }
  if (run.status === 'cancelled') return { status: 'cancelled', already: true };
  return { status: 'finished', runStatus: run.status };
}

/** Whether somebody asked for the end of a run; false for one that is gone. */
export async function isCancelRequested(tx: Transaction, of: RunOwner & { runId: string }): Promise<boolean> {
  const [row] = await tx.rows<{ asked: boolean }>(sql`
    select cancel_requested_at is not null as asked from slowwave.runs
    where tenant = ${of.tenant} and user_id = ${of.user} and id = ${of.runId}::uuid`);
  return row?.asked ?? false;
}

/** The run before its tier, as everybody locks the two who changes both. */
async function lockRun(tx: Transaction, of: RunOwner & { runId: string }): Promise<LockedRun | undefined> {
  const [row] = await tx.rows<LockedRun>(sql`
    select tier, preview, status, why, cancel_requested_at is not null as asked from slowwave.runs
    where tenant = ${of.tenant} and user_id = ${of.user} and id = ${of.runId}::uuid
    for update`);
  return row;
}

/** Ends a run that nobody is at work on, and no longer asks for it. */
async function endAtOnce(tx: Transaction, input: RunOwner & { runId: string; at: number }): Promise<void> {
  const { tenant, user, runId } = input;
  const at = instantOf(input.at);
  await tx.rows(sql`
    with ended as (
      update slowwave.runs set status = 'cancelled', finished_at = ${at}, cancel_requested_at = coalesce(cancel_requested_at, ${at})
      where tenant = ${tenant} and user_id = ${user} and id = ${runId}::uuid
      returning id, tier
    )
    update slowwave.user_tiers t set requested_run = null from ended
    where t.tenant = ${tenant} and t.user_id = ${user} and t.tier = ended.tier and t.requested_run = ended.id`);
}

/** Marks a run at work; whoever works on it looks. */
async function tellRunning(tx: Transaction, input: RunOwner & { runId: string; at: number }): Promise<void> {
  const { tenant, user, runId } = input;
  await tx.rows(sql`
    update slowwave.runs set cancel_requested_at = coalesce(cancel_requested_at, ${instantOf(input.at)})
    where tenant = ${tenant} and user_id = ${user} and id = ${runId}::uuid`);
}
