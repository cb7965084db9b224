import { dayNumber, twoDigits, weekdayOf } from './calendar.ts';
import {
  completed,
  DATE_JOINERS,
  dateOrNull,
  readFeast,
  readHanDate,
  readQuarter,
  readSeason,
  shapeOf,
  yearAfter,
} from './date-parts.ts';
import type { Language } from './languages/language.ts';
import { isShortMonth, monthAt, needsCapital, standsAlone, weekdayAt, weekdayName } from './months.ts';
import type { Reading } from './number-reading.ts';
import { readDayNumber } from './numbers.ts';
import { readNumericDate, readYear } from './numeric-dates.ts';
import { EVERY, isRepeatedDay } from './repeated-days.ts';
import type { Token } from './tokens.ts';

/**
 * Dates in canonical spelling: 2024-05-03, --05-03 (no year), 2024-05, --05 (a month alone), 2024, 1990s, 2024-Q3, Q3, 2023-spring, monday, mondays (any of
 * them), and two of these with ".." between for a range. A date whose order of day and month cannot be told ("3/5/2024") stays a literal with
 * its order, which equals only itself.
 */

const MONTH_PREPOSITIONS = new Set(
  'in on since until till by of from before after early late mid'.split(' '),
);
const RANGE_WORDS = new Set('to through thru until till bis au al tot até hasta'.split(' '));
const REPEATED_PARTS = new Set(['mornings', 'afternoons', 'evenings', 'nights']);

/** A date or a range of dates from token `at` on, or null. */
export function readDate(
  tokens: readonly Token[],
  at: number,
  language: Language | null = null,
): Reading | null {
  const between = tokens[at]!.folded === 'between' || tokens[at]!.folded === 'zwischen';
  const start = between ? at + 1 : at;
  if (tokens[start] === undefined) return null;
  const first = readDayRange(tokens, start, language) ?? readOne(tokens, start, language);
  if (first === null) return null;
  const range = readRange(tokens, first, between, language);
  return range ?? (between ? null : first);
}

function readOne(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  const token = tokens[at]!;
  if (token.kind === 'digits') {
    return (
      dayFirst(readNumericDate(token, at), language) ??
      readHanDate(tokens, at) ??
      readDayFirst(tokens, at, language) ??
      readQuarter(tokens, at) ??
      readYear(tokens, at)
    );
  }
  if (token.kind === 'mark') return token.text === "'" ? readYear(tokens, at) : null;
  if (token.kind !== 'word') return null;
  return (
    readWeekday(tokens, at, language) ??
    readFeast(tokens, at) ??
    readDayFirst(tokens, at, language) ??
    readMonthFirst(tokens, at, language) ??
    readSeason(tokens, at, language) ??
    readQuarter(tokens, at) ??
    readYear(tokens, at)
  );
}

/** "3/5/2024" is the 3rd of May wherever the month is not written first. */
function dayFirst(reading: Reading | null, language: Language | null): Reading | null {
  const open = /^\?(\d+)\/(\d+)\/(\d{4})$/.exec(reading?.values[0] ?? '');
  if (reading === null || open === null || language === null || language.code === 'en') return reading;
  return dateOrNull(Number(open[3]), Number(open[2]), Number(open[1]), reading.next) ?? reading;
}

/** "3 May to 5 May 2024", "2019–2021", "between 2019 and 2021", "Monday to Friday". */
function readRange(
  tokens: readonly Token[],
  first: Reading,
  between: boolean,
  language: Language | null,
): Reading | null {
  const joiner = tokens[first.next];
  if (joiner === undefined || tokens[first.next + 1] === undefined) return null;
  const dash = (joiner.text === '-' || joiner.text === '–') && isClose(tokens, first.next);
  const word = joiner.kind === 'word' && (between ? joiner.folded === 'and' : RANGE_WORDS.has(joiner.folded));
  if (!dash && !word) return null;
  const second = readOne(tokens, first.next + 1, language);
  if (second === null || second.values.length !== 1 || first.values.length !== 1) return null;
  const [from, to] = completed(first.values[0]!, second.values[0]!);
  return shapeOf(from) === shapeOf(to) && from !== to
    ? { values: [`${from}..${to}`], next: second.next }
    : null;
}

/** A dash between two dates, not one that parts a sentence: spaces on both sides or on none. */
function isClose(tokens: readonly Token[], at: number): boolean {
  return tokens[at]!.glued === tokens[at + 1]!.glued;
}

/** "3-5 May", "3 to 5 May 2024" */
function readDayRange(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  const token = tokens[at]!;
  if (token.kind !== 'digits') return null;
  const dashed = /^(\d{1,2})-(\d{1,2})$/.exec(token.text);
  const first = dashed ? { day: Number(dashed[1]), next: at + 1 } : readDayNumber(tokens, at);
  if (first === null) return null;
  let rest: Reading | null = null;
  if (dashed) {
    rest = finishDay(tokens, Number(dashed[2]), afterDay(tokens, at + 1), language);
  } else {
    const joiner = tokens[first.next];
    if (
      joiner === undefined ||
      !(RANGE_WORDS.has(joiner.folded) || joiner.text === '–' || joiner.text === '-')
    )
      return null;
    if (tokens[first.next + 1]?.kind !== 'digits') return null;
    rest = readDayFirst(tokens, first.next + 1, language);
  }
  return rest === null ? null : rangeTo(first.day, rest);
}

