import { UNCHANGING, VERB_FORMS } from './lexicon/irregular.ts';
import type { Meaning } from './meaning.ts';
import { BEFORE_IS } from './openings.ts';
import type { Statement } from './unit.ts';
import type { WordSlot } from './word-slots.ts';

const PRESENT_WORDS = new Set(['is', 'are', 'am', 's', 'm', 're']);
/** What may stand between "is" and what somebody is. */
const COPULA_FILLERS = new Set([
  'a',
  'an',
  'the',
  'my',
  'his',
  'her',
  'also',
  'still',
  'very',
  'really',
  'now',
  'currently',
  'both',
  'just',
  'quite',
  'already',
]);

/** "was a teacher", "is allergic": what somebody is said to be, and when. */
export function readCopulas(
  slots: readonly WordSlot[],
  texts: readonly string[],
  byStart: ReadonlyMap<number, Meaning>,
  statement: Statement,
): void {
  for (const [index, text] of texts.entries()) {
    const owns = ['has', 'have', 'had'].includes(text);
    const tense =
      text === 'was' || text === 'were' || text === 'had'
        ? 'past'
        : owns || PRESENT_WORDS.has(text)
          ? 'present'
          : null;
    if (!tense || (text === 's' && !BEFORE_IS.has(texts[index - 1] ?? ''))) continue;
    const article = ['a', 'an', 'the', 'my', 'his', 'her'].includes(texts[index + 1] ?? '');
    let at = index + 1;
    while (at < texts.length && at < index + 4 && COPULA_FILLERS.has(texts[at]!)) at += 1;
    const slot = slots[at];
    if (slot?.name && slot.sure && !slot.border && !owns && text !== 's') {
      // "whose name was Ann" may be told without a word of the past, but not with one of the present.
      statement.copulas.push({ key: `=${slot.text}`, tense, owned: true });
      continue;
    }
    const meaning = byStart.get(at);
    if (!meaning || meaning.operator || slots[at]!.border) continue;
    const said = texts[at]!;
    const participle = /(?:ed|en|ing)$/.test(said) || VERB_FORMS.has(said) || UNCHANGING.has(said);
    if (article || (!participle && !owns)) statement.copulas.push({ key: meaning.lemma, tense, owned: owns });
  }
}
