import { type CalendarDate, dateOf, dayNumber, dayText, isDay, weekdayOf } from './calendar.ts';
import type { DayPart, Language } from './languages/language.ts';
import type { Match, Which } from './relative-rules.ts';

/** Which way a sentence looks, as far as its words tell for sure. */
export type Tense = 'past' | 'future' | 'unknown';

/** What an absolute date is worded with: a wording of the language and what stands in it. */
export interface Resolved {
  wording: 'day' | 'week' | 'weekend' | 'month' | 'year' | 'quarter' | 'season' | 'holiday';
  /** For D, M, S. */
  what: string;
  /** For Y. */
  year: string;
  part: DayPart | null;
}

const SATURDAY = 6;
const HOLIDAY_MONTHS = new Map(Object.entries({ halloween: 10, thanksgiving: 11, christmas: 12 }));
/** First and last month of the seasons that lie within one year, by the northern calendar. */
const SEASON_MONTHS = new Map(Object.entries({ spring: [3, 5], summer: [6, 8], autumn: [9, 11] }));

/**
 * What a phrase means when it was said on day number `today`; null when that cannot be told for sure. Where people use a phrase in two ways
 * ("next Friday" on a Monday), it is resolved only when both give the same day.
 */
export function resolveMeaning(
  match: Match,
  today: number,
  tense: Tense,
  language: Language,
): Resolved | null {
  const { meaning } = match;
  switch (meaning.kind) {
    case 'day':
      return dayAt(today + meaning.offset, meaning.part ?? match.part);
    case 'span':
      return spanAt(meaning.unit ?? match.unit, meaning.offset, today, language);
    case 'ago':
      return amountAway(match.unit, -(meaning.amount ?? match.amount ?? Number.NaN), today, language);
    case 'exact':
      return dayAgo(match.unit, meaning.amount ?? match.amount ?? Number.NaN, today);
    case 'in':
      return amountAway(match.unit, meaning.amount ?? match.amount ?? Number.NaN, today, language);
    case 'future':
      return tense === 'future'
        ? amountAway(match.unit, meaning.amount ?? match.amount ?? Number.NaN, today, language)
        : null;
    case 'weekday': {
      const day = weekdayAt(match.weekday!, meaning.which, today, tense);
      return day === null ? null : dayAt(day, match.part);
    }
    case 'month': {
      const year = yearOfMonth(match.month!, meaning.which, dateOf(today));
      return year === null ? null : monthAt(year, match.month!, language);
    }
    case 'season':
      return seasonAt(match.season!, meaning.which, dateOf(today));
    case 'holiday':
      return null;
    default:
      return null;
  }
}

/** "last Christmas", said before it came round again, is last year's. */
export function lastHoliday(holiday: string, today: number): Resolved | null {
  const month = HOLIDAY_MONTHS.get(holiday);
  const { year, month: now } = dateOf(today);
  if (month === undefined || now >= month) return null;
  return {
    wording: 'holiday',
    what: holiday[0]!.toUpperCase() + holiday.slice(1),
    year: String(year - 1),
    part: null,
  };
}

function dayAt(day: number, part: DayPart | null): Resolved {
  return { wording: 'day', what: dayText(day), year: '', part };
}

function monthAt(year: number, month: number, language: Language): Resolved {
  return { wording: 'month', what: language.wording.monthNames[month - 1]!, year: String(year), part: null };
}

function spanAt(unit: string | null, offset: number, today: number, language: Language): Resolved | null {
  const { year, month } = dateOf(today);
  switch (unit) {
    case 'week':
      return { wording: 'week', what: dayText(mondayOf(today) + offset * 7), year: '', part: null };
    case 'month': {
      const months = year * 12 + month - 1 + offset;
      return monthAt(Math.floor(months / 12), (months % 12) + 1, language);
    }
    case 'year':
      return { wording: 'year', what: '', year: String(year + offset), part: null };
    case 'quarter': {
      const quarters = year * 4 + Math.floor((month - 1) / 3) + offset;
      return {
        wording: 'quarter',
        what: `Q${(quarters % 4) + 1}`,
        year: String(Math.floor(quarters / 4)),
        part: null,
      };
    }
    case 'weekend':
      return weekendAt(offset, today);
    default:
      return null;
  }
}

/** On a weekend itself, "last weekend" may be the one before or this very one; on a weekday, "next weekend" may be either of two. */
function weekendAt(offset: number, today: number): Resolved | null {
  const onWeekend = weekdayOf(today) >= SATURDAY;
  const saturday = mondayOf(today) + 5;
  if (offset === 0) return { wording: 'weekend', what: dayText(saturday), year: '', part: null };
  if (offset < 0 === onWeekend) return null;
  return { wording: 'weekend', what: dayText(saturday + offset * 7), year: '', part: null };
}

/** Days are exact; weeks, months and years ago or ahead are as coarse as they are said. */
function amountAway(unit: string | null, amount: number, today: number, language: Language): Resolved | null {
  if (!Number.isInteger(amount) || Math.abs(amount) > 1_000) return null;
  if (unit === 'day') return dayAt(today + amount, null);
  if (unit === 'week' || unit === 'month' || unit === 'year') return spanAt(unit, amount, today, language);
  return null;
}

/** The very day some weeks, months or years ago; null when that month had no such day. */
function dayAgo(unit: string | null, amount: number, today: number): Resolved | null {
  if (!Number.isInteger(amount) || amount > 1_000) return null;
  if (unit === 'day' || unit === 'week') return dayAt(today - amount * (unit === 'week' ? 7 : 1), null);
  if (unit !== 'month' && unit !== 'year') return null;
  const { year, month, date } = dateOf(today);
  const months = year * 12 + month - 1 - amount * (unit === 'year' ? 12 : 1);
  const [then, of] = [Math.floor(months / 12), (months % 12) + 1];
  return isDay(then, of, date) ? dayAt(dayNumber(then, of, date), null) : null;
}

function mondayOf(day: number): number {
  return day - weekdayOf(day) + 1;
}

function weekdayAt(weekday: number, which: Which, today: number, tense: Tense): number | null {
  const now = weekdayOf(today);
  const before = today - (((now - weekday + 6) % 7) + 1);
  const after = today + (((weekday - now + 6) % 7) + 1);
  switch (which) {
    // The latest one, or the one of last week: the same from that weekday on back to Monday.
    case 'last':
      return weekday >= now ? before : null;
    case 'past':
      return before;
    case 'next':
      return weekday <= now ? after : null;
    case 'coming':
      return after;
    case 'this':
      return weekday > now ? after : null;
    case 'bare':
      if (weekday === now) return null;
      return tense === 'past' ? before : tense === 'future' ? after : null;
  }
}

function yearOfMonth(month: number, which: Which, now: CalendarDate): number | null {
  if (which === 'this') return now.year;
  if (which === 'last') return month >= now.month ? now.year - 1 : null;
  if (which === 'next') return month <= now.month ? now.year + 1 : null;
  return null;
}

function seasonAt(
  season: { canonical: string; written: string },
  which: Which,
  now: CalendarDate,
): Resolved | null {
  const months = SEASON_MONTHS.get(season.canonical);
  if (!months) return null;
  let year: number | null = null;
  if (which === 'this') year = now.year;
  else if (which === 'last') year = now.month <= months[1]! ? now.year - 1 : null;
  else if (which === 'next') year = now.month >= months[0]! ? now.year + 1 : null;
  return year === null ? null : { wording: 'season', what: season.written, year: String(year), part: null };
}
