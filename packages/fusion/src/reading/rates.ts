import type { Reading } from './number-reading.ts';
import type { Token } from './tokens.ts';
import { unitOf } from './units.ts';

const PERIODS = new Map<string, string>(
  Object.entries({
    second: 'second',
    minute: 'minute',
    hour: 'hour',
    h: 'hour',
    day: 'day',
    night: 'night',
    week: 'week',
    wk: 'week',
    month: 'month',
    mo: 'month',
    quarter: 'quarter',
    year: 'year',
    yr: 'year',
    annum: 'year',
  }),
);
const ADVERBS = new Map<string, string>(
  Object.entries({
    hourly: 'hour',
    daily: 'day',
    nightly: 'night',
    weekly: 'week',
    monthly: 'month',
    quarterly: 'quarter',
    yearly: 'year',
    annual: 'year',
    annually: 'year',
    pcm: 'month',
  }),
);
/** After "a week" these make it a point in time: "20 minutes an hour ago". */
const NOT_A_RATE = new Set(['ago', 'later', 'earlier', 'before', 'after', 'from']);
/** Before "a week" these make it a length of time. */
const LENGTH_BEFORE = new Set(
  'in for of within after off over about nearly almost once take takes took spend spends spent half such what is was only just every'.split(
    ' ',
  ),
);
/** "every morning" is once a day, and the morning is said apart. */
const PARTS_OF_DAY = new Set(['morning', 'afternoon', 'evening']);
const SKIPPING = new Set(['other', 'second', 'two', '2']);
/** How many tokens may stand between an amount and "a day". */
const REACH = 6;

/**
 * What an amount is counted per, from token `at` on: "per hour", "/h", "a week" after an amount, "every day", "daily". It stands for itself, as people
 * put it anywhere: "30 minutes of walking per day", "a yearly fee of 90 euros".
 *
 * @param amountEnd where the last amount of the text ended, or -1.
 */
export function readRate(tokens: readonly Token[], at: number, amountEnd: number): Reading | null {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  if (token.kind === 'mark') {
    const counted = token.text === '/' && token.glued && next?.glued && amountEnd === at;
    return counted ? perOf(tokens, at + 1) : null;
  }
  if (token.kind !== 'word') return null;
  if (token.folded === 'per') return perOf(tokens, at + 1);
  if (token.folded === 'every' || token.folded === 'each') {
    if (PARTS_OF_DAY.has(tokens[at + 1]?.folded ?? '')) return { values: ['per day'], next: at + 1 };
    return everyOther(tokens, at) ?? periodOf(tokens, at + 1);
  }
  if (token.folded === 'a' || token.folded === 'an') {
    const near =
      amountEnd >= 0 && at - amountEnd <= REACH && tokens[amountEnd - 1]!.sentence === token.sentence;
    const length = at !== amountEnd && LENGTH_BEFORE.has(tokens[at - 1]?.folded ?? '');
    const period = near && !length ? periodOf(tokens, at + 1) : null;
    return period && !goesOnInTime(tokens, period.next) ? period : null;
  }
  const adverb = ADVERBS.get(token.folded);
  // The Daily Mail is a name.
  return adverb === undefined || (!token.opens && token.text !== token.folded)
    ? null
    : { values: [`per ${adverb}`], next: at + 1 };
}

/** "every other week", "every second week", "every two weeks" */
function everyOther(tokens: readonly Token[], at: number): Reading | null {
  if (!SKIPPING.has(tokens[at + 1]?.folded ?? '')) return null;
  const unit = tokens[at + 2]?.kind === 'word' ? tokens[at + 2]!.folded : '';
  const period = PERIODS.get(unit) ?? PERIODS.get(unit.replace(/s$/, ''));
  return period === undefined ? null : { values: [`per 2 ${period}`], next: at + 3 };
}

/** "a week ago", "a week and a half": a point or a length of time. */
function goesOnInTime(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]?.folded ?? '';
  if (word === 'from' && tokens[at + 1]?.folded === 'now' && tokens[at + 2]?.folded === 'on') return false;
  if (word === 'and') return /^(?:a|an|half)$/.test(tokens[at + 1]?.folded ?? '');
  return NOT_A_RATE.has(word);
}

function periodOf(tokens: readonly Token[], at: number): Reading | null {
  const token = tokens[at];
  const period = token?.kind === 'word' ? PERIODS.get(token.folded) : undefined;
  return period === undefined ? null : { values: [`per ${period}`], next: at + 1 };
}

function perOf(tokens: readonly Token[], at: number): Reading | null {
  const period = periodOf(tokens, at);
  if (period) return period;
  const token = tokens[at];
  const unit = token?.kind === 'word' ? unitOf(token.folded) : null;
  return unit === null || unit === 'times' ? null : { values: [`per ${unit}`], next: at + 1 };
}
