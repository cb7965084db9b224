/** What a token is taken for where a budget is given in tokens, in characters (code points). */
export const CHARS_PER_TOKEN = 4;

const isIn = (unit: number, block: number): boolean => (unit & 0xfc00) === block;

/** Characters of a text, as budgets count them: code points. */
export function charsIn(text: string): number {
  let chars = text.length;
  for (let at = 1; at < text.length; at += 1) {
    // The second half of a character of two units.
    if (isIn(text.charCodeAt(at), 0xdc00) && isIn(text.charCodeAt(at - 1), 0xd800)) chars -= 1;
  }
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
