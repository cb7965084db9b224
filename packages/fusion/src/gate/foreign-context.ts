import { REASON } from './foreign-pairing.ts';
import type { ForeignSlot } from './foreign-slot.ts';
import { SEPARABLE } from './foreign-verbs.ts';
import { byLanguage, wordList } from './lexicon/word-list.ts';
import type { Statement, Unit } from './unit.ts';

/** Words behind which a reason stands, and words behind which stands what it leads to, by language. Set phrases were made one word. */
const BECAUSE = new Map(
  Object.entries({
    de: 'weil denn wegen',
    fr: 'parce',
    es: 'porque',
    it: 'perché',
    pt: 'porque',
    nl: 'omdat want wegens',
    pl: 'ponieważ',
    sv: 'eftersom',
    ru: 'таккак',
    tr: 'çünkü',
  }).map(([code, words]) => [code, wordList(words)]),
);
const SO = new Map(
  Object.entries({
    de: 'deshalb daher darum deswegen somit folglich',
    fr: 'donc',
    es: 'poreso',
    it: 'quindi perciò dunque pertanto',
    pt: 'portanto',
    nl: 'daarom dus',
    pl: 'dlatego',
    sv: 'därför',
    ru: 'поэтому',
  }).map(([code, words]) => [code, wordList(words)]),
);

/** The key of a condition. */
export const CONDITION = 'if~';
const IF = new Map(Object.entries({ de: 'wenn', fr: 'si', es: 'si', it: 'se', ru: 'если', pl: 'jeśli' }));

/** The unit of a word of reason: what gives one, and what draws one, say the same when they are turned with their clauses. */
export function reasonKeys({ text, opens, border }: ForeignSlot, code: string): string[] | null {
  // "da" at the start of a clause is "as", elsewhere "there".
  if (BECAUSE.get(code)?.has(text) || (code === 'de' && text === 'da' && (opens || border)))
    return [REASON, `${REASON}because`];
  // A condition is no fact.
  if (IF.get(code) === text) return [CONDITION];
  return SO.get(code)?.has(text) ? [REASON, `${REASON}so`] : null;
}

/** What follows "ne" and denies by itself. */
const FRENCH_DENIALS = wordList('pas jamais rien aucun aucune personne guère ni nul nulle plus');
/** How far behind "ne" it may stand. */
const DENIAL_REACH = 8;

/** "ne ... pas" denies once, where "pas" stands; "ne ... que" is "only". */
export function frenchNe(slots: readonly ForeignSlot[], index: number): 'nothing' | 'only' | 'not' {
  const { clause } = slots[index]!.place;
  let only = false;
  for (let at = index + 1; at <= index + DENIAL_REACH; at += 1) {
    const slot = slots[at];
    if (!slot || slot.place.clause !== clause) break;
    if (FRENCH_DENIALS.has(slot.text)) return slot.text === 'plus' ? 'not' : 'nothing';
    if (slot.text === 'que' || slot.text === 'qu') only = true;
  }
  return only ? 'only' : 'not';
}

/** "arbeitet als", "travaille comme": with the calling behind it, it is what somebody is. */
const WORKING: Readonly<Record<string, { verb: ReadonlySet<string>; as: ReadonlySet<string> }>> = {
  de: { verb: wordList('arbeite arbeitet arbeiten tätig'), as: wordList('als') },
  nl: { verb: wordList('werk werkt werken werkzaam'), as: wordList('als') },
  fr: { verb: wordList('travaille travaillent'), as: wordList('comme') },
  es: { verb: wordList('trabajo trabaja trabajan'), as: wordList('como') },
  it: { verb: wordList('lavoro lavora lavorano'), as: wordList('come') },
  pt: { verb: wordList('trabalho trabalha trabalham'), as: wordList('como') },
  sv: { verb: wordList('jobbar arbetar'), as: wordList('som') },
  pl: { verb: wordList('pracuję pracuje pracują'), as: wordList('jako') },
  ru: { verb: wordList('работаю работает работают'), as: new Set() },
};
const WORKING_REACH = 5;

export function isWorkingAs(slots: readonly ForeignSlot[], index: number, code: string): boolean {
  const words = WORKING[code];
  if (!words?.verb.has(slots[index]!.text)) return false;
  for (let step = 1; step <= WORKING_REACH; step += 1)
    for (const at of [index + step, index - step]) {
      const slot = slots[at];
      if (slot && slot.place.clause === slots[index]!.place.clause && words.as.has(slot.text)) return true;
    }
  return false;
}

