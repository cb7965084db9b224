import type { Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import { decodeCursor, type ListPage, pageOf } from '../paging.ts';
import type { UserMode } from '../scheduling/users.ts';

export const USERS_PER_PAGE_MAX = 200;
export const USER_FILTERS = ['all', 'overdue', 'failing', 'paused', 'quarantined', 'waiting'] as const;
/** overdue: due for longer than the grace with nothing holding them back. failing: a tier failed last time. waiting: something waits for a person. */
export type UserFilter = (typeof USER_FILTERS)[number];

/** A user as a list shows them. Instants in epoch ms. */
export interface UserRow {
  user: string;
  mode: UserMode;
  timezone: string;
  quarantinedAt: number | null;
  /** Null when nothing lies ahead. */
  tiers: Record<
    Tier,
    { dueAt: number | null; lastSuccessAt: number | null; failures: number; paused: boolean }
  >;
  /** Waits for a person. */
  reviews: number;
  conflicts: number;
  failedFusions: number;
}

const CURSOR = { list: 'user-rows', key: { user: 'text' } } as const;

/**
 * Users of a tenant by name.
 * @param of.search part of the name, in any case
 * @param of.at epoch ms
 * @param of.graceMs how long somebody may be due before they count as overdue
 * @param of.limit at most USERS_PER_PAGE_MAX, a larger one is cut
 * @throws InputError for a cursor of another list
 */
export async function pageUserRows(
  tx: Transaction,
  of: {
    tenant: string;
    search?: string | undefined;
    filter: UserFilter;
    at: number;
    graceMs: number;
    limit: number;
    cursor?: string | undefined;
  },
): Promise<ListPage<UserRow>> {
  const limit = Math.max(1, Math.min(USERS_PER_PAGE_MAX, Math.floor(of.limit)));
  const after = decodeCursor(CURSOR, of.cursor);
  const conditions = [sql`u.tenant = ${of.tenant}`, filterOf(of)];
  if (of.search) conditions.push(sql`position(lower(${of.search}) in lower(u.id)) > 0`);
  if (after) conditions.push(sql`u.id > ${after.user}`);
  const fusions = (status: string) => sql`(select count(*)::int from slowwave.fusions f
      where f.tenant = p.tenant and f.user_id = p.id and f.status = ${status})`;
  const rows = await tx.rows<UserRow>(sql`
    with page as materialized (
      select u.* from slowwave.users u
      where ${sql.join(conditions, sql` and `)}
      order by u.id
      limit ${limit + 1}
    )
    select p.id as "user", p.mode, p.timezone,
      (select max(${msOf('t.quarantined_at')}) from slowwave.user_tiers t where t.tenant = p.tenant and t.user_id = p.id) as "quarantinedAt",
      (select jsonb_object_agg(t.tier, jsonb_build_object(
          'dueAt', case when isfinite(t.due_at) then ${msOf('t.due_at')} end, 'lastSuccessAt', ${msOf('t.last_success_at')},
          'failures', t.failures, 'paused', t.paused or t.tenant_paused))
        from slowwave.user_tiers t where t.tenant = p.tenant and t.user_id = p.id) as tiers,
      ${fusions('review')} as reviews, ${fusions('failed')} as "failedFusions",
      (select count(*)::int from slowwave.conflicts c
        where c.tenant = p.tenant and c.user_id = p.id and c.status = 'open') as conflicts
    from page p order by p.id`);
  return pageOf(CURSOR, rows, limit, ({ user }) => ({ user }));
}

function filterOf({ filter, at, graceMs }: { filter: UserFilter; at: number; graceMs: number }): SQL {
  const tiers = (condition: SQL) => sql`exists (
    select 1 from slowwave.user_tiers t where t.tenant = u.tenant and t.user_id = u.id and ${condition})`;
  const since = instantOf(at - graceMs);
  switch (filter) {
    case 'all':
      return sql`true`;
    case 'overdue':
      return tiers(sql`t.due_at < ${since} and t.next_attempt_at < ${since} and not t.paused and not t.tenant_paused
        and t.quarantined_at is null and not exists (select 1 from slowwave.tier_pauses p where p.tier = t.tier)`);
    case 'failing':
      return tiers(sql`t.failures > 0`);
    case 'paused':
      return tiers(sql`(t.paused or t.tenant_paused)`);
    case 'quarantined':
      return tiers(sql`t.quarantined_at is not null`);
    case 'waiting':
      return sql`(exists (select 1 from slowwave.fusions f
          where f.tenant = u.tenant and f.user_id = u.id and f.status in ('review', 'failed'))
        or exists (select 1 from slowwave.conflicts c where c.tenant = u.tenant and c.user_id = u.id and c.status = 'open'))`;
  }
}
