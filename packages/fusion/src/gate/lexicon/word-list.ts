/** The words of a list, separated by white space. An underscore stands for the space inside a phrase. */
export function wordList(text: string): Set<string> {
  return new Set(text.split(/\s+/).filter((word) => word !== ''));
}