/** Helping verbs of the perfect and the passive: a participle beside one is a past, whatever its form. */
const HELPING = new Map(
  Object.entries({
    de: 'hat habe haben hast ist bin sind wurde wurden wird werden',
    nl: 'heeft heb hebben is ben zijn werd werden wordt worden',
  }).map(([code, words]) => [code, wordList(words)]),
);
/** The words of each clause. */
export function wordsByClause(slots: readonly ForeignSlot[]): Map<number, Set<string>> {
  const clauses = new Map<number, Set<string>>();
  for (const { text, place } of slots) {
    const words = clauses.get(place.clause) ?? new Set<string>();
    clauses.set(place.clause, words);
    words.add(text);
  }
  return clauses;
}

/** By clause, the part of a verb that stands alone at its end: "führt ... auf". */
export function particlesOf(slots: readonly ForeignSlot[], code: string): Map<number, ForeignSlot> {
  const found = new Map<number, ForeignSlot>();
  const separable = SEPARABLE[code];
  if (!separable) return found;
  for (const [index, slot] of slots.entries()) {
    const next = slots[index + 1];
    const ends = next === undefined || next.border || next.place.clause !== slot.place.clause;
    if (ends && slot.atom === null && separable.has(slot.text)) found.set(slot.place.clause, slot);
  }
  return found;
}

const PARTICIPLE = /^(?:ver|be|er|ent|zer|emp|miss|her|ont|ge)?.{3,}(?:t|en|d)$/;

/** "hat genehmigt", "heeft verkocht" */
export function isPerfect(slot: ForeignSlot, beside: ReadonlySet<string>, code: string): boolean {
  const helping = HELPING.get(code);
  if (!helping || !PARTICIPLE.test(slot.text) || /^\p{Lu}/u.test(slot.written)) return false;
  for (const word of helping) if (beside.has(word)) return true;
  return false;
}

const PRESENT_PASSIVE = byLanguage({ de: 'wird werden', nl: 'wordt worden' });
const OTHER_HELPERS = wordList(
  'worden wurde wurden hat haben hatte würde würden heeft hebben is zijn werd werden ',
);

/** "wird geprobt": done now, by whomever. */
export function isPassivePresent(slot: ForeignSlot, beside: ReadonlySet<string>, code: string): boolean {
  const passive = PRESENT_PASSIVE.get(code);
  if (!passive || !PARTICIPLE.test(slot.text) || /^\p{Lu}/u.test(slot.written) === !slot.opens) return false;
  if (!/ge/.test(slot.text)) return false;
  for (const word of OTHER_HELPERS) if (beside.has(word) && !passive.has(word)) return false;
  for (const word of passive) if (beside.has(word)) return true;
  return false;
}

/** What says that a weekday is any of its name. */
const OFTEN = wordList(`
  meistens immer jeweils normalerweise oft häufig manchmal stets gewöhnlich toujours souvent parfois d'habitude habituellement généralement
  siempre normalmente suele suelo habitualmente generalmente sempre spesso solito geralmente costuma costumo frequentemente altijd meestal vaak
  soms zawsze zwykle często alltid oftast vanligtvis всегда обычно часто
`);
/** The article before a weekday that means all of them. */
const ARTICLE = new Map(
  Object.entries({ fr: 'le', it: 'il la di', pt: 'ao' }).map(([code, words]) => [code, wordList(words)]),
);
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/;

/** "le jeudi", "von Montag bis Freitag", "meistens am Sonntag": any day of the name. */
export function readHabits(slots: readonly ForeignSlot[], statement: Statement, code: string): void {
  const often = new Set(slots.filter(({ text }) => OFTEN.has(text)).map(({ place }) => place.sentence));
  const article = ARTICLE.get(code);
  for (const unit of statement.units) {
    if (unit.kind !== 'date' || !WEEKDAY.test(unit.form)) continue;
    const ranged = (unit.before === 'from' || unit.before === 'to') && isRange(unit, statement.units);
    if (ranged || article?.has(unit.before) || often.has(unit.sentence))
      unit.keys = [...new Set([...unit.keys, `date:${unit.form}s`])];
  }
}

function isRange(unit: Unit, units: readonly Unit[]): boolean {
  return units.some((other) => other !== unit && other.word === unit.word && WEEKDAY.test(other.form));
}

/** Whether a text tells of a habit, so that a weekday in it is no one day. */
export function tellsHabit(text: string): boolean {
  return text
    .toLowerCase()
    .split(/[^\p{L}']+/u)
    .some((word) => OFTEN.has(word));
}
