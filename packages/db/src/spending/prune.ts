import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';

/**
 * Removes what a user's calls cost before an instant, the oldest calls first. Calls that are still open stay, and so does what the
 * tenant spent.
 * @param input.before epoch ms
 * @param input.limit most calls to remove at once
 * @returns how many calls were removed
 */
export async function pruneCalls(
  tx: Transaction,
  input: { tenant: string; user: string; before: number; limit: number },
): Promise<number> {
  const { tenant, user } = input;
  const before = instantOf(input.before);
  const rows = await tx.rows(sql`
    delete from slowwave.model_calls where tenant = ${tenant} and user_id = ${user} and id in (
      select id from slowwave.model_calls
      where tenant = ${tenant} and user_id = ${user} and begun_at < ${before} and state <> 'reserved'
      order by begun_at
      limit ${Math.max(0, Math.floor(input.limit))})
    returning 1`);
  // Days of any zone: one more than UTC has begun by then.
  await tx.rows(sql`
    delete from slowwave.user_spend
    where tenant = ${tenant} and user_id = ${user} and day < (${before} at time zone 'UTC')::date - 1`);
  return rows.length;
}
