import { readAtoms } from '../reading/atoms.ts';
import { dayNumberOf, dayText, weekdayOf } from '../reading/calendar.ts';
import { readTokens, type Token } from '../reading/tokens.ts';
import type { DatedReading } from './dated-reading.ts';
import { settleNumericDates } from './numeric-order.ts';
import { settleOpenDays } from './settled-days.ts';
import { allowAbout, settleYears } from './told-years.ts';
import type { Statement, Unit } from './unit.ts';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const FULL = /^\d{4}-\d\d-\d\d$/;
const YEARLESS = /^--\d\d(?:-\d\d)?$/;
/** What may stand between a weekday and its date. */
const BESIDE = new Set([',', '(', '.', 'the']);
const HALF_YEAR = 183;
/** "the night of", "in the week of": how far the word may stand from its date. */
const NEAR = 4;

/**
 * Gives dates the further keys by which the same day is told in other words: a day that was told relative to the day of a note ("today", "in five
 * weeks") without its year or as the exact day, a day of a summary with the year of the full date before it. A weekday beside the date that falls
 * on it says nothing more and goes.
 *
 * @returns for each reading the phrases of its `unresolved` that a summary resolves as the note means them.
 */
export function settleDays(readings: readonly DatedReading[]): string[][] {
  const said = readings.flatMap(({ day }) => (day === null ? [] : [Number(day.slice(0, 4))]));
  for (const reading of readings) {
    const { statement } = reading;
    settleWeeksBefore(statement);
    if (!statement.units.some(({ kind }) => kind === 'date' || kind === 'number')) continue;
    if (reading.day === null) inheritYears(statement);
    else settleSource(reading, reading.day);
    if (statement.units.some(isWeekday)) dropWeekdays(reading, said);
  }
  settleNumericDates(readings);
  const summaries = readings.filter(({ day }) => day === null);
  const settled = readings.map((reading) => {
    const today = reading.day === null ? null : dayNumberOf(reading.day);
    return today === null ? [] : settleOpenDays(reading, today, reading.unresolved, summaries);
  });
  const all = readings.map(({ statement }) => statement);
  for (const { statement, day, text } of readings) {
    if (day === null) allowAbout(statement, all);
    else settleYears(statement, text, day);
    const keys = statement.keys as Set<string>;
    keys.clear();
    for (const unit of statement.units) for (const key of unit.keys) keys.add(key);
  }
  return settled;
}

/** "in the week before 20 May 2024" is what "last week" was on that day: the week of the Monday before its own. */
function settleWeeksBefore(statement: Statement): void {
  const { units } = statement;
  for (let at = units.length - 1; at >= 2; at -= 1) {
    const [week, before, day] = [units[at - 2]!, units[at - 1]!, units[at]!];
    if (week.form !== 'week' || before.keys[0] !== 'op:before' || day.word - week.word > 3) continue;
    if (day.kind !== 'date' || !FULL.test(day.form)) continue;
    const number = dayNumberOf(day.form);
    if (number === null) continue;
    const monday = dayText(number - weekdayOf(number) - 6);
    day.form = monday;
    day.keys = [`date:${monday}`];
    units.splice(at - 1, 1);
  }
}

function isWeekday(unit: Unit): boolean {
  return unit.kind === 'date' && WEEKDAYS.includes(unit.form);
}

function offer(unit: Unit, ...keys: string[]): void {
  unit.keys = [...new Set([...unit.keys, ...keys])];
}

/** "On April 12, 2025 …; on April 20 …": the year goes on within the sentence; in another one it may. */
function inheritYears(statement: Statement): void {
  let last: Unit | null = null;
  for (const unit of statement.units) {
    if (unit.kind !== 'date') continue;
    if (/^\d{4}-\d\d/.test(unit.form)) last = unit;
    if (!YEARLESS.test(unit.form)) continue;
    if (last !== null) offer(unit, `date:${last.form.slice(0, 4)}${unit.form.slice(1)}`);
    if (last === null || last.sentence !== unit.sentence) offer(unit, `day:${unit.form}`);
  }
}

