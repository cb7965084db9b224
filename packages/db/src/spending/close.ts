import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import type { CallEnd } from './types.ts';

export interface CallKey {
  tenant: string;
  user: string;
  id: string;
}

/** Calls that one look for lapsed ones closes at most. */
const LAPSED_PER_LOOK = 100;

/** What counts of a call from now on, as columns of a row `held` of model_calls. */
function countedOf(end: CallEnd): { tokens: SQL; nanos: SQL } {
  switch (end.state) {
    case 'settled':
      return {
        tokens: sql`${end.inputTokens + end.outputTokens}::bigint`,
        nanos: sql`${(end.nanos ?? 0n).toString()}::bigint`,
      };
    case 'released':
      return { tokens: sql`0::bigint`, nanos: sql`0::bigint` };
    case 'lapsed':
      return { tokens: sql`held.reserved_tokens`, nanos: sql`held.reserved_nanos` };
  }
}

/**
 * Says what came of a call: what was reserved for it is given back, and what it took is spent, in every period it counts in. Saying it
 * twice changes nothing. A call that had lapsed may still be settled: then it counts with what it took. Rows are locked in the order
 * of reserveCall, the call itself first.
 * @returns false when nothing was there to close: it is closed already, or went with its user
 */
export async function closeCall(tx: Transaction, key: CallKey, end: CallEnd): Promise<boolean> {
  const { tenant, user, id } = key;
  const open = end.state === 'lapsed' ? sql`state = 'reserved'` : sql`state in ('reserved', 'lapsed')`;
  const counted = countedOf(end);
  const used: Partial<Extract<CallEnd, { state: 'settled' }>> = end.state === 'settled' ? end : {};
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens = 0 } = used;
  // What a lapsed call was taken to have spent is spent no longer.
  const moved = sql`set reserved_tokens = t.reserved_tokens - closed.held_tokens, reserved_nanos = t.reserved_nanos - closed.held_nanos,
    spent_tokens = t.spent_tokens - closed.lapsed_tokens + closed.tokens, spent_nanos = t.spent_nanos - closed.lapsed_nanos + closed.nanos`;
  const rows = await tx.rows(sql`
    with held as materialized (
      select * from slowwave.model_calls
      where tenant = ${tenant} and user_id = ${user} and id = ${id}::uuid and ${open}
      for update
    ), closed as (
      update slowwave.model_calls c set state = ${end.state}, input_tokens = ${inputTokens}::bigint,
        cache_read_tokens = ${cacheReadTokens}::bigint, cache_write_tokens = ${cacheWriteTokens}::bigint,
        output_tokens = ${outputTokens}::bigint, cost_nanos = ${counted.nanos}
      from held where c.tenant = held.tenant and c.user_id = held.user_id and c.id = held.id
      returning held.user_day, held.user_night, held.tenant_day, held.overall, ${counted.tokens} as tokens, ${counted.nanos} as nanos,
        case when held.state = 'reserved' then held.reserved_tokens else 0 end as held_tokens,
        case when held.state = 'reserved' then held.reserved_nanos else 0 end as held_nanos,
        case when held.state = 'lapsed' then held.reserved_tokens else 0 end as lapsed_tokens,
        case when held.state = 'lapsed' then held.reserved_nanos else 0 end as lapsed_nanos
    ), locked as materialized (
      select t.period, t.day from slowwave.user_spend t, closed
      where t.tenant = ${tenant} and t.user_id = ${user}
        and ((t.period = 'day' and t.day = closed.user_day) or (t.period = 'night' and t.day = closed.user_night))
      order by t.period for update of t
    ), of_user as (
      update slowwave.user_spend t ${moved} from closed, locked
      where t.tenant = ${tenant} and t.user_id = ${user} and t.period = locked.period and t.day = locked.day
      returning 1
    ), of_tenant as (
      update slowwave.tenant_spend t ${moved} from closed, (select count(*) from of_user) as before
      where t.tenant = ${tenant} and t.day = closed.tenant_day
      returning 1
    ), of_all as (
      update slowwave.overall_spend t ${moved} from closed, (select count(*) from of_tenant) as before
      where closed.overall and t.day = closed.tenant_day
      returning 1
    )
    select 1 from closed, (select count(*) from of_all) as done`);
  return rows.length > 0;
}

/**
 * Closes the calls of a user for whose end nobody waits any more, as a rule since their worker ended: they may have been answered, so
 * they count in full.
 * @returns how many
 */
export async function lapseCalls(tx: Transaction, of: { tenant: string; user: string }): Promise<number> {
  const { tenant, user } = of;
  const expired = await tx.rows<{ id: string }>(sql`
    select id from slowwave.model_calls
    where tenant = ${tenant} and user_id = ${user} and state = 'reserved' and expires_at < clock_timestamp()
    order by id limit ${LAPSED_PER_LOOK}`);
  for (const { id } of expired) await closeCall(tx, { tenant, user, id }, { state: 'lapsed' });
  return expired.length;
}

/** The same for every call that is still open, where the user goes: what it may have taken stays spent for those who share a budget. */
export async function lapseAllCalls(tx: Transaction, of: { tenant: string; user: string }): Promise<void> {
  const { tenant, user } = of;
  const open = await tx.rows<{ id: string }>(sql`
    select id from slowwave.model_calls where tenant = ${tenant} and user_id = ${user} and state = 'reserved' order by id`);
  for (const { id } of open) await closeCall(tx, { tenant, user, id }, { state: 'lapsed' });
}
