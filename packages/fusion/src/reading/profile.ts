import { type Atom, readAtoms } from './atoms.ts';
import type { Language } from './languages/language.ts';
import { isNegation } from './negations.ts';
import { plainLatin, spokenText } from './spoken.ts';
import { readTokens } from './tokens.ts';
import { isContentWord, pairsOf, stemOf } from './words.ts';

/** What can be compared of one text: its atoms, its words, its negated clauses. Read once, compared often. */
export interface Profile {
  atoms: Atom[];
  /** Values of all atoms but names, quotations and negations. */
  values: Set<string>;
  /** Of the text; null for one without a table. */
  language: Language | null;
  /** The text word by word, for `hasPhrase`. */
  spoken: string;
  /** Every spaced word, folded, and without its accents. */
  words: Set<string>;
  /** Stems of every spaced word. */
  stems: Set<string>;
  /** Stems of the words that carry content and belong to no atom. */
  content: Set<string>;
  /** For each clause with a negation: the stems and pairs that it speaks of. */
  negated: Set<string>[];
}

export function readProfile(text: string): Profile {
  const tokens = readTokens(text);
  const { atoms, used, language } = readAtoms(tokens);
  const profile: Profile = {
    atoms,
    language,
    spoken: spokenText(tokens),
    values: new Set(),
    words: new Set(),
    stems: new Set(),
    content: new Set(),
    negated: [],
  };
  const negatedClauses = new Map<number, Set<string>>();
  for (const atom of atoms) {
    if (atom.kind === 'negation') negatedClauses.set(atom.clause, new Set());
    else if (atom.kind !== 'name' && atom.kind !== 'quote') profile.values.add(atom.value);
  }
  for (const [index, token] of tokens.entries()) {
    const clause = negatedClauses.get(token.clause);
    if (token.kind === 'run') {
      if (clause) for (const pair of pairsOf(token.text)) clause.add(pair);
    } else if (token.kind === 'word') {
      const stem = stemOf(token.folded);
      profile.words.add(token.folded);
      profile.words.add(plainLatin(token.folded));
      profile.stems.add(stem);
      if (!isContentWord(token, language)) continue;
      if (!used[index]) profile.content.add(stem);
      if (clause && !isNegation(tokens, index, language)) clause.add(stem);
    }
  }
  profile.negated = [...negatedClauses.values()];
  return profile;
}
