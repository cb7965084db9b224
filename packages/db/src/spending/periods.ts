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
 */
export function periodsOf(of: { tier: Tier; timezone: string; at: number }): Periods {
  const zone = isTimeZone(of.timezone) ? of.timezone : 'UTC';
  const utc = periodOf('UTC', of.at, 0);
  return {
    user_night: of.tier === 'sleep' ? periodOf(zone, of.at, NOON_MS) : null,
    user_day: periodOf(zone, of.at, 0),
    tenant_day: utc,
    overall_day: utc,
  };
}
