import type { Tier } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import type { CONFLICT_POLICIES } from '../schema/users.ts';
import { USER_MODES } from '../words.ts';
import { ScheduleError } from './errors.ts';
import { firstDeepDue, nextSleepDue } from './nights.ts';
import { joinTenantPauses } from './pauses.ts';
import type { Quarantine } from './quarantine.ts';
import { userHashOf } from './user-hash.ts';
import { isTimeZone } from './zone-time.ts';

export { USER_MODES };

export const USERS_PER_CALL_MAX = 1_000;
/** As the columns have it. */
export const DEFAULT_QUIET = { timezone: 'UTC', quietStart: 120, quietEnd: 300 } as const;

export type UserMode = (typeof USER_MODES)[number];

/** What people may change about a user. Quiet hours in minutes after local midnight; start equal to end means none. */
export interface UserSettings {
  timezone: string;
  quietStart: number;
  quietEnd: number;
  mode: UserMode;
}

/** One tier of one user. Instants in epoch ms. */
export interface TierState {
  /** Infinity when nothing will be due until something is written. */
  dueAt: number;
  /** Not to be tried before; null when nothing holds it back. */
  nextAttemptAt: number | null;
  lastAttemptAt: number | null;
  lastSuccessAt: number | null;
  failures: number;
  enqueuedAt: number | null;
  requestedRun: string | null;
  /** For this user, for the whole tenant, and for everybody. */
  paused: boolean;
  tenantPaused: boolean;
  tierPaused: boolean;
  /** Starts in a row whose holder ended without a word. */
  unended: number;
  /** Failures in a row that no outage explains. */
  faults: number;
}

export interface ScheduledUser extends UserSettings {
  tenant: string;
  user: string;
  /** How contradictions are settled. */
  conflictPolicy: (typeof CONFLICT_POLICIES)[number];
  createdAt: number;
  /** Nothing runs for this user until an operator releases them; null when there is none. */
  quarantine: Quarantine | null;
  tiers: Record<Tier, TierState>;
}

export interface NewUser {
  tenant: string;
  user: string;
  timezone?: string | undefined;
  quietStart?: number | undefined;
  quietEnd?: number | undefined;
}

/** @throws ScheduleError when a zone is unknown or a minute is none */
export function requireSchedule(quiet: { timezone: string; quietStart: number; quietEnd: number }): void {
  if (!isTimeZone(quiet.timezone)) {
    throw new ScheduleError(
      'invalid_timezone',
      'unknown time zone: an IANA name like Europe/Berlin is expected',
    );
  }
  for (const minute of [quiet.quietStart, quiet.quietEnd]) {
    if (Number.isInteger(minute) && minute >= 0 && minute <= 1439) continue;
    throw new ScheduleError(
      'invalid_quiet_hours',
      'quiet hours are whole minutes after midnight, from 0 to 1439',
    );
  }
}

/** A new user's row and first due times: light now, deep and sleep spread over the grid and the night. */
function firstSchedule(given: NewUser, at: number) {
  const quiet = {
    timezone: given.timezone ?? DEFAULT_QUIET.timezone,
    quietStart: given.quietStart ?? DEFAULT_QUIET.quietStart,
    quietEnd: given.quietEnd ?? DEFAULT_QUIET.quietEnd,
  };
  requireSchedule(quiet);
  const userHash = userHashOf(given.tenant, given.user);
  return {
    tenant: given.tenant,
    user: given.user,
    ...quiet,
    light: at,
    deep: firstDeepDue(userHash, at),
    sleep: nextSleepDue({ ...quiet, userHash, after: at, lastSuccess: null }),
  };
}

/**
 * Inserts the users that are missing and their three tiers, in one statement; whoever is there stays as they are. New ones join the
 * pauses of their tenant. All must belong to the transaction's tenant (else DatabaseError `permission`).
 * @param users at most USERS_PER_CALL_MAX
 * @param at epoch ms
 * @returns how many users were new
 * @throws ScheduleError `invalid_timezone`, `invalid_quiet_hours`, `too_many_users`
 */
