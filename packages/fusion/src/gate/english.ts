import { lemmaOf, phraseAt, plainLatin } from './lemma.ts';
import { DENYING, NEGATORS } from './lexicon/classes.ts';
import { DROPPABLE, GLUE, REPORTING, SUMMARY_GLUE } from './lexicon/glue.ts';
import { wordList } from './lexicon/word-list.ts';
import { BE, HAVE, type Meaning, meaning, type Word } from './meaning.ts';
import { readSpecial } from './neighbour-meanings.ts';

const POINTERS = wordList('respectively latter vice');

/** Splits contractions: "doesn't" to "does not", "I'm" to "i m". Folds Latin marks. */
export function splitWord(folded: string): string[] {
  if (folded === "can't" || folded === 'cannot' || folded === 'cant') return ['can', 'not'];
  if (folded === "won't" || folded === 'wont') return ['will', 'not'];
  if (folded === "shan't") return ['will', 'not'];
  if (folded === "let's") return ['let'];
  if (folded.endsWith("n't")) return [folded.slice(0, -3), 'not'];
  const bare = /^(does|do|did|is|are|was|were|have|has|had|could|would|should)nt$/.exec(folded);
  if (bare) return [bare[1]!, 'not'];
  const mark = folded.indexOf("'");
  if (mark > 0) {
    const tail = folded.slice(mark + 1);
    if (tail === 'll') return [folded.slice(0, mark), 'will'];
    if (['s', 'm', 're', 've', 'd', ''].includes(tail))
      return [folded.slice(0, mark), ...(tail === '' ? [] : [tail])];
  }
  return [plainLatin(folded)];
}

/** Reads the words of an English text. Linear but for the phrases, which are short. */
export function readMeanings(words: readonly Word[]): Meaning[] {
  const texts = words.map(({ text }) => text);
  const meanings: Meaning[] = [];
  const dropped = new Set<number>();
  let at = 0;
  while (at < words.length) {
    const word = texts[at]!;
    if (word === '' || dropped.has(at)) {
      at += 1;
      continue;
    }
    const special = readSpecial(words, texts, at, dropped);
    if (special) {
      if (special.lemma !== '') meanings.push(special);
      at += special.length;
      continue;
    }
    const phrase = phraseAt(texts, at);
    if (phrase?.name === 'filler') {
      at += phrase.length;
      continue;
    }
    if (phrase && !(phrase.length === 2 && phrase.name === 'need' && words[at + 2]?.text === '')) {
      meanings.push(meaning(at, phrase.length, phrase.name));
      at += phrase.length;
      continue;
    }
    const found = readWord(texts, at);
    if (found) meanings.push(found);
    at += 1;
  }
  return meanings;
}

/** Whether a word is a verb of saying. */
export function isReporting(word: string): boolean {
  return REPORTING.has(word) || /^(?:sa(?:id|ys?)|t(?:old|ells?)|mention(?:s|ed)?|put)$/.test(word);
}

function readWord(texts: readonly string[], at: number): Meaning | null {
  const word = texts[at]!;
  if (NEGATORS.has(word))
    return meaning(at, 1, word === 'neither' || word === 'nor' || word === 'without' ? 'not' : 'not');
  if (BE.has(word) || HAVE.has(word) || GLUE.has(word)) return null;
  const found = lemmaOf(word);
  // "noting" is no form of "not".
  const lemma = DENYING.has(found) ? word : found;
  if (DROPPABLE.has(word)) return meaning(at, 1, lemma, { soft: true, operator: false });
  return meaning(at, 1, lemma, SUMMARY_GLUE.has(word) ? { frame: true } : {});
}

export function isPointer(word: string): boolean {
  return POINTERS.has(word);
}
