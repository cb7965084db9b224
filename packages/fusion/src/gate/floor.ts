import type { AtomKind } from '../reading/atoms.ts';
import { dayNumberOf, dayText } from '../reading/calendar.ts';
import { type Profile, readProfile } from '../reading/profile.ts';
import { hasPhrase, plainLatin } from '../reading/spoken.ts';
import { readTogether, type SaidText, type TextReading } from './reading.ts';
import type { Statement, Unit } from './unit.ts';

/** A hard fact that one side has and the other lacks. Holds memory text. */
export interface FloorProblem {
  /** `lost`: of a source, and not in the statement. `invented`: of the statement, and in none of its sources. */
  problem: 'lost' | 'invented';
  /** Number of the source, from 1, of what is lost. */
  source: number | null;
  kind: AtomKind | 'relative_date';
  value: string;
}

const HARD: ReadonlySet<Unit['kind']> = new Set(['number', 'date', 'time', 'email', 'url', 'code']);

/**
 * The floor of the gate: numbers, amounts, units, dates, times, codes, addresses, quotations and sure names of the sources are in the
 * statement, and those of the statement in its sources. Besides, a statement may name a day on which a source was said, its month, or a
 * range of these. Code alone, and linear in the texts; words are not looked at.
 *
 * @param sources with the day on which each was said, YYYY-MM-DD; null where it is unknown
 * @returns what is wrong; empty when the statement may go on
 */
export function floorProblems(sources: readonly SaidText[], statement: string): FloorProblem[] {
  const readings = readTogether([...sources, { content: statement, day: null }]);
  const own = readings.pop()!;
  const ownProfile = readProfile(statement);
  const profiles = sources.map(({ content }) => readProfile(content));
  const problems: FloorProblem[] = [];
  for (const [index, { statement: source }] of readings.entries()) {
    const lost = (kind: FloorProblem['kind'], value: string) =>
      problems.push({ problem: 'lost', source: index + 1, kind, value });
    for (const unit of source.units)
      if (isHard(unit) && !isHeld(unit, own.statement)) lost(unit.kind as AtomKind, unit.form);
    for (const value of missingPhrases(profiles[index]!, [ownProfile])) lost('quote', value);
    for (const value of missingNames(profiles[index]!, [ownProfile])) lost('name', value);
  }
  const invented = (kind: FloorProblem['kind'], value: string) =>
    problems.push({ problem: 'invented', source: null, kind, value });
  const allowed = allowedDays(sources, readings);
  const others = readings.map((reading) => reading.statement);
  for (const unit of own.statement.units) {
    if (!isHard(unit) || isAllowedDate(unit, allowed)) continue;
    if (!others.some((other) => isHeld(unit, other))) invented(unit.kind as AtomKind, unit.form);
  }
  // Another day would be meant once the statement is read on another day.
  for (const phrase of own.unresolved) invented('relative_date', phrase);
  for (const value of missingPhrases(ownProfile, profiles)) invented('quote', value);
  for (const value of missingNames(ownProfile, profiles)) invented('name', value);
  return problems;
}

/** A rate in words ("every other week"), "one" and "first" are said in many ways: they are words, not amounts. */
const WORDED = /^per |^1(?: |th$|$)|^2th$/;

const isHard = ({ kind, form, soft }: Unit): boolean =>
  HARD.has(kind) && !soft && !(kind === 'number' && WORDED.test(form));

function isHeld(unit: Unit, by: Statement): boolean {
  if (unit.keys.some((key) => by.keys.has(key))) return true;
  if (unit.kind === 'date') return by.units.some((other) => isSameDay(unit, other));
  if (unit.kind !== 'number') return false;
  if (unit.form === '2' && by.spoken.includes(' both ')) return true;
  return by.units.some((other) => isSameAmount(unit, other) || isSameDay(other, unit));
}

/** An amount and a bare number: units are compared where both have one. */
function isSameAmount(one: Unit, other: Unit): boolean {
  if (other.kind !== 'number') return false;
  const [first, second] = [one.form.split(' '), other.form.split(' ')];
  return first[0] === second[0] && (first.length === 1 || second.length === 1 || one.form === other.form);
}

/** A day without its year, or told by its number in the month alone ("the 27th"), and the same day in full. */
function isSameDay(date: Unit, other: Unit): boolean {
  if (date.kind !== 'date') return false;
  if (other.kind === 'number') return dayOfMonth(date.form) === other.form.replace(/th$/, '');
  if (other.kind !== 'date') return false;
  const [whole, part] =
    other.form.length >= date.form.length ? [other.form, date.form] : [date.form, other.form];
  return /^--/.test(part)
    ? whole.slice(4) === part.slice(1)
    : /^--/.test(whole) && whole.slice(1) === part.slice(4);
}

const dayOfMonth = (form: string): string | null => {
  const day = /-(\d\d)$/.exec(form.replace(/^\d{4}-\d\d$/, ''))?.[1];
  return day === undefined ? null : String(Number(day));
};

function missingPhrases(of: Profile, within: readonly Profile[]): string[] {
  return of.atoms
    .filter(({ kind, value }) => kind === 'quote' && !within.some(({ spoken }) => hasPhrase(spoken, value)))
    .map(({ value }) => value);
}

/** Names that are sure in one text are plain words elsewhere: each of their words has to stand there, in whatever spelling of case. */
function missingNames(of: Profile, within: readonly Profile[]): string[] {
  return of.atoms
    .filter(({ kind, sure }) => kind === 'name' && sure)
    .map(({ value }) => value)
    .filter(
      (value) =>
        !value
          .split(' ')
          .every((word) => within.some(({ words }) => words.has(word) || words.has(plainLatin(word)))),
    );
}

/** Days of saying, and spans in which days are told that code does not resolve for sure. */
interface AllowedDays {
  said: readonly string[];
  spans: readonly { from: string; to: string }[];
}

/** "next Friday" and "in six weeks" mean a day not far from the one on which they were said; which one is a question for the judge. */
const REACH_DAYS = 60;

function allowedDays(sources: readonly SaidText[], readings: readonly TextReading[]): AllowedDays {
  const said = sources.flatMap(({ day }) => (day === null ? [] : [day]));
  const spans = sources.flatMap(({ day }, index) => {
    const at = day === null ? null : dayNumberOf(day);
    if (at === null || readings[index]!.unresolved.length === 0) return [];
    return [{ from: dayText(at - REACH_DAYS), to: dayText(at + REACH_DAYS) }];
  });
  return { said, spans };
}

/** A day of saying, its month or year, with or without the year; or a day that an open phrase may mean. */
function isAllowedDate({ kind, form }: Unit, { said, spans }: AllowedDays): boolean {
  if (kind === 'number') return said.some((day) => form === `${Number(day.slice(8))}th`);
  if (kind !== 'date') return false;
  const isWithin = ({ from, to }: { from: string; to: string }) =>
    form.startsWith('--')
      ? [from.slice(0, 4), to.slice(0, 4)].some((year) => isBetween(`${year}${form.slice(1)}`, from, to))
      : isBetween(form, from, to);
  const isSaid = (day: string) =>
    day.startsWith(form) || (form.startsWith('--') && day.slice(4).startsWith(form.slice(1)));
  return said.some(isSaid) || spans.some(isWithin);
}

/** @param form a day, month or year */
const isBetween = (form: string, from: string, to: string): boolean =>
  form >= from.slice(0, form.length) && form <= to.slice(0, form.length);
