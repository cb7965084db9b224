import type { Measure } from './amounts.ts';
import { readComparator, readComparatorAfter } from './comparators.ts';
import { ratioText, readDigits, trimDecimals } from './digits.ts';
import { readDimensions, readHeight, readPressure } from './dimensions.ts';
import type { Language } from './languages/language.ts';
import { readMeasure } from './measure.ts';
import type { Reading } from './number-reading.ts';
import { readNumberWords } from './number-words.ts';
import { readPhone } from './phones.ts';
import type { Token } from './tokens.ts';
import { readUnit, SPEEDS } from './units.ts';

const ORDINAL_ENDINGS = new Set(['st', 'nd', 'rd', 'th']);

/** First words of comparators that bound an amount; "over a year" is as often how long something took. */
const BEFORE_ARTICLE = new Set(['at', 'up', 'no', 'not', 'more', 'less', 'a']);
/** Before "a year" these say how long something takes. */
const LENGTH_BEFORE = new Set(
  'for within take takes took taking last lasts lasted lasting spend spends spent'.split(' '),
);
const RANGE_WORDS = new Set(['to', 'through', 'thru', 'bis', 'à', 'a', 'tot']);

/** A whole number of 1 to 31 with or without an ordinal ending, as a day of a month; null otherwise. */
export function readDayNumber(tokens: readonly Token[], at: number): { day: number; next: number } | null {
  const token = tokens[at];
  if (token === undefined) return null;
  let day = 0;
  let next = at + 1;
  if (token.kind === 'digits' && /^\d{1,2}$/.test(token.text)) {
    day = Number(token.text);
    const ending = tokens[next];
    if (
      ending?.glued &&
      (ORDINAL_ENDINGS.has(ending.folded) || ending.text === '.' || ending.folded === 'er')
    )
      next += 1;
  } else {
    const words = readNumberWords(tokens, at, null);
    if (!words?.ordinal) return null;
    day = words.value;
    next = words.next;
  }
  return day >= 1 && day <= 31 ? { day, next } : null;
}

/**
 * A number from token `at` on, with everything that is bound to it: "5 kg", "3..5 km", ">=50", "34 year old", "10x15 cm",
 * a telephone number. `soft` marks a bare "one" or "once".
 */
export function readNumber(
  tokens: readonly Token[],
  at: number,
  language: Language | null = null,
): Reading | null {
  const whole = readPhone(tokens, at) ?? readPressure(tokens, at);
  if (whole) return whole;
  const special =
    readHeight(tokens, at) ??
    readLength(tokens, at, language) ??
    readAgedNumber(tokens, at, language) ??
    readUnitAndAHalf(tokens, at, language);
  if (special) return special;
  const comparator = readComparator(tokens, at);
  const between = tokens[at]!.folded === 'between';
  const start = comparator?.next ?? (between ? at + 1 : at);
  if (tokens[start] === undefined) return null;
  const first = readMeasure(tokens, start, language);
  if (first === null && comparator && BEFORE_ARTICLE.has(tokens[at]!.folded)) {
    const one = readBoundArticle(tokens, start, language);
    if (one) return { values: prefixLast(one.values, comparator.sign), next: one.next };
  }
  if (first === null || (comparator && first.ordinal)) return null;
  const joined = readDimensions(tokens, first, language) ?? readRange(tokens, first, between, language);
  if (between && joined === null) return null;
  const reading = joined ?? {
    values: first.range ? [spanText(first)] : first.values.map((value, index) => textOf(first, value, index)),
    next: first.next,
  };
  if (first.unit !== null && SPEEDS.has(first.unit)) reading.values.push('per hour');
  const soft = first.soft && joined === null && comparator === null;
  if (comparator) return { values: prefixLast(reading.values, comparator.sign), next: reading.next };
  const after = readComparatorAfter(tokens, reading.next);
  if (after) return { values: prefixLast(reading.values, after.sign), next: after.next };
  return soft ? { ...reading, soft } : reading;
}

function textOf(measure: Measure, value: string, index: number): string {
  return index < measure.values.length - 1 ? value : withUnit(value, measure);
}

function withUnit(value: string, { unit }: Measure): string {
  return unit === null ? value : `${value} ${SPEEDS.get(unit) ?? unit}`;
}

function spanText(measure: Measure): string {
  return withUnit(measure.values.join('..'), measure);
}

function prefixLast(values: string[], sign: string): string[] {
  return [...values.slice(0, -1), `${sign}${values[values.length - 1]!}`];
}

/** The number alone, for where what follows belongs to something else: the 5 of "5 B12". */
export function readBareNumber(
  tokens: readonly Token[],
  at: number,
  language: Language | null,
): Reading | null {
  const token = tokens[at]!;
  if (token.kind === 'digits') return { values: readDigits(token.text, language?.code).values, next: at + 1 };
  const words = readNumberWords(tokens, at, language);
  return words && !words.ordinal
    ? { values: [ratioText(words.value)], next: words.next, soft: words.soft }
    : null;
}

