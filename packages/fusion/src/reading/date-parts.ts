import { isDay, twoDigits } from './calendar.ts';
import { ENGLISH } from './languages/en.ts';
import type { Language } from './languages/language.ts';
import type { Reading } from './number-reading.ts';
import { readNumberWords } from './number-words.ts';
import type { Token } from './tokens.ts';

const QUARTER_ORDINALS = new Map(Object.entries({ first: 1, second: 2, third: 3, fourth: 4 }));

export const DATE_JOINERS = new Set(['of', 'de', 'del', 'di', 'du', 'do']);

/** spring 2023, the summer of '24 */
export function readSeason(tokens: readonly Token[], at: number, language: Language | null): Reading | null {
  const { folded } = tokens[at]!;
  const season = ENGLISH.seasons.get(folded) ?? language?.seasons.get(folded);
  if (season === undefined) return null;
  const year = yearAfter(tokens, at + 1);
  return year ? { values: [`${year.year}-${season}`], next: year.next } : null;
}

/** Feasts that are named after a day and fall on the same one each year; possessive endings are gone. */
const FEASTS: readonly [readonly string[], string][] = (
  [
    ['new year day', '01-01'],
    ['new year eve', '12-31'],
    ['valentine day', '02-14'],
    ['christmas eve', '12-24'],
    ['christmas day', '12-25'],
    ['boxing day', '12-26'],
  ] as const
).map(([words, day]) => [words.split(' '), day]);
export const FEAST_STARTS = new Set(FEASTS.map(([words]) => words[0]!));

/** New Year's Day, Valentine's Day 2025 */
export function readFeast(tokens: readonly Token[], at: number): Reading | null {
  if (!FEAST_STARTS.has(tokens[at]!.folded)) return null;
  for (const [words, day] of FEASTS) {
    if (!words.every((word, index) => tokens[at + index]?.folded === word)) continue;
    const year = yearAfter(tokens, at + words.length);
    return { values: [`${year?.year ?? '-'}-${day}`], next: year?.next ?? at + words.length };
  }
  return null;
}

/** Q3 2024, 2024 Q3, Q3, third quarter of 2024 */
export function readQuarter(tokens: readonly Token[], at: number): Reading | null {
  const token = tokens[at]!;
  if (token.kind === 'digits') {
    const quarter = /^[12]\d{3}$/.test(token.text) ? quarterAt(tokens, at + 1) : null;
    return quarter ? { values: [`${token.text}-Q${quarter.quarter}`], next: quarter.next } : null;
  }
  const quarter = quarterAt(tokens, at);
  if (quarter === null) return null;
  const year = yearAfter(tokens, quarter.next);
  return {
    values: [year ? `${year.year}-Q${quarter.quarter}` : `Q${quarter.quarter}`],
    next: year?.next ?? quarter.next,
  };
}

function quarterAt(tokens: readonly Token[], at: number): { quarter: number; next: number } | null {
  const token = tokens[at];
  const next = tokens[at + 1];
  if (token?.folded === 'q' && next?.glued && /^[1-4]$/.test(next.text))
    return { quarter: Number(next.text), next: at + 2 };
  const quarter = QUARTER_ORDINALS.get(token?.folded ?? '');
  return quarter !== undefined && next?.folded === 'quarter' ? { quarter, next: at + 2 } : null;
}

export function yearAfter(tokens: readonly Token[], at: number): { year: number; next: number } | null {
  let index = at;
  const joiner = tokens[index];
  if (joiner?.text === '.' && joiner.glued) index += 1;
  if (tokens[index]?.text === ',' || DATE_JOINERS.has(tokens[index]?.folded ?? '')) index += 1;
  if (tokens[index]?.text === "'" && tokens[index + 1]?.glued && /^\d\d$/.test(tokens[index + 1]!.text)) {
    const short = Number(tokens[index + 1]!.text);
    return { year: short + (short < 70 ? 2000 : 1900), next: index + 2 };
  }
  const token = tokens[index];
  if (token?.kind === 'digits') {
    return /^[12]\d{3}$/.test(token.text) ? { year: Number(token.text), next: index + 1 } : null;
  }
  const spelled =
    token?.kind === 'word' && (token.folded === 'nineteen' || token.folded === 'twenty')
      ? readNumberWords(tokens, index, null)
      : null;
  return spelled && spelled.value >= 1700 && spelled.value < 2100
    ? { year: spelled.value, next: spelled.next }
    : null;
}

/** 2024年5月3日, 5月3日, 2024年 */
export function readHanDate(tokens: readonly Token[], at: number): Reading | null {
  const year = numberBefore(tokens, at, '年');
  const monthIndex = year === null ? at : at + 2;
  const month = numberBefore(tokens, monthIndex, '月');
  const day = month === null ? null : numberBefore(tokens, monthIndex + 2, '日');
  if (month !== null && month >= 1 && month <= 12) {
    if (day !== null) return dateOrNull(year, month, day, afterSign(tokens, monthIndex + 3));
    return { values: [`${year ?? '-'}-${twoDigits(month)}`], next: afterSign(tokens, monthIndex + 1) };
  }
  return year !== null && year > 999 ? { values: [String(year)], next: afterSign(tokens, at + 1) } : null;
}

function numberBefore(tokens: readonly Token[], at: number, sign: string): number | null {
  const digits = tokens[at];
  const run = tokens[at + 1];
  const found =
    run?.glued && run.text.startsWith(sign) && digits?.kind === 'digits' && /^\d{1,4}$/.test(digits.text);
  return found ? Number(digits.text) : null;
}

/** A sign that stands alone was used up; one that begins a longer run leaves the run to be read again. */
function afterSign(tokens: readonly Token[], at: number): number {
  return tokens[at]!.text.length === 1 ? at + 1 : at;
}

/** A day that its month has; without a year, the 29th of February is one. */
export function dateOrNull(year: number | null, month: number, day: number, next: number): Reading | null {
  if (!isDay(year ?? 2024, month, day)) return null;
  return { values: [`${year ?? '-'}-${twoDigits(month)}-${twoDigits(day)}`], next };
}

/** "3 May – 5 May 2024": the year holds for both. */
export function completed(from: string, to: string): [string, string] {
  const year = /^\d{4}-/.exec(to);
  return year && from.startsWith('--') ? [year[0] + from.slice(2), to] : [from, to];
}

export function shapeOf(value: string): string {
  return /^[a-z]+$/.test(value) ? 'weekday' : value.replace(/\d/g, '0');
}
