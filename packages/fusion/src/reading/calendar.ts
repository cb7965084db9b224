/** Days as numbers since 1970-01-01, in no time zone. */

const DAY_MS = 86_400_000;

/** YYYY-MM-DD to its day number; null when there is no such day. */
export function dayNumberOf(day: string): number | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!parts) return null;
  const [year, month, date] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const at = dayNumber(year, month, date);
  return isDay(year, month, date) ? at : null;
}

export function dayNumber(year: number, month: number, date: number): number {
  const at = new Date(0);
  at.setUTCFullYear(year, month - 1, date);
  return Math.round(at.getTime() / DAY_MS);
}

/** Whether the month has such a day. */
export function isDay(year: number, month: number, date: number): boolean {
  if (month < 1 || month > 12 || date < 1 || date > 31) return false;
  const { month: same } = dateOf(dayNumber(year, month, date));
  return same === month;
}

export interface CalendarDate {
  year: number;
  /** 1 to 12. */
  month: number;
  date: number;
}

export function dateOf(day: number): CalendarDate {
  const at = new Date(day * DAY_MS);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate() };
}

/** 1 (Monday) to 7. */
export function weekdayOf(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1;
}

/** YYYY-MM-DD; '' outside of the years 1 to 9999. */
export function dayText(day: number): string {
  const { year, month, date } = dateOf(day);
  return year >= 1 && year <= 9999
    ? `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(date)}`
    : '';
}

export function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
