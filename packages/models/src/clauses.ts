import { fold } from './tokens.ts';

/** One statement of one source, in its own words: a sentence, or several that must stay together. */
export interface Clause {
  /** Number of the source. */
  n: number;
  /** The source's words, white space made single; without the full stop that ended it. */
  text: string;
  /** The full stop that was taken off, or ''. */
  stop: string;
  /** True when it must be kept as one piece: several sentences, a question, an exclamation. */
  whole: boolean;
}

const FULL_STOP = /[.。．।]$/u;
const STRONG_END = /[!?！？…؟][)\]"'»”’]*$/u;
/** A sentence that ends so may be cut in the middle of a name or a number. */
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|\p{L}\.\p{L}|dr|mr|mrs|ms|prof|st|vs|etc|inc|ltd|co|no|nr|sr|jr|ca|approx|usw|bzw|z\.b|e\.g|i\.e)\.$/iu;

/** A source of more pieces than this is a document, kept whole: comparing every pair of its sentences would take too long. */
const MAX_CLAUSES = 40;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const sentence = segment.trim();
    const last = sentences.at(-1);
    if (sentence === '') continue;
    if (last !== undefined && ABBREVIATION.test(last)) {
      sentences[sentences.length - 1] = `${last} ${sentence}`;
    } else {
      sentences.push(sentence);
    }
  }
  return sentences;
}

function clauseOf(n: number, text: string, sentences: number): Clause {
  const stop = FULL_STOP.exec(text)?.[0] ?? '';
  return {
    n,
    text: stop === '' ? text : text.slice(0, -stop.length).trimEnd(),
    stop,
    whole: sentences > 1 || STRONG_END.test(text),
  };
}

/** True for a text that opens by pointing back to something, and would point elsewhere in another place. */
export function leans(text: string): boolean {
  return /^(?:she|he|it|they|this|that|these|those|there|her|his|its|their)\b/i.test(text);
}

/**
 * Splits a source into clauses. A later sentence stands alone only when it opens as the first one does: any other may lean on
 * what goes before it ("She", "There", "But"), in whatever language, and would mean something else elsewhere.
 */
export function clausesOf(n: number, text: string): Clause[] {
  const sentences = sentencesOf(text.replace(/\s+/gu, ' ').trim());
  const opening = leans(sentences[0] ?? '') ? '' : openingOf(sentences[0] ?? '');
  const pieces: string[][] = [];
  for (const sentence of sentences) {
    const last = pieces.at(-1);
    if (last === undefined || (opening !== '' && openingOf(sentence) === opening)) pieces.push([sentence]);
    else last.push(sentence);
  }
  if (pieces.length > MAX_CLAUSES) return [clauseOf(n, sentences.join(' '), sentences.length)];
  return pieces.map((piece) => clauseOf(n, piece.join(' '), piece.length));
}

/** The first word, folded, which has to be followed by another; '' in scripts without spaces. */
function openingOf(sentence: string): string {
  const end = sentence.indexOf(' ');
  return end === -1 ? '' : fold(sentence.slice(0, end));
}
