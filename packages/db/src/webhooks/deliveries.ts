import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { fixedLimit } from '../fixed-limit.ts';
import { instantOf, msOf } from '../instants.ts';
import { decodeCursor, type ListPage, pageOf } from '../paging.ts';
import type { ClaimedDelivery, DeliveryOutcome, WebhookDelivery } from './types.ts';

export const DELIVERIES_PER_LIST_MAX = 200;
const CURSOR = { list: 'webhook-deliveries', key: { createdAt: 'instant', id: 'uuid' } } as const;

/**
 * Takes deliveries that are due, the longest due first, whosever they are. Each is nobody else's until the lease ends: then it is due
 * again, so that what a killed process had taken is sent by another, under the same id.
 * @param tx of the dispatcher
 * @param input.at epoch ms
 * @param input.leaseMs longer than an attempt may take
 */
export function claimDueDeliveries(
  tx: Transaction,
  input: { at: number; leaseMs: number; limit: number },
): Promise<ClaimedDelivery[]> {
  return tx.rows<ClaimedDelivery>(sql`
    with due as (
      select d.tenant, d.id from slowwave.webhook_deliveries d
      where d.next_attempt_at <= ${instantOf(input.at)}
      order by d.next_attempt_at
      limit ${fixedLimit(input.limit)}
      for update skip locked
    ), taken as (
      update slowwave.webhook_deliveries d set attempts = d.attempts + 1, next_attempt_at = ${instantOf(input.at + input.leaseMs)}
      from due where d.tenant = due.tenant and d.id = due.id
      returning d.tenant, d.id, d.webhook_id, d.event, d.payload, d.created_at, d.attempts
    )
    select t.tenant, t.id, t.webhook_id as "webhookId", t.event, t.payload as data, ${msOf('t.created_at')} as "createdAt",
      t.attempts, w.url, w.secret
    from taken t join slowwave.webhooks w on w.tenant = t.tenant and w.id = t.webhook_id
    order by t.created_at, t.id`);
}

/**
 * Records how an attempt ended, unless somebody else has taken the delivery since or it was dropped.
 * @param tx of the dispatcher
 * @param input.at epoch ms
 */
export async function recordDelivery(
  tx: Transaction,
  input: Pick<ClaimedDelivery, 'tenant' | 'id' | 'attempts'> & { at: number; outcome: DeliveryOutcome },
): Promise<void> {
  const { tenant, id, attempts, at, outcome } = input;
  const next = outcome.status === 'failed' ? outcome.nextAttemptAt : null;
  const delivered = outcome.status === 'delivered' ? at : null;
  const gaveUp = outcome.status === 'failed' && next === null ? at : null;
  await tx.rows(sql`
    update slowwave.webhook_deliveries set next_attempt_at = ${instantOf(next)}, delivered_at = ${instantOf(delivered)},
      gave_up_at = ${instantOf(gaveUp)}, last_status = ${outcome.httpStatus}::int,
      error_code = ${outcome.status === 'failed' ? outcome.code : null}
    where tenant = ${tenant} and id = ${id}::uuid and attempts = ${attempts} and next_attempt_at is not null`);
}

/**
 * Leaves a receiver that failed alone for a while, so that one that answers nobody does not keep the senders from all others: what is due
 * for it is due later, and what has waited for too long is given up. What another process looks at meanwhile is passed over.
 * @param tx of the dispatcher
 * @param input.at epoch ms
 * @param input.until epoch ms
 * @param input.createdBefore epoch ms; older ones are given up
 */
export async function holdDeliveries(
  tx: Transaction,
  input: { tenant: string; webhookId: string; at: number; until: number; createdBefore: number },
): Promise<void> {
  const { tenant, webhookId, at } = input;
  const tooOld = sql`d.created_at < ${instantOf(input.createdBefore)}`;
  await tx.rows(sql`
    with due as (
      select id from slowwave.webhook_deliveries
      where tenant = ${tenant} and webhook_id = ${webhookId}::uuid and next_attempt_at <= ${instantOf(at)}
      for update skip locked
    )
    update slowwave.webhook_deliveries d set
      next_attempt_at = case when ${tooOld} then null else ${instantOf(input.until)} end,
      gave_up_at = case when ${tooOld} then ${instantOf(at)} end,
      error_code = case when ${tooOld} then 'receiver_down' else d.error_code end
    from due where d.tenant = ${tenant} and d.id = due.id`);
}

/** How many deliveries wait for an attempt, and since when the longest due has been due (epoch ms). @param tx of the dispatcher */
export async function countPendingDeliveries(
  tx: Transaction,
): Promise<{ pending: number; oldestAt: number | null }> {
  const [row] = await tx.rows<{ pending: number; oldestAt: number | null }>(sql`
    select count(*)::int as pending, ${msOf('min(created_at)')} as "oldestAt"
    from slowwave.webhook_deliveries where next_attempt_at is not null`);
  return row!;
}

/**
 * Forgets deliveries that have ended, the oldest first.
 * @param tx of the dispatcher
 * @param input.deliveredBefore epoch ms
 * @param input.gaveUpBefore epoch ms
 * @returns how many were removed
 */
export async function pruneDeliveries(
  tx: Transaction,
  input: { deliveredBefore: number; gaveUpBefore: number; limit: number },
): Promise<number> {
  const rows = await tx.rows(sql`
    delete from slowwave.webhook_deliveries d using (
      select tenant, id from slowwave.webhook_deliveries
      where next_attempt_at is null
        and (delivered_at < ${instantOf(input.deliveredBefore)} or gave_up_at < ${instantOf(input.gaveUpBefore)})
      order by created_at
      limit ${input.limit}
    ) old
    where d.tenant = old.tenant and d.id = old.id
    returning 1`);
  return rows.length;
}

/** What became of the events of one webhook, the newest first. @throws InputError for a cursor of another list */
export async function listDeliveries(
  tx: Transaction,
  input: { tenant: string; webhookId: string; limit: number; cursor?: string | undefined },
): Promise<ListPage<WebhookDelivery>> {
  const { tenant, webhookId } = input;
  const limit = Math.max(1, Math.min(DELIVERIES_PER_LIST_MAX, Math.floor(input.limit)));
  const after = decodeCursor(CURSOR, input.cursor);
  const further: SQL =
    after === null
      ? sql`true`
      : sql`(d.created_at, d.id) < (${instantOf(after.createdAt)}, ${after.id}::uuid)`;
  const rows = await tx.rows<WebhookDelivery>(sql`
    select d.id, d.user_id as "user", d.event, d.attempts, ${msOf('d.next_attempt_at')} as "nextAttemptAt",
      ${msOf('d.delivered_at')} as "deliveredAt", ${msOf('d.gave_up_at')} as "gaveUpAt", d.last_status as "lastStatus",
      d.error_code as "errorCode", ${msOf('d.created_at')} as "createdAt"
    from slowwave.webhook_deliveries d
    where d.tenant = ${tenant} and d.webhook_id = ${webhookId}::uuid and ${further}
    order by d.created_at desc, d.id desc
    limit ${limit + 1}`);
  return pageOf(CURSOR, rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
}
