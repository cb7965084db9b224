import { dayNumberOf, dayText } from '../reading/calendar.ts';
import type { HardFact, HardFacts, SaidText } from './hard-facts.ts';
import { isBetween, isHeld } from './held.ts';
import { type Amount, type Told, toldBy } from './told.ts';

/**
 * Whether a fact of a source that the statement lacks is told more exactly by another source, and by the statement with it: "three decades" and
 * "31 years", "twice a day" and "mornings and evenings", "in February" and a day of it. Whether both are of one matter is for the judge.
 *
 * @param finer the other sources of the statement
 * @param own of the statement
 */
export function isImplied(
  fact: HardFact,
  source: HardFacts & Pick<SaidText, 'day'>,
  finer: readonly HardFacts[],
  own: HardFacts,
): boolean {
  const { kind, value } = fact;
  if (kind === 'date') return isPartOfTold(value, finer, own) || isOfWeekOrDay(value, source, own);
  const isTime = (...times: string[]) =>
    finer.some((other) =>
      times.some((time) =>
        toldBy(other)
          .times.get(time)
          ?.some((one) => isHeldBy(own, one)),
      ),
    );
  // "Half past seven" may be either; "07:30" is the morning.
  if (kind === 'time') return fact.figures === '' && isTime(inTheEvening(value));
  if (kind !== 'number') return false;
  if (isWholeGroup(fact, source)) return true;
  const [figures, unit = ''] = value.split(' ');
  const count = Number(figures);
  if (unit === 'times') return isListedSoOften(count, finer, own);
  // "At seven" is no amount where another source has the hour.
  const mayBeHour = fact.figures === '' && unit === '' && count <= HOURS;
  if (mayBeHour && isTime(timeAt(count), timeAt(count + HOURS))) return true;
  return finer.some((other) => {
    const told = toldBy(other);
    const isHeldAmount = ({ fact: one }: Amount) => isHeldBy(own, one);
    return (
      isToldWithin(fact.bound, count, told.amounts.get(unit), isHeldAmount) ||
      isToldRoughly(count, unit, told, isHeldAmount)
    );
  });
}

/** What was asked of a text already: the facts of one source are compared with each fact of another. */
const HELD = new WeakMap<HardFacts, Map<HardFact, boolean>>();

function isHeldBy(own: HardFacts, fact: HardFact): boolean {
  const known = HELD.get(own) ?? new Map<HardFact, boolean>();
  HELD.set(own, known);
  const held = known.get(fact) ?? isHeld(fact, own);
  known.set(fact, held);
  return held;
}

/** Half a day. */
const HOURS = 12;
const timeAt = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;
const inTheEvening = (time: string): string => `${Number(time.slice(0, 2)) + HOURS}${time.slice(2)}`;

/** A month or year that belongs to a date, or a day and month. */
function isPartOfDate(part: string, date: string): boolean {
  const isOpen = part.startsWith('--');
  if (!isOpen && !/^\d{4}/.test(part)) return false;
  const whole = isOpen ? date.replace(/^(?:-|\d{4})-/, '') : date;
  const begin = isOpen ? part.slice(2) : part;
  return whole === begin || whole.startsWith(`${begin}-`);
}

/** The months and years, and the days and months, of which a date is a part, and the date itself. */
function partsOfDate(date: string): string[] {
  const ends = (text: string) => [
    ...Array.from(text.matchAll(/-/g), ({ index }) => text.slice(0, index)),
    text,
  ];
  const open = ends(date.replace(/^(?:-|\d{4})-/, '')).map((part) => `--${part}`);
  return [...ends(date), ...open].filter((part) => isPartOfDate(part, date));
}

/**
 * "In June" beside "the 29th of June" or "on Friday", "next year" beside "in June": the statement has the date, and another source tells it, its
 * other part, or a day that code does not resolve.
 */
