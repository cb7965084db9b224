import { readCopulas } from './copulas.ts';
import { isPointer, isReporting, readMeanings } from './english.ts';
import { USER_WORDS } from './lexicon/classes.ts';
import { GLUE } from './lexicon/glue.ts';
import type { Meaning, Word } from './meaning.ts';
import { BEFORE_IS, FINITE, isElided, isHeader, opensWithVerb } from './openings.ts';
import { joinResumed } from './resumed.ts';
import type { Statement } from './unit.ts';
import type { WordSlot } from './word-slots.ts';
import { nameUnit, userUnit, wordUnit } from './word-units.ts';

const PAST_WORDS = new Set(['was', 'were', 'had']);
/** Words that a noun follows, not a verb. */
const NOUN_NEXT = new Set(['the', 'a', 'an', 'my', 'our', 'his', 'her', 'their', 's', 'this', 'that']);
const THIRD = new Set([
  'he',
  'she',
  'him',
  'her',
  'his',
  'hers',
  'they',
  'them',
  'their',
  'it',
  'its',
  'who',
  'whose',
  'which',
  'where',
  'there',
  'then',
  'one',
  'ones',
  'that',
]);

export function readEnglish(slots: readonly WordSlot[], statement: Statement): void {
  const texts = slots.map(({ text }) => text);
  const words: Word[] = slots.map((slot) => (slot.name && slot.sure ? { ...slot, text: '' } : slot));
  const meanings = readMeanings(words);
  const byStart = new Map<number, Meaning>(meanings.map((meaning) => [meaning.at, meaning]));
  const past = statement.pastClauses as Set<number>;
  const finite = statement.verbalClauses as Set<number>;
  const verbFirst = new Set<number>();
  for (const [index, slot] of slots.entries()) {
    if (slot.atom) continue;
    const { text, place } = slot;
    if (!statement.openings.has(place.clause)) {
      statement.openings.set(place.clause, slot.name && slot.sure ? '' : text);
      if (slot.opens && !slot.name && isElided(texts, index) && !isHeader(slots, index))
        statement.elided.add(place.clause);
      statement.sentenceOf.set(place.clause, place.sentence);
      if (!slot.name && opensWithVerb(texts, index)) verbFirst.add(place.clause);
    }
    if (USER_WORDS.has(text)) {
      if (!['my', 'our', 'me', 'us'].includes(text) && texts[index + 1] !== 's')
        statement.units.push(userUnit(place, slot.token));
      const possessive =
        text === 'my' || text === 'our' || texts[index + 1] === 's' || /'s?$/.test(slot.written);
      statement.userAt.push({
        clause: place.clause,
        word: slot.token,
        possessive,
        form: text,
        before: texts[index - 1] === 'the' ? (texts[index - 2] ?? '') : (texts[index - 1] ?? ''),
      });
    }
    if (PAST_WORDS.has(text)) past.add(place.clause);
    if (FINITE.has(text) && !(text === 's' && !BEFORE_IS.has(texts[index - 1] ?? '')))
      finite.add(place.clause);
    if (THIRD.has(text))
      statement.pronouns.push({ axis: place.axis, clause: place.clause, form: text, word: slot.token });
    if (isPointer(text)) statement.pointers.push(text);
    const meaning = byStart.get(index);
    if (isReporting(texts[index + 1] ?? '') && !slots[index + 1]!.border)
      (statement.reporters as Set<number>).add(slot.token);
    if (slot.name && slot.sure) statement.units.push(nameUnit(slot, texts, index, slots));
    else if (meaning) statement.units.push(wordUnit(slot, meaning, texts, index, slots));
    else if (slot.name && !GLUE.has(text)) statement.units.push(nameUnit(slot, texts, index, slots));
  }
  for (const unit of statement.units) {
    if (unit.tense === 'past') past.add(unit.clause);
    if (unit.verbal) finite.add(unit.clause);
  }
  const verb = slots.findIndex(
    ({ text, token }, index) =>
      index > 0 &&
      !NOUN_NEXT.has(slots[index - 1]!.text) &&
      ((FINITE.has(text) && text.length > 1) ||
        statement.units.some((unit) => unit.word === token && unit.verbal)),
  );
  if (verb !== -1) statement.verbAt = slots[verb]!.token;
  readCopulas(slots, texts, byStart, statement);
  joinResumed(statement, verbFirst);
}
