import { type AtomKind, extractAtoms } from '../reading/atoms.ts';
import { dayNumberOf, dayText, weekdayOf } from '../reading/calendar.ts';
import { hasPhrase, plainLatin } from '../reading/spoken.ts';
import { readTokens } from '../reading/tokens.ts';
import { type HardFact, type HardFacts, readHardFacts, type SaidText } from './hard-facts.ts';

/** A hard fact that one side has and the other lacks. Holds memory text. */
export interface FloorProblem {
  /** `lost`: of a source, and not in the statement. `invented`: of the statement, and in none of its sources. */
  problem: 'lost' | 'invented';
  /** Number of the source, from 1, of what is lost. */
  source: number | null;
  kind: AtomKind | 'relative_date';
  value: string;
}

/** A statement with so many problems is not looked at further: hostile texts have thousands. */
const MAX_PROBLEMS = 64;

/**
 * The floor of the gate: numbers, amounts, units, dates, times, codes, addresses, quotations and sure names of the sources are in the
 * statement, and those of the statement in its sources. Besides, a statement may name a day on which a source was said, its month, or a
 * range of these. Code alone, and linear in the texts; words are not looked at.
 *
 * @param sources with the day on which each was said, YYYY-MM-DD; null where it is unknown
 * @returns what is wrong, at most MAX_PROBLEMS; empty when the statement may go on
 */
export function floorProblems(sources: readonly SaidText[], statement: string): FloorProblem[] {
  const others = readHardFacts([...sources, { content: statement, day: null }]);
  const own = others.pop()!;
  const problems: FloorProblem[] = [];
  const isEnough = () => problems.length >= MAX_PROBLEMS;
  for (const [index, source] of others.entries()) {
    const lost = (kind: FloorProblem['kind'], value: string) =>
      problems.push({ problem: 'lost', source: index + 1, kind, value });
    const finer = others.filter((other) => other !== source);
    for (const fact of source.facts) {
      if (isEnough()) return problems; // guard: floor-enough
      if (!isHeld(fact, own) && !isImplied(fact, { ...source, day: sources[index]!.day }, finer, own))
        lost(fact.kind, fact.value);
    }
    for (const value of missingPhrases(source, [own])) lost('quote', value);
    for (const value of missingNames(source, [own])) lost('name', value);
  }
  const invented = (kind: FloorProblem['kind'], value: string) =>
    problems.push({ problem: 'invented', source: null, kind, value });
  const allowed = allowedDays(sources, others);
  for (const fact of own.facts) {
    if (isEnough()) return problems;
    if (!isAllowedDate(fact, allowed) && !others.some((other) => isHeld(fact, other)))
      invented(fact.kind, fact.value);
  }
  // Another day would be meant once the statement is read on another day.
  const habits = others.filter(({ unresolved }) => unresolved.length === 0);
  for (const phrase of own.unresolved) if (!isHabitOf(phrase, habits)) invented('relative_date', phrase);
  for (const value of missingPhrases(own, others)) invented('quote', value);
  for (const value of missingNames(own, others)) invented('name', value);
  for (const date of birthdaysMadeOf(statement, others)) invented('date', date);
  return problems;
}

/** Days of each unit of time. */
const DAYS_OF = new Map([
  ['minute', 1 / 1440],
  ['hour', 1 / 24],
  ['day', 1],
  ['week', 7],
  ['month', 365.25 / 12],
  ['year', 365.25],
  ['decade', 3652.5],
  ['century', 36525],
]);

/**
 * What a finer source of the same statement says more exactly, and the statement with it: "three decades" and "31 years", "twice a day" and "5 mg
 * in the morning and 5 mg in the evening", "in February" and a day of it. Whether both are of one matter is for the judge.
 */
