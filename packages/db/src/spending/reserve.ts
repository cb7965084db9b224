import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import type { BudgetScope, Period } from './periods.ts';
import {
  type BudgetLimits,
  type CallOwner,
  type CallRefusal,
  type CallRequest,
  EMBEDDING_STEPS,
  isLimited,
  NO_LIMITS,
  type Refusal,
  scopesOf,
} from './types.ts';

export type CallReservation = { status: 'reserved' } | ({ status: 'refused' } & CallRefusal);

/** Thrown to roll a reservation back. */
class OverBudget extends Error {
  readonly refusal: CallRefusal;

  constructor(refusal: CallRefusal) {
    super('over budget');
    this.name = 'OverBudget';
    this.refusal = refusal;
  }
}

/**
 * Reserves the most that a call can take in all its budget periods, or in none: a call that would pass one of the limits, or the share of its step, is refused.
 * Calls of other workers wait their turn at each period, so that together they pass no limit either.
 * @param along what is written in the same transaction, or not at all: it calls the reservation itself
 * @throws DatabaseError `constraint` when the user is gone
 */
export async function reserveCall(
  database: Database,
  owner: CallOwner,
  call: CallRequest,
  limits: BudgetLimits,
  along: (tx: Transaction, reserve: () => Promise<void>) => Promise<void> = (_tx, reserve) => reserve(),
): Promise<CallReservation> {
  try {
    await database.withTenant(owner.tenant, (tx) =>
      along(tx, async () => {
        const refusal = refusalOf(await addReservation(tx, owner, call, limits), owner, call, limits);
        if (refusal !== null) throw new OverBudget(refusal);
      }),
    );
    return { status: 'reserved' };
  } catch (error) {
    if (error instanceof OverBudget) return { status: 'refused', ...error.refusal };
    throw error;
  }
}

/** What a period would have spent if all its calls took the most they can. */
interface Total {
  scope: BudgetScope;
  tokens: number;
  nanos: string;
}

/**
 * Adds to the periods in one statement. Each part reads from the one before it, which makes the order in which rows are locked a fixed
 * one: the user, who may be about to go, the user's day and night, the tenant, all tenants, narrow before wide, so that rows which many
 * share are held the shortest, and never while one waits for a user.
 */
async function addReservation(
  tx: Transaction,
  owner: CallOwner,
  call: CallRequest,
  limits: BudgetLimits,
): Promise<Total[]> {
  const { tenant, user, periods } = owner;
  const { user_day, user_night, tenant_day, overall_day } = periods;
  const nanos = (call.nanos ?? 0n).toString();
  const isEmbedding = EMBEDDING_STEPS.some((step) => step === owner.step); // guard: embedding-tokens
  const amounts = sql`${isEmbedding ? 0 : call.tokens}::bigint, ${nanos}::bigint`;
  const rowOf = (period: string, { day, renewsAt }: Period) =>
    sql`(${period}, ${day}::date, ${instantOf(renewsAt)})`;
  const rows = [rowOf('day', user_day)];
  if (user_night !== null) rows.push(rowOf('night', user_night));
  const added = sql`set reserved_tokens = t.reserved_tokens + excluded.reserved_tokens,
    reserved_nanos = t.reserved_nanos + excluded.reserved_nanos`;
  const totals = sql`(t.spent_tokens + t.reserved_tokens)::float8 as tokens, (t.spent_nanos + t.reserved_nanos)::text as nanos`;
  const overall = isLimited(limits, 'overall_day');
  return tx.rows<Total>(sql`
    with present as materialized (
      select 1 from slowwave.users where tenant = ${tenant} and id = ${user}
      for key share /* guard: spending-user-first */
    ), of_user as (
      insert into slowwave.user_spend as t (tenant, user_id, period, day, renews_at, reserved_tokens, reserved_nanos)
      select ${tenant}, ${user}, p.period, p.day, p.renews_at, ${amounts}
      from (values ${sql.join(rows, sql`, `)}) as p(period, day, renews_at), (select count(*) from present) as before
      order by p.period
      on conflict (tenant, user_id, period, day) do update ${added}, renews_at = excluded.renews_at
      returning 'user_' || t.period as scope, ${totals}
    ), of_tenant as (
      insert into slowwave.tenant_spend as t (tenant, day, reserved_tokens, reserved_nanos)
      select ${tenant}, ${tenant_day.day}::date, ${amounts} from (select count(*) from of_user) as before
      on conflict (tenant, day) do update ${added}
      returning 'tenant_day' as scope, ${totals}
    ), of_all as (
      insert into slowwave.overall_spend as t (day, reserved_tokens, reserved_nanos)
      select ${overall_day.day}::date, ${amounts} from (select count(*) from of_tenant) as before where ${overall}
      on conflict (day) do update ${added}
      returning 'overall_day' as scope, ${totals}
    ), written as (
      insert into slowwave.model_calls (tenant, user_id, id, run_id, tier, step, provider, model, state, priced, batch, reserved_tokens,
        reserved_nanos, user_day, user_night, tenant_day, overall, begun_at, expires_at)
      select ${tenant}, ${user}, ${call.id}::uuid, ${owner.runId}::uuid, ${owner.tier}, ${owner.step}, ${call.provider},
        ${call.model}, 'reserved', ${call.nanos !== null}, ${call.batch ?? false}, ${call.tokens}::bigint, ${nanos}::bigint, ${user_day.day}::date, ${user_night?.day ?? null}::date,
        ${tenant_day.day}::date, ${overall}, ${instantOf(owner.at)}, clock_timestamp() + ${call.holdMs}::float8 * interval '1 ms'
      from (select count(*) from of_all) as before
    )
    select * from of_user union all select * from of_tenant union all select * from of_all`);
}

/** The narrowest budget that is passed, or else the narrowest share, and when the last of those that are passed is whole again. */
function refusalOf(
  totals: readonly Total[],
  owner: CallOwner,
  call: CallRequest,
  limits: BudgetLimits,
): CallRefusal | null {
  const ofBudget = passedOf(totals, owner, call, limits);
  if (ofBudget !== null || call.share === undefined) return ofBudget;
  const ofShare = passedOf(totals, owner, call, { ...NO_LIMITS, ...call.share });
  return ofShare && { ...ofShare, isOfShare: true };
}

function passedOf(
  totals: readonly Total[],
  owner: CallOwner,
  { nanos }: CallRequest,
  limits: BudgetLimits,
): Refusal | null {
  const passed: Refusal[] = scopesOf(owner.periods).flatMap(([scope, { renewsAt }]) => {
    const unit = unitPassed(
      limits[scope],
      totals.find((total) => total.scope === scope),
      nanos !== null,
    );
    return unit === null ? [] : [{ scope, unit, renewsAt }];
  });
  const [first] = passed;
  return first ? { ...first, renewsAt: Math.max(...passed.map(({ renewsAt }) => renewsAt)) } : null;
}

function unitPassed(
  limit: BudgetLimits[BudgetScope],
  total: Total | undefined,
  priced: boolean,
): Refusal['unit'] | null {
  if (total === undefined) return null;
  if (limit.nanos !== null && !priced) return 'price';
  if (limit.tokens !== null && total.tokens > limit.tokens) return 'tokens';
  return limit.nanos !== null && BigInt(total.nanos) > limit.nanos ? 'dollars' : null;
}