/** The days of a source that it tells relative to its own. */
function settleSource({ statement, content, text }: DatedReading, day: string): void {
  const today = dayNumberOf(day);
  if (today === null) return;
  const relative = content !== text;
  const written = relative ? new Set(datesIn(content)) : new Set<string>();
  for (const [index, unit] of statement.units.entries()) {
    if (unit.kind === 'number') {
      settleDeadline(unit, today);
      settleHours(unit, statement.units);
    }
    if (!relative || unit.kind !== 'date' || written.has(unit.form)) continue;
    if (!FULL.test(unit.form)) {
      if (/^\d{4}-\d\d$/.test(unit.form)) offer(unit, `day:-${unit.form.slice(4)}`);
      continue;
    }
    offer(unit, `day:-${unit.form.slice(4)}`);
    const at = dayNumberOf(unit.form)!;
    const before = statement.units[index - 1];
    const after = statement.units[index + 1];
    if (before?.form === 'week' && unit.word - before.word <= NEAR) {
      // The week of a day that is whole weeks away: the very day is meant as well.
      const exact = dayText(at + weekdayOf(today) - 1);
      offer(before, `date:${exact}`, `day:-${exact.slice(4)}`);
      offer(unit, `date:${exact}`, `day:-${exact.slice(4)}`, `about:${exact.slice(5)}`);
    }
    // "last night" is told by its day.
    if (
      after &&
      (after.form === 'night' || after.form === 'evening') &&
      at < today &&
      after.word - unit.word <= 6
    ) {
      after.soft = true;
      offer(after, 'night', 'evening');
    }
  }
}

/** "within eight days" is by that day. */
function settleDeadline(unit: Unit, today: number): void {
  const amount = unit.before === 'within' ? /^(\d{1,3}) (day|week)$/.exec(unit.form) : null;
  if (amount === null) return;
  const end = dayText(today + Number(amount[1]) * (amount[2] === 'week' ? 7 : 1));
  offer(unit, `date:${end}`, `day:-${end.slice(4)}`);
}

/** "Working hours: 37.5" is 37.5 hours. */
function settleHours(unit: Unit, units: readonly Unit[]): void {
  if (!/^\d+(?:\.\d+)?$/.test(unit.form)) return;
  const hours = units.find(
    ({ form, sentence, word }) =>
      form === 'hours' && sentence === unit.sentence && word < unit.word && unit.word - word <= 8,
  );
  if (hours === undefined) return;
  const key = `number:${Number(unit.form) * 60} min`;
  offer(unit, key);
  offer(hours, key);
}

function datesIn(text: string): string[] {
  return readAtoms(readTokens(text))
    .atoms.filter(({ kind }) => kind === 'date')
    .flatMap(({ value }) => value.split('..'));
}

function dropWeekdays({ statement, day, text }: DatedReading, said: readonly number[]): void {
  const tokens = readTokens(text);
  const units = statement.units.filter(({ kind }) => kind === 'date');
  for (const [index, unit] of units.entries()) {
    if (!isWeekday(unit)) continue;
    const after = units[index + 1];
    const before = units[index - 1];
    const date =
      after && isBeside(tokens, unit, after)
        ? after
        : before && isAfter(tokens, before, unit)
          ? before
          : null;
    if (date === null || !fallsOn(date, WEEKDAYS.indexOf(unit.form) + 1, day, said)) continue;
    statement.units.splice(statement.units.indexOf(unit), 1);
  }
}

/** "Sunday, June 22", "Sunday (June 22)" */
function isBeside(tokens: readonly Token[], weekday: Unit, date: Unit): boolean {
  if (date.word <= weekday.word || date.word - weekday.word > NEAR) return false;
  return tokens.slice(weekday.word + 1, date.word).every(({ folded }) => BESIDE.has(folded));
}

/** "22 June (Sunday)" */
function isAfter(tokens: readonly Token[], date: Unit, weekday: Unit): boolean {
  const closed = tokens[weekday.word - 1]?.text === '(' && tokens[weekday.word + 1]?.text === ')';
  return closed && weekday.word - date.word <= NEAR + 2;
}

/** Whether a date is that weekday: by its own year, else in the year nearest to the day of the note, or in any in which the notes were made. */
function fallsOn(date: Unit, weekday: number, day: string | null, said: readonly number[]): boolean {
  const full = date.keys.map((key) => key.slice('date:'.length)).filter((value) => FULL.test(value));
  if (full.length > 0) return full.some((value) => isWeekdayOf(value, weekday));
  if (!/^--\d\d-\d\d$/.test(date.form)) return false;
  const today = day === null ? null : dayNumberOf(day);
  const years = today === null ? said : [-1, 0, 1].map((step) => Number(day!.slice(0, 4)) + step);
  return years.some((year) => {
    const value = `${year}${date.form.slice(1)}`;
    const at = dayNumberOf(value);
    return (
      at !== null && (today === null || Math.abs(at - today) <= HALF_YEAR) && isWeekdayOf(value, weekday)
    );
  });
}

function isWeekdayOf(value: string, weekday: number): boolean {
  const at = dayNumberOf(value);
  return at !== null && weekdayOf(at) === weekday;
}
