import type { Token } from './tokens.ts';
import { readCurrencyPrefix, readUnit } from './units.ts';

/** What a reader found from some token on: values in canonical spelling and the index after the last token it used. */
export interface Reading {
  values: string[];
  next: number;
}

const ONES = new Map<string, number>(
  Object.entries({
    zero: 0,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    ten: 10,
    eleven: 11,
    twelve: 12,
    thirteen: 13,
    fourteen: 14,
    fifteen: 15,
    sixteen: 16,
    seventeen: 17,
    eighteen: 18,
    nineteen: 19,
  }),
);
const TENS = new Map<string, number>(
  Object.entries({
    twenty: 20,
    thirty: 30,
    forty: 40,
    fifty: 50,
    sixty: 60,
    seventy: 70,
    eighty: 80,
    ninety: 90,
  }),
);
const SCALES = new Map<string, number>(
  Object.entries({ hundred: 100, thousand: 1e3, million: 1e6, billion: 1e9 }),
);
const ORDINALS = new Map<string, number>(
  Object.entries({
    first: 1,
    second: 2,
    third: 3,
    fourth: 4,
    fifth: 5,
    sixth: 6,
    seventh: 7,
    eighth: 8,
    ninth: 9,
    tenth: 10,
    eleventh: 11,
    twelfth: 12,
    thirteenth: 13,
    fourteenth: 14,
    fifteenth: 15,
    sixteenth: 16,
    seventeenth: 17,
    eighteenth: 18,
    nineteenth: 19,
    twentieth: 20,
    thirtieth: 30,
  }),
);
const ORDINAL_ENDINGS = new Set(['st', 'nd', 'rd', 'th']);

/** Digits with separators to canonical numbers: "1,000.50" to 1000.5, "1,5" to 1.5, "3-5" to two numbers. */
export function readDigits(text: string): string[] {
  if (/^\d+$/.test(text)) return [text];
  if (/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text)) return [trimDecimals(text.replaceAll(',', ''))];
  if (/^\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?$/.test(text) || /^\d{1,3}(?:\.\d{3})+,\d+$/.test(text)) {
    return [trimDecimals(text.replaceAll('.', '').replace(',', '.'))];
  }
  if (/^\d{1,3}(?:'\d{3})+(?:[.,]\d+)?$/.test(text)) {
    return [trimDecimals(text.replaceAll("'", '').replace(',', '.'))];
  }
  if (/^\d+[.,]\d+$/.test(text)) return [trimDecimals(text.replace(',', '.'))];
  if (/^[\d,]+$/.test(text)) return text.split(',');
  if (text.includes('-')) return text.split('-').flatMap(readDigits);
  // Ratios, versions, addresses: one literal.
  return [text];
}

/** "1.50" is 1.5; three decimals stay as written, since "1.000" is a thousand to half of the world. */
function trimDecimals(number: string): string {
  const [whole = '', decimals] = number.split('.');
  if (decimals === undefined || decimals.length === 3) return number;
  let kept = decimals.length;
  while (kept > 0 && decimals[kept - 1] === '0') kept -= 1;
  return kept === 0 ? whole : `${whole}.${decimals.slice(0, kept)}`;
}

