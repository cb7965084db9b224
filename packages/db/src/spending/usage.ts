import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';

export const USAGE_USERS_MAX = 100;

/** What calls of models took. */
export interface CallUsage {
  calls: number;
  /** Of the calls: asked for in batches, answered or not yet. */
  batchedCalls: number;
  /** All that was read; of these found in a provider's cache, and put there. */
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  /** Most tokens of calls of which nobody knows whether they were answered; their cost is in `costNanos` as if they had been. */
  heldTokens: number;
  /** Nano-dollars, as text: more than a number may hold exactly. */
  costNanos: string;
  /** Calls whose price nobody knew. */
  unpricedCalls: number;
}

/** What models cost a tenant, or one user of it. */
export interface Usage {
  total: CallUsage;
  /** By the day in UTC in which the run began, YYYY-MM-DD, the oldest first. */
  days: (CallUsage & { day: string })[];
  /** By the name under which a model was asked, and by step; what cost most first. */
  models: (CallUsage & { model: string })[];
  steps: (CallUsage & { step: string })[];
  /** Those who cost most first, USAGE_USERS_MAX at most. */
  users: (CallUsage & { user: string })[];
}

/**
 * Reads what calls took, in one statement. Calls that nobody was paid for are left out.
 * @param of.user absent: of the whole tenant
 * @param of.since of runs that began from here on, epoch ms
 */
export async function readUsage(
  tx: Transaction,
  of: { tenant: string; user?: string | undefined; since: number },
): Promise<Usage> {
  const mine = of.user === undefined ? sql`` : sql`and user_id = ${of.user}`;
  const sums = sql`count(*)::int as calls, (count(*) filter (where batch))::int as "batchedCalls",
    coalesce(sum(input_tokens), 0)::float8 as "inputTokens", coalesce(sum(cache_read_tokens), 0)::float8 as "cacheReadTokens",
    coalesce(sum(cache_write_tokens), 0)::float8 as "cacheWriteTokens",
    coalesce(sum(output_tokens), 0)::float8 as "outputTokens", coalesce(sum(held), 0)::float8 as "heldTokens",
    coalesce(sum(nanos), 0)::text as "costNanos", (count(*) filter (where not priced))::int as "unpricedCalls"`;
  const grouped = (name: string, column: SQL, order: SQL, limit: SQL = sql`all`) => sql`(
    select coalesce(jsonb_agg(to_jsonb(g) - 'rank' order by g.rank), '[]') from (
      select ${column} as ${sql.identifier(name)}, ${sums}, row_number() over (order by ${order}) as rank
      from calls group by 1 order by rank limit ${limit}) g)`;
  const dearest = (column: SQL) => sql`sum(nanos) desc, sum(input_tokens + output_tokens) desc, ${column}`;
  const [row] = await tx.rows<Usage>(sql`
    with calls as materialized (
      select user_id, model, step, tenant_day, priced, batch, input_tokens, cache_read_tokens, cache_write_tokens, output_tokens,
        case when state = 'settled' then 0 else reserved_tokens end as held,
        case when state = 'settled' then cost_nanos else reserved_nanos end as nanos
      from slowwave.model_calls
      where tenant = ${of.tenant} ${mine} and begun_at >= ${instantOf(of.since)} and state <> 'released'
    )
    select (select to_jsonb(t) from (select ${sums} from calls) t) as total,
      ${grouped('day', sql`tenant_day`, sql`tenant_day`)} as days,
      ${grouped('model', sql`model`, dearest(sql`model`))} as models,
      ${grouped('step', sql`step`, dearest(sql`step`))} as steps,
      ${grouped('user', sql`user_id`, dearest(sql`user_id`), sql`${USAGE_USERS_MAX}`)} as users`);
  return row!;
}
