import { extractAtoms, splitSentences } from '@slowwave/fusion';

/** Longer sentences are no summary of anything. */
const MAX_QUOTE_CHARS = 280;

/** The facts of a text that must not change by being quoted. Names do not: a word is a word wherever it stands. */
function factsOf(text: string): string[] {
  return extractAtoms(text).flatMap(({ kind, value }) =>
    kind === 'name' || kind === 'negation' ? [] : [`${kind} ${value}`],
  );
}

/**
 * The sentences of a text that may be said on their own, behind a few words of introduction, in order: as they stand, but for white
 * space and with a full stop where they have no end of their own. Left out are those that would then say something else: "on the 3."
 * of "on the 3. Mai" names a number that the text does not.
 */
export function quotesOf(text: string): string[] {
  const facts = new Set(factsOf(text));
  return splitSentences(text)
    .map((sentence) => closed(sentence.replace(/\s+/gu, ' ').trim()))
    .filter((sentence) => sentence.length <= MAX_QUOTE_CHARS && /\p{L}/u.test(sentence))
    .filter((sentence) => factsOf(`The user said: ${sentence}`).every((fact) => facts.has(fact)));
}

function closed(sentence: string): string {
  if (/[.!?。！？।؟…][)\]"'”’»」』）]*$/u.test(sentence)) return sentence;
  return `${sentence.replace(/[\s,;:–—-]+$/u, '')}.`;
}
