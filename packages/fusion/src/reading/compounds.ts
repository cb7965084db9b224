import { type Measure, readAmountWords } from './amounts.ts';
import { numberText } from './digits.ts';
import type { Language } from './languages/language.ts';
import type { Token } from './tokens.ts';
import { readUnit } from './units.ts';

/** "two hours and a half", "an hour and a half" */
export function readAndAHalf(
  tokens: readonly Token[],
  at: number,
  values: string[],
): { values: string[]; next: number } | null {
  if (tokens[at]?.folded !== 'and' || tokens[at + 1]?.folded !== 'a' || values.length !== 1) return null;
  const part = tokens[at + 2]?.folded;
  if ((part !== 'half' && part !== 'quarter') || !/^\d{1,9}$/.test(values[0]!)) return null;
  return { values: [numberText(Number(values[0]) + (part === 'half' ? 0.5 : 0.25))], next: at + 3 };
}

/** "34-year-old", "34 years old", "34 years of age". @returns the index after it, or null */
export function ageAfter(tokens: readonly Token[], at: number): number | null {
  const dash = tokens[at]?.text === '-' && tokens[at]!.glued ? 1 : 0;
  const word = tokens[at + dash]?.folded;
  if (word === 'old' || word === 'olds') return at + dash + 1;
  return word === 'of' && tokens[at + 1]?.folded === 'age' ? at + 2 : null;
}

/** "34 yo", "34 y/o" */
export function readAge(tokens: readonly Token[], amount: Measure): Measure {
  const { next } = amount;
  if (!/^\d{1,3}$/.test(amount.values[0]!)) return amount;
  const here = tokens[next];
  if (here?.folded === 'yo') return { ...amount, unit: 'year old', next: next + 1 };
  const slash = here?.folded === 'y' && tokens[next + 1]?.text === '/' && tokens[next + 2]?.folded === 'o';
  return slash ? { ...amount, unit: 'year old', next: next + 3 } : amount;
}

/** Hours become minutes and take minutes that follow with them; feet take inches. */
export function compoundOf(tokens: readonly Token[], measure: Measure, language: Language | null): Measure {
  const { unit, values } = measure;
  if (unit === 'hour' && values.every((value) => /^\d+(?:\.\d+)?$/.test(value))) {
    const minutes = values.map((value) => Number(value) * 60);
    const more = values.length === 1 ? smallerUnit(tokens, measure.next, 'min', 60, language) : null;
    return {
      ...measure,
      unit: 'min',
      values: minutes.map((value) => numberText(value + (more?.value ?? 0))),
      next: more?.next ?? measure.next,
    };
  }
  if (unit === 'ft' && values.length === 1) {
    const inches = smallerUnit(tokens, measure.next, 'inch', 12, language);
    if (inches)
      return {
        ...measure,
        unit: 'ft',
        values: [`${values[0]!}'${numberText(inches.value)}`],
        next: inches.next,
      };
  }
  return measure;
}

/** "30 minutes", "30m", "and 30 minutes", "30" right after "2h". */
function smallerUnit(
  tokens: readonly Token[],
  at: number,
  unit: 'min' | 'inch',
  below: number,
  language: Language | null,
): { value: number; next: number } | null {
  const start = tokens[at]?.folded === 'and' || tokens[at]?.text === ',' ? at + 1 : at;
  const token = tokens[start];
  if (token === undefined || (token.kind !== 'digits' && token.kind !== 'word')) return null;
  const amount = token.kind === 'digits' ? null : readAmountWords(tokens, start, language);
  const value = token.kind === 'digits' ? Number(token.text) : Number(amount?.values[0] ?? Number.NaN);
  if (!Number.isInteger(value) || value >= below || amount?.ordinal) return null;
  const next = amount?.next ?? start + 1;
  const after = tokens[next];
  const found = readUnit(tokens, next, language);
  const short =
    (unit === 'min' && after?.folded === 'm' && after.glued) ||
    (unit === 'inch' && (after?.text === '"' || after?.folded === 'in'));
  if (found?.unit === unit) return { value, next: found.next };
  if (short) return { value, next: next + 1 };
  // "2h30" and "five foot ten": nothing says the smaller unit, and nothing else can be meant.
  if (start !== at) return null;
  if (unit === 'min') return token.glued ? { value, next } : null;
  return after === undefined || after.kind === 'mark' || after.folded === 'tall' ? { value, next } : null;
}
