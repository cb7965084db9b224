import type { Language } from './languages/language.ts';
import { CHINESE_NEGATIONS, JAPANESE_NEGATIONS, KOREAN_NEGATIONS, NEGATIONS } from './lexicon.ts';
import type { Token } from './tokens.ts';

const HAS_KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const HAS_HANGUL = /\p{sc=Hangul}/u;
/** Foreign negations that are plain words in English. */
const ENGLISH_WORDS = new Set(['sin', 'die', 'nic', 'pas', 'mai', 'nee', 'yok']);

/**
 * Whether a token negates. In a language with a table its own plain words do not ("no" is "in the" in Portuguese); everything else that negates in
 * any language does, since a text may mix them.
 */
export function isNegation(tokens: readonly Token[], at: number, language: Language | null): boolean {
  const token = tokens[at]!;
  if (token.kind === 'run') {
    const signs = HAS_KANA.test(token.text) ? JAPANESE_NEGATIONS : CHINESE_NEGATIONS;
    return signs.some((sign) => token.text.includes(sign));
  }
  if (token.kind !== 'word') return false;
  const { folded } = token;
  if (folded.endsWith("n't") || folded.startsWith("n'")) return true;
  if (language?.negators.has(folded)) return !isHarmless(tokens, at);
  if (NEGATIONS.has(folded)) {
    if (language?.stopWords.has(folded) || (language?.code === 'en' && ENGLISH_WORDS.has(folded)))
      return false;
    return !isHarmless(tokens, at);
  }
  return HAS_HANGUL.test(token.text) && KOREAN_NEGATIONS.some((sign) => token.text.includes(sign));
}

/** "not only" negates nothing, and "No. 5" is a number. */
function isHarmless(tokens: readonly Token[], at: number): boolean {
  const { folded } = tokens[at]!;
  const next = tokens[at + 1];
  if (folded === 'not') return next?.folded === 'only' || next?.folded === 'just';
  return folded === 'no' && next?.text === '.' && next.glued && tokens[at + 2]?.kind === 'digits';
}
