import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { decodeCursor, type ListPage, pageOf } from '../paging.ts';
import { type ScheduledUser, scheduledUserOf, USER_TIER_COLUMNS, type UserTierRow } from './users.ts';

export const USERS_PER_LIST_MAX = 200;
const CURSOR = { list: 'users', key: { user: 'text' } } as const;

export interface ListedUsers {
  tenant: string;
  /** Any tier might have run before `at - graceMs`, and nothing holds it back; or none. Absent: either. */
  overdue?: boolean | undefined;
  quarantined?: boolean | undefined;
  /** Any tier is paused: for this user, for the tenant or for everybody; or none. */
  paused?: boolean | undefined;
  /** Epoch ms. */
  at: number;
  graceMs: number;
  /** At most USERS_PER_LIST_MAX, a larger one is cut. */
  limit: number;
  cursor?: string | undefined;
}

/** A tenant's users with settings and tiers, by their ids. @throws InputError for a cursor of another list */
export async function pageUsers(tx: Transaction, of: ListedUsers): Promise<ListPage<ScheduledUser>> {
  const { tenant } = of;
  const limit = Math.max(1, Math.min(USERS_PER_LIST_MAX, Math.floor(of.limit)));
  const after = decodeCursor(CURSOR, of.cursor);
  const conditions: SQL[] = [sql`u.tenant = ${tenant}`];
  if (after) conditions.push(sql`u.id > ${after.user}`);
  if (of.overdue !== undefined) conditions.push(anyTier(isOverdue(of), of.overdue));
  if (of.quarantined !== undefined)
    conditions.push(anyTier(sql`t.quarantined_at is not null`, of.quarantined));
  if (of.paused !== undefined) conditions.push(anyTier(sql`not ${UNPAUSED}`, of.paused));
  const rows = await tx.rows<UserTierRow>(sql`
    with page as materialized (
      select u.* from slowwave.users u
      where ${sql.join(conditions, sql` and `)}
      order by u.id
      limit ${limit + 1}
    )
    select ${USER_TIER_COLUMNS}
    from page u join slowwave.user_tiers t on t.tenant = u.tenant and t.user_id = u.id
    order by u.id`);
  const tiersOf = new Map<string, UserTierRow[]>();
  for (const row of rows) tiersOf.set(row.user, [...(tiersOf.get(row.user) ?? []), row]);
  const users = [...tiersOf.values()].flatMap((tiers) => scheduledUserOf(tenant, tiers) ?? []);
  return pageOf(CURSOR, users, limit, ({ user }) => ({ user }));
}

const UNPAUSED: SQL = sql`(not t.paused and not t.tenant_paused
  and not exists (select 1 from slowwave.tier_pauses p where p.tier = t.tier))`;

function isOverdue({ at, graceMs }: ListedUsers): SQL {
  const since = instantOf(at - graceMs);
  return sql`t.due_at < ${since} and t.next_attempt_at < ${since} and t.quarantined_at is null and ${UNPAUSED}`;
}

/** Whether a tier of user u is so, or none is. */
function anyTier(condition: SQL, wanted: boolean): SQL {
  return sql`${wanted ? sql`exists` : sql`not exists`} (
    select 1 from slowwave.user_tiers t where t.tenant = u.tenant and t.user_id = u.id and ${condition})`;
}
