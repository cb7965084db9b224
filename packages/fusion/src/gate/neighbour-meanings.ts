import {
  isAllowed,
  isFormerOnce,
  isGoingSomewhere,
  isLaterThen,
  isMoment,
  isOnlyAlone,
  isOnlyJust,
  isReasonAs,
  isReasonSo,
  isUnlessExcept,
  preferring,
  startsNotUntil,
} from './english-cues.ts';
import { lemmaOf, phraseAt } from './lemma.ts';
import { REPORTING } from './lexicon/glue.ts';
import { wordList } from './lexicon/word-list.ts';
import { BE, glue, type Meaning, meaning, type Word } from './meaning.ts';

const SUBJECTS = wordList('i we you they he she who to not also really would and both user users never');
const LEFT_CONTEXT = wordList('the my his her their your on to turn upper lower far top bottom');
const SIDES = wordList(
  'knee ankle shoulder wrist elbow hip foot hand arm leg eye ear side finger toe lung kidney thumb heel breast hemisphere handed-ness',
);
const PARTED = wordList('the my our his her their these those user');
const MODALS = new Map(
  Object.entries({
    might: 'might',
    may: 'might',
    could: 'might',
    will: 'will',
    shall: 'will',
    should: 'should',
    must: 'need',
  }),
);

