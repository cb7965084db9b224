import { type Measure, readAmountWords } from './amounts.ts';
import { ageAfter, compoundOf, readAge, readAndAHalf } from './compounds.ts';
import { numberText, readDigits, trimDecimals } from './digits.ts';
import type { Language } from './languages/language.ts';
import { scaleAt } from './number-words.ts';
import type { Token } from './tokens.ts';
import { isCurrency, readCurrencyPrefix, readUnit } from './units.ts';

const ORDINAL_ENDINGS = new Set(['st', 'nd', 'rd', 'th']);
const FOREIGN_ORDINAL_ENDINGS = new Set([
  'er',
  'ère',
  're',
  'e',
  'ème',
  'eme',
  'ste',
  'de',
  'o',
  'a',
  'º',
  'ª',
]);
const MONEY_SCALES = new Map<string, number>(
  Object.entries({ k: 1e3, m: 1e6, mm: 1e6, mn: 1e6, mio: 1e6, b: 1e9, bn: 1e9 }),
);
const AGES = new Set(['year', 'month', 'week', 'day']);

/** A number with sign, scale, unit and currency from token `at` on. */
export function readMeasure(tokens: readonly Token[], at: number, language: Language | null): Measure | null {
  const prefix = readCurrencyPrefix(tokens, at);
  const signed = readSign(tokens, prefix?.next ?? at);
  const counted = prefix || signed.sign ? null : readCount(tokens, at);
  if (counted) return counted;
  const amount =
    readAmountDigits(tokens, signed.next, language, prefix !== null) ??
    (prefix ? null : readAmountWords(tokens, signed.next, language));
  if (amount === null) return null;
  if (signed.sign) amount.values[0] = `-${amount.values[0]!}`;
  if (amount.ordinal) return amount;
  return measured(tokens, amount, prefix?.unit ?? null, language);
}

/** A minus sign that is no dash: before digits, after a space; or the word. */
function readSign(tokens: readonly Token[], at: number): { sign: boolean; next: number } {
  const token = tokens[at];
  const after = tokens[at + 1];
  if (token?.text === '-' && !token.glued && after?.kind === 'digits' && after.glued)
    return { sign: true, next: at + 1 };
  const word = token?.folded === 'minus' || token?.folded === 'negative';
  return word && after?.kind === 'digits' ? { sign: true, next: at + 1 } : { sign: false, next: at };
}

/** once, twice, thrice */
function readCount(tokens: readonly Token[], at: number): Measure | null {
  const word = tokens[at]!.kind === 'word' ? tokens[at]!.folded : '';
  const count = word === 'once' ? 1 : word === 'twice' ? 2 : word === 'thrice' ? 3 : 0;
  if (count === 0) return null;
  return {
    values: [String(count)],
    range: false,
    unit: 'times',
    next: at + 1,
    // "once" is a conjunction and "formerly" as well.
    soft: count === 1,
    ordinal: false,
  };
}

function readAmountDigits(
  tokens: readonly Token[],
  at: number,
  language: Language | null,
  money: boolean,
): Measure | null {
  let token = tokens[at];
  let index = at;
  let text = token?.kind === 'digits' ? token.text : '';
  if (token?.text === '.' && !token.glued && tokens[at + 1]?.kind === 'digits' && tokens[at + 1]!.glued) {
    index = at + 1;
    token = tokens[index];
    text = `0.${token!.text}`;
  }
  if (text === '') return null;
  index += 1;
  if (/^[1-9]\d{0,2}$/.test(text)) {
    while (
      /^\d{3}(?:[.,]\d+)?$/.test(tokens[index]?.text ?? '') &&
      !tokens[index]!.glued &&
      /^\d+$/.test(text)
    ) {
      text += tokens[index]!.text;
      index += 1;
    }
  }
  const { values, range } = readDigits(text, language?.code);
  const amount: Measure = { values, range, unit: null, next: index, soft: false, ordinal: false };
  const ending = tokens[index];
  if (ending?.glued && ending.kind === 'word') {
    const foreign = language !== null && language.code !== 'en' && FOREIGN_ORDINAL_ENDINGS.has(ending.folded);
    if (ORDINAL_ENDINGS.has(ending.folded) || foreign) {
      const ordinals = values.map((value) => `${Number(value)}th`);
      return { ...amount, values: ordinals, next: index + 1, ordinal: true };
    }
  }
  return scaled(tokens, mixed(tokens, amount), language, money);
}

