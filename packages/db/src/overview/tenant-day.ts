import type { Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import type { RunStatus } from '../scheduling/run-records.ts';

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

/** Tokens that models took and gave on one day. */
export interface DayUsage {
  /** YYYY-MM-DD in UTC. */
  day: string;
  answers: number;
  inputTokens: number;
  outputTokens: number;
}

/** Tokens of one model, by the name that its answers bear. */
export interface ModelUsage {
  model: string;
  answers: number;
  inputTokens: number;
  outputTokens: number;
  /** Of these, the tokens since the day began. */
  today: { inputTokens: number; outputTokens: number };
}

/** What happened in a tenant since a day began. */
export interface TenantDay {
  users: number;
  runs: { tier: Tier; status: RunStatus; count: number }[];
  fusions: { status: string; count: number }[];
  /** Days on which models answered, the oldest first; by model in `models`. */
  usage: DayUsage[];
  /** Of the whole span of `usage`, those that took most first. */
  models: ModelUsage[];
}

/**
 * Reads a tenant's figures in one statement. Previews count as runs; what they paid counts as usage.
 * @param of.since runs and fusions from here on, epoch ms
 * @param of.usageSince usage from here on, epoch ms
 */
export async function readTenantDay(
  tx: Transaction,
  of: { tenant: string; since: number; usageSince: number },
): Promise<TenantDay> {
  const since = instantOf(of.since);
  const usageSince = instantOf(of.usageSince);
  const sums = sql`count(*)::int as answers, sum(input)::float8 as "inputTokens", sum(output)::float8 as "outputTokens"`;
  const today = (column: 'input' | 'output') =>
    sql`coalesce(sum(${sql.identifier(column)}) filter (where at >= ${since}), 0)::float8`;
  const [row] = await tx.rows<TenantDay>(sql`
    with answers as materialized (
      select updated_at as at, coalesce(answered_model, model) as model, input_tokens as input, output_tokens as output
      from slowwave.fusions where tenant = ${of.tenant} and updated_at >= ${usageSince} and input_tokens > 0
      union all
      select created_at, model, input_tokens, output_tokens
      from slowwave.model_answers where tenant = ${of.tenant} and created_at >= ${usageSince}
    )
    select (select count(*)::int from slowwave.users where tenant = ${of.tenant}) as users,
      (select coalesce(jsonb_agg(to_jsonb(r) order by r.tier, r.status), '[]') from (
        select tier, status, count(*)::int as count from slowwave.runs
        where tenant = ${of.tenant} and requested_at >= ${since} group by tier, status) r) as runs,
      (select coalesce(jsonb_agg(to_jsonb(f) order by f.status), '[]') from (
        select status, count(*)::int as count from slowwave.fusions
        where tenant = ${of.tenant} and updated_at >= ${since} group by status) f) as fusions,
      (select coalesce(jsonb_agg(to_jsonb(d) order by d.day), '[]') from (
        select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, ${sums} from answers group by 1) d) as usage,
      (select coalesce(jsonb_agg(to_jsonb(m) order by m."inputTokens" desc, m.model), '[]') from (
        select model, ${sums}, jsonb_build_object('inputTokens', ${today('input')}, 'outputTokens', ${today('output')}) as today
        from answers group by 1) m) as models`);
  return row!;
}
