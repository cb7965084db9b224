import type { Tier } from '@slowwave/fusion';
import { instantAtWallTime, isTimeZone, wallTimeAt } from '../scheduling/zone-time.ts';

const DAY_MS = 86_400_000;
const NOON_MS = DAY_MS / 2;

/** What a budget may be set for. */
export const BUDGET_SCOPES = ['user_night', 'user_day', 'tenant_day', 'overall_day'] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** One budget period. */
export interface Period {
  /** YYYY-MM-DD. A night bears the date of its morning. */
  day: string;
  /** When the next one begins and the budget is whole again, epoch ms. */
  renewsAt: number;
}

/** The periods in which a call counts; the night is null for tiers that are not of the night. */
export type Periods = Record<Exclude<BudgetScope, 'user_night'>, Period> & { user_night: Period | null };

const dayOf = (wall: number): string => new Date(wall).toISOString().slice(0, 10);

/** A day of the calendar is never shorter, whatever clocks do; what remains of one after a change of zone may be. */
const SHORTEST_MS = 20 * 60 * 60_000;

/** The last periods of a user that anything was reserved in. */
export type LastPeriods = Partial<Record<'user_day' | 'user_night', Period>>;

/**
 * The period at an instant, where the last one stays in force until it ends by the zone in which it began. A user who moves to another zone
 * begins no further one there: where little remains of the day, or it was counted already, the last one goes on.
 */
function lastingOf(fresh: Period, last: Period | undefined, at: number): Period {
  if (last === undefined) return fresh;
  if (at < last.renewsAt) return last; // guard: period-in-force
  const isNext = fresh.day > last.day && fresh.renewsAt - last.renewsAt >= SHORTEST_MS;
  return isNext ? fresh : { day: last.day, renewsAt: fresh.renewsAt };
}

/** The period that a wall clock of the zone is in, where periods change at `turnMs` after midnight. */
function periodOf(zone: string, at: number, turnMs: number): Period {
  const shift = turnMs === 0 ? 0 : DAY_MS - turnMs;
  const day = Math.floor((wallTimeAt(zone, at) + shift) / DAY_MS) * DAY_MS;
  return { day: dayOf(day), renewsAt: instantAtWallTime(zone, day + DAY_MS - shift).instant };
}

/**
 * The budget periods of a run. A user's day is that of the user's zone, and the user's night lasts from noon to noon, so that no night
 * is cut in two; what many users share is counted by days in UTC. A run counts whole in the periods in which it began.
 * @param of.at epoch ms
 * @param last what the user was counted in before, which a change of zone does not end
 */
export function periodsOf(of: { tier: Tier; timezone: string; at: number }, last: LastPeriods = {}): Periods {
  const zone = isTimeZone(of.timezone) ? of.timezone : 'UTC';
  const utc = periodOf('UTC', of.at, 0);
  return {
    user_night:
      of.tier === 'sleep' ? lastingOf(periodOf(zone, of.at, NOON_MS), last.user_night, of.at) : null,
    user_day: lastingOf(periodOf(zone, of.at, 0), last.user_day, of.at),
    tenant_day: utc,
    overall_day: utc,
  };
}
