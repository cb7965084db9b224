import type { RunStatus, Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';

/** What waits for people in a tenant. Each is counted up to WAITING_COUNT_MAX. */
export interface Waiting {
  reviews: number;
  conflicts: number;
  failedFusions: number;
}

export const WAITING_COUNT_MAX = 1_000;

/** Counts what waits for people. */
export async function countWaiting(tx: Transaction, of: { tenant: string }): Promise<Waiting> {
  const upTo = (from: SQL) => sql`(select count(*)::int from (${from} limit ${WAITING_COUNT_MAX}) as found)`;
  const fusions = (status: string) =>
    upTo(sql`select 1 from slowwave.fusions where tenant = ${of.tenant} and status = ${status}`);
  const [row] = await tx.rows<Waiting>(sql`
    select ${fusions('review')} as reviews, ${fusions('failed')} as "failedFusions",
      ${upTo(sql`select 1 from slowwave.conflicts where tenant = ${of.tenant} and status = 'open'`)} as conflicts`);
  return row!;
}

/** What happened in a tenant since a day began. */
export interface TenantDay {
  users: number;
  runs: { tier: Tier; status: RunStatus; count: number }[];
  fusions: { status: string; count: number }[];
  /** Answers of a model whose calls are in no books: in all the days that were asked for, and of these since this one began. */
  unbooked: { answers: number; today: number };
}

/**
 * Reads a tenant's figures in one statement. Previews count as runs. What calls took is with readUsage.
 * @param of.since runs and fusions from here on, epoch ms
 * @param of.answersSince answers from here on, epoch ms
 * @param of.unbooked the model that answers without being charged for, by the name that its answers bear
 */
export async function readTenantDay(
  tx: Transaction,
  of: { tenant: string; since: number; answersSince: number; unbooked: string },
): Promise<TenantDay> {
  const since = instantOf(of.since);
  const answersSince = instantOf(of.answersSince);
  // A fusion is answered as it is made, and may change later. What is younger than an instant changed after it: that is in the index.
  const [row] = await tx.rows<TenantDay>(sql`
    with unbooked as (
      select created_at as at from slowwave.fusions
      where tenant = ${of.tenant} and updated_at >= ${answersSince} and created_at >= ${answersSince}
        and answered_model = ${of.unbooked}
      union all
      select created_at from slowwave.model_answers
      where tenant = ${of.tenant} and created_at >= ${answersSince} and model = ${of.unbooked}
    )
    select (select count(*)::int from slowwave.users where tenant = ${of.tenant}) as users,
      (select coalesce(jsonb_agg(to_jsonb(r) order by r.tier, r.status), '[]') from (
        select tier, status, count(*)::int as count from slowwave.runs
        where tenant = ${of.tenant} and requested_at >= ${since} group by tier, status) r) as runs,
      (select coalesce(jsonb_agg(to_jsonb(f) order by f.status), '[]') from (
        select status, count(*)::int as count from slowwave.fusions
        where tenant = ${of.tenant} and updated_at >= ${since} group by status) f) as fusions,
      (select jsonb_build_object('answers', count(*), 'today', count(*) filter (where at >= ${since})) from unbooked) as unbooked`);
  return row!;
}

/** What happened on one day (UTC) of a tenant. Each is counted up to DAY_COUNT_MAX. */
export interface PastDay {
  /** When the day began, epoch ms. */
  day: number;
  runs: number;
  failedRuns: number;
  /** Fusions that were applied, and that were closed without one, when they last changed. */
  applied: number;
  closed: number;
}

export const DAY_COUNT_MAX = 10_000;

/**
 * Reads the last days that had runs or fusions, newest first: each is found by one step down an index, whatever lies between.
 * @param of.before earlier days only, epoch ms, the beginning of a day
 * @param of.limit so many days
 */
export async function listPastDays(
  tx: Transaction,
  of: { tenant: string; before: number; limit: number },
): Promise<PastDay[]> {
  const { tenant, limit } = of;
  const newest = (before: SQL) => sql`date_trunc('day', greatest(
    (select max(requested_at) from slowwave.runs where tenant = ${tenant} and requested_at < ${before}),
    (select max(updated_at) from slowwave.fusions where tenant = ${tenant} and updated_at < ${before})), 'UTC')`;
  const counted = (from: SQL) =>
    sql`(select count(*)::int from (select 1 ${from} limit ${DAY_COUNT_MAX}) as found)`;
  const runs = sql`from slowwave.runs where tenant = ${tenant} and requested_at >= day and requested_at < day + interval '24 hours'`;
  const fusions = (status: string) =>
    sql`from slowwave.fusions where tenant = ${tenant} and status = ${status} and updated_at >= day and updated_at < day + interval '24 hours'`;
  return tx.rows<PastDay>(sql`
    with recursive days (day, number) as (
      select ${newest(sql`${instantOf(of.before)}::timestamptz`)}, 1
      union all
      select ${newest(sql`day`)}, number + 1 from days where day is not null and number < ${limit}
    )
    select (extract(epoch from day) * 1000)::float8 as day, ${counted(runs)} as runs,
      ${counted(sql`${runs} and status = 'failed'`)} as "failedRuns",
      ${counted(fusions('applied'))} as applied, ${counted(fusions('closed'))} as closed
    from days where day is not null order by day desc`);
}
