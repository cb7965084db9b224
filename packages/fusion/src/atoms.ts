import { readDate, readTime } from './dates.ts';
import {
  CHINESE_NEGATIONS,
  JAPANESE_NEGATIONS,
  KOREAN_NEGATIONS,
  NEGATIONS,
  OPENING_VERBS,
  OPENING_WORDS,
  STOP_WORDS,
} from './lexicon.ts';
import { readNumber } from './numbers.ts';
import { readTokens, type Token } from './tokens.ts';
import { stemOf } from './words.ts';

export const ATOM_KINDS = ['number', 'date', 'time', 'name', 'email', 'url', 'negation'] as const;
export type AtomKind = (typeof ATOM_KINDS)[number];

/** A hard fact in a text: a thing that two spellings of the same statement must both have. */
export interface Atom {
  kind: AtomKind;
  /** Canonical: "1000", "5 kg", "2024-05-03", "14:00", a folded word for a name, "not" for every negation. */
  value: string;
  /** Index of the clause it stands in, from 0. */
  clause: number;
  /** False for a guess: a capital that only stands at a sentence start, a bare "one". */
  sure: boolean;
}

export interface AtomReading {
  atoms: Atom[];
  /** 1 for each token that a sure atom used up, so that it is not read as a content word as well. */
  used: Uint8Array;
}

const OPENING_STEMS = new Set([...OPENING_VERBS].map(stemOf));
const HAS_KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const HAS_HANGUL = /\p{sc=Hangul}/u;
const CAPITAL = /^[\p{Lu}\p{Lt}]/u;

/** The hard atoms of a text, in order. Linear in its length. */
export function extractAtoms(text: string): Atom[] {
  return readAtoms(readTokens(text)).atoms;
}

export function readAtoms(tokens: Token[]): AtomReading {
  const atoms: Atom[] = [];
  const used = new Uint8Array(tokens.length);
  const named = namesInside(tokens);
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at]!;
    const { clause } = token;
    const found = readMeasured(tokens, at);
    if (found) {
      for (const value of found.values) atoms.push({ kind: found.kind, value, clause, sure: found.sure });
      if (found.sure) used.fill(1, at, found.next);
      at = found.next;
      continue;
    }
    if (token.kind === 'email' || token.kind === 'url') {
      atoms.push({ kind: token.kind, value: token.folded, clause, sure: true });
      used[at] = 1;
    } else if (isNegation(token)) {
      atoms.push({ kind: 'negation', value: 'not', clause, sure: true });
      // A run of Kana or Han, or an elision (n'aime), carries content beside its negation.
      if (token.kind === 'word' && !token.folded.startsWith("n'")) used[at] = 1;
    } else if (isName(token)) {
      const sure = !token.opens || named.has(token.folded);
      if (sure || !isOpeningWord(token)) {
        atoms.push({ kind: 'name', value: token.folded, clause, sure });
        used[at] = 1;
      }
    }
    at += 1;
  }
  return { atoms, used };
}

function readMeasured(
  tokens: Token[],
  at: number,
): { kind: AtomKind; values: string[]; next: number; sure: boolean } | null {
  const { kind } = tokens[at]!;
  if (kind !== 'digits' && kind !== 'word' && kind !== 'mark') return null;
  if (kind !== 'mark') {
    const time = readTime(tokens, at);
    if (time) return { kind: 'time', ...time, sure: true };
    const date = readDate(tokens, at);
    if (date) return { kind: 'date', ...date, sure: true };
  }
  const number = readNumber(tokens, at);
  return number ? { kind: 'number', values: number.values, next: number.next, sure: !number.soft } : null;
}

/** Words that stand with a capital inside a sentence: at a sentence start they are names too. */
function namesInside(tokens: Token[]): Set<string> {
  const names = new Set<string>();
  for (const token of tokens) {
    if (!token.opens && isName(token)) names.add(token.folded);
  }
  return names;
}

function isName(token: Token): boolean {
  if (token.kind !== 'word' || !CAPITAL.test(token.text)) return false;
  // A capital letter alone is an initial or a grade, but "I" is a pronoun and stands among the stop words, as "The" does.
  if (STOP_WORDS.has(token.folded)) return isAcronym(token.text);
  return !token.folded.includes("'") || !NEGATIONS.has(token.folded);
}

/** IT and US are names where "it" and "us" are not. */
function isAcronym(text: string): boolean {
  return text.length > 1 && text === text.toUpperCase() && text !== text.toLowerCase();
}

function isOpeningWord(token: Token): boolean {
  return OPENING_WORDS.has(token.folded) || OPENING_STEMS.has(stemOf(token.folded));
}

function isNegation(token: Token): boolean {
  if (token.kind === 'run') {
    const signs = HAS_KANA.test(token.text) ? JAPANESE_NEGATIONS : CHINESE_NEGATIONS;
    return signs.some((sign) => token.text.includes(sign));
  }
  if (token.kind !== 'word') return false;
  if (NEGATIONS.has(token.folded) || token.folded.endsWith("n't") || token.folded.startsWith("n'"))
    return true;
  return HAS_HANGUL.test(token.text) && KOREAN_NEGATIONS.some((sign) => token.text.includes(sign));
}
