import { TIERS, type Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { fixedLimit } from '../fixed-limit.ts';
import { instantOf } from '../instants.ts';

/** Users per page at most; a larger limit is cut. */
export const PAGE_MAX = 1_000;
/** Overdue users are counted up to here. */
export const OVERDUE_COUNT_MAX = 100_000;

export interface DueUser {
  tenant: string;
  user: string;
  /** Epoch ms. */
  dueAt: number;
}

export interface RequestedUser {
  tenant: string;
  user: string;
  tier: Tier;
  runId: string;
}

export interface Moment {
  /** Epoch ms. */
  at: number;
  /** A wake-up that was put in the queue longer ago than this, and not taken up since, counts as lost. */
  requeueAfterMs: number;
}

export interface Page extends Moment {
  /** 1 to PAGE_MAX. */
  limit: number;
}

export const pageSize = (limit: number): number => Math.max(1, Math.min(PAGE_MAX, Math.floor(limit)));

/** Not waiting in the queue already, and nobody works on the user. One look-up by key per row, whatever the planner thinks. */
function free({ at, requeueAfterMs }: Moment): SQL {
  return sql`
    (t.enqueued_at is null or t.enqueued_at < ${instantOf(at - requeueAfterMs)}) /* guard: due-marked */
    and coalesce((
      select
        l.expires_at <= clock_timestamp() /* guard: due-held */
      from slowwave.leases l
      where l.tenant = t.tenant and l.user_id = t.user_id), true)`;
}

/** Whom takeDuePage takes, of rows called t. */
export function isDue(input: Moment & { tier: Tier }): SQL {
  return sql`t.tier = ${input.tier} and t.due_at <= ${instantOf(input.at)} and t.next_attempt_at <= ${instantOf(input.at)}
        and not t.paused and not t.tenant_paused
        and t.quarantined_at is null /* guard: due-quarantine */
        and not exists (select 1 from slowwave.tier_pauses p where p.tier = ${input.tier}) and ${free(input)}`;
}

/** Whom takeRequested takes, of rows called t. */
export function isRequested(input: Moment & { tier?: Tier | undefined }): SQL {
  const tiers = JSON.stringify(input.tier ? [input.tier] : TIERS);
  return sql`t.requested_run is not null and t.tier in (select jsonb_array_elements_text(${tiers}::jsonb))
        and t.quarantined_at is null and ${free(input)}`;
}

/** Which leases listLeftHolds lists. */
export function isLeft(graceMs: number): SQL {
  return sql`expires_at < clock_timestamp() - ${graceMs}::float8 * interval '1 millisecond'
        and expires_at > '-infinity' /* guard: left-holds */`;
}

/**
 * Takes the tiers for which somebody asked for a run of their own (of one tier, or of all), the oldest request first. Neither the
 * due time nor a pause nor an earlier failure holds them back: somebody is waiting. Quarantine does. Otherwise as takeDuePage.
 */
export function takeRequested(
  tx: Transaction,
  input: Page & { tier?: Tier | undefined },
): Promise<RequestedUser[]> {
  // Run ids grow with time.
  return tx.rows(sql`
    with page as materialized (
      select t.tenant, t.user_id, t.tier from slowwave.user_tiers t
      where ${isRequested(input)}
      order by t.requested_run
      limit ${pageSize(input.limit)}
      for update of t skip locked
    ), marked as (
      update slowwave.user_tiers t set enqueued_at = ${instantOf(input.at)} from page
      where t.tenant = page.tenant and t.user_id = page.user_id and t.tier = page.tier
      returning t.tenant, t.user_id, t.tier, t.requested_run
    )
    select tenant, user_id as "user", tier, requested_run as "runId" from marked order by requested_run`);
}

/**
 * Takes back the marks of users who could not be put in the queue after all, so that the next tick finds them again. A mark that
 * somebody else has set meanwhile stays.
 * @param takenAt the page's `at`, epoch ms
 * @returns how many marks were taken back
 */
export async function returnPage(
  tx: Transaction,
  input: { tier: Tier; takenAt: number; users: readonly { tenant: string; user: string }[] },
): Promise<number> {
  const users = JSON.stringify(input.users.map(({ tenant, user }) => ({ tenant, user })));
  const rows = await tx.rows(sql`
    update slowwave.user_tiers t set enqueued_at = null
    from jsonb_to_recordset(${users}::jsonb) as r(tenant text, "user" text)
    where t.tenant = r.tenant and t.user_id = r."user" and t.tier = ${input.tier}
      and t.enqueued_at = ${instantOf(input.takenAt)} /* guard: due-returned */
    returning 1`);
  return rows.length;
}

/**
 * Users whose hold ran out without a release: whoever was at work for them is gone, and may have left a run behind that the next holder
 * finds. Those longest ago first. For the dispatcher's role.
 * @param input.graceMs how long the hold must be over, on the database's clock
 */
export function listLeftHolds(
  tx: Transaction,
  input: { limit: number; graceMs: number },
): Promise<{ tenant: string; user: string }[]> {
  return tx.rows(sql`
    select tenant, user_id as "user" from slowwave.leases
    where ${isLeft(input.graceMs)}
    order by expires_at
    limit ${pageSize(input.limit)}`);
}

/** How many users of one tier wait, and how many cannot. */
export interface TierLoad {
  /** Might have run for longer than the grace, and nothing holds them back. Counted up to OVERDUE_COUNT_MAX. */
  overdue: number;
  /** Counted up to OVERDUE_COUNT_MAX. */
  quarantined: number;
  /** Paused one by one or with their tenant. */
  paused: number;
  /** The tier is paused for everybody; then nobody is overdue. */
  tierPaused: boolean;
}

/**
 * Counts who really waits: due, and past the wait after a failure, for longer than the grace; neither paused nor in quarantine. For
 * the dispatcher's role.
 * @param input.at epoch ms
 */
export async function countOverdue(
  tx: Transaction,
  input: { at: number; graceMs: number },
): Promise<Record<Tier, TierLoad>> {
  const since = instantOf(input.at - input.graceMs);
  const count = (condition: SQL) => sql`(
      select count(*)::int from (
        select 1 from slowwave.user_tiers t where t.tier = tiers.tier and ${condition} limit ${fixedLimit(OVERDUE_COUNT_MAX)}) as found)`;
  const rows = await tx.rows<TierLoad & { tier: Tier }>(sql`
    with held as materialized (
      select tier, count(*)::int as users from slowwave.user_tiers where paused or tenant_paused group by tier
    )
    select tiers.tier, p.tier is not null as "tierPaused",
      ${count(sql`p.tier is null and t.due_at < ${since} and t.next_attempt_at < ${since}
        and not t.paused and not t.tenant_paused and t.quarantined_at is null`)} as overdue,
      ${count(sql`t.quarantined_at is not null`)} as quarantined,
      coalesce(held.users, 0) as paused
    from jsonb_array_elements_text(${JSON.stringify(TIERS)}::jsonb) as tiers(tier)
      left join slowwave.tier_pauses p on p.tier = tiers.tier left join held on held.tier = tiers.tier`);
  return Object.fromEntries(rows.map(({ tier, ...load }) => [tier, load])) as Record<Tier, TierLoad>;
}
