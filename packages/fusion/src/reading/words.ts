import type { Language } from './languages/language.ts';
import { STOP_WORDS } from './lexicon.ts';
import type { Token } from './tokens.ts';

/** Han characters that carry grammar rather than content. */
const HAN_STOP = new Set([...'的了是在和与與并並我他她它们們这這那也都就很个個']);
const HAN = /^\p{sc=Han}$/u;
const KATAKANA = /^[\p{sc=Katakana}ー]$/u;
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

/** Character n-grams of text in scripts without spaces. */
export interface Grams {
  /** Every one of these must be kept: Han characters, Katakana pairs, pairs of Thai and its like. */
  solid: Set<string>;
  /** Most of these must be kept: pairs of anything, which grammar may change at the seams. */
  loose: Set<string>;
  /** Pairs of Hiragana alone, endings mostly: looked at only in text that has nothing else. */
  kana: Set<string>;
}

export function gramsOf(runs: Iterable<string>): Grams {
  const grams: Grams = { solid: new Set(), loose: new Set(), kana: new Set() };
  for (const run of runs) {
    const characters = [...run];
    for (const [index, here] of characters.entries()) {
      const next = characters[index + 1];
      if (HAN.test(here) && !HAN_STOP.has(here)) grams.solid.add(here);
      if (next === undefined) continue;
      const soft = HIRAGANA.test(here);
      if (soft && HIRAGANA.test(next)) grams.kana.add(here + next);
      else grams.loose.add(here + next);
      if (!HAN.test(here) && !soft && KATAKANA.test(here) === KATAKANA.test(next))
        grams.solid.add(here + next);
    }
  }
  return grams;
}

const LOOSE_SHARE = 0.6;
const KANA_SHARE = 0.9;

/** Whether `kept` still says what `wanted` says, as far as characters can tell. */
export function gramsKept(wanted: Grams, kept: Grams): boolean {
  if (shareOf(wanted.solid, kept.solid) < 1) return false;
  if (wanted.solid.size === 0 && shareOf(wanted.kana, kept.kana) < KANA_SHARE) return false;
  return shareOf(wanted.loose, kept.loose) >= LOOSE_SHARE;
}

function shareOf(wanted: Set<string>, kept: Set<string>): number {
  let found = 0;
  for (const gram of wanted) {
    if (kept.has(gram)) found += 1;
  }
  return wanted.size === 0 ? 1 : found / wanted.size;
}
