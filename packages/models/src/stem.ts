/**
 * Light stemming of English: plural, past and progressive endings, possessives. It only has to bring the forms of one word
 * together for comparing, so what it makes need not be a word.
 */
const VOWEL = /[aeiouy]/;

function undouble(stem: string): string {
  const last = stem.at(-1) ?? '';
  return stem.length > 3 && last === stem.at(-2) && !'lsz'.includes(last) ? stem.slice(0, -1) : stem;
}

function strip(word: string, ending: string, minStem: number): string | null {
  if (!word.endsWith(ending)) return null;
  const stem = word.slice(0, -ending.length);
  return stem.length >= minStem && VOWEL.test(stem) ? stem : null;
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  if (/[^suiy]s$/.test(word) && word.length > 3) return word.slice(0, -1);
  return word;
}

/** @param word folded, as tokens.ts gives it. Words outside plain Latin letters come back unchanged. */
export function stem(word: string): string {
  const plain = word.replace(/'s$/, '');
  if (!/^[a-z]{3,}$/.test(plain)) return plain;
  let result = singular(plain);
  result = strip(result, 'ingly', 3) ?? strip(result, 'edly', 3) ?? result;
  const verb = strip(result, 'ing', 3) ?? strip(result, 'ed', 3);
  if (verb !== null) result = undouble(verb);
  else if (result.endsWith('ied') && result.length > 4) result = `${result.slice(0, -3)}y`;
  for (const ending of ['ment', 'ness', 'ly', 'er', 'al']) {
    const shorter = strip(result, ending, 4);
    if (shorter !== null) {
      result = undouble(shorter);
      break;
    }
  }
  // "live", "living", "lived" meet without the e; so do "story" and "stories" with an i.
  if (result.length > 3 && result.endsWith('e')) result = result.slice(0, -1);
  if (result.length > 3 && result.endsWith('y')) result = `${result.slice(0, -1)}i`;
  return result;
}
