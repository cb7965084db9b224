import { directClassOf, inflectionOf, lemmaOf } from './lemma.ts';
import { KIN } from './lexicon/classes.ts';
import { VERB_FORMS } from './lexicon/irregular.ts';
import type { Meaning } from './meaning.ts';
import type { Statement } from './unit.ts';
import type { WordSlot } from './word-slots.ts';

const KIN_LEMMAS = new Set([...KIN].map(lemmaOf));
const KIN_BASES = new Set([...KIN].map(inflectionOf));
/** Kin of whom there is one, named as by a name. */
const UNIQUE = new Set([
  'mother',
  'father',
  'grandmother',
  'grandfather',
  'wife',
  'husband',
  'mother-in-law',
  'father-in-law',
]);
const DEFINITE = new Set(['my', 'our', 's', 'his', 'her', 'their', 'the', 'this', 'that', 'your', 'user']);
/** Titles that stand before a name. */
const TITLED = new Set(['mr', 'mrs', 'ms', 'miss', 'dr', 'prof', 'professor', 'doctor', 'sir', 'madam']);
/** Verbs and glue that follow a subject. */
const AFTER_SUBJECT = new Set([
  'is',
  'was',
  'has',
  'had',
  'are',
  'were',
  'does',
  'did',
  'can',
  'will',
  'also',
  'never',
  'always',
  's',
  'and',
  'needs',
  'would',
  'may',
  'might',
  'could',
  'should',
  'must',
  'usually',
  'often',
  'sometimes',
  'gets',
  'got',
  'goes',
  'went',
  'takes',
  'took',
  'makes',
  'made',
  'uses',
  'used',
  'said',
  'says',
]);

/** Whether a word is one for kin itself: "therapist" is, "therapy" and "childhood" are not. */
export function isKin(meaning: Meaning, text: string): boolean {
  if (!KIN_LEMMAS.has(meaning.lemma)) return false;
  return meaning.length > 1 || KIN_BASES.has(inflectionOf(text)) || directClassOf(text) === meaning.lemma;
}

/** Whether a key is that of a word for kin, somebody's or not. */
export function isKinWord(key: string): boolean {
  return KIN_LEMMAS.has(key);
}

/** Whether a word for kin means somebody: "my sister", "the dog", "Dad prefers", and not "wants children". */
export function isSpecific(slots: readonly WordSlot[], index: number): boolean {
  const before = slots[index - 1];
  if (UNIQUE.has(lemmaOf(slots[index]!.text))) return true;
  if (!before || slots[index]!.opens || slots[index]!.border) return true;
  const next = slots[index + 1];
  if (DEFINITE.has(before.text) || next?.name || TITLED.has(next?.text ?? '')) return true;
  // "his older brother", "user's best friend"
  return (
    DEFINITE.has(slots[index - 2]?.text ?? '') ||
    (before.text === 'and' && !/s$/.test(slots[index]!.text)) ||
    before.text === 'grandpa' ||
    before.name
  );
}

/** Whether a name stands where a subject does: at the head of a clause and before a verb, after a word for kin, or with a possessive. */
export function isSubject(slots: readonly WordSlot[], index: number): boolean {
  const slot = slots[index]!;
  if (/'s$/.test(slot.written)) return true;
  let first = index;
  while (first > 0 && slots[first - 1]!.name && !slots[first]!.border) first -= 1;
  let last = index;
  while (slots[last + 1]?.name && !slots[last + 1]!.border) last += 1;
  const before = slots[first - 1]?.text ?? '';
  if (slots[last + 1]?.text === 'who') return true;
  if (
    ((KIN_BASES.has(inflectionOf(before)) || KIN_LEMMAS.has(directClassOf(before) ?? '')) &&
      !slots[first]!.border) ||
    ['named', 'called'].includes(before)
  )
    return true;
  const next = slots[last + 1]?.text ?? '';
  if (slots[last]!.colon && (slots[first]!.opens || first === 0)) return true;
  const opens =
    slots[first]!.opens ||
    slots[first]!.border ||
    ['and', 'but', 'while', 'because', 'that', 'when', 'since', 'before', 'after', 'if'].includes(before);
  return (
    opens && (AFTER_SUBJECT.has(next) || (/[a-z](?:s|ed)$/.test(next) && next !== '') || VERB_FORMS.has(next))
  );
}

/** Whether a word in -s or -ed stands right after a name or a pronoun. */
export function followsSubject(slots: readonly WordSlot[], index: number): boolean {
  const before = slots[index - 1];
  if (!before || slots[index]!.border || !/[a-z](?:s|ed)$/.test(slots[index]!.text)) return false;
  return (
    (before.name && !/'s?$/.test(before.written)) ||
    ['he', 'she', 'it', 'who', 'which', 'that', 'user', 'i', 'they'].includes(before.text)
  );
}

/** A name that is a subject in one text of a cluster is one in all of them. */
export function shareSubjects(statements: readonly Statement[]): void {
  const subjects = new Set<string>();
  for (const { units } of statements) {
    for (const unit of units) if (unit.kind === 'name' && unit.person !== null) subjects.add(unit.person);
  }
  for (const { units } of statements) {
    for (const unit of units)
      if (unit.kind === 'name' && subjects.has(unit.keys[0]!)) unit.person = unit.keys[0]!;
  }
}
