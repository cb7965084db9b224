import { type AtomKind, extractAtoms } from '@slowwave/fusion';
import { COMMON_WORDS, STOP_WORDS } from './common-words.ts';
import { stem } from './stem.ts';
import { fold } from './tokens.ts';

/** A word that says what a text is about. */
export interface ContentWord {
  /** Equal for the forms of one word. */
  key: string;
  /** As written; in lower case where the capital only opens a sentence. */
  text: string;
}

/** Politeness and talk about the talk itself: frequent in conversations, never what they are about. */
const TALK_WORDS = new Set(
  `hi hello hey thanks thank okay yes yeah sure great good nice perfect maybe idea ideas sounds sorry help helps helped helpful
  question questions answer answers wonder wondering guess hope feel feels let lets look looks something anything everything someone
  kind sort bit really mean means show shows today's i'm i've i'd i'll that's it's don't can't let's what's there's you're
  assistant said mention mentions mentioned spoke speaks talked came back`.split(/\s+/),
);
/** Kinds of atoms that are no subject on their own, and that a sentence made of words could put together anew. */
const HARD: ReadonlySet<AtomKind> = new Set(['number', 'date', 'time', 'negation', 'email', 'url']);

const LINKS = /\S*(?:@|:\/\/|www\.)\S*/giu;
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
/** Words between spaces; in scripts without spaces, what stands in Han or Katakana between other signs, or a short run. */
const WORDS = new RegExp(
  `[\\p{Script=Han}々]{2,8}|[\\p{Script=Katakana}ー]{2,16}|(?=\\p{L})[\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]{2,16}` +
    `|(?:(?![${UNSPACED}])[\\p{L}\\p{M}])+(?:['’](?:(?![${UNSPACED}])[\\p{L}\\p{M}])+)*`,
  'gu',
);
const LATIN = /^[\p{Script=Latin}'’]+$/u;

function saysNothing(folded: string): boolean {
  const plain = folded.replace(/'s$/, '');
  return [folded, plain].some((word) => STOP_WORDS.has(word) || TALK_WORDS.has(word));
}

/** Whether the capital at `at` stands at the head of a sentence or a quotation. */
function opensSentence(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 4), at).trimEnd();
  return before === '' || /[.!?:\n"“„«([*•–-]$/u.test(before) || text.slice(0, at).trim() === '';
}

interface Options {
  /** Also words that many subjects share, such as "plan" or "week"; default false. */
  common?: boolean;
}

/**
 * The words of a text that carry content, in order, with repetitions: no numbers, dates, negations and links, which mean something
 * only where they stand.
 */
export function contentWords(given: string, { common = false }: Options = {}): ContentWord[] {
  const text = given
    .normalize('NFKC')
    .replace(/[\u00AD\u200B\u2060\uFEFF]/gu, '')
    .replace(LINKS, ' ');
  const words: ContentWord[] = [];
  for (const match of text.matchAll(WORDS)) {
    const word = match[0].replace(/['’]s$/iu, '');
    const folded = fold(word);
    if (folded.length < (LATIN.test(word) ? 3 : 2) || !/\p{L}/u.test(word) || saysNothing(folded)) continue;
    if (!common && COMMON_WORDS.has(folded)) continue;
    const key = stem(folded);
    const lower = opensSentence(text, match.index) ? word.toLowerCase() : word;
    words.push({ key, text: isAcronym(word) ? word : lower });
  }
  return words;
}

function isAcronym(word: string): boolean {
  return word === word.toUpperCase();
}

/** Whether a word means the same wherever it stands. */
export function isPlain({ text }: ContentWord): boolean {
  return extractAtoms(text).every(({ kind }) => !HARD.has(kind));
}

/** "a, b and c" */
export function listed(words: string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}
