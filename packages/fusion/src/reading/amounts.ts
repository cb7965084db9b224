import { ratioText } from './digits.ts';
import type { Language } from './languages/language.ts';
import { readNumberWords } from './number-words.ts';
import type { Token } from './tokens.ts';

/** One amount with what it is an amount of. */
export interface Measure {
  /** Canonical; more than one for "1,2,3". */
  values: string[];
  /** Of a range written with a dash: the first value is its start. */
  range: boolean;
  /** Canonical unit or currency; null for a bare number. */
  unit: string | null;
  next: number;
  /** A guess: a bare "one". */
  soft: boolean;
  ordinal: boolean;
}

/** An amount in words, without what it is an amount of. */
export function readAmountWords(
  tokens: readonly Token[],
  at: number,
  language: Language | null,
): Measure | null {
  const words = readNumberWords(tokens, at, language);
  if (words === null) return null;
  const base = { range: false, unit: null, next: words.next };
  if (words.ordinal) return { ...base, values: [`${words.value}th`], soft: false, ordinal: true };
  return { ...base, values: [ratioText(words.value)], soft: words.soft, ordinal: false };
}
