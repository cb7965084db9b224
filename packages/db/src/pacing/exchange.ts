import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import {
  LEAST_PER_MINUTE,
  LEAST_RAISE,
  LOWERED_SHARE,
  PERMIT_KEPT_MS,
  PERMIT_WAIT_MS,
  RAISE_DOUBLES_MS,
  RAISED_SHARE,
  RATE_FORGOTTEN_MS,
  RATE_LOOK_MS,
  type RateAnswer,
  type RateKey,
  type RateReport,
  type RateWish,
  REFUSED_PAUSE_MAX_MS,
  REFUSED_PAUSE_MS,
  REFUSED_SHARE,
  RETRY_TOKEN_MS,
  RETRY_TOKENS,
  RETRY_TOKENS_BACK,
  RETRY_TOKENS_KEPT,
} from './types.ts';

export interface RateExchange extends RateKey {
  report: RateReport;
  wish: RateWish;
  /** Tests only: a clock of their own instead of the database's, epoch ms. */
  at?: number;
}

/**
 * Tells what a process has seen of a model, and asks for what it wishes, in one statement. All workers share the row, which is locked
 * for as long as that takes and never while a model thinks. For the dispatcher's role.
 */
export async function exchangeRate(tx: Transaction, input: RateExchange): Promise<RateAnswer> {
  const [answer] = await exchange(tx, input);
  if (answer) return answer;
  const { provider, model, at } = input;
  await tx.rows(sql`
    insert into slowwave.model_rates (provider, model, retry_tokens, counted_at)
    values (${provider}, ${model}, ${RETRY_TOKENS}, ${clockOf(at)}) on conflict do nothing`);
  const [first] = await exchange(tx, input);
  return first!;
}

const clockOf = (at: number | undefined): SQL => (at === undefined ? sql`clock_timestamp()` : instantOf(at));
const ms = (value: number): SQL => sql`${value}::float8 * interval '1 ms'`;
const number = (value: number): SQL => sql`${value}::float8`;

/**
 * One step reads from the one before: the row, the time that has passed, what was told, a refusal, the wish. The clock is read once the
 * row is ours, so that it never runs backwards.
 */
function exchange(
  tx: Transaction,
  { provider, model, report, wish, at }: RateExchange,
): Promise<RateAnswer[]> {
  const { calls = 0, answered = 0, failed = 0, retried = 0, refusal } = report;
  const refused = refusal !== undefined;
  const askedMs = refusal?.retryAfterMs ?? null;
  const pauseMs = Math.min(
    askedMs ?? REFUSED_PAUSE_MS,
    REFUSED_PAUSE_MAX_MS, // guard: rate-pause-longest
  );
  return tx.rows<RateAnswer>(sql`
    with held as materialized (
      select * from slowwave.model_rates where provider = ${provider} and model = ${model} for update
    ), moment as materialized (
      select ${clockOf(at)} as now from held
    ), passed as materialized (
      select h.raise_by, h.not_before, h.lowered_at, m.now,
        case when h.lowered_at > m.now - ${ms(RATE_FORGOTTEN_MS)} then h.per_minute end /* guard: rate-forgotten */
          as rate,
        least(
          greatest(1, h.per_minute * ${number(PERMIT_KEPT_MS / 60_000)}), /* guard: rate-permits-kept */
          h.permits + p.seconds * h.per_minute / 60) as permits,
        h.used * exp(-p.seconds / 60) + ${number(calls)} as used, h.refused * exp(-p.seconds / 60) as refused,
        least(${number(RETRY_TOKENS)}, h.retry_tokens
          + p.seconds * ${number(1_000 / RETRY_TOKEN_MS)} /* guard: retry-probe */
        ) as tokens
      from held h, moment m,
        lateral (select least(3600, greatest(
          0, /* guard: rate-backwards */
          date_part('epoch', m.now - h.counted_at))) as seconds) as p
    ), told as materialized (
      select *,
        -- Calls of which nobody knew when it was lowered count as if somebody had.
        rate + raise_by * power(2, least(10, date_part('epoch', now - lowered_at) * ${number(1_000 / RAISE_DOUBLES_MS)}))
            * ${number(answered)} / rate
          + case when now < lowered_at + ${ms(RATE_LOOK_MS)} then ${number(calls * LOWERED_SHARE)} else 0 end as risen,
        least(${number(RETRY_TOKENS)},
          greatest(0, tokens + ${number(answered * RETRY_TOKENS_BACK + retried - failed)})) as left_tokens,
        refused + case when ${refused} and (lowered_at is null
          or now - ${ms(refusal?.begunMsAgo ?? 0)} > lowered_at + ${ms(RATE_LOOK_MS)} /* guard: rate-episode */
        ) then 1 else 0 end as objected
      from passed
    ), weighed as materialized (
      select *, objected > refused
          and objected >= used * ${number(REFUSED_SHARE)} /* guard: rate-few-refused */
          as lowers
      from told
    ), judged as materialized (
      select now, used, left_tokens, case when lowers then 0 else objected end as refused,
        case when lowers then greatest(
            ${number(LEAST_PER_MINUTE)}, /* guard: rate-least */
            least(risen, used) /* guard: rate-used */
              * ${number(LOWERED_SHARE)})
          else risen end as rate,
        case when lowers then greatest(${number(LEAST_RAISE)}, least(risen, used) * ${number(RAISED_SHARE)}) else raise_by end as raise_by,
        -- After the pause one call may ask at once.
        case when lowers then least(1, permits) else permits end as permits,
        case when lowers then now else lowered_at end as lowered_at,
        case when lowers or ${askedMs !== null} then greatest(not_before, now + ${ms(pauseMs)}) else not_before end as not_before
      from weighed
    ), near as materialized (
      select *, paused + coalesce(greatest(0, 1 - permits) * 60000 / rate, 0) as permit_in
      from judged, lateral (select
          date_part('epoch', greatest(not_before, now) - now) * 1000 /* guard: rate-pause */
          as paused) as p
    ), granted as materialized (
      select *, case ${wish}::text
          when 'permit' then
            permit_in <= ${number(PERMIT_WAIT_MS)} /* guard: rate-permit-near */
          when 'retry' then
            left_tokens - 1 >= ${number(RETRY_TOKENS_KEPT)} /* guard: retry-half */
          else false end as granted
      from near
    ), written as (
      update slowwave.model_rates r set per_minute = g.rate, raise_by = g.raise_by, lowered_at = g.lowered_at,
        not_before = g.not_before, counted_at = g.now, refused = g.refused,
        permits = g.permits - case when ${wish}::text = 'permit' and g.granted then 1 else 0 end,
        used = g.used + case when ${wish}::text = 'permit' and g.granted then 1 else 0 end,
        retry_tokens = g.left_tokens - case when ${wish}::text = 'retry' and g.granted then 1 else 0 end
      from granted g where r.provider = ${provider} and r.model = ${model}
      returning r.retry_tokens
    )
    select g.rate as "perMinute", g.paused as "pausedMs", g.permit_in as "permitInMs",
      w.retry_tokens as "retryTokens", g.granted,
      case ${wish}::text
        when 'permit' then g.permit_in
        when 'retry' then greatest(0, ${number(RETRY_TOKENS_KEPT + 1)} - g.left_tokens) * ${number(RETRY_TOKEN_MS)}
        else 0 end as "waitMs"
    from granted g, written w`);
}
