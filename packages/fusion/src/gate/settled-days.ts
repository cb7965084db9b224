import { dayText } from '../reading/calendar.ts';
import { readTokens, type Token } from '../reading/tokens.ts';
import type { DatedReading } from './dated-reading.ts';
import { eitherWeekday, likelyMonthDay, likelyWeekday } from './likely-days.ts';
import type { Unit } from './unit.ts';

const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/;
const POINTING = new Set(['last', 'next', 'this', 'past', 'coming']);

/** A phrase that nothing resolves for sure, and the keys of the days that a summary may give for it. */
interface Open {
  unit: Unit;
  keys: string[];
  /** Whether an unresolved phrase of the text is this one. */
  isPhrase: (phrase: string) => boolean;
}

/**
 * Lets a summary give the day that a note means by a bare weekday or "the 14th", where the note's words tell plainly which one that is.
 *
 * @returns the phrases, as written, that the summaries have resolved; anything else stays unresolved.
 */
export function settleOpenDays(
  { statement, text }: DatedReading,
  today: number,
  unresolved: readonly string[],
  summaries: readonly DatedReading[],
): string[] {
  if (statement.language !== 'en' || summaries.length === 0) return [];
  const tokens = readTokens(text);
  const open: Open[] = [];
  for (const unit of statement.units) {
    const found = openDay(unit, statement.units, tokens, today, summaries);
    if (found === null || !isGiven(found.keys, summaries)) continue;
    unit.keys = [...new Set([...unit.keys, ...found.keys])];
    for (const other of statement.units)
      if (other.word === unit.word - 1 && POINTING.has(other.form)) other.soft = true;
    open.push(found);
  }
  const left = statement.units.filter(
    (unit) => isOpenWeekday(unit) && !open.some((one) => one.unit === unit),
  );
  return unresolved.filter(
    (phrase) => open.some(({ isPhrase }) => isPhrase(phrase)) && !left.some((unit) => names(phrase, unit)),
  );
}

function isOpenWeekday(unit: Unit): boolean {
  return unit.kind === 'date' && WEEKDAY.test(unit.form);
}

/** Whether a phrase holds the weekday of a unit: "last Monday", "Sat". */
function names(phrase: string, unit: Unit): boolean {
  return phrase
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => word.length >= 3 && unit.form.startsWith(word));
}

function isGiven(keys: readonly string[], summaries: readonly DatedReading[]): boolean {
  return summaries.some(({ statement }) =>
    statement.units.some((unit) => unit.kind === 'date' && unit.keys.some((key) => keys.includes(key))),
  );
}

function openDay(
  unit: Unit,
  units: readonly Unit[],
  tokens: readonly Token[],
  today: number,
  summaries: readonly DatedReading[],
): Open | null {
  if (isOpenWeekday(unit)) {
    const likely = likelyWeekday(unit, tokens, today);
    const said = summaries.some(({ statement }) => statement.spoken.includes(` ${unit.form} `));
    const days = [...(likely === null ? [] : [likely]), ...(said ? eitherWeekday(unit, tokens, today) : [])];
    return days.length === 0
      ? null
      : { unit, keys: days.flatMap(keysOf), isPhrase: (phrase) => names(phrase, unit) };
  }
  if (unit.kind !== 'number') return null;
  const keys = likelyMonthDay(unit, units, tokens, today);
  return keys.length === 0 ? null : { unit, keys, isPhrase: () => false };
}

function keysOf(day: number): string[] {
  const text = dayText(day);
  return text === '' ? [] : [`date:${text}`, `day:-${text.slice(4)}`];
}
