import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { closeCalls } from '../spending/close.ts';

interface Waiting {
  state: string;
  callId: string;
}

/**
 * Forgets all that a user's questions in batches say, and all that was answered: which of them hold what is forgotten nobody has to find out.
 * Those that the provider has are thrown away when they come back, and their cost is kept. To be called with the user locked.
 * @returns how many questions and answers went
 */
export async function forgetBatched(tx: Transaction, of: { tenant: string; user: string }): Promise<number> {
  const rows = await tx.rows<Waiting>(sql`
    with locked as (
      select id from slowwave.batch_requests where ${owned(of)} order by id for update
    ), gone as (
      delete from slowwave.batch_requests
      where ${owned(of)} and id = any(array(select id from locked)) and state not in ('sent', 'dropped') returning state, call_id
    ), unwanted as (
      update slowwave.batch_requests set
        state = 'dropped', /* guard: batch-forget */
        body = null
      where ${owned(of)} and id = any(array(select id from locked)) and state = 'sent' returning state, call_id
    )
    select state, call_id as "callId" from gone union all select state, call_id from unwanted`);
  // What was answered or failed is settled already, and what was sent still will be.
  const unsent = rows.filter(({ state }) => state === 'collected');
  await closeCalls(
    tx,
    of,
    unsent.map(({ callId }) => ({ id: callId, end: { state: 'released' } })),
  );
  return rows.length;
}

/** The same where the user goes, books and all: what is under way counts in full for those who share a budget, and what was not sent does not. */
export async function closeBatched(tx: Transaction, of: { tenant: string; user: string }): Promise<void> {
  const rows = await tx.rows<Waiting>(sql`
    select state, call_id as "callId" from slowwave.batch_requests
    where ${owned(of)} and state in ('collected', 'sent', 'dropped') order by id for update`);
  await closeCalls(
    tx,
    of,
    rows.map(({ state, callId }) => ({
      id: callId,
      end: { state: state === 'collected' ? 'released' : 'lapsed' },
    })),
  );
}
