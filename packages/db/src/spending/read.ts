import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { msOf } from '../instants.ts';
import { type BudgetScope, type LastPeriods, type Periods, periodsOf } from './periods.ts';
import type { Amount } from './types.ts';

/** What a period has spent, and what calls under way may still spend. */
export interface PeriodSpend {
  spent: Amount;
  reserved: Amount;
}

interface SpendRow {
  scope: BudgetScope;
  spentTokens: number;
  spentNanos: string;
  reservedTokens: number;
  reservedNanos: string;
}

const NOTHING: PeriodSpend = { spent: { tokens: 0, nanos: 0n }, reserved: { tokens: 0, nanos: 0n } };

/** Reads the periods of a user, a tenant and all tenants. The last counts only while a limit is set for it. */
export async function readSpend(
  tx: Transaction,
  of: { tenant: string; user: string; periods: Periods },
): Promise<Record<BudgetScope, PeriodSpend>> {
  const { tenant, user, periods } = of;
  const amounts = sql`spent_tokens::float8 as "spentTokens", spent_nanos::text as "spentNanos",
    reserved_tokens::float8 as "reservedTokens", reserved_nanos::text as "reservedNanos"`;
  const rows = await tx.rows<SpendRow>(sql`
    select 'user_' || period as scope, ${amounts} from slowwave.user_spend
    where tenant = ${tenant} and user_id = ${user} and ((period = 'day' and day = ${periods.user_day.day}::date)
      or (period = 'night' and day = ${periods.user_night?.day ?? null}::date))
    union all
    select 'tenant_day', ${amounts} from slowwave.tenant_spend where tenant = ${tenant} and day = ${periods.tenant_day.day}::date
    union all
    select 'overall_day', ${amounts} from slowwave.overall_spend where day = ${periods.overall_day.day}::date`);
  const spend = { user_night: NOTHING, user_day: NOTHING, tenant_day: NOTHING, overall_day: NOTHING };
  for (const row of rows) {
    spend[row.scope] = {
      spent: { tokens: row.spentTokens, nanos: BigInt(row.spentNanos) },
      reserved: { tokens: row.reservedTokens, nanos: BigInt(row.reservedNanos) },
    };
  }
  return spend;
}

/**
 * What calls of some steps of a run took of the tokens of this day of the user: those that are not closed count with the most they can take.
 */
export async function readRunTokens(
  tx: Transaction,
  of: { tenant: string; user: string; runId: string | null; steps: readonly string[]; day: string },
): Promise<number> {
  const [row] = await tx.rows<{ tokens: number }>(sql`
    select coalesce(sum(case state when 'settled' then input_tokens + output_tokens else reserved_tokens end), 0)::float8 as tokens
    from slowwave.model_calls
    where tenant = ${of.tenant} and user_id = ${of.user} and run_id = ${of.runId}::uuid and state <> 'released'
      and step = any(array(select jsonb_array_elements_text(${JSON.stringify(of.steps)}::jsonb))) and user_day = ${of.day}::date`);
  return row!.tokens;
}

/** The budget periods of a run of a user, by the zones in which they began. */
export async function readPeriods(
  tx: Transaction,
  of: { tenant: string; user: string; tier: Tier; timezone: string; at: number },
): Promise<Periods> {
  const rows = await tx.rows<{ scope: 'user_day' | 'user_night'; day: string; renewsAt: number }>(sql`
    select distinct on (period) 'user_' || period as scope, day::text as day, ${msOf('renews_at')} as "renewsAt"
    from slowwave.user_spend
    where tenant = ${of.tenant} and user_id = ${of.user} and renews_at is not null
    order by period, day desc`);
  const last: LastPeriods = {};
  for (const { scope, day, renewsAt } of rows) last[scope] = { day, renewsAt };
  return periodsOf(of, last);
}
