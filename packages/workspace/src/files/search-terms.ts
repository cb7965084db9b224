const MAX_TERMS = 64;
/** In code points; a longer one could not stand in a snippet. */
const MAX_TERM = 200;
const MARKS = /[\u0300-\u036f]/g;
const WORDS = /[\p{L}\p{N}\p{M}_-]+/gu;
/** Scripts that are written without spaces: words there are found by pairs of characters. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;
const BEYOND_ASCII = /\P{ASCII}/u;

function foldOne(character: string): string {
  return character.toLowerCase().normalize('NFKD').replace(MARKS, '');
}

/** A text as it is compared: lower case, without accents. Character by character, so that positions can be traced back. */
export function folded(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  let result = '';
  for (const character of text) result += foldOne(character);
  return result;
}

/** Where in `text` (UTF-16 offset) a folded term stands first; -1 when it does not. */
export function findTerm(text: string, term: string): number {
  const at = folded(text).indexOf(term);
  if (at <= 0) return at;
  let foldedLength = 0;
  let offset = 0;
  for (const character of text) {
    const length = foldOne(character).length;
    if (foldedLength + length > at) return offset;
    foldedLength += length;
    offset += character.length;
  }
  return -1;
}

function pairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => characters[i] + character);
}

/** The distinct terms of a query, folded: words of two characters or more, and pairs of characters in scripts without spaces. */
export function queryTerms(query: string): string[] {
  const terms = new Set<string>();
  for (const [match] of query.matchAll(WORDS)) {
    const word = match.replace(/^[-_]+|[-_]+$/g, '');
    const unspaced = word.match(UNSPACED) ?? [];
    for (const run of unspaced) for (const pair of pairs(run)) terms.add(folded(pair));
    for (const part of word.split(UNSPACED)) {
      const length = Array.from(part).length;
      if (length >= 2 && length <= MAX_TERM) terms.add(folded(part));
    }
    if (terms.size >= MAX_TERMS) break;
  }
  terms.delete('');
  return [...terms].slice(0, MAX_TERMS);
}
