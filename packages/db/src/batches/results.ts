import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import { requestRun } from '../scheduling/run-requests.ts';
import { closeCall } from '../spending/close.ts';
import type { CallEnd } from '../spending/types.ts';
import type { OwnedCall } from './send.ts';

/** What came of one question. */
export interface NewResult {
  tenant: string;
  batchId: string;
  /** Of the question. */
  id: string;
  /** Null: no answer came, and the question is asked directly. */
  answer: {
    text: string;
    stopReason: string;
    model: string;
    /** All that was read. */
    inputTokens: number;
    outputTokens: number;
  } | null;
  /** What it took. @param collectedAt when it was asked, epoch ms: its price is that of the day */
  end(collectedAt: number): CallEnd;
  at: number;
}

/** known: this result was stored before. unknown: it belongs to no question of ours any more. unwanted: only its cost was kept. */
export type StoredResult = 'answered' | 'failed' | 'known' | 'unknown' | 'unwanted';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Waiting {
  user: string;
  state: string;
  callId: string;
  collectedAt: number;
}

/**
 * Stores one result and settles what it cost, in one transaction. An answer that nobody wants any more, since something was forgotten, is not
 * written down. Storing it again changes nothing.
 */
export async function storeResult(tx: Transaction, result: NewResult): Promise<StoredResult> {
  const { tenant, batchId, id, answer } = result;
  if (!UUID.test(id)) return 'unknown';
  const [found] = await tx.rows<Waiting>(sql`
    select user_id as "user", state, call_id as "callId", ${msOf('collected_at')} as "collectedAt" from slowwave.batch_requests
    where tenant = ${tenant} and batch_id = ${batchId}::uuid and id = ${id}::uuid for update`);
  if (!found) return 'unknown';
  const { user, state, callId, collectedAt } = found;
  if (state !== 'sent' && state !== 'dropped') return 'known';
  const mine = sql`tenant = ${tenant} and user_id = ${user} and id = ${id}::uuid`;
  if (state === 'dropped') await tx.rows(sql`delete from slowwave.batch_requests where ${mine}`);
  else if (answer === null)
    await tx.rows(sql`update slowwave.batch_requests set state = 'failed', body = null where ${mine}`);
  else
    await tx.rows(sql`
      update slowwave.batch_requests set state = 'answered', body = null, answer = ${answer.text}, stop_reason = ${answer.stopReason},
        model = ${answer.model}, input_tokens = ${answer.inputTokens}::bigint, output_tokens = ${answer.outputTokens}::bigint,
        answered_at = ${instantOf(result.at)}
      where ${mine}`);
  await closeCall(tx, { tenant, user, id: callId }, result.end(collectedAt));
  if (state === 'dropped') return 'unwanted';
  return answer === null ? 'failed' : 'answered';
}

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

/** The users whose questions in a batch a run can go on with: answered ones, and those that are asked directly now. */
export async function listUsersOf(
  tx: Transaction,
  of: { tenant: string; id: string; at: number },
): Promise<string[]> {
  const rows = await tx.rows<{ user: string }>(sql`
    select distinct user_id as "user" from slowwave.batch_requests
    where tenant = ${of.tenant} and batch_id = ${of.id}::uuid
      and (state in ('answered', 'failed') or (state = 'sent' and deadline_at <= ${instantOf(of.at)}))
    order by 1`);
  return rows.map(({ user }) => user);
}

/**
 * Asks for the run that goes on with what came of a batch. Where sleep is paused, or the user is in quarantine, the next run there is does it.
 * @returns the run, or null when none was asked for
 */
export async function requestBatchRun(
  tx: Transaction,
  of: { tenant: string; user: string; at: number },
): Promise<string | null> {
  const { tenant, user, at } = of;
  const [tier] = await tx.rows<{ paused: boolean }>(sql`
    select t.paused or t.tenant_paused or exists (select 1 from slowwave.tier_pauses p where p.tier = t.tier) as paused
    from slowwave.user_tiers t where t.tenant = ${tenant} and t.user_id = ${user} and t.tier = 'sleep'`);
  if (!tier || tier.paused) return null;
  const asked = await requestRun(tx, { tenant, user, at, tier: 'sleep', why: 'batch' });
  return asked.status === 'requested' && !asked.existing ? asked.runId : null;
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