function isImplied(
  fact: HardFact,
  source: HardFacts & Pick<SaidText, 'day'>,
  finer: readonly HardFacts[],
  own: HardFacts,
): boolean {
  const { kind, value } = fact;
  const isToldAlike = (isFiner: (other: HardFact) => boolean) =>
    finer.some(({ facts }) =>
      facts.some((other) => other.kind === kind && isFiner(other) && isHeld(other, own)),
    );
  if (kind === 'date')
    return isToldAlike((day) => isPartOfDate(value, day.value)) || isPartOfDay(value, source, own);
  // "half past seven" may be either; "07:30" is the morning.
  if (kind === 'time')
    return fact.figures === '' && isToldAlike((other) => other.value === inTheEvening(value));
  if (kind !== 'number') return false;
  if (isWholeGroup(fact, source)) return true;
  const [figures, unit = ''] = value.split(' ');
  if (unit === 'times') return isListedSoOften(Number(figures), finer, own);
  if (fact.bound !== '' && isToldAlike((other) => isWithinBound(fact, other))) return true;
  const days = DAYS_OF.get(unit);
  return days !== undefined && isToldAlike((other) => isRoughly(Number(figures), days, other));
}

/** "The two of them", where another source has their names; "two of them" is a part. */
const isWholeGroup = ({ value, figures }: HardFact, { spoken }: HardFacts): boolean =>
  figures === '' &&
  ((value === '2' && spoken.includes(' the two of them ')) ||
    (value === '3' && spoken.includes(' the three of them ')));

/** A month or year, of a full date. */
const isPartOfDate = (part: string, date: string): boolean =>
  /^--\d\d$/.test(part)
    ? date.slice(4).startsWith(part.slice(1))
    : /^\d{4}/.test(part) && date.startsWith(`${part}-`);

/** "In February", said in that month, where the statement has the day of saying. */
const isPartOfDay = (value: string, { day }: Pick<SaidText, 'day'>, own: HardFacts): boolean =>
  day !== null &&
  isPartOfDate(value, day) &&
  own.facts.some((date) => date.kind === 'date' && date.value === day);

const inTheEvening = (time: string): string => `${Number(time.slice(0, 2)) + 12}${time.slice(2)}`;

function isListedSoOften(count: number, finer: readonly HardFacts[], own: HardFacts): boolean {
  const held = listedBySort(own.facts);
  return finer.some(({ facts }) =>
    [...listedBySort(facts)].some(([sort, listed]) => listed === count && (held.get(sort) ?? 0) >= count),
  );
}

/** "Over four hours" tells of no more than five. */
const BOUND_SHARE = 0.25;

function isWithinBound({ value, bound }: HardFact, other: HardFact): boolean {
  const [[figures, unit], [amount, otherUnit]] = [value.split(' '), other.value.split(' ')];
  if (unit !== otherUnit) return false;
  const share = Number(amount) / Number(figures) - 1;
  return Math.abs(share) <= BOUND_SHARE && (bound === '>' ? share > 0 : share < 0);
}

/** Whether a smaller unit tells a count of a larger one: "31 years" for three decades. */
function isRoughly(count: number, days: number, other: HardFact): boolean {
  const [amount, unit = ''] = other.value.split(' ');
  const size = DAYS_OF.get(unit) ?? days;
  const quotient = (Number(amount) * size) / days;
  return size < days && (Math.floor(quotient) === count || Math.round(quotient) === count);
}

/** How many clock times there are, and how many amounts of each unit. */
function listedBySort(facts: readonly HardFact[]): Map<string, number> {
  const sorts = new Map<string, number>();
  for (const { kind, value } of facts) {
    const unit = kind === 'number' ? value.split(' ').slice(1).join(' ') : '';
    if (kind !== 'time' && unit === '') continue;
    const sort = `${kind} ${unit}`;
    sorts.set(sort, (sorts.get(sort) ?? 0) + 1);
  }
  return sorts;
}

