import { type AtomKind, extractAtoms } from '../reading/atoms.ts';
import { dayNumberOf, dayText } from '../reading/calendar.ts';
import { hasPhrase, plainLatin } from '../reading/spoken.ts';
import { readTokens } from '../reading/tokens.ts';
import { inOneGo, type Slices } from '../slices.ts';
import {
  type HardFact,
  type HardFacts,
  readHardFacts,
  readHardFactsInSlices,
  type SaidText,
} from './hard-facts.ts';
import { isBetween, isDayAndMonth, isHeld, WEEKDAYS } from './held.ts';
import { isImplied } from './implied.ts';

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
/** Comparisons of two facts in one slice: a slice takes a few milliseconds. */
const COMPARISONS_AT_ONCE = 10_000;

/**
 * The floor of the gate: numbers, amounts, units, dates, times, codes, addresses, quotations and sure names of the sources are in the
 * statement, and those of the statement in its sources. Besides, a statement may name a day on which a source was said, its month, or a
 * range of these. Code alone, and linear in the texts; words are not looked at.
 *
 * @param sources with the day on which each was said, YYYY-MM-DD; null where it is unknown
 * @returns what is wrong, at most MAX_PROBLEMS; empty when the statement may go on
 */
export function floorProblems(sources: readonly SaidText[], statement: string): FloorProblem[] {
  return inOneGo(floorProblemsInSlices(sources, statement));
}

/** As floorProblems, in slices. */
export function* floorProblemsInSlices(
  sources: readonly SaidText[],
  statement: string,
): Slices<FloorProblem[]> {
  const others = yield* readHardFactsInSlices([...sources, { content: statement, day: null }]);
  const own = others.pop()!;
  const problems: FloorProblem[] = [];
  const offered = [...others, own].reduce((sum, facts) => sum + facts.offered.length, 0);
  let comparisons = 0;
  function* afterComparing(): Slices<void> {
    comparisons += offered;
    if (comparisons < COMPARISONS_AT_ONCE) return;
    comparisons = 0;
    yield;
  }
  const isEnough = () => problems.length >= MAX_PROBLEMS;
  for (const [index, source] of others.entries()) {
    const lost = (kind: FloorProblem['kind'], value: string) =>
      problems.push({ problem: 'lost', source: index + 1, kind, value });
    const finer = others.filter((other) => other !== source);
    for (const fact of source.facts) {
      if (isEnough()) return problems; // guard: floor-enough
      yield* afterComparing();
      if (!isHeld(fact, own) && !isImplied(fact, { ...source, day: sources[index]!.day }, finer, own))
        lost(fact.kind, fact.value);
    }
    yield;
    for (const value of missingPhrases(source, [own])) lost('quote', value);
    for (const value of missingNames(source, [own])) lost('name', value);
  }
  const invented = (kind: FloorProblem['kind'], value: string) =>
    problems.push({ problem: 'invented', source: null, kind, value });
  const allowed = allowedDays(sources, others);
  for (const fact of own.facts) {
    if (isEnough()) return problems;
    yield* afterComparing();
    if (!isAllowedDate(fact, allowed) && !others.some((other) => isHeld(fact, other)))
      invented(fact.kind, fact.value);
  }
  yield;
  // Another day would be meant once the statement is read on another day.
  const habits = others.filter(({ unresolved }) => unresolved.length === 0);
  for (const phrase of own.unresolved) if (!isHabitOf(phrase, habits)) invented('relative_date', phrase);
  for (const value of missingPhrases(own, others)) invented('quote', value);
  for (const value of missingNames(own, others)) invented('name', value);
  for (const date of birthdaysMadeOf(statement, others)) invented('date', date);
  return problems;
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
  if (kind === 'number')
    return said.some((day) => value === `${Number(day.slice(8))}th` || isDayAndMonth(day, value));
  if (kind !== 'date') return false;
  const isWithin = ({ from, to }: { from: string; to: string }) =>
    value.startsWith('--')
      ? [from.slice(0, 4), to.slice(0, 4)].some((year) => isBetween(`${year}${value.slice(1)}`, from, to))
      : isBetween(value, from, to);
  const isSaid = (day: string) =>
    day.startsWith(value) || (value.startsWith('--') && day.slice(4).startsWith(value.slice(1)));
  return said.some(isSaid) || spans.some(isWithin);
}
