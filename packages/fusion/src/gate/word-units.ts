import type { Place } from './borders.ts';
import { lemmaOf } from './lemma.ts';
import type { Meaning } from './meaning.ts';
import { VERB_LEMMAS } from './openings.ts';
import { followsSubject, isKin, isSpecific, isSubject } from './subjects.ts';
import { isBehindPreposition, tenseOf } from './tenses.ts';
import type { Unit } from './unit.ts';
import type { WordSlot } from './word-slots.ts';

/** Titles and parts of addresses, written out or not. */
const TITLES = new Map(
  ['dr doctor', 'prof professor', 'st street', 'ave avenue', 'rd road', 'mt mount', 'mon monday'].flatMap(
    (line) => {
      const words = line.split(' ');
      return words.map((word): [string, string] => [word, `title:${words[0]}`]);
    },
  ),
);
/** Names of things that have a short form. */
const ABBREVIATED = new Set(
  'db database k8s kubernetes postgres postgresql js javascript ts typescript tv app docs auth dev info'.split(
    ' ',
  ),
);

/** The user as the subject of a statement: it need not be told, but it stands with what is told of it. */
export function userUnit(place: Place, word: number): Unit {
  return {
    kind: 'word',
    keys: ['user'],
    form: 'user',
    soft: true,
    frame: true,
    ...place,
    word,
    before: '',
    tense: null,
    verbal: false,
    person: null,
  };
}

export function wordUnit(
  slot: WordSlot,
  meaning: Meaning,
  texts: readonly string[],
  index: number,
  slots: readonly WordSlot[],
): Unit {
  const form = texts.slice(index, index + meaning.length).join(' ');
  const key = meaning.operator ? `op:${meaning.lemma}` : meaning.lemma;
  const keys = [key];
  if (!meaning.operator && meaning.length === 1) keys.push(`=${slot.text}`);
  if (!meaning.operator && ['lessthan', 'morethan', 'plan'].includes(meaning.lemma))
    keys.push(`op:${meaning.lemma}`);
  return {
    kind: meaning.operator ? 'operator' : 'word',
    keys,
    form,
    soft: meaning.soft,
    frame: meaning.frame,
    ...slot.place,
    word: slot.token,
    before: glueBefore(texts, index, slots),
    tense: tenseOf(texts, index),
    verbal:
      !meaning.operator &&
      !isBehindPreposition(texts, index) &&
      (VERB_LEMMAS.has(meaning.lemma) || tenseOf(texts, index) !== null || followsSubject(slots, index)),
    person:
      !meaning.operator && isKin(meaning, texts[index]!) && isSpecific(slots, index) ? meaning.lemma : null,
  };
}

export function nameUnit(
  slot: WordSlot,
  texts: readonly string[],
  index: number,
  slots: readonly WordSlot[],
): Unit {
  const keys = [`=${slot.text}`];
  // A capital at the start of a sentence may be on any word.
  if (!slot.sure || ABBREVIATED.has(slot.text)) keys.push(lemmaOf(slot.text));
  const title = TITLES.get(slot.text);
  if (title !== undefined) keys.push(title);
  return {
    kind: 'name',
    keys,
    form: slot.text,
    soft: false,
    frame: false,
    ...slot.place,
    word: slot.token,
    before: glueBefore(texts, index, slots),
    tense: null,
    verbal: false,
    person: slot.sure && isSubject(slots, index) ? `=${slot.text}` : null,
  };
}

function glueBefore(texts: readonly string[], index: number, slots: readonly WordSlot[]): string {
  let at = index - 1;
  while (at >= 0 && ['the', 'a', 'an', 'my', 'his', 'her', 'their', 's', 'user', 'of'].includes(texts[at]!))
    at -= 1;
  if (at >= 0 && slots[at]!.atom === 'number' && slots[at]!.written.toLowerCase() === 'one') return 'one';
  return texts[at] ?? '';
}
