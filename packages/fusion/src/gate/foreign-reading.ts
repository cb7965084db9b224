import { languageOf } from '../reading/languages/all.ts';
import type { Language } from '../reading/languages/language.ts';
import {
  foreignOperator,
  isAmountWord,
  isAsking,
  isFiller,
  isForeignArticle,
  isForeignNegator,
  isForeignStop,
  isForeignUser,
  isFutureCopula,
  isPlainNegator,
  isReporting,
} from './foreign.ts';
import { CONTRASTED, isContrasted, isOpenCondition } from './foreign-conditions.ts';
import {
  CONDITION,
  frenchNe,
  isPassivePresent,
  isPerfect,
  isWorkingAs,
  particlesOf,
  readHabits,
  reasonKeys,
  wordsByClause,
} from './foreign-context.ts';
import { foreignKeys } from './foreign-keys.ts';
import { namesBeside, readCopula } from './foreign-names.ts';
import { readMarks } from './foreign-roles.ts';
import type { ForeignSlot } from './foreign-slot.ts';
import { isAble, isPlainCan, softness } from './foreign-soft.ts';
import { spelledNumber } from './lexicon/foreign-numbers.ts';
import type { Statement, Unit } from './unit.ts';

const SINGLE_LETTER = /^[\p{sc=Latin}\p{sc=Cyrillic}]$/u;
/** How many words without content may stand between a reporting verb and the user. */
const NEAR_USER = 2;

/** Adds the units of a text of another language than English. */
export function readForeign(slots: readonly ForeignSlot[], statement: Statement, code: string): void {
  const language = languageOf(code);
  const beside = wordsByClause(slots);
  const particles = particlesOf(slots, code);
  for (const [index, slot] of slots.entries()) {
    if (slot.atom || slot.text === '') continue;
    const unit = plainUnit(slot, wayOf(slot.written, code) ?? slots[index - 1]?.text ?? '');
    if (isForeignUser(slot.text))
      statement.units.push({ ...unit, keys: ['user'], form: 'user', soft: true, frame: true, before: '' });
    const particle = particles.get(slot.place.clause);
    if (particle === slot) continue;
    const near = beside.get(slot.place.clause)!;
    const read = unitsOf(slots, index, unit, language, code);
    const order = code === 'de' ? germanOrder(slots, index) : null;
    // Only told apart from its opposite: it may be left out, as in "danach".
    if (order) statement.units.push({ ...unit, kind: 'operator', keys: [order], soft: true, frame: true });
    if (isOpenCondition(slots, index, code)) statement.units.push({ ...unit, keys: [CONDITION] });
    if (isPerfect(slot, near, code)) tellPast(read);
    if (isPassivePresent(slot, near, code)) tellPresent(read);
    const soft = softness(slots, index, near, code);
    if (soft !== 'none') for (const one of read) [one.soft, one.frame] = [true, soft === 'adds'];
    if (particle && /^\p{Ll}/u.test(slot.written)) joinParticle(read, particle.text);
    statement.units.push(...read);
    if (read.length > 0) readMarks(slots, index, read[0]!, statement, near, code);
    readCopula(slots, index, statement, code);
    for (const at of namesBeside(slots, index, language, code))
      (statement.named as Set<string>).add(foreignKeys(slots[at]!.text, code, true)[0]!);
  }
  readHabits(slots, statement, code);
}

/** "vor der Operation", "nach dem Essen": before or after something; "vor drei Jahren" and "nach Rom" say something else. */
function germanOrder(slots: readonly ForeignSlot[], index: number): string | null {
  const name = { vor: 'op:before', nach: 'op:after' }[slots[index]!.text];
  const next = slots[index + 1]?.text ?? '';
  return name !== undefined &&
    /^(?:de[rmn]|jede[rmn]|(?:mein|dein|sein|ihr|unser|ein|dies)e?[rmn])$/.test(next)
    ? name
    : null;
}

/** A participle is a past, whatever its form. */
function tellPast(read: readonly Unit[]): void {
  for (const unit of read) if (unit.kind === 'word') unit.keys = [...unit.keys, `${unit.keys[0]!}|`];
}

/** "wird geprobt" is "probt". */
function tellPresent(read: readonly Unit[]): void {
  for (const unit of read)
    if (unit.kind === 'word')
      unit.keys = [...new Set([...unit.keys, ...unit.keys.map((key) => key.replace(/\|$/, ''))])];
}

/** "führt ... auf" is "aufführt". */
function joinParticle(read: readonly Unit[], particle: string): void {
  for (const unit of read)
    if (unit.kind === 'word' && !unit.keys[0]!.includes('~'))
      unit.keys = [...unit.keys, ...unit.keys.map((key) => `${particle}${key.replace(/^=/, '')}`)];
}

