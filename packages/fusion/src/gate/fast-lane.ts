const SENTENCE_END = /(?<=[.!?。！？])\s+|\n+/u;
const FINAL = /[.!?。！？\s]+$/u;

/**
 * Whether a statement only repeats its sources: each of its sentences is a whole sentence of one of them, and each of theirs stands in
 * it, word for word but for case, spaces and the final stop. Such a statement needs no judge.
 */
export function isRepeat(sources: readonly string[], statement: string): boolean {
  const own = sentencesOf(statement);
  const theirs = sources.map(sentencesOf);
  const known = new Set(theirs.flatMap((sentences) => [...sentences]));
  return (
    own.size > 0 &&
    theirs.every((sentences) => sentences.size > 0 && [...sentences].every((one) => own.has(one))) &&
    [...own].every((one) => known.has(one))
  );
}

/**
 * Whether two notes have the same words in the same order, whatever their case, spaces and marks; "the" says nothing, and "an" is "a".
 * Such notes merge without a model.
 */
export function isSameWording(one: string, other: string): boolean {
  const first = wordingOf(one);
  return first !== '' && first === wordingOf(other);
}

const plain = (text: string): string => text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ').trim();

function sentencesOf(text: string): Set<string> {
  const sentences = plain(text).split(SENTENCE_END);
  return new Set(
    sentences.map((sentence) => sentence.replace(FINAL, '')).filter((sentence) => sentence !== ''),
  );
}

/** Marks that bound and quote. A question is no statement, and a point inside a number or a minus says something. */
const MARKS = /[,;:"“”«»()。、]|[.!]+(?=\s|$)|(?<=\s)[-–—](?=\s)/gu;

/** The words of a note, to be compared; empty for one without any. */
export function wordingOf(text: string): string {
  return plain(text)
    .replace(MARKS, ' ')
    .replace(/(?<![\p{L}\p{N}'’-])the (?=\p{L})/gu, '')
    .replace(/(?<![\p{L}\p{N}'’-])an (?=\p{L})/gu, 'a ')
    .replace(/\s+/gu, ' ')
    .trim();
}
