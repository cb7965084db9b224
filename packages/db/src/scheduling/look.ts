import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import { isDue, isLeft, isRequested } from './due.ts';

/** What there is to do for the beat of a tier. */
export interface BeatLook {
  /** takeRequested would take somebody. */
  requested: boolean;
  /** takeDuePage would take somebody. */
  due: boolean;
  /** listLeftHolds would list somebody. */
  leftHolds: boolean;
  /** dropExpiredRepeats would delete something. */
  expiredRepeats: boolean;
}

/**
 * Looks whether a beat has anything to do, in one statement: most beats have not. The conditions are those of the statements that do it, and
 * each is looked for in the order of its index, so that the first row that is found, or none, ends the look. For the dispatcher's role.
 * @param input.at epoch ms
 * @param input.requestedAfterMs as `requeueAfterMs` of takeRequested
 * @param input.dueAfterMs as `requeueAfterMs` of takeDuePage
 * @param input.graceMs as that of listLeftHolds
 */
export async function lookForWork(
  tx: Transaction,
  input: { tier: Tier; at: number; requestedAfterMs: number; dueAfterMs: number; graceMs: number },
): Promise<BeatLook> {
  const { tier, at, graceMs } = input;
  const due = isDue({
    tier,
    at,
    requeueAfterMs: input.dueAfterMs, // guard: look-lost
  });
  const [look] = await tx.rows<BeatLook>(sql`
    select
      (select true from slowwave.user_tiers t where ${isRequested({ tier, at, requeueAfterMs: input.requestedAfterMs })}
        limit 1) is not null as requested,
      (select true from slowwave.user_tiers t where ${due}
        order by t.due_at limit 1) is not null as due,
      (
        select true from slowwave.leases where ${isLeft(graceMs)} order by expires_at limit 1 /* guard: look-holds */
      ) is not null as "leftHolds",
      (select true from slowwave.idempotency_keys where expires_at <= ${instantOf(at)}
        order by expires_at limit 1) is not null as "expiredRepeats"`);
  return look!;
}
