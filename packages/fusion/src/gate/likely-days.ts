import { dateOf, dayNumber, dayText, isDay, twoDigits, weekdayOf } from '../reading/calendar.ts';
import type { Token } from '../reading/tokens.ts';
import { likelyTense } from './likely-tense.ts';
import type { Unit } from './unit.ts';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const WEEK = 7;
const HALF_YEAR = 183;
/** "on the 14th", "by the 25th". */
const DAY_BEFORE = new Set(['on', 'by', 'until', 'till', 'from', 'before', 'after', 'since']);
/** What may follow a day of the month; "the 14th floor" is none. */
const DAY_AFTER = new Set(
  'and or but at to until till because when if so as with for in by before after while which who he she it they we i from'.split(
    ' ',
  ),
);

/**
 * The day that a bare weekday of a note means beside the day on which it was said: the next one after what lies ahead, the last one before what
 * lies behind. Nothing is resolved by it: a summary that gives that very day is only believed to have understood the note.
 */
export function likelyWeekday(unit: Unit, tokens: readonly Token[], today: number): number | null {
  const before = tokens[unit.word - 1]?.folded ?? '';
  const named = before === 'last' || before === 'past' ? 'past' : null;
  if (before === 'next') return null;
  const tense = named ?? likelyTense(tokens, unit.word);
  if (tense === null) return null;
  const step = (weekdayOf(today) - (WEEKDAYS.indexOf(unit.form) + 1) + WEEK) % WEEK;
  return tense === 'past' ? today - (step === 0 ? WEEK : step) : today + (WEEK - step);
}

/**
 * The days that "last Monday" and "next Friday" may mean where people use them in two ways: the nearest, and the one a week further. A
 * summary that still says the weekday and gives one of them is as good as the note.
 */
export function eitherWeekday(unit: Unit, tokens: readonly Token[], today: number): number[] {
  const before = tokens[unit.word - 1]?.folded ?? '';
  const step = (weekdayOf(today) - (WEEKDAYS.indexOf(unit.form) + 1) + WEEK) % WEEK;
  if (before === 'last') return [today - (step === 0 ? WEEK : step), today - WEEK - step];
  if (before === 'next') return [today + WEEK - step, today + 2 * WEEK - step];
  return [];
}

/**
 * The keys of the day that "the 14th" of a note means: of the month that the note named before, else of the one that its tense tells, counted from the day on
 * which it was said.
 */
export function likelyMonthDay(
  unit: Unit,
  units: readonly Unit[],
  tokens: readonly Token[],
  today: number,
): string[] {
  const ordinal = /^(\d{1,2})th$/.exec(unit.form);
  const day = Number(ordinal?.[1]);
  if (ordinal === null || day < 1 || day > 31 || !DAY_BEFORE.has(unit.before)) return [];
  if (tokens[unit.word - 1]?.folded !== 'the' || !endsDay(tokens, unit.word + 2)) return [];
  const named = monthBefore(unit, units);
  if (named) {
    const month = named.day !== null && day <= named.day ? (named.month % 12) + 1 : named.month;
    const year = named.year === null ? null : named.year + (month < named.month ? 1 : 0);
    return keysOfDay(day, month, year, today);
  }
  const tense = likelyTense(tokens, unit.word);
  if (tense === null) return [];
  const now = dateOf(today);
  const steps = tense === 'future' ? (day > now.date ? 0 : 1) : day < now.date ? 0 : -1;
  const months = now.year * 12 + now.month - 1 + steps;
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  return isDay(year, month, day) ? keysOfDay(day, month, year, today) : [];
}

function endsDay(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return token === undefined || token.kind === 'mark' || DAY_AFTER.has(token.folded);
}

function monthBefore(
  unit: Unit,
  units: readonly Unit[],
): { month: number; day: number | null; year: number | null } | null {
  for (let index = units.indexOf(unit) - 1; index >= 0; index -= 1) {
    const date = /^(\d{4}|-)-(\d\d)(?:-(\d\d))?$/.exec(
      units[index]!.kind === 'date' ? units[index]!.form : '',
    );
    if (date)
      return {
        month: Number(date[2]),
        day: date[3] === undefined ? null : Number(date[3]),
        year: date[1] === '-' ? null : Number(date[1]),
      };
  }
  return null;
}

/** With the year that was named, else with the one nearest to the note. */
function keysOfDay(day: number, month: number, named: number | null, today: number): string[] {
  const { year } = dateOf(today);
  const years = named === null ? [year - 1, year, year + 1] : [named];
  const keys: string[] = [];
  for (const one of years) {
    if (!isDay(one, month, day)) continue;
    const at = dayNumber(one, month, day);
    if (named === null && Math.abs(at - today) > HALF_YEAR) continue;
    keys.push(`date:${dayText(at)}`);
  }
  return keys.length === 0 ? [] : [...keys, `day:--${twoDigits(month)}-${twoDigits(day)}`];
}
