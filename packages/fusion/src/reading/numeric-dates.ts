import { isDay, twoDigits } from './calendar.ts';
import type { Reading } from './number-reading.ts';
import type { Token } from './tokens.ts';

const POSSESSIVES = new Set(['his', 'her', 'their', 'my', 'your', 'our', 'its']);
export const DECADES = new Map<string, string>();
for (const [index, word] of 'twenties thirties forties fifties sixties seventies eighties nineties'
  .split(' ')
  .entries()) {
  DECADES.set(word, `${(index + 2) * 10}s`);
}

/** A date in digits: 2024-05-03, 03.05.2024, 13/5/24, 2024-05, 5/2024, 2019-2021. */
export function readNumericDate(token: Token, at: number): Reading | null {
  const { text } = token;
  const year = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(text);
  if (year) return dateIn(Number(year[1]), Number(year[3]), Number(year[4]), at + 1);
  const years = /^((?:19|20)\d\d)-((?:19|20)\d\d)$/.exec(text);
  if (years) return { values: [`${years[1]!}..${years[2]!}`], next: at + 1 };
  const month = /^((?:1[5-9]|20)\d\d)-(\d\d)$/.exec(text);
  if (month) {
    const number = Number(month[2]);
    if (number >= 1 && number <= 12) return { values: [`${month[1]!}-${month[2]!}`], next: at + 1 };
    const end = Number(month[1]!.slice(0, 2) + month[2]!);
    return end > Number(month[1]) ? { values: [`${month[1]!}..${end}`], next: at + 1 } : null;
  }
  const monthYear = /^(\d{1,2})\/((?:19|20)\d\d)$/.exec(text);
  if (monthYear && Number(monthYear[1]) >= 1 && Number(monthYear[1]) <= 12) {
    return { values: [`${monthYear[2]!}-${twoDigits(Number(monthYear[1]))}`], next: at + 1 };
  }
  const parts = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)$/.exec(text);
  if (!parts) return null;
  const [first, second] = [Number(parts[1]), Number(parts[3])];
  const short = Number(parts[4]);
  const full = parts[4]!.length === 4 ? short : short + (short < 70 ? 2000 : 1900);
  if (parts[2] === '.') return dateIn(full, second, first, at + 1);
  if (first > 12) return dateIn(full, second, first, at + 1);
  if (second > 12 || first === second) return dateIn(full, first, second, at + 1);
  return first >= 1 && second >= 1 ? { values: [`?${first}/${second}/${full}`], next: at + 1 } : null;
}

function dateIn(year: number, month: number, day: number, next: number): Reading | null {
  return isDay(year, month, day)
    ? { values: [`${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`], next }
    : null;
}

/** A year of four digits alone, '98, or a decade (1990s, the 90s, the nineties; "in her 30s" is an age). */
export function readYear(tokens: readonly Token[], at: number): Reading | null {
  const token = tokens[at]!;
  if (token.kind === 'word') {
    const decade = DECADES.get(token.folded);
    return decade === undefined ? null : { values: [decadeText(tokens, at, decade)], next: at + 1 };
  }
  if (token.text === "'") {
    const short = tokens[at + 1];
    if (token.glued || !short?.glued || !/^\d\d$/.test(short.text)) return null;
    if (tokens[at + 2]?.glued && tokens[at + 2]!.folded === 's')
      return { values: [decadeText(tokens, at, `${short.text}s`)], next: at + 3 };
    const year = Number(short.text);
    return { values: [String(year + (year < 40 ? 2000 : 1900))], next: at + 2 };
  }
  const { text } = token;
  const next = tokens[at + 1];
  if (/^(?:\d\d)?\d0$/.test(text) && next?.glued) {
    if (next.folded === 's') return { values: [decadeText(tokens, at, `${text}s`)], next: at + 2 };
    if (next.text === "'" && tokens[at + 2]?.glued && tokens[at + 2]!.folded === 's') {
      return { values: [decadeText(tokens, at, `${text}s`)], next: at + 3 };
    }
  }
  const before = tokens[at - 1];
  if (before?.kind === 'mark' && !before.glued && /^[$€£¥₹₽₺#]$/.test(before.text)) return null;
  return /^(?:1[789]|20)\d\d$/.test(text) && !isMeasured(tokens, at + 1)
    ? { values: [text], next: at + 1 }
    : null;
}

/** "the 90s" are the 1990s; "in his 30s" and the 20s of this or the last century stay as they are. */
function decadeText(tokens: readonly Token[], at: number, decade: string): string {
  if (decade.length > 3) return decade;
  for (let index = at - 1; index >= 0 && index >= at - 3; index -= 1) {
    if (POSSESSIVES.has(tokens[index]!.folded)) return decade;
  }
  return Number(decade.slice(0, 2)) >= 30 ? `19${decade}` : decade;
}

const COUNTED =
  /^(?:[%€$£°]|percent|per|dollars?|euros?|usd|eur|km|kg|miles?|metres?|meters?|kcal|calories|square|people|hours?|steps?|words?|pages?|times)$/;

/** A number before one of these is an amount, not a year. */
function isMeasured(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at];
  if (next === undefined) return false;
  if (next.glued && (next.kind === 'word' || next.kind === 'digits')) return true;
  if (COUNTED.test(next.folded)) return true;
  return next.text === '-' && next.glued && COUNTED.test(tokens[at + 1]?.folded ?? '');
}
