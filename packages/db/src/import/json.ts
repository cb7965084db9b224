/** How deep lists and objects of a line may stand in each other: metadata may be 32 deep, and stands in rows within rows at most. */
export const LINE_DEPTH = 64;

export type ReadJson = { value: unknown } | { code: 'invalid_json' | 'too_deep'; message: string };

/**
 * Reads a line of JSON. What nests too deep is refused before it is parsed: the parser takes seconds and gigabytes for it. The parser's own
 * message is not told, since it quotes the line.
 */
export function readJson(text: string): ReadJson {
  if (nestsDeeper(text, LINE_DEPTH))
    return { code: 'too_deep', message: `the line is nested more than ${LINE_DEPTH} levels deep` };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { code: 'invalid_json', message: 'the line is not valid JSON' };
  }
}

/** Whether brackets outside of strings ever stand deeper than a limit. Ends there, and takes time in the length otherwise. */
function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > limit) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
    }
  }
  return false;
}

/** Where the string that opens at a place closes, or the end of the text. */
function endOfString(text: string, open: number): number {
  for (let end = text.indexOf('"', open + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === 0x5c) before--;
    // An even number of backslashes escape each other.
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
