import { readTokens, type Token } from '../reading/tokens.ts';
import { isContentWord, pairsOf, stemOf } from '../reading/words.ts';

/**
 * The words by which an answer is looked for in a text, each once: stems without function words, numbers and dates as they stand, pairs
 * of signs where words have no spaces. It knows nothing of the words that recall looks for, so that neither can flatter the other.
 */
export function contentWords(text: string): Set<string> {
  return new Set(readTokens(text).flatMap(wordsOf));
}

function wordsOf(token: Token): string[] {
  switch (token.kind) {
    case 'word':
      return isContentWord(token) ? [stemOf(token.folded)] : [];
    case 'run':
      return [...token.text].length === 1 ? [token.text] : pairsOf(token.text);
    case 'mark':
      return [];
    default:
      return [token.folded];
  }
}

/** Share of some words that others hold, 0 to 1; 1 where there are none. */
export function shareHeld(words: ReadonlySet<string>, by: ReadonlySet<string>): number {
  if (words.size === 0) return 1;
  let held = 0;
  for (const word of words) if (by.has(word)) held += 1;
  return held / words.size;
}
