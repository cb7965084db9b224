import { LANGUAGES } from './languages/all.ts';
import type { Language } from './languages/language.ts';
import { ONES, readGrammar, SCALES, TENS, wordAt } from './number-grammar.ts';
import type { Token } from './tokens.ts';

/** A spelled number. */
export interface NumberWords {
  value: number;
  /** Index of the token after the last one. */
  next: number;
  ordinal: boolean;
  /** A bare "one": as often a pronoun as a number. */
  soft: boolean;
}

/** Numerators of fractions in words, by denominator. */
const PARTS = new Map<string, number>(
  Object.entries({
    half: 2,
    halves: 2,
    third: 3,
    thirds: 3,
    quarter: 4,
    quarters: 4,
    fifths: 5,
    eighths: 8,
    tenths: 10,
  }),
);
/** Spelled numbers of every other language that are no word of another one, and all of them by language. */
const FOREIGN = new Map<string, number>();
export const FIRST_WORDS = new Set<string>();
for (const language of LANGUAGES) {
  if (language.code === 'en') continue;
  for (const [phrase, value] of language.numbers) {
    FIRST_WORDS.add(phrase.split(' ')[0]!);
    if (!language.ambiguousNumbers.has(phrase)) FOREIGN.set(phrase, value);
  }
  for (const word of language.scales.keys()) FIRST_WORDS.add(word);
}
const MAX_PHRASE = 4;

/** The factor that a word multiplies a number by ("thousand", "dozen", "lakh"), or null. */
export function scaleAt(tokens: readonly Token[], at: number, language: Language | null): number | null {
  const word = wordAt(tokens, at);
  return SCALES.get(word) ?? language?.scales.get(word) ?? null;
}

/** A number in words from token `at` on: "twenty-five", "a hundred and five", "two and a half", "half a dozen", "fünfundzwanzig". */
export function readNumberWords(
  tokens: readonly Token[],
  at: number,
  language: Language | null,
): NumberWords | null {
  const word = wordAt(tokens, at);
  if (word === '') return null;
  return (
    readYearWords(tokens, at) ??
    readHalfOf(tokens, at, word) ??
    readFraction(tokens, at) ??
    readWithHalf(tokens, at, word) ??
    readForeign(tokens, at, word, language)
  );
}

/** "nineteen ninety-eight" and "twenty twenty-four" are years. */
function readYearWords(tokens: readonly Token[], at: number): NumberWords | null {
  const century = ONES.get(wordAt(tokens, at)) ?? (wordAt(tokens, at) === 'twenty' ? 20 : 0);
  if (century < 17 || century > 20 || !TENS.has(wordAt(tokens, at + 1))) return null;
  const rest = readGrammar(tokens, at + 1);
  if (rest === null || rest.ordinal || rest.value < 10 || rest.value > 99) return null;
  return { value: century * 100 + rest.value, next: rest.next, ordinal: false, soft: false };
}

/** "half a dozen", "half a million"; "a half", "half" alone. */
function readHalfOf(tokens: readonly Token[], at: number, word: string): NumberWords | null {
  const start = word === 'a' && wordAt(tokens, at + 1) === 'half' ? at + 1 : at;
  if (wordAt(tokens, start) !== 'half') return null;
  const article = wordAt(tokens, start + 1) === 'a' || wordAt(tokens, start + 1) === 'an';
  const scale = SCALES.get(wordAt(tokens, start + (article ? 2 : 1)));
  if (scale !== undefined) {
    return { value: scale / 2, next: start + (article ? 3 : 2), ordinal: false, soft: false };
  }
  const follows = tokens[start + 1];
  // "half-brother" and "half past" are no amounts.
  if ((follows?.text === '-' && follows.glued) || follows?.folded === 'past') return null;
  return { value: 0.5, next: start + 1, ordinal: false, soft: false };
}