/** Words that tell a date as the day on which an age held. With any other words between the two, the date reads as a birthday. */
const AS_OF = new Set([
  'as',
  'of',
  'stand',
  'per',
  'seit',
  'à',
  'la',
  'date',
  'du',
  'al',
  'en',
  'em',
  'a',
  'in',
  'told',
]);
/** Signs and words that may stand between a number and a date which belongs to it. */
const BETWEEN = 2;

/** A number of years of age with a bare date behind it ("46 on 1 March 2026") is read as a birthday. @returns the dates */
function birthdaysMadeOf(statement: string, sources: readonly HardFacts[]): string[] {
  const ages = new Set(
    sources.flatMap(({ facts }) =>
      facts.flatMap(({ kind, value }) =>
        kind === 'number' && /^\d+ year old$/.test(value) ? [value.split(' ')[0]!] : [],
      ),
    ),
  );
  if (ages.size === 0) return [];
  const tokens = readTokens(statement);
  const atoms = extractAtoms(statement).sort((one, other) => one.from - other.from);
  return atoms.flatMap((atom, at) => {
    const date = atoms[at + 1];
    if (atom.kind !== 'number' || !ages.has(atom.value.split(' ')[0]!) || date?.kind !== 'date') return [];
    const between = tokens.slice(atom.to, date.from).map(({ folded }) => folded);
    const isBare = between.length <= BETWEEN && !between.some((word) => AS_OF.has(word));
    return isBare && /^\d{4}-\d\d-\d\d$/.test(date.value) ? [date.value] : [];
  });
}

/** A weekday that a source has without meaning one day: "Wednesdays", told as "on Wednesday". */
function isHabitOf(phrase: string, sources: readonly HardFacts[]): boolean {
  const [facts] = readHardFacts([{ content: phrase, day: null }]);
  const isWeekday = (fact: HardFact) => fact.kind === 'date' && WEEKDAYS.includes(fact.value);
  const days = facts!.offered;
  return (
    days.length > 0 && days.every((day) => isWeekday(day) && sources.some((source) => isHeld(day, source)))
  );
}

export function isHeld(fact: HardFact, { offered, spoken }: HardFacts): boolean {
  if (offered.some((other) => isSame(fact, other) || isReadOtherwise(fact, other))) return true;
  return fact.kind === 'number' && fact.value === '2' && spoken.includes(' both ');
}

function isSame(one: HardFact, other: HardFact): boolean {
  if (one.kind === other.kind && one.value === other.value) return true;
  if (one.kind === 'date' || other.kind === 'date') return isSameDay(one, other) || isSameDay(other, one);
  if (one.kind !== 'number' || other.kind !== 'number') return false;
  return isSameAmount(one, other) || one.same.some((spelling) => other.same.includes(spelling));
}

/**
 * The same figures, read as two things: "8h15" as a duration and 8:15 as a time, "1800" as a year and as an amount. Two amounts with other
 * units are not.
 */
const isReadOtherwise = (one: HardFact, other: HardFact): boolean =>
  one.figures !== '' &&
  (one.kind === other.kind
    ? one.figures !== other.figures &&
      (isPart(one.figures, other.figures) || isPart(other.figures, one.figures))
    : one.figures.replaceAll(' ', '') === other.figures.replaceAll(' ', ''));

const isPart = (part: string, whole: string): boolean => ` ${whole} `.includes(` ${part} `);

/** An amount and a bare number: units are compared where both have one. Two bare ones may be versions, "1.1" and "1.10". */
function isSameAmount(one: HardFact, other: HardFact): boolean {
  const [first, second] = [one.value.split(' '), other.value.split(' ')];
  if (first.length > 1 && second.length > 1) return false;
  const isBare = first.length === 1 && second.length === 1;
  return isBare ? one.value === other.value : withoutZeros(first[0]!) === withoutZeros(second[0]!);
}

/** "17.80" is 17.8 where it is an amount. */
const withoutZeros = (figures: string): string =>
  figures.includes('.') ? figures.replace(/\.?0+$/, '') : figures;

