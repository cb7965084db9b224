import { type SQL, sql } from 'drizzle-orm';
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
  const { tenant, user } = input;
  if (input.events.length === 0) return;
  const events = input.events.map(({ type, data }) => ({ type, data: { tenant, user, ...data } }));
  const given = sql`jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as e(type text, data jsonb)`;
  await tx.rows(eventsInserted(input, given));
}

/**
 * As enqueueEvents: an INSERT, for a statement that does what its events tell.
 * @param events rows called e, with a type and, as jsonb, the data with tenant and user
 */
export function eventsInserted(
  { tenant, user, at }: { tenant: string; user: string; at: number },
  events: SQL,
): SQL {
  return sql`
    insert into slowwave.webhook_deliveries (tenant, id, webhook_id, user_id, event, payload, next_attempt_at, created_at)
    select w.tenant, gen_random_uuid(), w.id, ${user}, e.type, e.data, ${instantOf(at)}, ${instantOf(at)}
    from slowwave.webhooks w
    cross join ${events}
    where w.tenant = ${tenant} and w.active and e.type = any(w.events)`;
}
