/**
 * Words of a text in any script, for hashing and comparing: without case, diacritics and punctuation. Only rules that are the
 * same on every platform are used; segmenters with dictionaries differ between versions.
 */
export interface Token {
  text: string;
  kind: 'word' | 'ideograph' | 'symbol' | 'number';
}

/** Scripts that put no spaces between words: read character by character. */
const IDEOGRAPH =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const TOKEN =
  /(?<ideograph>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])|(?<number>\p{N}+(?:[.,:/-]\p{N}+)*)|(?<word>[\p{L}\p{M}\u200c']+)|(?<symbol>\p{Extended_Pictographic})/gu;

/**
 * Case and diacritics folded. Marks are dropped after decomposition where they are diacritics of Latin, Greek, Cyrillic, Arabic
 * or Hebrew; other scripts need theirs (a vowel sign of Devanagari is no accent), so they are composed again.
 */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/ß/g, 'ss')
    .replace(/ё/g, 'е')
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/ى/g, 'ي')
    .replace(/ة/g, 'ه')
    .replace(/\u0640/g, '');
}

function kindOf(groups: Record<string, string | undefined>): Token['kind'] {
  if (groups.ideograph !== undefined) return 'ideograph';
  if (groups.number !== undefined) return 'number';
  return groups.word === undefined ? 'symbol' : 'word';
}

/** The tokens of a text, folded, in order. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of fold(text).matchAll(TOKEN)) {
    const kind = kindOf(match.groups ?? {});
    const word = kind === 'word' ? match[0].replace(/^'+|'+$/g, '') : match[0];
    if (word !== '') tokens.push({ text: word, kind });
  }
  return tokens;
}

/** True when most letters of the text are of a script that puts no spaces between words. */
export function isUnspaced(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.filter((letter) => IDEOGRAPH.test(letter)).length * 2 > letters.length;
}
