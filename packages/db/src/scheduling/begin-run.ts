import { sql } from 'drizzle-orm';
import type { Database } from '../database.ts';
import { instantOf } from '../instants.ts';
import { type AcquireResult, acquiredOf, type TakeInput, type TakenRow, takenParts } from './leases.ts';
import { isBoundToNight, SLEEP_GRACE_MS } from './night-gate.ts';
import {
  type ClosedRun,
  heldBack,
  type StartedRun,
  type StartInput,
  type StartRow,
  startedOf,
  startedParts,
} from './run-starts.ts';

export interface Begun {
  acquired: AcquireResult;
  /** Null: the user was not taken, or has to be looked at first; see startRun. */
  run: StartedRun | ClosedRun | null;
}

/**
 * Takes a user and begins a run, in one statement, as acquireLease and startRun would one after the other. Where something has to be seen
 * to between the two it only takes the user: an earlier holder left without a word, a start of theirs never ended, or a sleep is so late
 * that it may have to wait for the next night.
 */
export async function beginRun(
  database: Database,
  input: TakeInput & Omit<StartInput, 'fence'>,
): Promise<Begun> {
  const { tenant, user, tier } = input;
  const inTime = isBoundToNight(input) ? sql`t.due_at >= ${instantOf(input.at - SLEEP_GRACE_MS)}` : sql`true`;
  // The hold that the statement takes itself keeps everybody else away until it ends.
  const fence = sql`(select fence from taken)`;
  const [row] = await database.withTenant(tenant, (tx) =>
    tx.rows<TakenRow & { looked: boolean; start: StartRow | null }>(sql`
      with ${takenParts(input)}, gate as materialized (
        select case ${heldBack(input)} end as reason from acquired a, slowwave.user_tiers t
        where t.tenant = ${tenant} and t.user_id = ${user} and t.tier = ${tier}
          and a.fence is not null /* guard: begin-taken */
          and not a."takenOver" /* guard: begin-taken-over */
          and not a.suspect /* guard: begin-suspect */
          and ${inTime} /* guard: begin-late-sleep */
      ), ${startedParts({ ...input, fence })}
      select acquired.*, exists (select 1 from gate) as looked, (select to_json(started) from started) as start from acquired`),
  );
  const { looked, start, ...taken } = row!;
  // Infinity is a word in JSON.
  const begun = start ? { ...start, dueAt: Number(start.dueAt) } : undefined;
  return { acquired: acquiredOf(taken, input.ttlMs), run: looked ? startedOf(begun) : null };
}
