import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { openCollecting } from './collect.ts';
import type { ModelBatch } from './open.ts';
import { allowsBatches } from './settings.ts';

export interface SentRequest {
  id: string;
  body: string;
}

export interface SendLimits {
  requests: number;
  bytes: number;
}

/**
 * What was reserved for a question of a user. To be closed in a transaction for each user: the books of several are never locked in one, as
 * two who do so in different orders would wait for each other.
 */
export interface OwnedCall {
  user: string;
  callId: string;
}

export type Sending =
  | { status: 'send'; requests: SentRequest[] }
  /** It is not to be sent: the tenant wants no batches any more, or it is too late for one. */
  | { status: 'rejected' }
  /** Somebody else sends it, or nothing is left to send. */
  | { status: 'gone' };

type Of = Pick<ModelBatch, 'tenant' | 'id' | 'model'> & { at: number };

/** How many questions of a batch are in a state. */
export async function countRequests(
  tx: Transaction,
  of: { tenant: string; id: string; state: 'collected' | 'sent' },
): Promise<number> {
  const [row] = await tx.rows<{ requests: number }>(sql`
    select count(*)::int as requests from slowwave.batch_requests
    where tenant = ${of.tenant} and batch_id = ${of.id}::uuid and state = ${of.state}`);
  return row!.requests;
}

/**
 * Writes down that a batch is about to be sent, with what is in it: whoever finds it so after a crash does not send it again before looking
 * whether it arrived. One that is late is closed and not sent. What is more than one batch may hold waits in the next one. To be committed before anything is sent.
 * @param input.until when somebody else may look what became of it, epoch ms
 */
export async function beginSending(
  tx: Transaction,
  of: Of,
  input: { limits: SendLimits; until: number; deadlineAt: number; isLate: boolean },
): Promise<Sending> {
  const { tenant, id, at } = of;
  const begun = await tx.rows(sql`
    update slowwave.model_batches set state = 'sending', sent_at = ${instantOf(at)}, look_at = ${instantOf(input.until)}, looks = 0
    where tenant = ${tenant} and id = ${id}::uuid
      and state = 'collecting' /* guard: batch-begun */
    returning 1`);
  if (begun.length === 0) return { status: 'gone' };
  if (input.isLate) return { status: 'rejected' }; // guard: batch-late
  if (!(await allowsBatches(tx, tenant))) return { status: 'rejected' }; // guard: batch-allowed
  const rows = await tx.rows<SentRequest>(sql`
    with ranked as (
      select user_id, id, row_number() over (order by id) as place, sum(bytes) over (order by id) as total
      from slowwave.batch_requests where tenant = ${tenant} and batch_id = ${id}::uuid and state = 'collected'
    ), sent as (
      update slowwave.batch_requests r set state = 'sent' from ranked p
      where r.tenant = ${tenant} and r.user_id = p.user_id and r.id = p.id and r.state = 'collected'
        and (p.place = 1 or (p.place <= ${input.limits.requests} and p.total <= ${input.limits.bytes}))
      returning r.id, r.body
    )
    select id, body from sent order by id`);
  await tx.rows(sql`
    update slowwave.model_batches set requests = ${rows.length} where tenant = ${tenant} and id = ${id}::uuid`);
  await moveOn(tx, of, input.deadlineAt);
  if (rows.length > 0) return { status: 'send', requests: rows };
  await endEmpty(tx, of);
  return { status: 'gone' };
}

/** What is still collected in a batch that takes no more questions waits in the next one. */
async function moveOn(tx: Transaction, of: Of, deadlineAt: number): Promise<void> {
  const { tenant, id } = of;
  if ((await countRequests(tx, { tenant, id, state: 'collected' })) === 0) return;
  const next = await openCollecting(tx, { ...of, deadlineAt });
  await tx.rows(sql`
    update slowwave.batch_requests set batch_id = ${next}::uuid
    where tenant = ${tenant} and batch_id = ${id}::uuid and state = 'collected'`);
}

/** Nothing was asked: nobody needs to know of it. */
async function endEmpty(tx: Transaction, { tenant, id }: Pick<Of, 'tenant' | 'id'>): Promise<void> {
  await tx.rows(sql`delete from slowwave.model_batches where tenant = ${tenant} and id = ${id}::uuid`);
}

/**
 * Writes down under which name the provider has a batch. From here on it has the questions, and we keep them no longer.
 * @param of.lookAt when its results are looked for first, epoch ms
 * @returns false when somebody else has brought it further
 */
export async function recordSubmitted(
  tx: Transaction,
  of: { tenant: string; id: string; providerId: string; lookAt: number },
): Promise<boolean> {
  const { tenant, id } = of;
  const rows = await tx.rows(sql`
    with submitted as (
      update slowwave.model_batches set state = 'submitted', provider_id = ${of.providerId}, look_at = ${instantOf(of.lookAt)}, looks = 0
      where tenant = ${tenant} and id = ${id}::uuid and state in ('sending', 'abandoned') returning 1
    ), forgot as (
      update slowwave.batch_requests set
        body = null /* guard: batch-body */
      where tenant = ${tenant} and batch_id = ${id}::uuid and body is not null and exists (select 1 from submitted)
    )
    select 1 from submitted`);
  return rows.length > 0;
}

/**
 * Takes a batch back of which it is certain that the provider does not have it: its questions wait in the one that takes questions now, and
 * what nobody wants any more is gone.
 * @param of.lookAt when they may be sent, epoch ms
 * @returns the calls that nobody will be paid for, to be released
 */
export async function returnBatch(
  tx: Transaction,
  of: Of & { deadlineAt: number; lookAt: number },
): Promise<OwnedCall[]> {
  const { tenant, id } = of;
  const returned = await tx.rows(sql`
    update slowwave.model_batches set state = 'abandoned' where tenant = ${tenant} and id = ${id}::uuid and state = 'sending' returning 1`);
  if (returned.length === 0) return [];
  const unwanted = await tx.rows<OwnedCall>(sql`
    delete from slowwave.batch_requests where tenant = ${tenant} and batch_id = ${id}::uuid and state = 'dropped'
    returning user_id as "user", call_id as "callId"`);
  const next = await openCollecting(tx, of);
  await tx.rows(sql`
    update slowwave.batch_requests set state = 'collected', batch_id = ${next}::uuid
    where tenant = ${tenant} and batch_id = ${id}::uuid and state = 'sent'`);
  await endEmpty(tx, of);
  return unwanted;
}

/**
 * Gives a batch up that nobody has or will take: its questions are asked directly.
 * @returns the calls that nobody will be paid for, to be released
 */
export async function rejectBatch(tx: Transaction, of: Pick<Of, 'tenant' | 'id'>): Promise<OwnedCall[]> {
  const { tenant, id } = of;
  return tx.rows<OwnedCall>(sql`
    with failed as (
      update slowwave.batch_requests set state = 'failed', body = null
      where tenant = ${tenant} and batch_id = ${id}::uuid and state in ('collected', 'sent')
      returning user_id, call_id
    ), unwanted as (
      delete from slowwave.batch_requests where tenant = ${tenant} and batch_id = ${id}::uuid and state = 'dropped'
      returning user_id, call_id
    )
    select user_id as "user", call_id as "callId" from failed union all select user_id, call_id from unwanted`);
}
