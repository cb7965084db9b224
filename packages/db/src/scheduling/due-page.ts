import type { Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import { type DueUser, isDue, type Page, pageSize } from './due.ts';

/** Tenants that one page looks at, at most: two short looks at an index each. */
export const TENANTS_SEEN_MAX = 5_000;

export interface DuePage extends Page {
  tier: Tier;
  /** The tenant after which the turn goes on; absent: it begins with the first one. */
  after?: string | undefined;
}

/** A page, and where the next one goes on. */
export interface DueTurn {
  users: DueUser[];
  /** The last tenant that had its turn, or was looked at; null when nobody was taken. */
  after: string | null;
}

/**
 * The tenants that have somebody with this tier whom nothing holds back, each found by one look at the index: those after the one that
 * was last, then those before it.
 */
function tenantsInTurn({ tier, after = '' }: DuePage): SQL {
  const next = (tenant: SQL) => sql`(select t.tenant from slowwave.user_tiers t
      where t.tier = ${tier} and t.tenant > ${tenant} and not t.paused and not t.tenant_paused and t.quarantined_at is null
      order by t.tenant limit 1)`;
  const first = next(
    sql`${after}::text`, // guard: turn-after
  );
  return sql`seen (tenant, again, place) as (
      select ${first}, false, 1
      union all
      select ${next(sql`coalesce(s.tenant, '')`)}, s.again or s.tenant is null, s.place + 1 from seen s
      where s.place < ${TENANTS_SEEN_MAX} and not (s.again and (s.tenant is null or s.tenant > ${after}::text))
    ), tenants as materialized (
      select s.tenant, s.place from seen s
      where s.tenant is not null and not (s.again and s.tenant > ${after}::text)
    )`;
}

/** The longest due that nobody else is taking just now. */
function longestDue(input: DuePage, only: SQL, limit: SQL): SQL {
  return sql`select t.ctid as place, t.tenant, t.user_id from slowwave.user_tiers t
        where ${isDue(input)} and ${only}
        order by t.due_at
        limit ${limit}
        for update of t skip locked /* guard: due-lock */`;
}

/**
 * Takes the users whose tier is due, may be attempted, is not paused, not waiting and not being worked on. Nobody in quarantine, and nobody
 * at all while the tier is paused. Every tenant has an equal share of the page, its longest due first; what some leave of theirs is shared
 * among those who have more, and the rest goes to the longest due of all. They come in turn: the first of each tenant, then the second.
 *
 * Marks them as enqueued in the same statement; rows that another dispatcher holds are passed over, so no user is on two pages.
 * For the dispatcher's role. The queue is filled after the transaction, and `returnPage` takes the marks back if that fails.
 */
export async function takeDueTurn(tx: Transaction, input: DuePage): Promise<DueTurn> {
  const size = pageSize(input.limit);
  // A row comparison with what is hashed once: as a join it could cost the order of the index, and with it a look at every row.
  const notIn = (...pages: string[]) =>
    sql`(t.tenant, t.user_id) not in (${sql.join(
      pages.map((page) => sql`select tenant, user_id from ${sql.raw(page)}`),
      sql` union all `,
    )})`;
  const first = longestDue(
    input,
    sql`t.tenant = a.tenant`,
    sql`(select users from share)`, // guard: turn-share
  );
  const rows = await tx.rows<DueUser & { after: string }>(sql`
    with recursive ${tenantsInTurn(input)}, asking as materialized (
      select s.tenant, s.place from tenants s, lateral (
        select 1 from slowwave.user_tiers t where t.tenant = s.tenant and ${isDue(input)} order by t.due_at limit 1) as somebody
      order by s.place limit ${size}
    ), share as materialized (
      select floor(${size} / greatest(1, count(*)))::int as users from asking
    ), first as materialized (
      select p.* from asking a, lateral (
        ${first}) as p
    ), more as materialized (
      select tenant from first group by tenant having count(*) = (select users from share)
    ), shared as materialized (
      select floor((${size} - (select count(*) from first)) / greatest(1, count(*)))::int as users from more
    ), second as materialized (
      select p.* from more m, lateral (
        ${longestDue(input, sql`t.tenant = m.tenant and ${notIn('first')}`, sql`(select users from shared)`)}) as p
    ), rest as materialized (
      ${longestDue(input, notIn('first', 'second'), sql`${size} - (select count(*) from first) - (select count(*) from second)`)}
    ), page as materialized (
      select * from first union all select * from second
      union all select * from rest /* guard: turn-rest */
    ), marked as (
      -- Where the rows stand: they are locked, so they stand still. One that changed just before that is left to the next page.
      update slowwave.user_tiers t set enqueued_at = ${instantOf(input.at)} where t.ctid = any(array(select place from page))
      returning t.tenant, t.user_id, t.due_at
    ), ranked as (
      select *, row_number() over (partition by tenant order by due_at, user_id) as rank from marked
    )
    select tenant, user_id as "user", ${msOf('due_at')} as "dueAt",
      case when (select count(*) from asking) = ${size} then (select tenant from asking order by place desc limit 1)
        else (select tenant from tenants order by place desc limit 1) end as after
    from ranked order by
      rank, /* guard: turn-order */
      due_at, tenant, user_id`);
  const users = rows.map(({ tenant, user, dueAt }) => ({ tenant, user, dueAt }));
  return { users, after: rows[0]?.after ?? null };
}

/** The page of takeDueTurn alone. */
export async function takeDuePage(tx: Transaction, input: DuePage): Promise<DueUser[]> {
  return (await takeDueTurn(tx, input)).users;
}
