import { localDay } from '@slowwave/fusion';
import { isDailyName } from '../files/paths.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The day that a daily file is about, YYYY-MM-DD; null for any other file. */
export function dayOfFile(path: string): string | null {
  return isDailyName(path) ? path.slice(0, 10) : null;
}

/**
 * The last instant of a day in the time zone of a user, epoch ms; of a day that clocks there never showed, that of the day before.
 * @param day YYYY-MM-DD, an existing one
 * @param timezone an IANA name; one that is not known counts as UTC
 */
export function endOfDay(day: string, timezone: string): number {
  const utc = Date.parse(`${day}T00:00:00.000Z`);
  // No place is further than 15 hours from UTC.
  let within = utc - 16 * HOUR_MS;
  let after = utc + 41 * HOUR_MS;
  while (after - within > 1) {
    const middle = Math.floor((within + after) / 2);
    if ((localDay(middle, timezone) ?? '') <= day) within = middle;
    else after = middle;
  }
  return within;
}

/** The first and the last instant of a day in the time zone of a user, epoch ms; see endOfDay. */
export function boundsOfDay(day: string, timezone: string): { from: number; to: number } {
  return { from: endOfDay(daysBefore(day, 1), timezone) + 1, to: endOfDay(day, timezone) };
}

/** The day so many days before another one. */
export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00.000Z`) - days * DAY_MS).toISOString().slice(0, 10);
}

/** Whether a file is the notes of a day that is over. @param at epoch ms */
export function hasEnded(path: string, at: number, timezone: string): boolean {
  const day = dayOfFile(path);
  return day !== null && at > endOfDay(day, timezone);
}
