import { COMMON_STEMS, COMMON_WORDS, NO_NAMES } from './common-words.ts';
import type { Language } from './languages/language.ts';
import { NEGATIONS, STOP_WORDS } from './lexicon.ts';
import { plainLatin } from './spoken.ts';
import type { Token } from './tokens.ts';
import { stemOf } from './words.ts';

/** A name: words that belong together, in order. */
export interface NameReading {
  value: string;
  next: number;
  sure: boolean;
}

const CAPITAL = /^[\p{Lu}\p{Lt}]/u;
const INNER_CAPITAL = /^\p{L}*\p{Ll}\p{Lu}/u;
/** Small words inside of names of people. */
const PARTICLES = new Set(
  'van von der den de da di del della la le bin ibn al el ter ten dos du zu'.split(' '),
);
/** Those that are plain prepositions or articles where the language is theirs. */
const PREPOSITIONS_THERE = new Set(['es', 'fr', 'it', 'pt']);
/** What may be "of" something and be a name with it. */
const OF_HEADS = new Set(
  `bank university college church house city isle gulf cape bay game lord department ministry museum institute school republic kingdom
  tower duke book call league heart age sons guns queen queens war academy state district port statue people rage legend tears gears
  diary strait sea order knights`.split(/\s+/),
);
const MAX_WORDS = 8;

/** Evidence for names that the whole text gives. */
export interface NameContext {
  language: Language | null;
  /** Words with a capital inside a sentence: at a sentence start they are names too. */
  inside: ReadonlySet<string>;
  /** Sentences in which capitals prove nothing: all in capitals, or Written Like a Title. */
  loud: ReadonlySet<number>;
}

export function readNameContext(tokens: readonly Token[], language: Language | null): NameContext {
  const counts = new Map<number, { words: number; upper: number; titled: number }>();
  for (const token of tokens) {
    if (token.kind !== 'word') continue;
    const count = counts.get(token.sentence) ?? { words: 0, upper: 0, titled: 0 };
    count.words += 1;
    if (token.text.length > 1 && isUpper(token.text)) count.upper += 1;
    else if (
      !token.opens &&
      token.text !== 'I' &&
      beginsWithCapital(token.text) &&
      !token.text.includes("'") &&
      isStop(token, language)
    )
      count.titled += 1;
    counts.set(token.sentence, count);
  }
  const loud = new Set<number>();
  for (const [sentence, { words, upper, titled }] of counts) {
    if ((words >= 3 && upper * 10 > words * 6) || (words >= 4 && titled >= 1 && titled * 6 >= words))
      loud.add(sentence);
  }
  const inside = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    if (!isOpening(tokens, index) && !loud.has(token.sentence) && isName(token, language))
      inside.add(token.folded);
  }
  return { language, inside, loud };
}

/**
 * A name from token `at` on. Sure inside a sentence, when written like no plain word (iPhone, NASA), or when it stands inside another sentence; a
 * guess at the start of a sentence, in a sentence all in capitals, and in a language that gives every noun a capital. A known plain word there is
 * no name.
 */
export function readName(tokens: readonly Token[], at: number, context: NameContext): NameReading | null {
  const token = tokens[at]!;
  if (!isName(token, context.language)) return null;
  const loud = context.loud.has(token.sentence);
  if (loud && isStop(token, context.language)) return null;
  const said = [plainLatin(token.folded)];
  let sure = isSure(tokens, at, context);
  const plain = !sure && isPlainWord(token);
  if (loud || (context.language?.capitalNouns === true && !sure)) {
    return plain ? null : { value: said[0]!, next: at + 1, sure };
  }
  // "Adores Paris" and "Weekly yoga": a word that looks inflected or is a plain one joins no name after it.
  const joins = sure || (!plain && !/(?:s|ed|ing|ly)$/.test(token.folded));
  let next = at + 1;
  while (joins && said.length < MAX_WORDS && !tokens[next - 1]!.text.toLowerCase().endsWith("'s")) {
    const more = nextPart(tokens, next, tokens[next - 1]!, context);
    if (more === null) break;
    said.push(...more.said);
    next = more.next;
    sure = true;
  }
  return plain && next === at + 1 ? null : { value: said.join(' '), next, sure };
}

function nextPart(
  tokens: readonly Token[],
  at: number,
  last: Token,
  { language }: NameContext,
): { said: string[]; next: number } | null {
  const token = tokens[at];
  if (token === undefined || token.sentence !== last.sentence) return null;
  const said: string[] = [];
  let index = at;
  if (token.kind === 'mark') {
    const joins = (token.text === '-' || token.text === '&') && token.glued && tokens[at + 1]?.glued;
    const initial = token.text === '.' && token.glued && last.text.length === 1;
    if (!joins && !initial) return null;
    index += 1;
  } else if (token.folded === 'of' && OF_HEADS.has(last.folded)) {
    said.push('of');
    index += 1;
    if (tokens[index]?.folded === 'the') {
      said.push('the');
      index += 1;
    }
  } else {
    const native = language !== null && PREPOSITIONS_THERE.has(language.code);
    while (!native && index < at + 2 && PARTICLES.has(tokens[index]?.text ?? '')) {
      said.push(tokens[index]!.folded);
      index += 1;
    }
  }
  const word = tokens[index];
  if (word === undefined || word.sentence !== last.sentence || !isName(word, language)) return null;
  if (!beginsWithCapital(word.text)) return null;
  said.push(plainLatin(word.folded));
  return { said, next: index + 1 };
}

function isSure(tokens: readonly Token[], at: number, { language, inside, loud }: NameContext): boolean {
  const token = tokens[at]!;
  if (INNER_CAPITAL.test(token.text)) return true;
  if (loud.has(token.sentence)) return inside.has(token.folded);
  if (token.text.length > 1 && isUpper(token.text)) return true;
  if (language?.capitalNouns) return false;
  return !isOpening(tokens, at) || inside.has(token.folded);
}

/** At the start of a sentence, after a colon or an opening quotation mark a capital proves nothing. */
function isOpening(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at]!;
  if (token.opens) return true;
  const before = tokens[at - 1];
  if (before?.kind !== 'mark') return false;
  return (
    before.text === ':' || (before.text === '"' && token.glued) || before.text === '•' || before.text === '|'
  );
}

function isName(token: Token, language: Language | null): boolean {
  if (token.kind !== 'word') return false;
  if (!beginsWithCapital(token.text))
    return /^[a-z]{1,3}[A-Z]/.test(token.text) && INNER_CAPITAL.test(token.text);
  if (NO_NAMES.has(token.folded)) return false;
  // A capital letter alone is an initial or a grade, but "I" is a pronoun and stands among the stop words, as "The" does.
  if (isStop(token, language)) return token.text.length > 1 && isUpper(token.text);
  return !token.folded.includes("'") || !NEGATIONS.has(token.folded);
}

function isStop(token: Token, language: Language | null): boolean {
  return (language?.stopWords ?? STOP_WORDS).has(token.folded);
}

/** A quick look spares most words the slow one. */
function beginsWithCapital(text: string): boolean {
  const code = text.charCodeAt(0);
  return code < 0x80 ? code >= 0x41 && code <= 0x5a : CAPITAL.test(text);
}

/** IT and US are names where "it" and "us" are not. */
function isUpper(text: string): boolean {
  return text === text.toUpperCase() && text !== text.toLowerCase();
}

function isPlainWord(token: Token): boolean {
  return COMMON_WORDS.has(token.folded) || COMMON_STEMS.has(stemOf(token.folded));
}
