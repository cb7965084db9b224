/** What a token is taken for where a budget is given in tokens, in characters (code points). */
export const CHARS_PER_TOKEN = 4;

/** A character of two UTF-16 units, which few texts have. */
const PAIR = /[\ud800-\udbff][\udc00-\udfff]/;

/** Characters of a text, as budgets count them: code points. */
export function charsIn(text: string): number {
  if (!PAIR.test(text)) return text.length;
  let chars = 0;
  for (const _ of text) chars += 1;
  return chars;
}

/**
 * Fills a budget from the best on: a text that no longer fits is passed over for shorter ones behind it.
 * @param maxChars code points of all texts together
 */
export function withinBudget<T extends { content: string }>(ranked: readonly T[], maxChars: number): T[] {
  let left = maxChars;
  return ranked.filter(({ content }) => {
    // No text has more code points than UTF-16 units, nor fewer than half of them.
    if (content.length > 2 * left) return false;
    const chars = charsIn(content);
    if (chars > left) return false;
    left -= chars;
    return true;
  });
}