/** "aged 34", "age 34", "age of 34". */
function readAgedNumber(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  const word = tokens[at]!.folded;
  if (word !== 'aged' && word !== 'age') return null;
  const of = tokens[at + 1]?.folded === 'of' ? at + 2 : at + 1;
  // "aged about six": an age that is only about so may be told as it is.
  const start = /^(?:about|around|almost|nearly|roughly)$/.test(tokens[of]?.folded ?? '') ? of + 1 : of;
  if (tokens[start] === undefined) return null;
  const measure = readMeasure(tokens, start, language);
  if (!measure || measure.ordinal || measure.values.length > 1) return null;
  if (measure.unit !== null && !/^(?:year|month)(?: old)?$/.test(measure.unit)) return null;
  const unit = (measure.unit ?? 'year').replace(/ old$/, '');
  return { values: [`${measure.values[0]!} ${unit} old`], next: measure.next };
}

/** "for a year", "takes an hour": a length of time, which is one of its unit. */
function readLength(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  if (!LENGTH_BEFORE.has(tokens[at - 1]?.folded ?? '')) return null;
  const one = readBoundArticle(tokens, at, language);
  if (one === null || !/^(?:60 min|1 (?:day|week|month|year|min|fortnight))$/.test(one.values[0]!))
    return null;
  return /^(?:ago|later|earlier|before|or|from)$/.test(tokens[one.next]?.folded ?? '') ? null : one;
}

/** "up to an hour", "at least a year": what bounds an amount makes the article a one. */
function readBoundArticle(
  tokens: readonly Token[],
  at: number,
  language: Language | null,
): { values: string[]; next: number } | null {
  if (tokens[at]?.folded !== 'a' && tokens[at]?.folded !== 'an') return null;
  const unit = readUnit(tokens, at + 1, language);
  if (unit === null || tokens[unit.next]?.folded === 'and') return null;
  return { values: [unit.unit === 'hour' ? '60 min' : `1 ${unit.unit}`], next: unit.next };
}

/** "an hour and a half", "a quarter of an hour"; a unit alone with its article is no number. */
function readUnitAndAHalf(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  const word = tokens[at]!.folded;
  const quarters = word === 'a' ? 1 : word === 'three' ? 3 : 0;
  if (quarters > 0 && /^quarters?$/.test(tokens[at + 1]?.folded ?? '')) {
    const hour = [2, 3, 4].map((step) => tokens[at + step]?.folded ?? '').join(' ');
    if (hour === 'of an hour') return { values: [`${quarters * 15} min`], next: at + 5 };
  }
  if (
    (word !== 'a' && word !== 'an') ||
    tokens[at + 2]?.folded !== 'and' ||
    tokens[at + 4]?.folded !== 'half'
  )
    return null;
  const unit = readUnit(tokens, at + 1, language);
  if (unit?.next !== at + 2 || tokens[at + 3]?.folded !== 'a') return null;
  return { values: [unit.unit === 'hour' ? '90 min' : `1.5 ${unit.unit}`], next: at + 5 };
}

/** "3 to 5 km", "3 km to 5 km", "3–5", "between 3 and 5", "$10-$15". */
function readRange(
  tokens: readonly Token[],
  first: Measure,
  between: boolean,
  language: Language | null,
): Reading | null {
  if (first.ordinal || first.values.length !== 1) return null;
  const joiner = tokens[first.next];
  if (joiner === undefined) return null;
  const dash =
    (joiner.text === '-' || joiner.text === '–') &&
    (joiner.glued || tokens[first.next + 1]?.kind === 'digits');
  const word = joiner.kind === 'word' && (between ? joiner.folded === 'and' : RANGE_WORDS.has(joiner.folded));
  if (!dash && !word) return null;
  if (joiner.folded === 'a' && language?.code === 'en') return null;
  const second = tokens[first.next + 1] === undefined ? null : readMeasure(tokens, first.next + 1, language);
  if (second === null || second.ordinal || second.soft || second.values.length !== 1) return null;
  if (first.unit !== null && second.unit !== null && first.unit !== second.unit) return null;
  let low = first.values[0]!;
  // "1 to 2 hours": the end was turned into minutes.
  if (first.unit === null && second.unit === 'min' && isHours(tokens, first.next + 1, second))
    low = String(Number(low) * 60);
  const whole: Measure = { ...second, unit: second.unit ?? first.unit };
  if (whole.unit !== null) low = trimDecimals(low);
  return { values: [withUnit(`${low}..${second.values[0]!}`, whole)], next: second.next };
}

function isHours(tokens: readonly Token[], from: number, measure: Measure): boolean {
  for (let at = from; at < measure.next; at += 1) {
    if (/^(?:h|hours?|hrs?|stunden?|heures?|horas?|ore|uur|uren)$/.test(tokens[at]!.folded)) return true;
  }
  return false;
}
