import { COMMON_VERBS } from '../reading/common-words.ts';
import { lemmaOf } from './lemma.ts';
import { UNCHANGING, VERB_FORMS } from './lexicon/irregular.ts';
import { tenseOf } from './tenses.ts';
import type { WordSlot } from './word-slots.ts';

/** Words after which an "s" is a verb and no possessive. */
export const BEFORE_IS = new Set(['he', 'she', 'it', 'that', 'who', 'there', 'what', 'this']);
export const VERB_LEMMAS = new Set([...COMMON_VERBS].map(lemmaOf));
/** Glue that makes a clause of what it stands in. */
export const FINITE = new Set([
  'is',
  'are',
  'am',
  'was',
  'were',
  'has',
  'have',
  'had',
  'does',
  'do',
  'did',
  'can',
  'will',
  'takes',
  'goes',
  'went',
  'took',
  'gets',
  'got',
  'uses',
  'used',
  'makes',
  'made',
  's',
  'm',
  're',
  've',
]);

/** Whether a word that opens a clause is a verb with a subject before it: "..., beat them", "..., is allergic". */
export function opensWithVerb(texts: readonly string[], index: number): boolean {
  const text = texts[index]!;
  if (FINITE.has(text) || VERB_FORMS.get(text)?.tense === 'past' || UNCHANGING.has(text)) return true;
  return tenseOf(texts, index) !== null || (VERB_LEMMAS.has(lemmaOf(text)) && /[^s]s$/.test(text));
}

/** Whether a sentence begins with its verb: "Lives in Dublin". */
export function isElided(texts: readonly string[], index: number): boolean {
  const [word, next] = [texts[index]!, texts[index + 1] ?? ''];
  if (FINITE.has(word))
    return word.length > 2 && !['are', 'was', 'were', 'can', 'will', 'did'].includes(word);
  if (!VERB_LEMMAS.has(lemmaOf(word)) && !VERB_FORMS.has(word)) return false;
  return !FINITE.has(next) && !['for', 'of', 'in', 'is', 'at'].includes(next);
}

/** Whether a sentence begins with a heading: "Swimming course:", "Book club in May:". */
export function isHeader(slots: readonly WordSlot[], index: number): boolean {
  for (let at = index; at < slots.length && at < index + 6; at += 1) {
    if (at > index && slots[at]!.border) return false;
    if (slots[at]!.colon) return true;
  }
  return false;
}
