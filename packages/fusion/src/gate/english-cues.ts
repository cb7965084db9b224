import { UNCHANGING, VERB_FORMS } from './lexicon/irregular.ts';
import { wordList } from './lexicon/word-list.ts';
import type { Word } from './meaning.ts';

/** What small words mean by those around them: "so", "as", "since", "just", "alone", "once", "may". */

const NO_REASON = wordList('far on forth many much that long called to is as');
const AUXILIARY = wordList(
  'is are am was were has have had does do did can could will would should must may might needs s m re ve d not',
);
const OWNERS = wordList('the my his her their our its your this these those');
const ARTICLES = wordList('a an every each all both any some');
const PRONOUNS = wordList('i he she they we it you that there user');
const AFTER_NOUN = wordList('and or but of to in on at with for from by as when');
const NOT_AS = wordList(
  'you a an of for to well soon long far at in on from by per is if though well requested agreed always usual',
);
const TELLING = wordList(
  'said says say told tells mentioned noted reported put explained wrote asked ordered requested',
);
/** Verbs of states: "once lived" is "used to live", "once sang" may be one evening. */
const STATES_ONCE = wordList('lived resided smoked owned worked belonged');
const TIMES = wordList('second minute hour day night week fortnight month quarter season year decade');
const STARTING = wordList('begin start commence open reopen resume arrive come return launch');
const ASKED = wordList('assistant you');

function borderAt(words: readonly Word[], at: number): boolean {
  const word = words[at];
  return !word || word.border || word.opens;
}

/** Whether a word looks like a verb with a subject before it. */
function isVerbLike(text: string): boolean {
  return (
    AUXILIARY.has(text) || VERB_FORMS.has(text) || UNCHANGING.has(text) || /[a-z]{2}(?:ed|[^s]s)$/.test(text)
  );
}

/** "..., so Ann stays home": what follows comes of what was said; "so far" and "so many" say something else. */
export function isReasonSo(words: readonly Word[], texts: readonly string[], at: number): boolean {
  const next = texts[at + 1];
  if (next === undefined || NO_REASON.has(next) || borderAt(words, at + 1)) return false;
  const joined = texts[at - 1] === 'and' && at > 1;
  return joined || (words[at]!.border && at > 0) || (words[at]!.opens && at > 0);
}

/** "..., as the car broke down": a statement follows, with a subject and a verb. */
export function isReasonAs(words: readonly Word[], texts: readonly string[], at: number): boolean {
  const next = texts[at + 1] ?? '';
  if (!borderAt(words, at) || NOT_AS.has(next) || borderAt(words, at + 1)) return false;
  const named = next === '' && words[at + 1]?.atom === null;
  if (!OWNERS.has(next) && !PRONOUNS.has(next) && !named) return false;
  for (let index = at + 2; index <= at + 5 && index < words.length; index += 1) {
    const text = texts[index]!;
    if (words[index]!.border || TELLING.has(text)) return false;
    if (isVerbLike(text)) return !/ing$/.test(texts[index + 1] ?? '');
  }
  return false;
}

/** "since then", "since the retro": no statement follows, but a moment. */
export function isMoment(words: readonly Word[], texts: readonly string[], at: number): boolean {
  const next = texts[at + 1] ?? '';
  if (next === 'then') return true;
  const noun = OWNERS.has(next) ? at + 2 : at + 1;
  const text = texts[noun] ?? '';
  if (text === '' || borderAt(words, noun) || PRONOUNS.has(text) || isVerbLike(text)) return false;
  return borderAt(words, noun + 1) || AFTER_NOUN.has(texts[noun + 1]!);
}

/** "X, then Y": Y comes after X; "since then" and "until then" point at a moment. */
export function isLaterThen(words: readonly Word[], texts: readonly string[], at: number): boolean {
  if (at === 0 || borderAt(words, at + 1)) return false;
  return words[at]!.border || texts[at - 1] === 'and';
}

/** "except when it rains" is "unless it rains"; "except when they are on pizza" is "except on pizza". */
export function isUnlessExcept(texts: readonly string[], at: number): boolean {
  if (!['when', 'if', 'whenever'].includes(texts[at + 1] ?? '')) return false;
  return !(PRONOUNS.has(texts[at + 2] ?? '') && /^(?:is|are|s|re)$/.test(texts[at + 3] ?? ''));
}

/** "just 65 euros": only that; "just arrived" and "just so you know" say something else. */
export function isOnlyJust(words: readonly Word[], texts: readonly string[], at: number): boolean {
  const [before, next] = [texts[at - 1] ?? '', texts[at + 1]];
  if (next === undefined || borderAt(words, at + 1)) return false;
  if (['has', 'have', 'had', 've', 's', 'd', 're', 'm', 'not'].includes(before)) return false;
  if (words[at + 1]!.atom === 'number') return true;
  if (VERB_FORMS.has(next) || UNCHANGING.has(next) || /ed$/.test(next)) return false;
  return !/^(?:so|as|like|now|after|before|because|about|around|in|fyi|how|when|got|over|under)$/.test(next);
}

/** "Vera alone may pick him up": nobody else; "lives alone" says something else. */
export function isOnlyAlone(words: readonly Word[], texts: readonly string[], at: number): boolean {
  const before = words[at - 1];
  if (!before || borderAt(words, at) || borderAt(words, at + 1)) return false;
  const named = texts[at - 1] === '' && before.atom === null;
  return named && (borderAt(words, at - 1) || at === 1) && isVerbLike(texts[at + 1]!);
}

/** "once lived in Rome", ", once a smoker": of the past; "once a week" says something else. */
export function isFormerOnce(words: readonly Word[], texts: readonly string[], at: number): boolean {
  const next = texts[at + 1] ?? '';
  if (STATES_ONCE.has(next)) return true;
  return (next === 'a' || next === 'an') && words[at]!.border && !TIMES.has(texts[at + 2] ?? '');
}

/** "doesn't begin until after May": where the "until" stands; -1 where there is none. What starts not until then starts only then. */
export function startsNotUntil(words: readonly Word[], texts: readonly string[], at: number): number {
  const verb = texts[at + 1] ?? '';
  if (!STARTING.has(verb) || borderAt(words, at + 1)) return -1;
  for (let index = at + 2; index <= at + 6 && index < words.length; index += 1) {
    if (words[index]!.border) return -1;
    if (texts[index] === 'until' || texts[index] === 'till') return index;
  }
  return -1;
}

/** "going to every match" is no intention: a place or an event follows, not a verb. */
export function isGoingSomewhere(words: readonly Word[], at: number): boolean {
  const goal = words[at + 2];
  if (!goal) return false;
  return (goal.text === '' && goal.atom === null) || OWNERS.has(goal.text) || ARTICLES.has(goal.text);
}

/** "The assistant may book": it is allowed, while "it may rain" is possible. */
export function isAllowed(texts: readonly string[], at: number): boolean {
  if (ASKED.has(texts[at - 1] ?? '')) return true;
  if (texts[at - 1] !== 'and') return false;
  for (let index = at - 2; index >= 1 && index >= at - 12; index -= 1) {
    if (texts[index] === 'may') return ASKED.has(texts[index - 1]!);
  }
  return false;
}

/** Whether a form of "prefer" or "choose" stands before, in the same clause. */
export function preferring(texts: readonly string[], at: number): boolean {
  for (let index = at - 2; index >= 0 && index >= at - 8; index -= 1) {
    const word = texts[index]!;
    if (
      word.startsWith('prefer') ||
      word.startsWith('choose') ||
      word.startsWith('chose') ||
      word.startsWith('favo')
    )
      return true;
  }
  return false;
}
