import { FLOAT_OPERATORS, PREFIX_OPERATORS } from './lexicon/classes.ts';
import { wordList } from './lexicon/word-list.ts';

/** What the words of an English text come to, one entry per word or phrase; glue comes to nothing. */
export interface Meaning {
  /** Index of the first word, and how many words it takes. */
  at: number;
  length: number;
  /** Class name or lemma; '' for glue. */
  lemma: string;
  operator: boolean;
  soft: boolean;
  frame: boolean;
}

/** A word of a text: folded, '' where something else stands (an atom, a border). */
export interface Word {
  text: string;
  /** True where an atom of this kind stands instead. */
  atom: 'number' | 'date' | 'other' | null;
  opens: boolean;
  /** A comma, a bracket or a full stop stands before it. */
  border: boolean;
  /** A colon, or a full stop, follows. */
  colon?: boolean;
  dotted?: boolean;
}

export const BE = wordList('be am is are was were been being s re m');
export const HAVE = wordList('have has had having ve');

export function meaning(at: number, length: number, lemma: string, more: Partial<Meaning> = {}): Meaning {
  const operator = PREFIX_OPERATORS.has(lemma) || FLOAT_OPERATORS.has(lemma);
  return { at, length, lemma, operator, soft: false, frame: false, ...more };
}

export function glue(at: number, length = 1): Meaning {
  return meaning(at, length, '');
}