/** "2 1/2" and "2 and a half". */
function mixed(tokens: readonly Token[], amount: Measure): Measure {
  const value = amount.values[0]!;
  if (amount.values.length > 1 || !/^\d{1,9}$/.test(value)) return amount;
  const next = tokens[amount.next];
  const fraction = /^(\d)\/(\d)$/.exec(next?.kind === 'digits' ? next.text : '');
  if (fraction && Number(fraction[1]) > 0 && Number(fraction[1]) < Number(fraction[2])) {
    const whole = Number(value) + Number(fraction[1]) / Number(fraction[2]);
    return { ...amount, values: [numberText(whole)], next: amount.next + 1 };
  }
  const half = tokens[amount.next + 2]?.folded;
  if (
    next?.folded === 'and' &&
    tokens[amount.next + 1]?.folded === 'a' &&
    (half === 'half' || half === 'quarter')
  ) {
    const whole = Number(value) + (half === 'half' ? 0.5 : 0.25);
    return { ...amount, values: [numberText(whole)], next: amount.next + 3 };
  }
  return amount;
}

/** 5 million, 1.5k, 3M, $3m, 2 dozen. */
function scaled(
  tokens: readonly Token[],
  amount: Measure,
  language: Language | null,
  money: boolean,
): Measure {
  const token = tokens[amount.next];
  if (token?.kind !== 'word') return amount;
  let factor = scaleAt(tokens, amount.next, language);
  if (factor === null && token.glued) {
    if (money) factor = MONEY_SCALES.get(token.folded) ?? null;
    else if (token.folded === 'k') factor = 1e3;
    else if (token.text === 'M') factor = 1e6;
    else if (token.folded === 'mio') factor = 1e6;
  }
  if (factor === null || amount.values.some((value) => !/^\d+(?:\.\d+)?$/.test(value))) return amount;
  const values = amount.values.map((value, index) =>
    index === amount.values.length - 1 || amount.range ? numberText(Number(value) * factor) : value,
  );
  return { ...amount, values, next: amount.next + 1 };
}

/** Adds unit and age. */
function measured(
  tokens: readonly Token[],
  amount: Measure,
  currency: string | null,
  language: Language | null,
): Measure {
  let { next } = amount;
  let unit = currency;
  // "half an hour", "half a year"
  if (amount.values[0] === '0.5' && (tokens[next]?.folded === 'a' || tokens[next]?.folded === 'an')) {
    const of = readUnit(tokens, next + 1, language);
    if (of) next += 1;
  }
  const suffix = readUnit(tokens, next, language);
  if (suffix && (currency === null || suffix.unit === currency)) {
    unit = suffix.unit;
    next = suffix.next;
  }
  if (unit === null) return readAge(tokens, amount);
  // Nobody writes three decimals of a euro: 2.400 is a thousand and more.
  const money = isCurrency(unit);
  let values = amount.values.map((value) =>
    money && /^\d{1,3}\.\d{3}$/.test(value) ? value.replace('.', '') : trimDecimals(value),
  );
  const half = readAndAHalf(tokens, next, values);
  if (half) {
    values = half.values;
    next = half.next;
  }
  const { range, ordinal } = amount;
  const result: Measure = { values, range, unit, next, soft: false, ordinal };
  const age = AGES.has(unit) ? ageAfter(tokens, next) : null;
  if (age !== null) return { ...result, unit: `${unit} old`, next: age };
  return compoundOf(tokens, result, language);
}