/** Turkish writes from where and to where behind a name: Ankara'dan, İzmir'e. */
function wayOf(written: string, code: string): string | null {
  const ending = code === 'tr' ? /['’](\p{L}+)$/u.exec(written)?.[1] : undefined;
  if (ending === undefined) return null;
  return /^[dt][ae]n$/.test(ending) ? 'from' : /^y?[ae]$/.test(ending) ? 'to' : null;
}

function plainUnit({ text, place, token }: ForeignSlot, before: string): Unit {
  return {
    kind: 'word',
    keys: [],
    form: text,
    soft: false,
    frame: false,
    ...place,
    word: token,
    before,
    tense: null,
    verbal: false,
    person: null,
  };
}

function unitsOf(
  slots: readonly ForeignSlot[],
  index: number,
  unit: Unit,
  language: Language | null,
  code: string,
): Unit[] {
  const slot = slots[index]!;
  const { text } = slot;
  const capital = /^\p{Lu}/u.test(slot.written);
  const reason = reasonKeys(slot, code);
  if (reason !== null) return [{ ...unit, keys: reason }];
  if (code === 'fr' && (text === 'ne' || text === 'n')) {
    const said = frenchNe(slots, index);
    return said === 'nothing' ? [] : [{ ...unit, kind: 'operator', keys: [`op:${said}`] }];
  }
  if (isForeignNegator(text, language, code)) {
    const form = isContrasted(slots, index, code) ? CONTRASTED : text;
    const operator: Unit = { ...unit, kind: 'operator', keys: ['op:not'], form };
    // A verb that holds its negation inside has content beside it.
    return (code === 'tr' || code === 'ko') && !isPlainNegator(text)
      ? [operator, { ...unit, keys: [...foreignKeys(text, code, capital), `=${text}`] }]
      : [operator];
  }
  if (isAble(text, code)) return [{ ...unit, keys: ['can', 'op:might', `=${text}`] }];
  if (isPlainCan(text, code))
    return [{ ...unit, keys: ['can', ...foreignKeys(text, code, false), `=${text}`] }];
  const operator = foreignOperator(text);
  if (operator) return [{ ...unit, kind: 'operator', keys: [`op:${operator}`] }];
  const eats = text === 'como' && isEating(slots, index, language, code);
  if ((isForeignStop(text, language, code) && !eats) || isForeignUser(text) || SINGLE_LETTER.test(text))
    return [];
  const spelled = language === null && !(slot.name && slot.sure) ? spelledNumber(text, code) : null;
  if (spelled !== null)
    return [{ ...unit, kind: 'number', keys: [`number:${spelled}`], form: String(spelled) }];
  const keys = foreignKeys(text, code, capital);
  if (slot.name && slot.sure && !language?.capitalNouns)
    return [{ ...unit, kind: 'name', keys: [`=${keys[0]!}`, ...keys, `=${text}`] }];
  const told = isReporting(text) || (isAsking(text) && asksNot(slots, index, language, code));
  const empty =
    isFiller(text) ||
    isWorkingAs(slots, index, code) ||
    (told && isOfUser(slots, index, language, code)) ||
    (isAmountWord(text) && hasAmount(slots, index));
  const soft = empty || (isFutureCopula(text) && leadsToPlace(slots, index, language, code));
  return [{ ...unit, keys: [...keys, `=${text}`], soft, frame: empty }];
}

/** Whether it is the user who tells: "sagte der Nutzer", "l'utente dice". */
function isOfUser(
  slots: readonly ForeignSlot[],
  index: number,
  language: Language | null,
  code: string,
): boolean {
  for (const step of [-1, 1]) {
    for (let away = 1; away <= NEAR_USER; away += 1) {
      const slot = slots[index + away * step];
      if (!slot || slot.atom || slot.place.sentence !== slots[index]!.place.sentence) break;
      if (isForeignUser(slot.text)) return true;
      if (!isForeignStop(slot.text, language, code)) break;
    }
  }
  return false;
}

/** "No como gluten": after "I", after a denial and at the start "como" is a verb. */
function isEating(
  slots: readonly ForeignSlot[],
  index: number,
  language: Language | null,
  code: string,
): boolean {
  if (code !== 'es' && code !== 'pt') return false;
  const before = slots[index - 1];
  return (
    slots[index]!.opens ||
    (before !== undefined &&
      !before.atom &&
      (isForeignUser(before.text) || isForeignNegator(before.text, language, code)))
  );
}

function asksNot(
  slots: readonly ForeignSlot[],
  index: number,
  language: Language | null,
  code: string,
): boolean {
  return [1, 2].some((away) => {
    const slot = slots[index + away];
    return slot !== undefined && !slot.atom && isForeignNegator(slot.text, language, code);
  });
}

function hasAmount(slots: readonly ForeignSlot[], index: number): boolean {
  const { clause } = slots[index]!.place;
  return slots.some(({ atom, place }) => place.clause === clause && atom !== null && atom !== 'date');
}

function leadsToPlace(
  slots: readonly ForeignSlot[],
  index: number,
  language: Language | null,
  code: string,
): boolean {
  const next = slots[index + 1];
  if (!next || next.border) return false;
  return next.atom === 'date' || (!isForeignArticle(next.text) && isForeignStop(next.text, language, code));
}
