const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const numberText = (value: number): string => NUMBER.format(value);
/** Large ones in short: 12.3K. */
export const shortNumber = (value: number): string =>
  Math.abs(value) < 10_000 ? NUMBER.format(value) : COMPACT.format(value);
/** US dollars; what is less than a cent is not rounded to nothing. */
export const dollarsText = (dollars: number): string =>
  dollars > 0 && dollars < 0.01 ? 'less than $0.01' : DOLLARS.format(dollars);
/** "1 run", "2 runs". */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${numberText(count)} ${count === 1 ? one : many}`;

/** Prominence and other shares of one, with as many digits as tell something. */
export const shareText = (value: number): string =>
  value >= 0.995 ? '1.00' : value.toFixed(value < 0.1 ? 3 : 2);

/** A span in the largest unit that says enough. @param ms 0 or more */
export function spanText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 90_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 90 * MINUTE_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  if (ms < 36 * HOUR_MS) return `${Math.round(ms / HOUR_MS)} h`;
  return counted(Math.round(ms / DAY_MS), 'day');
}

/** How far an instant is away, in words. */
export function distanceText(at: number, now: number): string {
  const ms = Math.abs(at - now);
  if (ms < 5_000) return 'now';
  return at > now ? `in ${spanText(ms)}` : `${spanText(ms)} ago`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** A date and time of day where somebody lives, such as "Sat 21 Nov 2026, 02:14". A zone that is not known counts as UTC. */
export function instantText(at: number, zone = 'UTC', parts: 'day' | 'time' | 'both' = 'both'): string {
  if (!Number.isFinite(at) || Math.abs(at) > 8.64e15) return 'never';
  const key = `${parts} ${zone}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = formatOf(zone, parts);
    if (formats.size > 500) formats.clear();
    formats.set(key, format);
  }
  return format.format(at);
}

function formatOf(zone: string, parts: 'day' | 'time' | 'both'): Intl.DateTimeFormat {
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const options = parts === 'day' ? day : parts === 'time' ? time : { ...day, ...time };
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone });
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  }
}

/** Minutes after midnight of an instant where somebody lives. */
export function minuteOfDay(at: number, zone: string): number {
  const [hours = 0, minutes = 0] = instantText(at, zone, 'time').split(':').map(Number);
  return hours * 60 + minutes;
}

/** Minutes after midnight as a time of day. */
export const clockText = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** The first characters of a key or id, enough to tell it from others on a page. */
export const shortId = (id: string): string => id.slice(0, 8);
