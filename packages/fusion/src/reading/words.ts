import type { Language } from './languages/language.ts';
import { STOP_WORDS } from './lexicon.ts';
import type { Token } from './tokens.ts';

const HIRAGANA = /^\p{sc=Hiragana}$/u;

/**
 * A word without its plainest endings (plural, -ing, -ed, -ly), for comparison only. Other scripts than plain Latin come back as they
 * are: a missed equality makes a source count as not covered, which is the safe side.
 */
export function stemOf(folded: string): string {
  if (folded.length <= 3 || !/^[a-z]+$/.test(folded)) return folded;
  let stem = folded;
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (/[^sui]s$/.test(stem)) stem = stem.slice(0, -1);
  if (stem.endsWith('ing') && stem.length >= 6) stem = undouble(stem.slice(0, -3));
  else if (stem.endsWith('ied') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (stem.endsWith('ed') && stem.length >= 5) stem = undouble(stem.slice(0, -2));
  else if (stem.endsWith('ly') && stem.length >= 6) stem = stem.slice(0, -2);
  return stem.length > 3 && stem.endsWith('e') ? stem.slice(0, -1) : stem;
}

function undouble(stem: string): string {
  return /([bdfgmnprt])\1$/.test(stem) ? stem.slice(0, -1) : stem;
}

/**
 * Whether a spaced word carries content.
 *
 * @param language whose stop words count; null for one without a table, where those of all languages do.
 */
export function isContentWord(token: Token, language: Language | null = null): boolean {
  return token.kind === 'word' && !(language?.stopWords ?? STOP_WORDS).has(token.folded);
}

/** Neighbouring characters of text in a script without spaces; pairs of Hiragana are endings and left out. */
export function pairsOf(run: string): string[] {
  const characters = [...run];
  const pairs: string[] = [];
  for (const [index, next] of characters.entries()) {
    const here = characters[index - 1];
    if (here !== undefined && !(HIRAGANA.test(here) && HIRAGANA.test(next))) pairs.push(here + next);
  }
  return pairs;
}
