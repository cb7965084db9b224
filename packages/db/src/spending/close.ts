import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { type CallEnd, EMBEDDING_STEPS } from './types.ts';

export interface CallKey {
  tenant: string;
  user: string;
  id: string;
}

/** What came of one of several calls. */
export interface EndedCall {
  id: string;
  end: CallEnd;
}

/** Calls that one look for lapsed ones closes at most. */
const LAPSED_PER_LOOK = 100;

/**
 * Says what came of a call: what was reserved for it is given back, and what it took is spent, in every period it counts in. Saying it
 * twice changes nothing. A call that had lapsed may still be settled: then it counts with what it took. Rows are locked in the order
 * of reserveCall, the call itself first.
 * @returns false when nothing was there to close: it is closed already, or went with its user
 */
export async function closeCall(tx: Transaction, { id, ...of }: CallKey, end: CallEnd): Promise<boolean> {
  return (await closeCalls(tx, of, [{ id, end }])) > 0;
}

/** One row of `given`. Where a call is named twice, the first end counts: nothing is given back twice. */
function givenOf(calls: readonly EndedCall[]): string {
  const first = new Map<string, CallEnd>();
  for (const { id, end } of calls) if (!first.has(id)) first.set(id, end); // guard: close-first
  return JSON.stringify(
    [...first].map(([id, end]) => {
      if (end.state !== 'settled')
        return { id, ends: end.state, input: 0, found: 0, put: 0, output: 0, cost: '0' };
      const {
        inputTokens: input,
        cacheReadTokens: found = 0,
        cacheWriteTokens: put = 0,
        outputTokens: output,
      } = end;
      return { id, ends: end.state, input, found, put, output, cost: (end.nanos ?? 0n).toString() };
    }),
  );
}

const EMBEDDING_WORDS = sql.raw(`array[${EMBEDDING_STEPS.map((step) => `'${step}'`).join(', ')}]`);

/** What a row `t` of a period is moved by: a row `m` of sums. */
const MOVED = sql`reserved_tokens = t.reserved_tokens - m.held_tokens, reserved_nanos = t.reserved_nanos - m.held_nanos,
      spent_tokens = t.spent_tokens + m.tokens, spent_nanos = t.spent_nanos + m.nanos`;
const SUMS = sql`sum(held_tokens)::bigint as held_tokens, sum(held_nanos)::bigint as held_nanos, sum(tokens)::bigint as tokens,
        sum(nanos)::bigint as nanos`;

/**
 * The same of several calls of one user, in one statement however many there are. Of several periods of one kind the earlier one is locked
 * first, so that two who close calls of the same days wait for each other in no circle.
 * @returns how many were there to close
 */
export async function closeCalls(
  tx: Transaction,
  { tenant, user }: { tenant: string; user: string },
  calls: readonly EndedCall[],
): Promise<number> {
  if (calls.length === 0) return 0;
  // What a lapsed call was taken to have spent is spent no longer.
  const [row] = await tx.rows<{ closed: number }>(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${givenOf(calls)}::jsonb) as g(id uuid, ends text, input bigint, found bigint, put bigint,
        output bigint, cost bigint)
    ), held as materialized (
      select c.*, (c.step <> all(${EMBEDDING_WORDS}))::int as counts, g.ends, g.input, g.found, g.put, g.output,
        case g.ends when 'settled' then g.input + g.output when 'lapsed' then c.reserved_tokens else 0 end as tokens,
        case g.ends when 'settled' then g.cost when 'lapsed' then c.reserved_nanos else 0 end as nanos
      from slowwave.model_calls c join given g on g.id = c.id
      where c.tenant = ${tenant} and c.user_id = ${user} and c.id = any(array(select id from given))
        and (c.state = 'reserved' or (c.state = 'lapsed' and g.ends <> 'lapsed'))
      order by c.id for update of c
    ), closed as (
      update slowwave.model_calls c set state = held.ends, input_tokens = held.input, cache_read_tokens = held.found,
        cache_write_tokens = held.put, output_tokens = held.output, cost_nanos = held.nanos
      from held where c.tenant = ${tenant} and c.user_id = ${user} and c.id = held.id
      returning held.user_day, held.user_night, held.tenant_day, held.overall,
        held.counts * case held.state when 'reserved' then held.reserved_tokens else 0 end as held_tokens,
        case held.state when 'reserved' then held.reserved_nanos else 0 end as held_nanos,
        held.counts * (held.tokens - case held.state when 'lapsed' then held.reserved_tokens else 0 end) as tokens,
        held.nanos - case held.state when 'lapsed' then held.reserved_nanos else 0 end as nanos
    ), periods as (
      select 'day' as period, user_day as day, held_tokens, held_nanos, tokens, nanos from closed
      union all
      select 'night', user_night, held_tokens, held_nanos, tokens, nanos from closed where user_night is not null
    ), by_period as materialized (
      select period, day, ${SUMS} from periods group by period, day
    ), by_day as materialized (
      select tenant_day as day, ${SUMS} from closed group by tenant_day
    ), by_day_of_all as materialized (
      select tenant_day as day, ${SUMS} from closed where overall group by tenant_day
    ), locked as materialized (
      select t.period, t.day from slowwave.user_spend t join by_period b on b.period = t.period and b.day = t.day
      where t.tenant = ${tenant} and t.user_id = ${user}
      order by t.period, t.day for update of t
    ), of_user as (
      update slowwave.user_spend t set ${MOVED} from by_period m, locked l
      where t.tenant = ${tenant} and t.user_id = ${user} and t.period = l.period and t.day = l.day
        and m.period = l.period and m.day = l.day
      returning 1
    ), locked_tenant as materialized (
      select t.day from slowwave.tenant_spend t join by_day b on b.day = t.day, (select count(*) from of_user) as before
      where t.tenant = ${tenant}
      order by t.day for update of t
    ), of_tenant as (
      update slowwave.tenant_spend t set ${MOVED} from by_day m, locked_tenant l
      where t.tenant = ${tenant} and t.day = l.day and m.day = l.day
      returning 1
    ), locked_all as materialized (
      select t.day from slowwave.overall_spend t join by_day_of_all b on b.day = t.day, (select count(*) from of_tenant) as before
      order by t.day for update of t
    ), of_all as (
      update slowwave.overall_spend t set ${MOVED} from by_day_of_all m, locked_all l
      where t.day = l.day and m.day = l.day
      returning 1
    )
    select (select count(*) from closed)::int as closed from (select count(*) from of_all) as done`);
  return row!.closed;
}

/**
 * Closes the calls of a user for whose end nobody waits any more, as a rule since their worker ended: they may have been answered, so
 * they count in full.
 * @returns how many
 */
export function lapseCalls(tx: Transaction, of: { tenant: string; user: string }): Promise<number> {
  return lapse(tx, of, sql`and expires_at < clock_timestamp() order by id limit ${LAPSED_PER_LOOK}`);
}

/** The same for every call that is still open, where the user goes: what it may have taken stays spent for those who share a budget. */
export function lapseAllCalls(tx: Transaction, of: { tenant: string; user: string }): Promise<number> {
  return lapse(tx, of, sql`order by id`);
}

async function lapse(tx: Transaction, of: { tenant: string; user: string }, which: SQL): Promise<number> {
  const open = await tx.rows<{ id: string }>(sql`
    select id from slowwave.model_calls where tenant = ${of.tenant} and user_id = ${of.user} and state = 'reserved' ${which}`);
  const calls = open.map(({ id }) => ({ id, end: { state: 'lapsed' } as const }));
  await closeCalls(tx, of, calls);
  return open.length;
}
