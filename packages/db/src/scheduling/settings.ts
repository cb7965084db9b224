import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import { nextSleepDue } from './nights.ts';
import { userHashOf } from './user-hash.ts';
import { requireSchedule, type UserSettings } from './users.ts';

export interface SettingsChange {
  tenant: string;
  user: string;
  /** Epoch ms; a changed schedule counts from here. */
  at: number;
  timezone?: string | undefined;
  quietStart?: number | undefined;
  quietEnd?: number | undefined;
  mode?: UserSettings['mode'] | undefined;
}

/**
 * Changes what is given and leaves the rest. Sleep moves into the new quiet hours when those or the zone really change.
 * @returns the settings as they are now, null when there is no such user
 * @throws ScheduleError `invalid_timezone`, `invalid_quiet_hours`
 */
export async function setUserSettings(tx: Transaction, change: SettingsChange): Promise<UserSettings | null> {
  const found = await lockSettings(tx, change.tenant, change.user);
  if (!found) return null;
  const { lastSuccess, ...before } = found;
  const settings: UserSettings = {
    timezone: change.timezone ?? before.timezone,
    quietStart: change.quietStart ?? before.quietStart,
    quietEnd: change.quietEnd ?? before.quietEnd,
    mode: change.mode ?? before.mode,
  };
  const moved =
    settings.timezone !== before.timezone ||
    settings.quietStart !== before.quietStart ||
    settings.quietEnd !== before.quietEnd;
  if (!moved && settings.mode === before.mode) return settings;
  if (moved) requireSchedule(settings);
  const userHash = userHashOf(change.tenant, change.user);
  const sleepDue = moved ? nextSleepDue({ ...settings, userHash, after: change.at, lastSuccess }) : null;
  await storeSettings(tx, change, settings, sleepDue);
  return settings;
}

/**
 * Changes how a user's fusions are applied: by themselves, after a person said yes, or not at all. What waits for a person stays as it
 * is.
 * @returns the mode as it is now, null when there is no such user
 */
export async function setMode(
  tx: Transaction,
  change: { tenant: string; user: string; mode: UserSettings['mode']; at: number },
): Promise<UserSettings['mode'] | null> {
  return (await setUserSettings(tx, change))?.mode ?? null;
}

/** Reads the settings and the last sleep, and keeps other changes of the settings waiting. */
async function lockSettings(
  tx: Transaction,
  tenant: string,
  user: string,
): Promise<(UserSettings & { lastSuccess: number | null }) | undefined> {
  const [row] = await tx.rows<UserSettings & { lastSuccess: number | null }>(sql`
    select u.timezone, u.quiet_start as "quietStart", u.quiet_end as "quietEnd", u.mode,
      ${msOf('t.last_success_at')} as "lastSuccess"
    from slowwave.users u
      join slowwave.user_tiers t on t.tenant = u.tenant and t.user_id = u.id and t.tier = 'sleep'
    where u.tenant = ${tenant} and u.id = ${user}
    for no key update of u`);
  return row;
}

/** Writes the settings; `sleepDue` (epoch ms) moves the sleep tier, null leaves it. */
async function storeSettings(
  tx: Transaction,
  of: { tenant: string; user: string },
  settings: UserSettings,
  sleepDue: number | null,
): Promise<void> {
  await tx.rows(sql`
    with stored as (
      update slowwave.users set timezone = ${settings.timezone}, quiet_start = ${settings.quietStart},
        quiet_end = ${settings.quietEnd}, mode = ${settings.mode}
      where tenant = ${of.tenant} and id = ${of.user}
    )
    update slowwave.user_tiers set due_at = coalesce(${instantOf(sleepDue)}, due_at)
    where tenant = ${of.tenant} and user_id = ${of.user} and tier = 'sleep'`);
}

/**
 * The due time of a light tier after something new was written at `at` (epoch ms), for `set due_at = …` on user_tiers: the
 * earlier of both. While a run is under way (tried since it became due) it moves behind that run's start, so that the end of the
 * run can tell that it has not seen everything; see finishRun. The milliseconds hold even where the writer's clock is behind.
 */
export function lightDueAfterWrite(at: number): SQL {
  return sql`case when last_attempt_at >= due_at
    then greatest(${instantOf(at)}, last_attempt_at + interval '1 millisecond')
    else greatest(least(due_at, ${instantOf(at)}), last_attempt_at + interval '1 millisecond') end`;
}

/** Wakes the light tier of users at `at` (epoch ms), or leaves it at an earlier time. Nothing happens for an unknown user. */
export async function markLightDue(
  tx: Transaction,
  tenant: string,
  users: readonly string[],
  at: number,
): Promise<void> {
  await tx.rows(sql`
    update slowwave.user_tiers set due_at = ${lightDueAfterWrite(at)}
    where tenant = ${tenant} and tier = 'light'
      and user_id in (select value from jsonb_array_elements_text(${JSON.stringify(users)}::jsonb))`);
}