/** "two thirds", "one-third", "three quarters", "a quarter of"; thirds come as a ratio, see `ratioText`. */
function readFraction(tokens: readonly Token[], at: number): NumberWords | null {
  const word = wordAt(tokens, at);
  const numerator = word === 'a' ? 1 : ONES.get(word);
  if (numerator === undefined || numerator === 0) return null;
  const dash = tokens[at + 1]?.text === '-' && tokens[at + 1]!.glued;
  const partAt = at + (dash ? 2 : 1);
  const part = wordAt(tokens, partAt);
  const denominator = PARTS.get(part);
  if (denominator === undefined || denominator <= numerator) return null;
  const plural = part.endsWith('s');
  const of = wordAt(tokens, partAt + 1) === 'of';
  if (plural ? numerator === 1 : !(of || (dash && numerator === 1))) return null;
  return { value: numerator / denominator, next: partAt + 1, ordinal: false, soft: false };
}

/** "a hundred and five", "two and a half", "two and a half million", "two point five". */
function readWithHalf(tokens: readonly Token[], at: number, word: string): NumberWords | null {
  const article = (word === 'a' || word === 'an') && SCALES.has(wordAt(tokens, at + 1));
  const plain = article ? readGrammar(tokens, at + 1, 1) : readGrammar(tokens, at);
  if (plain === null || plain.ordinal) return plain === null ? null : { ...plain, soft: false };
  const { next } = plain;
  if (wordAt(tokens, next) === 'and' && wordAt(tokens, next + 1) === 'a') {
    const part = wordAt(tokens, next + 2);
    if (part === 'half' || part === 'quarter') {
      const value = plain.value + (part === 'half' ? 0.5 : 0.25);
      const scale = SCALES.get(wordAt(tokens, next + 3));
      return {
        value: value * (scale ?? 1),
        next: next + (scale === undefined ? 3 : 4),
        ordinal: false,
        soft: false,
      };
    }
  }
  if (wordAt(tokens, next) === 'point' && plain.value < 1_000) {
    let decimals = '';
    let index = next + 1;
    while (decimals.length < 6 && (ONES.get(wordAt(tokens, index)) ?? 10) < 10) {
      decimals += String(ONES.get(wordAt(tokens, index)));
      index += 1;
    }
    if (decimals !== '') {
      return { value: Number(`${plain.value}.${decimals}`), next: index, ordinal: false, soft: false };
    }
  }
  return { ...plain, soft: word === 'one' && next === at + 1 };
}

function readForeign(
  tokens: readonly Token[],
  at: number,
  word: string,
  language: Language | null,
): NumberWords | null {
  if (!FIRST_WORDS.has(word)) return null;
  const own = language !== null && language.code !== 'en' ? language : null;
  const numberOf = (phrase: string): number | undefined => own?.numbers.get(phrase) ?? FOREIGN.get(phrase);
  let phrase = '';
  let value: number | undefined;
  let next = at;
  let index = at;
  for (let count = 0; count < MAX_PHRASE; count += 1) {
    const here = wordAt(tokens, index);
    if (here === '') break;
    phrase = phrase === '' ? here : `${phrase} ${here}`;
    index += 1;
    const known = numberOf(phrase);
    if (known !== undefined) {
      value = known;
      next = index;
    }
    if (tokens[index]?.text === '-' && tokens[index]!.glued) index += 1;
  }
  const scale = own?.scales.get(wordAt(tokens, next));
  if (scale !== undefined) {
    value = (value ?? 1) * scale;
    next += 1;
    const rest = readBelowScale(tokens, next, numberOf, scale);
    if (rest) {
      value += rest.value;
      next = rest.next;
    }
  }
  return value === undefined ? null : { value, next, ordinal: false, soft: false };
}

/** What goes on after a scale: "mil doscientos" is not read, "ciento cinco" and "tausend fünf" are. */
function readBelowScale(
  tokens: readonly Token[],
  at: number,
  numberOf: (phrase: string) => number | undefined,
  scale: number,
): { value: number; next: number } | null {
  const value = numberOf(wordAt(tokens, at));
  return value !== undefined && value < scale ? { value, next: at + 1 } : null;
}
