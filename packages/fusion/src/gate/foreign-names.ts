import { languageOf } from '../reading/languages/all.ts';
import type { Language } from '../reading/languages/language.ts';
import { copulaTense, foreignOperator, isForeignArticle, isForeignStop, isForeignUser } from './foreign.ts';
import { foreignKeys } from './foreign-keys.ts';
import type { ForeignSlot } from './foreign-slot.ts';
import { FOREIGN_KIN } from './lexicon/foreign-kin.ts';
import type { Statement } from './unit.ts';

/** How far from a word for kin its name may stand. */
const NEAR_KIN = 4;
const LINKS = new Set([...'de di do da d l of des der van von'.split(' ')]);
const JOINS = new Set([...'und et y e i och и en ve و और'.split(' ')]);
/** Scripts without capitals: what follows a word for kin is its name. */
const NO_CAPITALS = new Set(['ar', 'hi']);

/** The names that a word for kin has beside it ("seine Söhne Emre und Can", "Camille, la fille"), or a subject at the start of a sentence. */
export function namesBeside(
  slots: readonly ForeignSlot[],
  index: number,
  language: Language | null,
  code: string,
): number[] {
  const slot = slots[index]!;
  const isNamed = (at: number): boolean => {
    const other = slots[at];
    if (!other || other.atom || isForeignStop(other.text, language, code) || FOREIGN_KIN.has(other.text))
      return false;
    if (NO_CAPITALS.has(code)) return true;
    return (
      /^\p{Lu}/u.test(other.written) &&
      !isForeignUser(other.text) &&
      (language?.capitalNouns === true || other.name)
    );
  };
  if (!FOREIGN_KIN.has(slot.text)) {
    const next = slots[index + 1];
    const subject =
      slot.opens &&
      slot.name &&
      slot.sure &&
      language?.capitalNouns !== true &&
      next &&
      !next.border &&
      !next.atom;
    return subject && /^\p{Ll}/u.test(next.written) && !LINKS.has(next.text) ? [index] : [];
  }
  const found: number[] = [];
  let at = index + 1;
  while (
    at <= index + NEAR_KIN &&
    slots[at] &&
    !isNamed(at) &&
    (LINKS.has(slots[at]!.text) || isForeignUser(slots[at]!.text))
  )
    at += 1;
  for (
    ;
    isNamed(at) || (found.length > 0 && slots[at] && JOINS.has(slots[at]!.text) && isNamed(at + 1));
    at += 1
  ) {
    if (isNamed(at)) found.push(at);
    if (NO_CAPITALS.has(code)) break;
  }
  for (let back = index - 1; back >= index - NEAR_KIN && back >= 0; back -= 1) {
    if (slots[back]!.place.sentence !== slot.place.sentence || NO_CAPITALS.has(code)) break;
    if (slots[back + 1]!.border && isNamed(back)) found.push(back);
    if (slots[back + 1]!.border) break;
  }
  return found;
}

/** "war Lehrer", "est infirmier": what somebody is said to be, and when. */
export function readCopula(
  slots: readonly ForeignSlot[],
  index: number,
  statement: Statement,
  code: string,
): void {
  const tense = copulaTense(slots[index]!.text, code);
  if (tense === null) return;
  let at = index + 1;
  while (slots[at] && isForeignArticle(slots[at]!.text)) at += 1;
  const said = slots[at];
  if (!said || said.atom || said.border || said.place.clause !== slots[index]!.place.clause) return;
  if (isForeignStop(said.text, languageOf(code), code) || foreignOperator(said.text)) return;
  statement.copulas.push({ key: foreignKeys(said.text, code, false)[0]!, tense, owned: tense === 'present' });
}
