import type { ForeignSlot } from './foreign-slot.ts';
import { byLanguage, wordList } from './lexicon/word-list.ts';

/** Verbs that open a sentence where "if" is left out, and what stands behind them then: "Wird ihr Knie nicht besser, lässt sie ...". */
const OPENING = byLanguage({
  de: 'wird werden ist sind hat haben kann können muss müssen soll sollte sollten geht gehen kommt kommen bleibt bleiben fällt regnet schneit gibt klappt findet steigt sinkt bekommt verbessert verschlechtert',
  nl: 'wordt worden is zijn heeft hebben kan kunnen moet gaat komt blijft blijven regent sneeuwt valt',
  sv: 'blir är har kan måste går kommer regnar snöar',
});
const SUBJECTS = byLanguage({
  de: 'der die das ein eine mein meine dein deine ihr ihre sein seine unser unsere er sie es ich wir man',
  nl: 'de het een mijn zijn haar ons onze hij zij ze ik wij we men er dat',
  sv: 'den det ett en min mitt mina hans hennes sin han hon jag vi man de',
});
const NO_VERBS = byLanguage({
  de: 'dass weil ob wenn als und aber oder denn sondern der die das den dem deren dessen welche wie wo da während obwohl bis sagt sagte meint',
  nl: 'dat omdat of als en maar want die terwijl hoewel tot zegt zei vindt',
  sv: 'att om och men eller för som medan fast tills säger sa tycker',
});

/** Whether a verb opens a condition without a word for it: the subject stands behind it, and a clause follows that opens with its verb too. */
export function isOpenCondition(slots: readonly ForeignSlot[], index: number, code: string): boolean {
  const slot = slots[index]!;
  const subjects = SUBJECTS.get(code);
  if (!slot.opens || !OPENING.get(code)?.has(slot.text) || !subjects?.has(slots[index + 1]?.text ?? ''))
    return false;
  for (let at = index + 2; slots[at]?.place.sentence === slot.place.sentence; at += 1) {
    const next = slots[at]!;
    if (!next.border) continue;
    const behind = slots[at + 1]?.text ?? '';
    if (CONSEQUENCE.has(next.text)) return true;
    return (
      /^\p{Ll}/u.test(next.written) &&
      !NO_VERBS.get(code)!.has(next.text) &&
      !subjects.has(next.text) &&
      subjects.has(behind)
    );
  }
  return false;
}

const CONSEQUENCE = wordList('so dann dan då');

/** The form of a denial whose other side follows: "not over the internet, only at the market". */
export const CONTRASTED = 'not but';
const CONTRASTS = byLanguage({
  de: 'sondern nur',
  es: 'sino solo',
  fr: 'mais seulement',
  it: 'ma bensì solo',
  pt: 'mas só',
  nl: 'maar alleen',
  pl: 'tylko lecz ale',
  sv: 'utan bara',
  ru: 'а только',
});

/** Whether a denial is of what stands right before a word that tells what is so instead. */
export function isContrasted(slots: readonly ForeignSlot[], index: number, code: string): boolean {
  const { clause, sentence } = slots[index]!.place;
  const words = CONTRASTS.get(code);
  if (!words) return false;
  let at = index + 1;
  while (slots[at]?.place.clause === clause) at += 1;
  const next = slots[at];
  return next?.border === true && next.place.sentence === sentence && words.has(next.text);
}