/** A number in words ("twenty-five", "one hundred and five", "two thousand") from token `at` on. */
function readNumberWords(
  tokens: Token[],
  at: number,
): { value: number; next: number; ordinal: boolean } | null {
  let total = 0;
  let part = 0;
  let last: 'none' | 'tens' | 'ones' | 'scale' = 'none';
  let index = at;
  let end = at;
  while (index < tokens.length) {
    const token = tokens[index]!;
    const word = token.kind === 'word' ? token.folded : '';
    if (
      ONES.has(word) &&
      (last === 'none' || last === 'scale' || (last === 'tens' && ONES.get(word)! < 10))
    ) {
      part += ONES.get(word)!;
      last = 'ones';
    } else if (TENS.has(word) && (last === 'none' || last === 'scale')) {
      part += TENS.get(word)!;
      last = 'tens';
    } else if (SCALES.has(word) && last !== 'none') {
      const scale = SCALES.get(word)!;
      if (scale === 100) part *= 100;
      else {
        total += part * scale;
        part = 0;
      }
      last = 'scale';
    } else if (
      ORDINALS.has(word) &&
      (last === 'none' || last === 'scale' || (last === 'tens' && ORDINALS.get(word)! < 10))
    ) {
      return { value: total + part + ORDINALS.get(word)!, next: index + 1, ordinal: true };
    } else {
      break;
    }
    index += 1;
    end = index;
    const joiner = tokens[index];
    const joins =
      (joiner?.text === '-' && joiner.glued && last === 'tens') ||
      (joiner?.folded === 'and' && last === 'scale');
    if (joins) index += 1;
  }
  return end === at ? null : { value: total + part, next: end, ordinal: false };
}

/** A whole number of 1 to 31 with or without an ordinal ending, as a day of a month; null otherwise. */
export function readDayNumber(tokens: Token[], at: number): { day: number; next: number } | null {
  const token = tokens[at];
  if (token === undefined) return null;
  let day = 0;
  let next = at + 1;
  if (token.kind === 'digits' && /^\d{1,2}$/.test(token.text)) {
    day = Number(token.text);
    const ending = tokens[next];
    if (ending?.glued && (ORDINAL_ENDINGS.has(ending.folded) || ending.text === '.')) next += 1;
  } else {
    const words = readNumberWords(tokens, at);
    if (!words?.ordinal) return null;
    day = words.value;
    next = words.next;
  }
  return day >= 1 && day <= 31 ? { day, next } : null;
}

/**
 * A number from token `at` on, with sign, scale, unit or currency. `soft` marks a bare "one", which is as often a pronoun as a
 * number: it may be offered, it is never demanded.
 */
export function readNumber(tokens: Token[], at: number): (Reading & { soft: boolean }) | null {
  const first = tokens[at]!;
  let index = at;
  const prefix = readCurrencyPrefix(tokens, at);
  if (prefix) index = prefix.next;
  let sign = '';
  if (
    tokens[index]?.text === '-' &&
    !tokens[index]!.glued &&
    tokens[index + 1]?.kind === 'digits' &&
    tokens[index + 1]!.glued
  ) {
    sign = '-';
    index += 1;
  }
  const token = tokens[index];
  if (token?.kind !== 'digits') {
    if (prefix || sign || first.kind !== 'word') return null;
    const words = readNumberWords(tokens, at);
    if (!words) return null;
    if (words.ordinal) return { values: [`${words.value}th`], next: words.next, soft: false };
    const unit = readUnit(tokens, words.next);
    const bareOne = first.folded === 'one' && words.next === at + 1 && unit === null;
    const value = `${words.value}${unit ? ` ${unit.unit}` : ''}`;
    return { values: [value], next: unit?.next ?? words.next, soft: bareOne };
  }
  const values = readDigits(token.text);
  index += 1;
  const ending = tokens[index];
  if (ending?.glued && ORDINAL_ENDINGS.has(ending.folded)) {
    return { values: values.map((value) => `${Number(value)}th`), next: index + 1, soft: false };
  }
  let last = sign + values.pop()!;
  const scale = readScale(tokens, index);
  if (scale) {
    last = String(Number(last) * scale.factor);
    index = scale.next;
  }
  const unit = prefix ?? readUnit(tokens, index);
  if (!prefix && unit) index = unit.next;
  return { values: [...values, unit ? `${last} ${unit.unit}` : last], next: index, soft: false };
}

function readScale(tokens: Token[], at: number): { factor: number; next: number } | null {
  const token = tokens[at];
  if (token?.kind !== 'word') return null;
  if (SCALES.has(token.folded)) return { factor: SCALES.get(token.folded)!, next: at + 1 };
  return token.folded === 'k' && token.glued ? { factor: 1e3, next: at + 1 } : null;
}
