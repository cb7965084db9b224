const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

/** The years that every part of the system can hold, epoch milliseconds. */
export const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
export const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Before this day nothing was said that a memory is made of, epoch milliseconds: what lies before it is a date that a program never set, or
 * one in seconds.
 */
export const FIRST_SAID = Date.parse('1971-01-01T00:00:00Z');

/** How far ahead of the clock here that of a writer, or the day where the writer lives, may be. */
export const AHEAD_MS = 86_400_000;

/** Whether something can have been said at an instant. @param now epoch ms; undefined: no instant is too late */
export function canBeSaid(ms: number, now: number | undefined): boolean {
  return ms >= FIRST_SAID && (now === undefined || ms <= now + AHEAD_MS);
}

export type IsoDate = { ok: true; ms: number } | { ok: false; why: 'unparseable' | 'impossible' };

/** Minutes east of UTC, or null when no such offset exists. */
function offsetMinutes(offset: string | undefined): number | null {
  if (offset === undefined || offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(-2));
  if (hours > 23 || minutes > 59) return null;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/**
 * An ISO 8601 date or date-time (as in RFC 3339) as epoch milliseconds. A date alone means 00:00 UTC of that day, a time
 * without an offset is taken as UTC; digits beyond milliseconds are cut. `impossible` is a date or time that no calendar
 * or clock shows, such as 30 February or 25:00; years run from 0001 to 9999.
 */
export function parseIsoDate(text: string): IsoDate {
  const match = ISO.exec(text);
  if (!match) return { ok: false, why: 'unparseable' };
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offset = offsetMinutes(match[8]);
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; setUTCFullYear does not.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const sameDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!sameDay || offset === null || hour > 23 || minute > 59 || second > 59) {
    return { ok: false, why: 'impossible' };
  }
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const ms = date.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds;
  if (ms < FIRST_INSTANT || ms > LAST_INSTANT) return { ok: false, why: 'impossible' };
  return { ok: true, ms };
}
