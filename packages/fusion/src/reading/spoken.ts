import type { Token } from './tokens.ts';

const LATIN = /^[\p{sc=Latin}\p{M}]+$/u;
const PLAIN = /^[a-z]*$/;

/** A Latin word without its accents (Zoë is Zoe); other scripts, where marks are letters, as they are. */
export function plainLatin(word: string): string {
  if (PLAIN.test(word) || !LATIN.test(word)) return word;
  return word.normalize('NFD').replace(/\p{Mn}/gu, '');
}

/** What a text says word by word: folded, without accents and marks, each word between single spaces. */
export function spokenText(tokens: readonly Token[]): string {
  const said: string[] = [''];
  for (const token of tokens) {
    if (token.kind !== 'mark') said.push(plainLatin(token.folded));
  }
  said.push('');
  return said.join(' ');
}

/** Whether words stand side by side in a text. @param spoken of `spokenText`; @param phrase words joined by one space */
export function hasPhrase(spoken: string, phrase: string): boolean {
  return spoken.includes(` ${phrase} `);
}
