import { dayNumberOf, weekdayOf } from '../reading/calendar.ts';
import type { HardFact, HardFacts } from './hard-facts.ts';

/** Whether a text has a fact, in whatever spelling. */
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
export function isDayAndMonth(date: string, fraction: string): boolean {
  const [month, day] = date.slice(-5).split('-').map(Number);
  const parts = /^(\d{1,2})\/(\d{1,2})$/.exec(fraction)?.slice(1).map(Number);
  return parts?.sort((a, b) => a - b).join() === [day!, month!].sort((a, b) => a - b).join();
}

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

function weekdayNameOf(date: string): string | null {
  const day = dayNumberOf(date);
  return day === null ? null : WEEKDAYS[weekdayOf(day) - 1]!;
}

const dayOfMonth = (value: string): string | null => {
  const day = /-(\d\d)$/.exec(value.replace(/^\d{4}-\d\d$/, ''))?.[1];
  return day === undefined ? null : String(Number(day));
};

/** @param value a day, month or year */
export const isBetween = (value: string, from: string, to: string): boolean =>
  value >= from.slice(0, value.length) && value <= to.slice(0, value.length);
