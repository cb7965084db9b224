import { lemmaOf } from './lemma.ts';
import { wordList } from './lexicon/word-list.ts';
import { following } from './targets.ts';
import { type Statement, sharesKey, type Unit } from './unit.ts';

/** What an assistant is asked to do: "never send emails" is no note about what the user does. */
const TASKS = new Set(
  [
    ...wordList(
      'send suggest remind book reply answer translate summarize draft quote recommend propose delete show',
    ),
  ].map(lemmaOf),
);
/** What stands before the verb of an order, or is that verb. */
const ORDERING = wordList('never do don dont always please');
const INFLECTED = /(?:[^s]s|ed|ing)$/;

/** Whether a duty that a summary tells is an order in a source: "never send emails" is "must never send emails". */
export function isInstructed(duty: Unit, summary: Statement, sources: readonly Statement[]): boolean {
  if (summary.language !== 'en') return false;
  const [head] = following(summary, summary.units.indexOf(duty));
  if (!head || head.clause !== duty.clause || !TASKS.has(head.keys[0]!)) return false;
  return sources.some((source) =>
    source.units.some((unit) => sharesKey(unit, head) && isOrder(unit, source)),
  );
}

/** Whether a verb is an order: it stands first in its sentence, or nothing but a denial does before it. */
function isOrder(verb: Unit, { units, openings, userAt }: Statement): boolean {
  const opening = openings.get(verb.clause) ?? '';
  if (INFLECTED.test(verb.form) || !(opening === verb.form || ORDERING.has(opening))) return false;
  const earlier = units.some(
    ({ clause, word, kind }) => clause === verb.clause && word < verb.word && kind !== 'operator',
  );
  const named = userAt.some(({ clause, word }) => clause === verb.clause && word < verb.word);
  return !earlier && !named;
}