/** Words whose meaning hangs on their neighbours. */
export function readSpecial(
  words: readonly Word[],
  texts: readonly string[],
  at: number,
  dropped: Set<number>,
): Meaning | null {
  const word = texts[at]!;
  const next = texts[at + 1] ?? '';
  const before = texts[at - 1] ?? '';
  const atomNext = words[at + 1]?.atom;
  const measured = atomNext === 'number' || atomNext === 'date';
  switch (word) {
    case 'not':
    case 'no':
    case 'dont': {
      if (next === 'only') return glue(at, 2);
      // "no. 210", "passport no. ending in 4471": a number, not a denial.
      if (words[at]!.dotted && (atomNext === 'number' || /^end(?:s|ing)$/.test(next))) return glue(at);
      if (before === 'must' || (before === 'may' && isAllowed(texts, at - 1)))
        return meaning(at, 1, 'allow', { operator: false });
      const until = startsNotUntil(words, texts, at);
      if (until !== -1) {
        dropped.add(until);
        return meaning(at, 1, 'only');
      }
      const later = texts.slice(at + 1, at + 10).indexOf('anymore');
      if (later !== -1) dropped.add(at + 1 + later);
      const phrase = phraseAt(texts, at);
      if (phrase) return meaning(at, phrase.length, phrase.name);
      if (later !== -1) return meaning(at, 1, 'nolonger');
      return meaning(at, 1, 'not');
    }
    case 'unable':
      return meaning(at, next === 'to' ? 2 : 1, 'not');
    case 'used':
      if (next === 'to' && !BE.has(before)) return meaning(at, 2, 'usedto');
      if (['a', 'the', 'an', 'his', 'her', 'my'].includes(before) && next !== 'to' && next !== 'by')
        return meaning(at, 1, 'secondhand');
      return glue(at);
    case 'about':
    case 'around':
    case 'circa':
    case 'ca':
      return measured ? meaning(at, 1, 'about') : glue(at);
    case 'over':
    case 'above':
      if (atomNext === 'number') return meaning(at, 1, 'morethan');
      if (preferring(texts, at)) return meaning(at, 1, 'than');
      return word === 'over' ? glue(at) : meaning(at, 1, 'morethan', { operator: false });
    case 'under':
    case 'below':
      return meaning(at, 1, 'lessthan', { operator: atomNext === 'number' });
    case 'to':
      return preferring(texts, at) && next !== '' && before !== 'prefer' && before !== 'prefers'
        ? meaning(at, 1, 'than')
        : null;
    case 'than':
      return meaning(at, 1, 'than');
    case 'compared':
      return next === 'with' || next === 'to' ? meaning(at, 2, 'than') : null;
    case 'as':
      return isReasonAs(words, texts, at) ? meaning(at, 1, 'because') : null;
    case 'just':
      return isOnlyJust(words, texts, at) ? meaning(at, 1, 'only', { soft: true }) : null;
    case 'alone':
      return isOnlyAlone(words, texts, at) ? meaning(at, 1, 'only') : null;
    case 'once':
      return isFormerOnce(words, texts, at) ? meaning(at, 1, 'usedto') : null;
    case 'must':
      // What must not be is not allowed; what need not be is.
      return next === 'not' ? meaning(at, 1, 'not') : null;
    case 'may':
      if (!isAllowed(texts, at)) return null;
      return meaning(at, 1, next === 'not' ? 'not' : 'allow');
    case 'lack':
    case 'lacks':
    case 'lacked':
    case 'lacking':
      return meaning(at, next === 'of' ? 2 : 1, 'not');
    case 'capped':
      return next === 'at' ? meaning(at, 2, 'atmost') : null;
    case 'except':
      return isUnlessExcept(texts, at) ? meaning(at, 2, 'unless') : null;
    case 'save':
    case 'saved':
    case 'saving':
    case 'saves':
      // "saving for a flat" leaves nothing out; "all save for one" does.
      return next === 'for' && (word !== 'save' || SUBJECTS.has(before))
        ? meaning(at, 1, lemmaOf(word))
        : null;
    case 'whenever':
      return glue(at);
    case 'remember':
      // "Remember: the bin goes out" only asks to keep the note.
      return words[at]!.opens && words[at]!.colon ? glue(at) : null;
    case 'going':
      return next === 'to' && isGoingSomewhere(words, at) ? glue(at, 2) : null;
    case 'some':
      // "some of the cousins" are not all of them.
      if (next === 'of' && PARTED.has(texts[at + 2] ?? '')) return meaning(at, 2, 'some');
      return measured ? meaning(at, 1, 'about') : null;
    case 'then':
      return isLaterThen(words, texts, at) ? meaning(at, 1, 'after', { soft: true }) : null;
    case 'so':
      return isReasonSo(words, texts, at) ? meaning(at, 1, 'because', { soft: true }) : null;
    case 'since':
      return meaning(at, 1, isDated(words, at) || isMoment(words, texts, at) ? 'since' : 'because');
    case 'will':
      return ['the', 'a', 'his', 'her', 'my', 'their', 's', 'last'].includes(before)
        ? meaning(at, 1, 'testament')
        : meaning(at, 1, 'will');
    case 'give':
    case 'gave':
    case 'gives':
    case 'given':
    case 'giving':
      if (texts[at + 2] === 'up') {
        dropped.add(at + 2);
        return meaning(at, 1, 'quit');
      }
      return null;
    case 'found':
    case 'finds':
      return next === 'out' && texts[at + 2] === 'that' ? glue(at, 3) : null;
    case 'plan':
    case 'plans':
    case 'planned':
    case 'planning': {
      const intended = next === 'to' || next === 'on' || (next === 'is' && texts[at + 2] === 'to');
      return meaning(at, 1, 'plan', { operator: intended });
    }
    case 'up':
      // "backed up to a drive" is no limit.
      return next === 'to' && lemmaOf(before) === 'back' ? meaning(at, 1, 'up') : null;
    case 'work':
    case 'works':
    case 'worked':
    case 'working':
      return next === 'as' ? meaning(at, 2, 'work', { soft: true, frame: true }) : null;
    case 'takes':
    case 'take':
    case 'took':
      return next === 'place' ? glue(at, 2) : null;
    case 'left':
      return LEFT_CONTEXT.has(before) || SIDES.has(next) ? meaning(at, 1, 'left') : meaning(at, 1, 'leave');
    case 'like':
      return isPreposition(words, texts, at) ? glue(at) : null;
    case 'w':
      return next === 'o' ? meaning(at, 2, 'not') : glue(at);
    case 'able':
      return next === 'to' ? meaning(at, 2, 'can', { soft: true }) : null;
    case 'i':
      if (next === 'think' || next === 'believe') return glue(at, 2);
      return null;
    case 'they':
    case 'them':
    case 'she':
    case 'her':
    case 'he':
    case 'him':
      // "uses they/them pronouns": here the pronouns are what is said.
      return texts.slice(at + 1, at + 4).some((other) => other.startsWith('pronoun'))
        ? meaning(at, 1, word)
        : null;
    case 'or':
      if (words[at - 1]?.atom === 'number') {
        if (next === 'so') return meaning(at, 2, 'about');
        if (next === 'less' || next === 'fewer') return meaning(at, 2, 'atmost');
        if (next === 'more') return meaning(at, 2, 'atleast');
      }
      return meaning(at, 1, 'or');
    case 'ex':
      return meaning(at, 1, 'usedto');
    case 'few':
      return meaning(at, 1, 'few');
    case 'would':
    case 'd':
      return next === 'like' || next === 'love' ? meaning(at, 2, 'want') : glue(at);
    case 'could':
      return next === 'not' ? glue(at) : meaning(at, 1, 'might');
    default:
      break;
  }
  if (MODALS.has(word)) return meaning(at, 1, MODALS.get(word)!);
  if (REPORTING.has(word) && (next === 'that' || next === '')) return next === 'that' ? glue(at, 2) : null;
  return null;
}

/** Whether a date or a number comes in the next words of the clause. */
function isDated(words: readonly Word[], at: number): boolean {
  for (let next = at + 1; next < words.length && next <= at + 5; next += 1) {
    if (words[next]!.border) return false;
    if (words[next]!.atom === 'date' || words[next]!.atom === 'number') return true;
  }
  return false;
}

function isPreposition(words: readonly Word[], texts: readonly string[], at: number): boolean {
  if (words[at]!.opens) return false;
  const before = texts[at - 1] ?? '';
  if (before === '' || SUBJECTS.has(before))
    return words[at]!.border && before !== '' && !SUBJECTS.has(before);
  return !['m', 're', 's'].includes(before);
}
