import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import type { WebhookEvent } from './types.ts';

/**
 * Puts events on their way, in the transaction of what they tell: either both are there or neither. One statement, whatever the number
 * of events and of webhooks; nothing is written for a tenant that has none.
 * @param input.at epoch ms
 */
export async function enqueueEvents(
  tx: Transaction,
  input: { tenant: string; user: string; at: number; events: readonly WebhookEvent[] },
): Promise<void> {
  const { tenant, user, at } = input;
  if (input.events.length === 0) return;
  const events = input.events.map(({ type, data }) => ({ type, data: { tenant, user, ...data } }));
  await tx.rows(sql`
    insert into slowwave.webhook_deliveries (tenant, id, webhook_id, user_id, event, payload, next_attempt_at, created_at)
    select w.tenant, gen_random_uuid(), w.id, ${user}, e.type, e.data, ${instantOf(at)}, ${instantOf(at)}
    from slowwave.webhooks w
    cross join jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e(type text, data jsonb)
    where w.tenant = ${tenant} and w.active and e.type = any(w.events)`);
}