export async function ensureUsers(tx: Transaction, users: readonly NewUser[], at: number): Promise<number> {
  if (users.length === 0) return 0;
  if (users.length > USERS_PER_CALL_MAX) {
    throw new ScheduleError('too_many_users', `at most ${USERS_PER_CALL_MAX} users in one call`);
  }
  const payload = JSON.stringify(users.map((user) => firstSchedule(user, at)));
  // In order of the key, so that two calls with the same users wait for each other instead of deadlocking.
  const [row] = await tx.rows<{ made: number }>(sql`
    with given as (
      select * from jsonb_to_recordset(${payload}::jsonb) as r(
        tenant text, "user" text, timezone text, "quietStart" smallint, "quietEnd" smallint,
        light float8, deep float8, sleep float8)
    ), made as (
      insert into slowwave.users (tenant, id, timezone, quiet_start, quiet_end, created_at)
      select tenant, "user", timezone, "quietStart", "quietEnd", ${instantOf(at)} from given order by tenant, "user"
      on conflict do nothing
      returning 1
    ), scheduled as (
      insert into slowwave.user_tiers (tenant, user_id, tier, due_at)
      select tenant, "user", tier, to_timestamp(due / 1000)
      from given cross join lateral (values ('light', light), ('deep', deep), ('sleep', sleep)) as t(tier, due)
      order by tenant, "user", tier
      on conflict do nothing
    )
    select count(*)::int as made from made`);
  if (row!.made > 0) {
    await joinTenantPauses(
      tx,
      users[0]!.tenant,
      users.map(({ user }) => user),
    );
  }
  return row!.made;
}

/** One tier of a user, with the user's settings. */
export interface UserTierRow extends UserSettings, TierState {
  user: string;
  conflictPolicy: ScheduledUser['conflictPolicy'];
  createdAt: number;
  tier: Tier;
  quarantinedAt: number | null;
  quarantineCode: string | null;
}

/** Of a row u of users and a row t of user_tiers. */
export const USER_TIER_COLUMNS: SQL = sql`u.id as "user", u.timezone, u.quiet_start as "quietStart", u.quiet_end as "quietEnd", u.mode,
  u.conflict_policy as "conflictPolicy", ${msOf('u.created_at')} as "createdAt", t.tier, ${msOf('t.due_at')} as "dueAt",
  ${msOf("nullif(t.next_attempt_at, '-infinity')")} as "nextAttemptAt",
  ${msOf('t.last_attempt_at')} as "lastAttemptAt", ${msOf('t.last_success_at')} as "lastSuccessAt", t.failures,
  ${msOf('t.enqueued_at')} as "enqueuedAt", t.requested_run as "requestedRun", t.paused, t.tenant_paused as "tenantPaused",
  exists (select 1 from slowwave.tier_pauses p where p.tier = t.tier) as "tierPaused", t.unended, t.faults,
  ${msOf('t.quarantined_at')} as "quarantinedAt", t.quarantine_code as "quarantineCode"`;

/** A user with settings and tiers, or null when there is none. */
export async function getUser(tx: Transaction, tenant: string, user: string): Promise<ScheduledUser | null> {
  const rows = await tx.rows<UserTierRow>(sql`
    select ${USER_TIER_COLUMNS}
    from slowwave.users u join slowwave.user_tiers t on t.tenant = u.tenant and t.user_id = u.id
    where u.tenant = ${tenant} and u.id = ${user}`);
  return scheduledUserOf(tenant, rows);
}

/** @param rows the tiers of one user; of nobody none, which is null */
export function scheduledUserOf(tenant: string, rows: readonly UserTierRow[]): ScheduledUser | null {
  const [first] = rows;
  if (!first) return null;
  const tiers = Object.fromEntries(rows.map((row) => [row.tier, tierStateOf(row)])) as Record<
    Tier,
    TierState
  >;
  const { user, timezone, quietStart, quietEnd, mode, conflictPolicy, createdAt } = first;
  const { quarantinedAt, quarantineCode } = first;
  const quarantine = quarantinedAt === null ? null : { code: quarantineCode ?? '', since: quarantinedAt };
  const settings = { timezone, quietStart, quietEnd, mode, conflictPolicy };
  return { tenant, user, ...settings, createdAt, quarantine, tiers };
}

function tierStateOf(row: UserTierRow): TierState {
  const { dueAt, nextAttemptAt, lastAttemptAt, lastSuccessAt, failures, enqueuedAt, requestedRun } = row;
  const { paused, tenantPaused, tierPaused, unended, faults } = row;
  return {
    dueAt,
    nextAttemptAt,
    lastAttemptAt,
    lastSuccessAt,
    failures,
    enqueuedAt,
    requestedRun,
    paused,
    tenantPaused,
    tierPaused,
    unended,
    faults,
  };
}
