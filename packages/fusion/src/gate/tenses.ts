import { inflectionOf } from './lemma.ts';
import { VERB_FORMS } from './lexicon/irregular.ts';
import { wordList } from './lexicon/word-list.ts';
import { BE, HAVE } from './meaning.ts';

const IS_AFTER = wordList('he she it that who there');
const STATE_VERBS = wordList(
  'live work play smoke drink eat drive run study teach speak volunteer train coach rent manag lead swim sing danc write ride wear keep collect commut want need belong own cook bak attend own',
);

/** What a noun follows and no verb in -s: "on trains", "of runs". */
const PREPOSITIONS = wordList('on in at of for with by from into about without between per during');

/** Whether a word in -s is a noun by the preposition before it. */
export function isBehindPreposition(texts: readonly string[], at: number): boolean {
  return /[^s]s$/.test(texts[at]!) && PREPOSITIONS.has(texts[at - 1] ?? '');
}

/** Whether a verb form tells of the past or of the present; null where it cannot be told or does not matter. */
export function tenseOf(texts: readonly string[], at: number): 'past' | 'present' | null {
  const word = texts[at]!;
  if (word.length < 4) return null;
  const earlier = texts
    .slice(Math.max(0, at - 3), at)
    .filter((other, index, all) => other !== 's' || IS_AFTER.has(all[index - 1] ?? ''));
  const form = VERB_FORMS.get(word);
  const looksPast = form ? form.tense !== 'participle' : /[a-z]ed$/.test(word) && inflectionOf(word) !== word;
  if (looksPast)
    return earlier.some((other) => BE.has(other) || HAVE.has(other) || other === 'get' || other === 'got')
      ? null
      : 'past';
  if (form) return null;
  const before = texts[at - 1] ?? '';
  if (isBehindPreposition(texts, at)) return null;
  if (/[^s]s$/.test(word) && STATES.has(stateStem(word))) {
    return ['his', 'her', 'the', 'my', 'their', 'its', 'some', 'many'].includes(before) ? null : 'present';
  }
  return STATES.has(stateStem(word)) && ['i', 'we', 'they', 'you'].includes(before) ? 'present' : null;
}

const STATES = new Set([...STATE_VERBS].map(stateStem));

function stateStem(word: string): string {
  const bare = word.endsWith('ies')
    ? `${word.slice(0, -3)}y`
    : word.endsWith('s') && !word.endsWith('ss')
      ? word.slice(0, -1)
      : word;
  return bare.endsWith('e') && bare.length > 3 ? bare.slice(0, -1) : bare;
}
