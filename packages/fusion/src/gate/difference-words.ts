import { readAtoms } from '../reading/atoms.ts';
import { languageOf } from '../reading/languages/all.ts';
import { detectLanguage } from '../reading/languages/detect.ts';
import { untabledLanguage } from '../reading/languages/untabled.ts';
import { readTokens } from '../reading/tokens.ts';
import { stemOf } from '../reading/words.ts';
import { inOneGo, type Slices } from '../slices.ts';
import { type FlagKind, flagKindOf } from './flag-words.ts';

/** The words that a judge has to account for, as written and each once. */
export interface DifferenceWords {
  /** For each source: words of it that the statement lacks, and flag words of the statement that it lacks. */
  sources: { missing: string[]; flags: string[] }[];
  /** Words of the statement that none of the sources has. */
  added: string[];
}

interface TextWord {
  /** As written. */
  text: string;
  stem: string;
  flag: FlagKind | null;
}

const CUT = /[\u3000-\u303f]/u;
const HIRAGANA = /^\p{sc=Hiragana}+$/u;

/**
 * What two wordings do not share, by code alone. Numbers, dates and times are left out: the floor compares them. A language without a
 * list of function words has none.
 */
export function differenceWords(sources: readonly string[], statement: string): DifferenceWords {
  return inOneGo(differenceWordsInSlices(sources, statement));
}

/** As differenceWords, a text in each slice. */
export function* differenceWordsInSlices(
  sources: readonly string[],
  statement: string,
): Slices<DifferenceWords> {
  const language = languageOfAll([...sources, statement]);
  const own = wordsOf(statement, language);
  const others: TextWord[][] = [];
  for (const source of sources) {
    yield;
    others.push(wordsOf(source, language));
  }
  yield;
  const ownStems = stemsOf(own);
  const ownFlags = own.filter(({ flag }) => flag !== null);
  const known = new Set(others.flatMap((words) => [...stemsOf(words)]));
  return {
    sources: others.map((words) => {
      const stems = stemsOf(words);
      return {
        missing: listed(words, ownStems),
        // Those that no source has are of the statement.
        flags: listed(
          ownFlags.filter(({ stem }) => known.has(stem)),
          stems,
        ),
      };
    }),
    added: listed(own, known),
  };
}

/** Flags of all texts, for choosing who needs a second vote. */
export function flagKindsOf(texts: readonly string[]): Set<FlagKind> {
  return inOneGo(flagKindsInSlices(texts));
}

/** As flagKindsOf, a text in each slice. */
export function* flagKindsInSlices(texts: readonly string[]): Slices<Set<FlagKind>> {
  const language = languageOfAll(texts);
  const kinds = new Set<FlagKind>();
  for (const text of texts) {
    yield;
    for (const { flag } of wordsOf(text, language)) if (flag) kinds.add(flag);
  }
  return kinds;
}

/** ISO 639-1 of texts that are compared. */
export function languageOfAll(texts: readonly string[]): string {
  const all = texts.join('\n');
  return untabledLanguage(all) ?? detectLanguage(all);
}

const stemsOf = (words: readonly TextWord[]): Set<string> => new Set(words.map(({ stem }) => stem));

/** The words whose stem others lack, each stem once. */
function listed(words: readonly TextWord[], others: ReadonlySet<string>): string[] {
  const found = new Map<string, string>();
  for (const { stem, text } of words) if (!others.has(stem) && !found.has(stem)) found.set(stem, text);
  return [...found.values()];
}

/** The words that carry content or change it, in order. */
function wordsOf(text: string, code: string): TextWord[] {
  const tokens = readTokens(text);
  const { atoms } = readAtoms(tokens, code);
  const inAtoms = new Uint8Array(tokens.length);
  for (const { kind, from, to, sure } of atoms)
    if (sure && kind !== 'name' && kind !== 'negation' && kind !== 'quote') inAtoms.fill(1, from, to);
  const functionWords = languageOf(code)?.stopWords;
  const words: TextWord[] = [];
  for (const [at, token] of tokens.entries()) {
    if (inAtoms[at]) continue;
    if (token.kind === 'run') {
      for (const pair of pairsIn(token.text)) words.push({ text: pair, stem: pair, flag: null });
      continue;
    }
    if (token.kind !== 'word') continue;
    const flag = flagKindOf(token.folded, code);
    if (flag === null && functionWords?.has(token.folded)) continue;
    words.push({ text: token.text, stem: stemOf(plainNegation(token.folded)), flag });
  }
  return words;
}

/** "doesn't" and "not" deny alike. */
const plainNegation = (folded: string): string => (folded.endsWith("n't") ? 'not' : folded);

/** Neighbouring signs of a run; endings in Hiragana alone are left out unless they are all there is. */
function pairsIn(run: string): string[] {
  const signs = [...run].filter((sign) => !CUT.test(sign));
  if (signs.length < 2) return signs;
  const pairs = signs.slice(1).map((sign, at) => signs[at]! + sign);
  const telling = pairs.filter((pair) => !HIRAGANA.test(pair));
  return telling.length > 0 ? telling : pairs;
}
