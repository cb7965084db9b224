/** The words of a list, separated by white space. An underscore stands for the space inside a phrase. */
export function wordList(text: string): Set<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}

/** Lists of words by language. */
export const byLanguage = (
  lists: Readonly<Record<string, string>>,
): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(lists).map(([code, words]) => [code, wordList(words)]));