function rangeTo(day: number, end: Reading): Reading | null {
  const to = end.values[0]!;
  if (!/-\d\d-\d\d$/.test(to) || day < 1 || day >= Number(to.slice(-2))) return null;
  return { values: [`${to.slice(0, -2)}${twoDigits(day)}..${to}`], next: end.next };
}

function afterDay(tokens: readonly Token[], at: number): number {
  return tokens[at]?.glued && (tokens[at]!.folded === 'th' || tokens[at]!.text === '.') ? at + 1 : at;
}

/** 3 May 2024, 3rd of May, 3. Mai, the third of May */
function readDayFirst(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  const day = readDayNumber(tokens, at);
  return day === null ? null : finishDay(tokens, day.day, day.next, language);
}

function finishDay(
  tokens: readonly Token[],
  day: number,
  at: number,
  language: Language | null,
): Reading | null {
  let index = at;
  if (DATE_JOINERS.has(tokens[index]?.folded ?? '')) index += 1;
  const month = monthAt(tokens[index], language);
  if (month === null) return null;
  const year = yearAfter(tokens, index + 1);
  if (needsCapital(tokens[index]!) && year === null && index === at && tokens[at - 1]?.kind === 'digits')
    return null;
  return dateOrNull(year?.year ?? null, month, day, year?.next ?? index + 1);
}

/** May 3, 2024; May 3rd; May 3-5; May 2024; May '24; May */
function readMonthFirst(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  const token = tokens[at]!;
  const month = monthAt(token, language);
  if (month === null) return null;
  const dot = tokens[at + 1]?.text === '.' && tokens[at + 1]!.glued && token.folded.length <= 4 ? 1 : 0;
  let start = at + 1 + dot;
  if (tokens[start]?.folded === 'the') start += 1;
  const plain = !needsCapital(token) || MONTH_PREPOSITIONS.has(tokens[at - 1]?.folded ?? '');
  const span = /^(\d{1,2})-(\d{1,2})$/.exec(tokens[start]?.kind === 'digits' ? tokens[start]!.text : '');
  if (span && plain) {
    const year = yearAfter(tokens, start + 1);
    const end = dateOrNull(year?.year ?? null, month, Number(span[2]), year?.next ?? start + 1);
    const range = end === null ? null : rangeTo(Number(span[1]), end);
    if (range) return range;
  }
  const day = readDayNumber(tokens, start);
  const ordinal = day !== null && day.next > start + 1;
  if (day && (tokens[start]!.kind === 'digits' || start > at + 1 + dot) && (plain || ordinal)) {
    const through = readDaySpan(tokens, day, month);
    if (through) return through;
    const year = yearAfter(tokens, day.next);
    return dateOrNull(year?.year ?? null, month, day.day, year?.next ?? day.next);
  }
  const year = yearAfter(tokens, at + 1);
  if (year) return { values: [`${year.year}-${twoDigits(month)}`], next: year.next };
  return standsAlone(token) || isShortMonth(tokens, at, language)
    ? { values: [`--${twoDigits(month)}`], next: at + 1 + dot }
    : null;
}

/** "May 3 to 5", "May 3rd through 5th, 2024" */
function readDaySpan(
  tokens: readonly Token[],
  from: { day: number; next: number },
  month: number,
): Reading | null {
  const joiner = tokens[from.next];
  const joins =
    joiner?.folded === 'to' || joiner?.folded === 'through' || joiner?.text === '–' || joiner?.text === '-';
  if (!joins || tokens[from.next + 1]?.kind !== 'digits') return null;
  const to = readDayNumber(tokens, from.next + 1);
  if (to === null) return null;
  const year = yearAfter(tokens, to.next);
  const end = dateOrNull(year?.year ?? null, month, to.day, year?.next ?? to.next);
  return end === null ? null : rangeTo(from.day, end);
}

/** Monday, Mondays, every Monday; a weekday beside the full date that falls on it says nothing more. */
function readWeekday(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  if (EVERY.has(tokens[at]!.folded)) {
    const each = weekdayAt(tokens, at + 1, language);
    return each ? { values: [`${weekdayName(each.day)}s`], next: each.next } : null;
  }
  const weekday = weekdayAt(tokens, at, language);
  if (weekday === null) return null;
  let { next } = weekday;
  if (tokens[next]?.text === '.' && tokens[next]!.glued && tokens[at]!.text.length <= 4) next += 1;
  if (weekday.plural || REPEATED_PARTS.has(tokens[next]?.folded ?? '')) {
    return { values: [`${weekdayName(weekday.day)}s`], next: weekday.next };
  }
  if (isRepeatedDay(tokens, at, next, language))
    return { values: [`${weekdayName(weekday.day)}s`], next: weekday.next };
  let index = next;
  while (
    index < next + 2 &&
    (tokens[index]?.text === ',' || tokens[index]?.folded === 'the' || tokens[index]?.folded === 'den')
  ) {
    index += 1;
  }
  const follows = tokens[index];
  if (follows !== undefined && (follows.kind === 'digits' || monthAt(follows, language) !== null)) {
    const date =
      follows.kind === 'digits'
        ? (readNumericDate(follows, index) ?? readDayFirst(tokens, index, language))
        : readMonthFirst(tokens, index, language);
    const full = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date?.values[0] ?? '');
    if (
      date &&
      full &&
      weekdayOf(dayNumber(Number(full[1]), Number(full[2]), Number(full[3]))) === weekday.day
    )
      return date;
  }
  return { values: [weekdayName(weekday.day)], next: weekday.next };
}
