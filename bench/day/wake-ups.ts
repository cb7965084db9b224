import { firstDeepDue, LIGHT_INTERVAL_MS, nextDeepDue, nextSleepDue, type QuietHours } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { DAY_MINUTES, DAYS_BEFORE, type Rhythm } from './rhythms.ts';
import { MINUTE_MS, wallTable } from './wall.ts';

/**
 * Places in the hash of a user that are told apart: one for each minute of the grid of deep. Quiet hours of any whole share of six hours,
 * and an hour less of them when clocks change, are told apart to the minute as well.
 */
export const PLACES = 360;
const LIGHT_MINUTES = LIGHT_INTERVAL_MS / MINUTE_MS;

/** How many users there are of each zone and rhythm, and of each zone and place; zones, then the other. */
export interface Groups {
  zones: readonly string[];
  byRhythm: readonly (readonly number[])[];
  byPlace: readonly (readonly number[])[];
}

/** Wake-ups of each minute of a day. */
export type Day = Record<Tier, Float64Array>;

export const emptyDay = (): Day => ({
  light: new Float64Array(DAY_MINUTES),
  deep: new Float64Array(DAY_MINUTES),
  sleep: new Float64Array(DAY_MINUTES),
});

export interface DayQuestion {
  /** Midnight in UTC, epoch ms. */
  day: number;
  /** Everybody's, on their own wall clock. */
  quiet: Omit<QuietHours, 'timezone'>;
}

/** A hash that stands for all of its place. */
export const hashOf = (place: number): number => (place + 0.5) / PLACES;

/** When users were made, as far as the simulation knows: early enough that each tier has found its rhythm. */
export const bornAt = (day: number): number => day - DAYS_BEFORE * DAY_MINUTES * MINUTE_MS;

/** When light runs, given when it becomes due, both in whole minutes and in order: at once, but not within five minutes of the last time. */
export function lightRuns(dueMinutes: readonly number[]): number[] {
  const runs: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const due of dueMinutes) {
    if (due <= last) continue;
    last = Math.max(due, last + LIGHT_MINUTES);
    runs.push(last);
  }
  return runs;
}

/** The minutes of the day in which a tier is due, from one due time to the next. */
function minutesOf(day: number, first: number, next: (due: number) => number): number[] {
  const minutes: number[] = [];
  const end = day + DAY_MINUTES * MINUTE_MS;
  for (let due = first; due < end; due = next(due)) {
    if (due >= day) minutes.push(Math.floor((due - day) / MINUTE_MS));
  }
  return minutes;
}

/** The wake-ups of all users, counted by groups of those who are woken in the same minutes. */
export function countWakeUps(groups: Groups, rhythms: readonly Rhythm[], { day, quiet }: DayQuestion): Day {
  const counts = emptyDay();
  const after = bornAt(day);
  const add = (tier: Tier, minutes: readonly number[], users: number) => {
    for (const minute of minutes) if (minute >= 0 && minute < DAY_MINUTES) counts[tier][minute]! += users;
  };
  const deep = Array.from({ length: PLACES }, (_, place) =>
    minutesOf(day, firstDeepDue(hashOf(place), after), (due) => nextDeepDue(due, due)),
  );
  for (const [i, timezone] of groups.zones.entries()) {
    const toMinute = wallTable(timezone, day);
    for (const [j, users] of groups.byRhythm[i]!.entries()) {
      if (users > 0) add('light', lightRuns(rhythms[j]!.events.map(toMinute)), users);
    }
    for (const [place, users] of groups.byPlace[i]!.entries()) {
      if (users === 0) continue;
      add('deep', deep[place]!, users);
      const question = { ...quiet, timezone, userHash: hashOf(place) };
      const first = nextSleepDue({ ...question, after, lastSuccess: null });
      const nights = minutesOf(day, first, (due) =>
        nextSleepDue({ ...question, after: due, lastSuccess: due }),
      );
      add('sleep', nights, users);
    }
  }
  return counts;
}
