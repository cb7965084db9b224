import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { anyRow, type Question } from '../questions.ts';

interface Before {
  tenant: string;
  user: string;
  /** Epoch ms. */
  before: number;
}

/**
 * Removes what a user's calls cost before an instant, the oldest calls first. Calls that are still open stay, and so does what the
 * tenant spent.
 * @param input.before epoch ms
 * @param input.limit most calls to remove at once
 * @returns how many calls were removed
 */
export async function pruneCalls(tx: Transaction, input: Before & { limit: number }): Promise<number> {
  const { tenant, user } = input;
  const rows = await tx.rows(sql`
    delete from slowwave.model_calls where tenant = ${tenant} and user_id = ${user} and id in (
      select id from slowwave.model_calls where ${isOldCall(input)}
      order by begun_at
      limit ${Math.max(0, Math.floor(input.limit))})
    returning 1`);
  await tx.rows(sql`delete from slowwave.user_spend where ${isOldDay(input)}`);
  return rows.length;
}

/** Whether pruneCalls would remove something. */
export function askOldCalls(input: Before): Question<boolean> {
  return anyRow(sql`
    select 1 from slowwave.model_calls where ${isOldCall(input)}
    union all select 1 from slowwave.user_spend where ${isOldDay(input)}`);
}

function isOldCall({ tenant, user, before }: Before): SQL {
  return sql`tenant = ${tenant} and user_id = ${user} and begun_at < ${instantOf(before)} and state <> 'reserved'`;
}

/** Days of any zone: one more than UTC has begun by then. */
function isOldDay({ tenant, user, before }: Before): SQL {
  return sql`tenant = ${tenant} and user_id = ${user} and day < (${instantOf(before)} at time zone 'UTC')::date - 1`;
}
