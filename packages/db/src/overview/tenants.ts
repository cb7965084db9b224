import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';

export const TENANTS_PER_LIST_MAX = 200;

/**
 * The tenants that have users, by name. For the dispatcher's role. Steps from one name to the next in the index of users, so that it
 * costs as much as there are tenants, not users.
 * @param input.limit at most TENANTS_PER_LIST_MAX, a larger one is cut
 */
export async function listTenants(tx: Transaction, input: { limit: number }): Promise<string[]> {
  const limit = Math.max(1, Math.min(TENANTS_PER_LIST_MAX, Math.floor(input.limit)));
  const rows = await tx.rows<{ tenant: string }>(sql`
    with recursive names as (
      (select u.tenant from slowwave.users u order by u.tenant limit 1)
      union all
      select (select u.tenant from slowwave.users u where u.tenant > n.tenant order by u.tenant limit 1)
      from names n where n.tenant is not null
    )
    select tenant from names where tenant is not null limit ${limit}`);
  return rows.map(({ tenant }) => tenant);
}
