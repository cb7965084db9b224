import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { msOf } from '../instants.ts';

/** A held user: what every later write proves itself with. */
export interface Lease {
  tenant: string;
  user: string;
  holder: string;
  fence: number;
}

export type AcquireResult =
  /**
   * `takenOver`: the holder before did not release it, or before a run of theirs had ended, so it may have left one behind; see abandonRuns. `suspect`: the last start of
   * one of the user's tiers never ended.
   */
  | { status: 'held'; fence: number; takenOver: boolean; suspect: boolean }
  /** Somebody holds the user for at most this long, unless they renew. */
  | { status: 'busy'; busyForMs: number }
  | { status: 'unknown_user' };

const milliseconds = (ms: number) => sql`${ms}::float8 * interval '1 millisecond'`;

export interface TakeInput {
  tenant: string;
  user: string;
  holder: string;
  ttlMs: number;
}

/**
 * Takes a user for a holder, in one statement and on the database's clock alone; of several who ask at once one gets it. Every new
 * hold has a higher fence than all before. A live lease is busy for its own holder too: two jobs of one process must not share it.
 */
export async function acquireLease(database: Database, input: TakeInput): Promise<AcquireResult> {
  const [row] = await database.withTenant(input.tenant, (tx) =>
    tx.rows<TakenRow>(sql`with ${takenParts(input)} select * from acquired`),
  );
  return acquiredOf(row!, input.ttlMs);
}

/** What came of the attempt to take a user. */
export interface TakenRow {
  known: boolean;
  fence: number | null;
  leftMs: number | null;
  takenOver: boolean;
  suspect: boolean;
}

/** Parts of a WITH list that take a user: `acquired` is one TakenRow, `taken` a row with the fence of whoever got the user. */
export function takenParts({ tenant, user, holder, ttlMs }: TakeInput): SQL {
  return sql`found as (
      select tenant, id from slowwave.users where tenant = ${tenant} and id = ${user}
    ), before as (
      select ${msOf('expires_at')} - ${msOf('clock_timestamp()')} as left_ms, expires_at > '-infinity' as unreleased
      from slowwave.leases where tenant = ${tenant} and user_id = ${user}
    ), taken as (
      insert into slowwave.leases as l (tenant, user_id, fence, holder, expires_at)
      select tenant, id, 1, ${holder}::text, clock_timestamp() + ${milliseconds(ttlMs)} from found
      on conflict (tenant, user_id) do update
        set
          fence = l.fence + 1, /* guard: acquire-fence */
          holder = excluded.holder, expires_at = clock_timestamp() + ${milliseconds(ttlMs)}
        where l.expires_at <= clock_timestamp() /* guard: acquire-live */
      returning fence
    ), looked as materialized (
      select
        exists (select 1 from found) as known, (select fence::float8 from taken) as fence, /* guard: acquire-known */
        (select left_ms from before) as "leftMs", coalesce((select unreleased from before), true) as unreleased,
        -- An end that could not be written, or a start whose commit was not heard of.
        exists (
          select 1 from slowwave.runs where tenant = ${tenant} and user_id = ${user} and status = 'running') as left_run,
        exists (
          select 1 from slowwave.user_tiers where tenant = ${tenant} and user_id = ${user} and unended > 0) as suspect
    ), acquired as materialized (
      select known, fence, "leftMs", coalesce(fence > 1 and (unreleased
          or left_run /* guard: left-run */
        ), false) as "takenOver", suspect
      from looked
    )`;
}

export function acquiredOf(
  { known, fence, leftMs, takenOver, suspect }: TakenRow,
  ttlMs: number,
): AcquireResult {
  if (!known) return { status: 'unknown_user' };
  if (fence !== null) return { status: 'held', fence, takenOver, suspect };
  // Whoever was faster may not have been there yet when the statement began.
  const left = leftMs ?? 0;
  return { status: 'busy', busyForMs: left > 0 ? left : ttlMs };
}

/**
 * Prolongs a hold. One that has run out may be renewed while nobody else has taken the user; one that was released may not.
 * @returns false when the user is no longer held under this fence
 */
export async function renewLease(database: Database, input: Lease & { ttlMs: number }): Promise<boolean> {
  const rows = await database.withTenant(input.tenant, (tx) =>
    tx.rows(sql`
      update slowwave.leases set expires_at = clock_timestamp() + ${milliseconds(input.ttlMs)}
      where tenant = ${input.tenant} and user_id = ${input.user}
        and holder = ${input.holder} /* guard: renew-holder */
        and fence = ${input.fence} /* guard: renew-fence */
        and expires_at > '-infinity'
      returning 1`),
  );
  return rows.length === 1;
}

/**
 * Gives a user free. The row stays, so that the fence only ever grows.
 * @returns false when the user was no longer held under this fence
 */
export async function releaseLease(database: Database, input: Lease): Promise<boolean> {
  const rows = await database.withTenant(input.tenant, (tx) => tx.rows(leaseReleased(input)));
  return rows.length === 1;
}

/** As releaseLease: an UPDATE that returns a row for a lease that was given back. */
export function leaseReleased(input: Lease): SQL {
  return sql`
    update slowwave.leases set expires_at = '-infinity'
    where tenant = ${input.tenant} and user_id = ${input.user} and holder = ${input.holder}
      and fence = ${input.fence} /* guard: release-fence */
      and expires_at > '-infinity'
    returning 1`;
}

/**
 * Lets every hold run out at once: for a process that has just become the only one on this database, so that whoever held these is gone.
 * They are not released, so that the next holder looks for what was left behind.
 * @returns how many
 */
export async function expireLeases(database: Database): Promise<number> {
  const rows = await database.asOwner((tx) =>
    tx.rows(sql`
      update slowwave.leases set expires_at = clock_timestamp() where expires_at > clock_timestamp() returning 1`),
  );
  return rows.length;
}

/** Looks at the clock, of which the quickest counts: an answer that was long under way says little. */
const CLOCK_LOOKS = 3;

/**
 * How far the database's clock is ahead of this process's (negative: behind), in ms, to within half a round trip.
 * @param now this process's clock, epoch ms
 */
export async function databaseClockSkewMs(database: Database, now: () => number = Date.now): Promise<number> {
  return database.asDispatcher(async (tx) => {
    let best = { tookMs: Number.POSITIVE_INFINITY, skewMs: 0 };
    for (let look = 0; look < CLOCK_LOOKS; look += 1) {
      const sent = now();
      const [row] = await tx.rows<{ ms: number }>(sql`select ${msOf('clock_timestamp()')} as ms`);
      const answered = now();
      const tookMs = answered - sent;
      const isQuickest = tookMs < best.tookMs; // guard: clock-quickest
      if (isQuickest) best = { tookMs, skewMs: row!.ms - (sent + answered) / 2 };
    }
    return best.skewMs;
  });
}
