import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import { isQuiet, nextSleepDue } from './nights.ts';
import type { RunWhy } from './run-records.ts';
import { userHashOf } from './user-hash.ts';

/** How long after its time a sleep that the queue held up may still begin, though the quiet hours may be over by then. */
export const SLEEP_GRACE_MS = 60 * 60_000;

/** A sleep that the schedule woke is for the night; one that somebody asked for, or whose answers have come, is not. */
export const isBoundToNight = ({ tier, why }: { tier: Tier; why: RunWhy }): boolean =>
  tier === 'sleep' && why !== 'adhoc' && why !== 'batch';

interface SleepRow {
  timezone: string;
  quietStart: number;
  quietEnd: number;
  dueAt: number;
  lastSuccess: number | null;
}

/**
 * Whether a sleep that is due has to wait for the next night: it missed its own by more than SLEEP_GRACE_MS (an outage, as a rule) and
 * the user is awake. Then its due time moves there. Users without quiet hours never wait.
 * @param input.at epoch ms
 * @returns when it is due now (epoch ms), or null when it may begin
 */
export async function waitForNight(
  tx: Transaction,
  input: { tenant: string; user: string; at: number },
): Promise<number | null> {
  const { tenant, user, at } = input;
  const [row] = await tx.rows<SleepRow>(sql`
    select u.timezone, u.quiet_start as "quietStart", u.quiet_end as "quietEnd", ${msOf('t.due_at')} as "dueAt",
      ${msOf('t.last_success_at')} as "lastSuccess"
    from slowwave.users u
      join slowwave.user_tiers t on t.tenant = u.tenant and t.user_id = u.id and t.tier = 'sleep'
    where u.tenant = ${tenant} and u.id = ${user}`);
  if (!row || row.quietStart === row.quietEnd) return null;
  if (at - row.dueAt <= SLEEP_GRACE_MS || isQuiet(row, at)) return null; // guard: night-gate
  const next = nextSleepDue({ ...row, userHash: userHashOf(tenant, user), after: at });
  await tx.rows(sql`
    update slowwave.user_tiers set due_at = ${instantOf(next)}, enqueued_at = null
    where tenant = ${tenant} and user_id = ${user} and tier = 'sleep' and due_at <= ${instantOf(at)}`);
  return next;
}
