import type { SaidText } from './hard-facts.ts';
import { mayBeOne } from './occasions.ts';
import { sentencesOf, wordingOf } from './wording.ts';

/**
 * Whether a statement only repeats its sources: each of its sentences is a whole sentence of one of them, and each of theirs stands in
 * it, word for word but for spaces, the final stop and the capital of the first word; and what was said on several days may be told as
 * one. Such a statement needs no judge.
 */
export function isRepeat(sources: readonly SaidText[], statement: string): boolean {
  return hasSameSentences(sources, statement) && mayBeOne(sources);
}

function hasSameSentences(sources: readonly SaidText[], statement: string): boolean {
  const wordings = (text: string): string[] => sentencesOf(text).map(({ wording }) => wording);
  const own = new Set(wordings(statement));
  const theirs = sources.map(({ content }) => wordings(content));
  const known = new Set(theirs.flat());
  return (
    own.size > 0 &&
    theirs.every((sentences) => sentences.length > 0 && sentences.every((one) => own.has(one))) &&
    [...own].every((one) => known.has(one))
  );
}

/**
 * Whether two notes are the same word for word: but for spaces, the final stop and the capital of a sentence's first word nothing differs.
 * Whether they tell of one occasion their days decide.
 */
export function isSameWording(one: string, other: string): boolean {
  const first = wordingOf(one);
  return first !== '' && first === wordingOf(other);
}
