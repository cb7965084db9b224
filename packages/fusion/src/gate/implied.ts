import { dayNumberOf, dayText } from '../reading/calendar.ts';
import { LANGUAGES } from '../reading/languages/all.ts';
import type { HardFact, HardFacts, SaidText } from './hard-facts.ts';
import { isBetween, isHeld, WEEKDAYS } from './held.ts';

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
  const isToldAs = (isFiner: (other: HardFact) => boolean) =>
    finer.some(({ facts }) => facts.some((other) => isFiner(other) && isHeld(other, own)));
  // "Half past seven" may be either; "07:30" is the morning.
  if (kind === 'time')
    return fact.figures === '' && isToldAs((other) => isTime(other, [inTheEvening(value)]));
  if (kind !== 'number') return false;
  if (isWholeGroup(fact, source)) return true;
  const [figures, unit = ''] = value.split(' ');
  const count = Number(figures);
  if (unit === 'times') return isListedSoOften(count, finer, own);
  // "At seven" is no amount where another source has the hour.
  const mayBeHour = fact.figures === '' && unit === '' && count <= HOURS;
  if (mayBeHour && isToldAs((other) => isTime(other, [timeAt(count), timeAt(count + HOURS)]))) return true;
  const isNumber = ({ kind }: HardFact) => kind === 'number';
  if (fact.bound !== '' && isToldAs((other) => isNumber(other) && isWithinBound(fact, other))) return true;
  const days = DAYS_OF.get(unit);
  return days !== undefined && isToldAs((other) => isNumber(other) && isRoughly(count, days, other));
}

/** Half a day. */
const HOURS = 12;
const isTime = ({ kind, value }: HardFact, times: readonly string[]): boolean =>
  kind === 'time' && times.includes(value);
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
        ({ facts, unresolved }) =>
          (unresolved.length > 0 && dayNumberOf(date.value) !== null) ||
          facts.some(
            (other) =>
              other.kind === 'date' && other.value !== value && isPartOfDate(other.value, date.value),
          ),
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
  const held = listedBySort(own);
  return finer.some((other) =>
    [...listedBySort(other)].some(([sort, listed]) => listed === count && (held.get(sort) ?? 0) >= count),
  );
}

function listedBySort({ facts, words }: HardFacts): Map<string, number> {
  const sorts = new Map<string, number>();
  const count = (sort: string) => sorts.set(sort, (sorts.get(sort) ?? 0) + 1);
  for (const { kind, value } of facts) {
    const unit = kind === 'number' ? value.split(' ').slice(1).join(' ') : '';
    if (kind === 'time') count('time');
    else if (unit !== '') count(`number ${unit}`);
    else if (kind === 'date' && WEEKDAYS.includes(value)) count('weekday');
  }
  const parts = [...words].flatMap((word) => DAY_PARTS.get(singular(word)) ?? []);
  return sorts.set('part of the day', new Set(parts).size);
}

/** "Mornings", "morgens". */
const singular = (word: string): string => word.replace(/s$/, '');

/** Parts of the day by the word that names them, in any language with a table. */
const DAY_PARTS = new Map(
  LANGUAGES.flatMap(({ wording }) =>
    Object.entries(wording.parts).map(([part, name]) => [singular(name.split(' ').at(-1)!), part] as const),
  ),
);

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
