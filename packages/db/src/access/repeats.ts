import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';

/** An answer is kept for a repeated request this long. */
export const REPEAT_KEPT_MS = 24 * 60 * 60_000;
/** A request that began longer ago and has not ended was cut off: whoever repeats it does it. */
export const REPEAT_CUT_OFF_MS = 60_000;

/** In place of null in `status` while the first request is under way and its answer is not to be kept. */
const UNDER_WAY_UNKEPT = 0;

/** One key of one caller. Both hashes are SHA-256, hex. */
export interface RepeatKey {
  tenant: string;
  /** The id of the token that writes; "operator" for the operator's own. */
  caller: string;
  key: string;
}

export interface Reservation extends RepeatKey {
  /** Of method, address and body. */
  requestHash: string;
  /** Whose memories the request is about; null when it does not name one user. */
  user: string | null;
  /** Epoch ms. */
  at: number;
}

export type ReserveResult =
  /** Nobody did it before: it is the caller's to do, and to end with keepAnswer or release. */
  | { state: 'reserved' }
  | { state: 'under_way' }
  /** The key was used for another request. */
  | { state: 'other_request' }
  | { state: 'answered'; status: number; answer: KeptAnswer | null };

/** What was answered; `body` undefined where there was none. Null in place of it: forgotten since, or never kept. */
export interface KeptAnswer {
  body?: unknown;
}

/** Takes a key for a request, or says what became of the first request under it. */
export async function reserveRepeat(tx: Transaction, input: Reservation): Promise<ReserveResult> {
  const { tenant, caller, key, requestHash, user, at } = input;
  const taken = await tx.rows(sql`
    insert into slowwave.idempotency_keys as k (tenant, caller, key, request_hash, user_id, created_at, expires_at)
    values (${tenant}, ${caller}, ${key}, ${requestHash}, ${user}, ${instantOf(at)}, ${instantOf(at + REPEAT_KEPT_MS)})
    on conflict (tenant, caller, key) do update set request_hash = excluded.request_hash, user_id = excluded.user_id,
      status = null, answer = null, created_at = excluded.created_at, expires_at = excluded.expires_at
    where k.expires_at <= excluded.created_at or (coalesce(k.status, ${UNDER_WAY_UNKEPT}::int) = ${UNDER_WAY_UNKEPT}
      and k.created_at <= ${instantOf(at - REPEAT_CUT_OFF_MS)} and k.request_hash = excluded.request_hash)
    returning 1`);
  if (taken.length === 1) return { state: 'reserved' };
  const [found] = await tx.rows<{ same: boolean; status: number; answer: KeptAnswer | null }>(sql`
    select request_hash = ${requestHash} as same, coalesce(status, ${UNDER_WAY_UNKEPT}::int) as status, answer
    from slowwave.idempotency_keys where ${ofKey(input)}`);
  // Released in this moment: whoever asks again finds it free.
  if (!found) return { state: 'under_way' };
  const { same, status, answer } = found;
  if (!same) return { state: 'other_request' };
  return status === UNDER_WAY_UNKEPT ? { state: 'under_way' } : { state: 'answered', status, answer };
}

/**
 * Keeps the answer of a request that was reserved at `at`. Nothing is written when somebody took it over since, and no answer where
 * something was forgotten meanwhile.
 * @param input.answer null: that it was done is kept, and not what was answered
 */
export async function keepAnswer(
  tx: Transaction,
  input: RepeatKey & { at: number; status: number; answer: KeptAnswer | null },
): Promise<void> {
  const answer = input.answer === null ? null : JSON.stringify(input.answer);
  await tx.rows(sql`
    update slowwave.idempotency_keys set status = ${input.status}, answer = case when status is null then ${answer}::jsonb end
    where ${ofKey(input)} and created_at = ${instantOf(input.at)} and coalesce(status, ${UNDER_WAY_UNKEPT}::int) = ${UNDER_WAY_UNKEPT}`);
}

/** Frees the key of a request that failed or was refused: it may be repeated. */
export async function releaseRepeat(tx: Transaction, of: RepeatKey & { at: number }): Promise<void> {
  await tx.rows(sql`
    delete from slowwave.idempotency_keys
    where ${ofKey(of)} and created_at = ${instantOf(of.at)} and coalesce(status, ${UNDER_WAY_UNKEPT}::int) = ${UNDER_WAY_UNKEPT}`);
}

/**
 * Empties the answers that may hold words of a user of whom something is forgotten, those of requests that named no single user
 * too. Requests that are under way end without their answer being kept.
 */
export async function forgetAnswers(tx: Transaction, of: { tenant: string; user: string }): Promise<void> {
  await tx.rows(sql`
    update slowwave.idempotency_keys set answer = null, status = coalesce(status, ${UNDER_WAY_UNKEPT}::int)
    where tenant = ${of.tenant} and (user_id = ${of.user} or user_id is null) and (answer is not null or status is null)`);
}

/**
 * Deletes keys whose time is over, the oldest first, whosever they are. For the dispatcher's role.
 * @param of.limit about how many; those that end in the same moment go together
 * @returns how many went
 */
export async function dropExpiredRepeats(
  tx: Transaction,
  of: { at: number; limit: number },
): Promise<number> {
  const gone = await tx.rows(sql`
    with oldest as (
      select expires_at from slowwave.idempotency_keys where expires_at <= ${instantOf(of.at)}
      order by expires_at limit ${of.limit}
    )
    delete from slowwave.idempotency_keys where expires_at <= (select max(expires_at) from oldest)
    returning 1`);
  return gone.length;
}

function ofKey({ tenant, caller, key }: RepeatKey) {
  return sql`tenant = ${tenant} and caller = ${caller} and key = ${key}`;
}
