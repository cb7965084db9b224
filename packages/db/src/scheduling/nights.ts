import { instantAtWallTime, isTimeZone, wallTimeAt } from './zone-time.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAY_MINUTES = 1_440;

/** A user sleeps at most once in this time. */
export const SLEEP_MIN_GAP_MS = 20 * HOUR_MS;
/** A user without quiet hours sleeps at least once in this time. */
export const SLEEP_MAX_GAP_MS = 26 * HOUR_MS;
export const DEEP_INTERVAL_MS = 6 * HOUR_MS;

/** Quiet hours in minutes after local midnight (0 to 1439). They may wrap midnight; start equal to end means none. */
export interface QuietHours {
  /** IANA name; one that this runtime does not know counts as UTC, since a night at the wrong hour is better than none. */
  timezone: string;
  quietStart: number;
  quietEnd: number;
}

export interface SleepQuestion extends QuietHours {
  /** Where in the window this user stands, 0 (inclusive) to 1 (exclusive); see userHashOf. */
  userHash: number;
  /** The answer is not before this instant, epoch ms. */
  after: number;
  /** When sleep last succeeded, epoch ms. */
  lastSuccess: number | null;
}

/**
 * When a user's sleep is due next (epoch ms): in the quiet hours, at the user's own offset, at least 20 hours after the last
 * success. If that success came so late that the next slot is too early but the quiet hours last long enough, that night's rest is
 * used. Without quiet hours it comes once a day at the user's own time and at most 26 hours after the last success. Nights of 23
 * and 25 hours have their one slot; when clocks jump over all of the quiet hours, the jump is the slot.
 */
export function nextSleepDue(question: SleepQuestion): number {
  const { after, lastSuccess, quietStart, quietEnd } = question;
  const rested = lastSuccess === null ? after : Math.max(after, lastSuccess + SLEEP_MIN_GAP_MS);
  if (quietStart === quietEnd) return withoutQuietHours(question, rested);
  const zone = isTimeZone(question.timezone) ? question.timezone : 'UTC';
  const quiet = { ...question, timezone: zone };
  const today = Math.floor(wallTimeAt(zone, rested) / DAY_MS) * DAY_MS;
  // Quiet hours that wrap midnight may have begun yesterday. A date that a zone left out has none.
  for (let day = quietStart > quietEnd ? -1 : 0; day <= 3; day++) {
    const slot = slotOf(quiet, today + day * DAY_MS);
    if (slot === null) continue;
    if (slot >= rested) return slot;
    if (rested > after && isInNight(quiet, today + day * DAY_MS, rested)) return rested;
  }
  return rested + DAY_MS;
}

/** Whether a wall clock of the zone is inside the quiet hours; never when there are none. */
export function isQuiet(quiet: QuietHours, instant: number): boolean {
  const wall = wallTimeAt(isTimeZone(quiet.timezone) ? quiet.timezone : 'UTC', instant);
  const minute = Math.floor((wall % DAY_MS) / MINUTE_MS);
  const { quietStart, quietEnd } = quiet;
  if (quietStart <= quietEnd) return minute >= quietStart && minute < quietEnd;
  return minute >= quietStart || minute < quietEnd;
}

/** Start and end (exclusive) of the quiet hours that begin on a date, given as the wall time of its midnight. */
function nightOf(quiet: QuietHours, midnight: number): { start: number; end: number } {
  const wallStart = midnight + quiet.quietStart * MINUTE_MS;
  const wallEnd = wallStart + lengthOf(quiet) * MINUTE_MS;
  return {
    start: instantAtWallTime(quiet.timezone, wallStart).instant,
    end: instantAtWallTime(quiet.timezone, wallEnd).instant,
  };
}

/** Minutes of quiet on an ordinary night. */
const lengthOf = ({ quietStart, quietEnd }: QuietHours): number =>
  (quietEnd - quietStart + DAY_MINUTES) % DAY_MINUTES;

/** The user's own place in the quiet hours of a date, or null when clocks jumped over the whole date. */
function slotOf(quiet: SleepQuestion, midnight: number): number | null {
  const { timezone, quietStart, userHash } = quiet;
  const place = midnight + quietStart * MINUTE_MS + Math.floor(userHash * lengthOf(quiet) * 60) * 1000;
  const own = instantAtWallTime(timezone, place);
  if (own.exists) return own.instant;
  const { start, end } = nightOf(quiet, midnight);
  // Clocks jumped over the user's place: the same share of what is left of this night.
  if (start < end) return start + Math.floor((userHash * (end - start)) / 1000) * 1000;
  return Math.floor(wallTimeAt(timezone, start) / DAY_MS) * DAY_MS === midnight ? start : null;
}

function isInNight(quiet: QuietHours, midnight: number, instant: number): boolean {
  const { start, end } = nightOf(quiet, midnight);
  return instant >= start && instant < end && isQuiet(quiet, instant);
}

function withoutQuietHours(question: SleepQuestion, rested: number): number {
  const phase = Math.floor((question.userHash * DAY_MS) / 1000) * 1000;
  const daily = phase + Math.ceil((rested - phase) / DAY_MS) * DAY_MS;
  if (question.lastSuccess === null) return daily;
  return Math.max(question.after, Math.min(daily, question.lastSuccess + SLEEP_MAX_GAP_MS));
}

/**
 * When deep is due next (epoch ms): the first point of the user's six-hour grid after `at`. What was missed is skipped; a due time
 * that still lies ahead stays.
 */
export function nextDeepDue(previousDue: number, at: number): number {
  if (previousDue > at) return previousDue;
  return previousDue + (Math.floor((at - previousDue) / DEEP_INTERVAL_MS) + 1) * DEEP_INTERVAL_MS;
}

/** When deep is due for the first time: within six hours, at the user's own offset. */
export function firstDeepDue(userHash: number, at: number): number {
  return at + Math.floor((userHash * DEEP_INTERVAL_MS) / 1000) * 1000;
}