/** A day without its year, or told by its number in the month alone ("the 27th"), and the same day in full. */
function isSameDay(date: HardFact, other: HardFact): boolean {
  if (date.kind !== 'date') return false;
  if (other.kind === 'number')
    return (
      dayOfMonth(date.value) === other.value.replace(/th$/, '') || isDayAndMonth(date.value, other.value)
    );
  if (other.kind !== 'date') return false;
  if (weekdayNameOf(date.value) === other.value) return true;
  const [whole, part] =
    other.value.length >= date.value.length ? [other.value, date.value] : [date.value, other.value];
  return /^--/.test(part)
    ? whole.slice(4) === part.slice(1)
    : /^--/.test(whole) && whole.slice(1) === part.slice(4);
}

/** "21/12", read as a fraction. */
function isDayAndMonth(date: string, fraction: string): boolean {
  const [month, day] = date.slice(-5).split('-').map(Number);
  const parts = /^(\d{1,2})\/(\d{1,2})$/.exec(fraction)?.slice(1).map(Number);
  return parts?.sort((a, b) => a - b).join() === [day!, month!].sort((a, b) => a - b).join();
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

function weekdayNameOf(date: string): string | null {
  const day = dayNumberOf(date);
  return day === null ? null : WEEKDAYS[weekdayOf(day) - 1]!;
}

const dayOfMonth = (value: string): string | null => {
  const day = /-(\d\d)$/.exec(value.replace(/^\d{4}-\d\d$/, ''))?.[1];
  return day === undefined ? null : String(Number(day));
};

const missingPhrases = ({ quotes }: HardFacts, within: readonly HardFacts[]): string[] =>
  quotes.filter((value) => !within.some(({ spoken }) => hasPhrase(spoken, value)));

/** Names that are sure in one text are plain words elsewhere: each of their words has to stand there, in whatever spelling of case. */
function missingNames({ names }: HardFacts, within: readonly HardFacts[]): string[] {
  const isThere = (word: string) =>
    within.some(({ words }) => words.has(word) || words.has(plainLatin(word)));
  return names.filter((value) => !value.split(' ').every(isThere));
}

/** Days of saying, and spans in which days are told that code does not resolve for sure. */
interface AllowedDays {
  said: readonly string[];
  spans: readonly { from: string; to: string }[];
}

/** "next Friday" and "in six weeks" mean a day not far from the one on which they were said; which one is a question for the judge. */
const REACH_DAYS = 60;

function allowedDays(sources: readonly SaidText[], readings: readonly HardFacts[]): AllowedDays {
  const said = sources.flatMap(({ day }) => (day === null ? [] : [day]));
  const spans = sources.flatMap(({ day }, index) => {
    const at = day === null ? null : dayNumberOf(day);
    if (at === null || readings[index]!.unresolved.length === 0) return [];
    return [{ from: dayText(at - REACH_DAYS), to: dayText(at + REACH_DAYS) }];
  });
  return { said, spans };
}

/** A day of saying, its month or year, with or without the year; or a day that an open phrase may mean. */
function isAllowedDate({ kind, value }: HardFact, { said, spans }: AllowedDays): boolean {
  if (kind === 'number') return said.some((day) => value === `${Number(day.slice(8))}th`);
  if (kind !== 'date') return false;
  const isWithin = ({ from, to }: { from: string; to: string }) =>
    value.startsWith('--')
      ? [from.slice(0, 4), to.slice(0, 4)].some((year) => isBetween(`${year}${value.slice(1)}`, from, to))
      : isBetween(value, from, to);
  const isSaid = (day: string) =>
    day.startsWith(value) || (value.startsWith('--') && day.slice(4).startsWith(value.slice(1)));
  return said.some(isSaid) || spans.some(isWithin);
}

/** @param value a day, month or year */
const isBetween = (value: string, from: string, to: string): boolean =>
  value >= from.slice(0, value.length) && value <= to.slice(0, value.length);
