import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { requestRuns } from '../scheduling/run-requests.ts';
import type { OwnedCall } from './send.ts';

/**
 * Questions of an ended batch of which nobody heard again: they are asked directly.
 * @returns their calls; whether somebody was paid for them nobody knows
 */
export function failUnheard(tx: Transaction, of: { tenant: string; id: string }): Promise<OwnedCall[]> {
  return tx.rows<OwnedCall>(sql`
    with failed as (
      update slowwave.batch_requests set state = 'failed', body = null
      where tenant = ${of.tenant} and batch_id = ${of.id}::uuid and state = 'sent' returning user_id, call_id
    ), unwanted as (
      delete from slowwave.batch_requests where tenant = ${of.tenant} and batch_id = ${of.id}::uuid and state = 'dropped'
      returning user_id, call_id
    )
    select user_id as "user", call_id as "callId" from failed union all select user_id, call_id from unwanted`);
}

/**
 * The users for whom a run can go on with what came of a batch: with answers, and with questions that are asked directly now. Where sleep is
 * paused the next run there is does it.
 * @returns as many as a batch has questions at most
 */
export async function listUsersOf(
  tx: Transaction,
  of: { tenant: string; id: string; at: number },
): Promise<string[]> {
  const rows = await tx.rows<{ user: string }>(sql`
    select user_id as "user" from slowwave.user_tiers t
    where tenant = ${of.tenant} and tier = 'sleep'
      and not paused /* guard: batch-paused */
      and not tenant_paused
      and not exists (select 1 from slowwave.tier_pauses p where p.tier = t.tier)
      and user_id = any(array(
        select distinct user_id from slowwave.batch_requests
        where tenant = ${of.tenant} and batch_id = ${of.id}::uuid
          and (state in ('answered', 'failed') or (state = 'sent' and deadline_at <= ${instantOf(of.at)}))))
    order by 1`);
  return rows.map(({ user }) => user);
}

/**
 * Asks for the runs that go on with what came of a batch. For a user in quarantine none is asked for, and one that was asked for and has
 * not begun stays.
 * @param of.users at most USERS_PER_CALL_MAX
 * @returns the runs that nobody had asked for
 */
export async function requestBatchRuns(
  tx: Transaction,
  of: { tenant: string; users: readonly string[]; at: number },
): Promise<{ user: string; runId: string }[]> {
  const asked = await requestRuns(tx, { ...of, tier: 'sleep', why: 'batch' });
  return [...asked].flatMap(([user, result]) =>
    result.status === 'requested' && !result.existing ? [{ user, runId: result.runId }] : [],
  );
}

/** Ends a batch once all its results are stored and their runs asked for. @param of.lookAt when what is left of it is removed, epoch ms */
export async function endBatch(
  tx: Transaction,
  of: { tenant: string; id: string; at: number; lookAt: number; unknown: number },
): Promise<void> {
  const { tenant, id } = of;
  await tx.rows(sql`
    update slowwave.model_batches set state = 'ended', ended_at = ${instantOf(of.at)}, look_at = ${instantOf(of.lookAt)},
      unknown = ${of.unknown},
      answered = (select count(*) from slowwave.batch_requests r where r.tenant = ${tenant} and r.batch_id = ${id}::uuid and r.state = 'answered'),
      failed = (select count(*) from slowwave.batch_requests r where r.tenant = ${tenant} and r.batch_id = ${id}::uuid and r.state = 'failed')
    where tenant = ${tenant} and id = ${id}::uuid and state <> 'ended'`);
}

/** Removes an ended batch, and with it the answers that no run has used in all that time. */
export async function removeBatch(tx: Transaction, of: { tenant: string; id: string }): Promise<void> {
  const { tenant, id } = of;
  await tx.rows(sql`
    with removed as (
      delete from slowwave.model_batches where tenant = ${tenant} and id = ${id}::uuid and state = 'ended' returning id
    )
    delete from slowwave.batch_requests where tenant = ${tenant} and batch_id = any(array(select id from removed))`);
}