const isPartOfTold = (value: string, finer: readonly HardFacts[], own: HardFacts): boolean =>
  own.facts.some(
    (date) =>
      date.kind === 'date' &&
      isPartOfDate(value, date.value) &&
      finer.some(
        (other) =>
          (other.unresolved.length > 0 && dayNumberOf(date.value) !== null) ||
          partsOfDate(date.value).some((part) => part !== value && toldBy(other).dates.has(part)),
      ),
  );

/** "In February", said in that month, where the statement has the day of saying; "last week", where it has a day of that week. */
function isOfWeekOrDay(
  value: string,
  { day, weeks }: HardFacts & Pick<SaidText, 'day'>,
  own: HardFacts,
): boolean {
  const days = own.facts.flatMap((fact) =>
    fact.kind === 'date' && dayNumberOf(fact.value) !== null ? [fact.value] : [],
  );
  if (day !== null && isPartOfDate(value, day) && days.includes(day)) return true;
  const monday = weeks.has(value) ? dayNumberOf(value) : null;
  return monday !== null && days.some((date) => isBetween(date, value, dayText(monday + 6)));
}

/** "The two of them", where another source has their names; "two of them" is a part. */
const isWholeGroup = ({ value, figures }: HardFact, { spoken }: HardFacts): boolean =>
  figures === '' &&
  ((value === '2' && spoken.includes(' the two of them ')) ||
    (value === '3' && spoken.includes(' the three of them ')));

/** "Twice a day", where another source and the statement list two times, two amounts of one unit, two weekdays or two parts of the day. */
function isListedSoOften(count: number, finer: readonly HardFacts[], own: HardFacts): boolean {
  const held = toldBy(own).listed;
  return finer.some((other) =>
    [...toldBy(other).listed].some(([sort, listed]) => listed === count && (held.get(sort) ?? 0) >= count),
  );
}

/** "Over four hours" tells of no more than five. */
const BOUND_SHARE = 0.25;

function isToldWithin(
  bound: HardFact['bound'],
  count: number,
  amounts: readonly Amount[] | undefined,
  isSo: (amount: Amount) => boolean,
): boolean {
  if (bound === '' || amounts === undefined) return false;
  const isWithin = (one: Amount) => {
    const share = one.amount / count - 1;
    return Math.abs(share) <= BOUND_SHARE && (bound === '>' ? share > 0 : share < 0) && isSo(one);
  };
  const end = count * (bound === '>' ? 1 + BOUND_SHARE : 1 - BOUND_SHARE);
  return someBetween(amounts, Math.min(count, end), Math.max(count, end), isWithin);
}

/** Whether an amount of a smaller unit tells a count of a larger one: "31 years" for three decades. */
function isToldRoughly(
  count: number,
  unit: string,
  { amounts }: Told,
  isSo: (amount: Amount) => boolean,
): boolean {
  const days = DAYS_OF.get(unit);
  if (days === undefined) return false;
  for (const [smaller, size] of DAYS_OF) {
    const told = amounts.get(smaller);
    if (size >= days || told === undefined) continue;
    const isRough = (one: Amount) => {
      const quotient = (one.amount * size) / days;
      return (Math.floor(quotient) === count || Math.round(quotient) === count) && isSo(one);
    };
    if (someBetween(told, ((count - 0.5) * days) / size, ((count + 1) * days) / size, isRough)) return true;
  }
  return false;
}

/** So much further, as a share, is looked at both ends: the bounds of a stretch are rounded. */
const SLACK = 1e-9;

/** Whether it is so of any of the amounts from one to another, which are found by halving. */
function someBetween(
  amounts: readonly Amount[],
  low: number,
  high: number,
  isSo: (amount: Amount) => boolean,
): boolean {
  const [least, most] = [low - Math.abs(low) * SLACK, high + Math.abs(high) * SLACK];
  let [at, end] = [0, amounts.length];
  while (at < end) {
    const middle = Math.floor((at + end) / 2);
    if (amounts[middle]!.amount < least) at = middle + 1;
    else end = middle;
  }
  for (; at < amounts.length && amounts[at]!.amount <= most; at += 1) if (isSo(amounts[at]!)) return true;
  return false;
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
