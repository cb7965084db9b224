import {
  DEEP_INTERVAL_MS,
  nextDeepDue,
  nextItemExpiry,
  nextSleepDue,
  readCrossings,
  type StartedRun,
  userHashOf,
} from '@slowwave/db';
import type { RunContext } from './run-steps.ts';

/** When this tier of this user is due again after a success, epoch ms; Infinity when nothing lies ahead. */
export async function nextDue(run: RunContext, started: StartedRun): Promise<number> {
  const { tenant, user, tier, at } = run;
  if (tier === 'deep')
    return nextDeepDue(Number.isFinite(started.dueAt) ? started.dueAt : at - DEEP_INTERVAL_MS, at);
  if (tier === 'sleep') {
    const { timezone, quietStart, quietEnd } = started;
    return nextSleepDue({
      timezone,
      quietStart,
      quietEnd,
      userHash: userHashOf(tenant, user),
      after: at,
      lastSuccess: at,
    });
  }
  // Light comes when a memory crosses a band or expires, or an item has waited too long; nothing else wakes it.
  const [crossing, expiry] = await run.database.withTenant(tenant, async (tx) => [
    (await readCrossings(tx, { tenant, user, since: at, at })).nextAt,
    await nextItemExpiry(tx, { tenant, user, at }),
  ]);
  return Math.min(crossing ?? Number.POSITIVE_INFINITY, expiry ?? Number.POSITIVE_INFINITY);
}
