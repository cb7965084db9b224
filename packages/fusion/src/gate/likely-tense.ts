import { COMMON_VERBS } from '../reading/common-words.ts';
import type { Token } from '../reading/tokens.ts';
import { DENYING } from './lexicon/classes.ts';
import { UNCHANGING, VERB_FORMS } from './lexicon/irregular.ts';
import { wordList } from './lexicon/word-list.ts';

/** Verbs of what somebody says or means to do: their past tells nothing of when it is done. */
const MEANT = wordList(`
  said told mentioned reported noted wrote asked promised agreed decided wanted hoped planned needed intended offered suggested invited expected supposed
  booked scheduled arranged reserved confirmed thought knew heard learned learnt found meant allowed advised recommended moved postponed rescheduled delayed
  extended pushed ordered signed registered organised organized prepared reminded meant chose
`);
const WILL = wordList("will 'll won't shall i'll you'll he'll she'll it'll we'll they'll");
/** With an infinitive behind them: what is still to be done. */
const BEFORE_TO = wordList('going has have need needs want wants hope hopes plan plans supposed due ought');
const DUE = wordList('should must due');
const BE_NOW = wordList("am is are isn't aren't i'm you're he's she's it's we're they're who's");
const DONE = wordList("was were did had wasn't weren't didn't");
/** Words that make it happen again and again, or leave open which day is meant. */
const REPEATED =
  /^(?:every|each|usually|always|often|sometimes|normally|never|generally|regularly|weekly|weekdays?|weekends|most|some|any|(?:mon|tues|wednes|thurs|fri|satur|sun)days)$/;
/** Between a form of "be" and its participle. */
const BETWEEN_BE = wordList("not also only just still probably and both all n't now");
/** What comes once: with "is on Tuesday" it is still to come. */
const ONCE = wordList(`
  appointment exam retest test interview funeral wedding flight deadline surgery operation party concert trip viewing hearing scan checkup check-up inspection
  audit delivery retake resit audition handover premiere graduation ceremony
`);
/** Before a weekday on which something was done: "came on Monday", "came last Monday", "came Monday". */
const NOT_BEFORE_PAST = wordList('for until till by before next coming from after than to');

export type LikelyTense = 'past' | 'future' | null;

/**
 * Which way the sentence around a day looks, as far as plain signs tell: what is being done then, will be or has to be lies ahead, what was done then lies
 * behind. The signs of the day's own clause come first; with signs of both, with an infinitive between, or with a habit nothing is told.
 *
 * @param at index of the weekday's token, or of the first of a day of the month.
 */
export function likelyTense(tokens: readonly Token[], at: number): LikelyTense {
  const { sentence, clause } = tokens[at]!;
  let from = at;
  let to = at;
  while (from > 0 && tokens[from - 1]!.sentence === sentence) from -= 1;
  while (to + 1 < tokens.length && tokens[to + 1]!.sentence === sentence) to += 1;
  const near = { past: false, future: false };
  const far = { past: false, future: false };
  for (let index = from; index <= to; index += 1) {
    const token = tokens[index]!;
    if (REPEATED.test(token.folded)) return null;
    const signs = token.clause === clause ? near : far;
    if (isAhead(tokens, index) || isEventOn(tokens, index, at, from)) signs.future = true;
    else if (isBehind(tokens, index)) signs.past = true;
  }
  const signs = near.past || near.future ? near : far;
  if (signs.past === signs.future) return null;
  if (signs.future) return 'future';
  return NOT_BEFORE_PAST.has(wordBefore(tokens, at)) || hasInfinitive(tokens, at, clause) ? null : 'past';
}

function wordBefore(tokens: readonly Token[], at: number): string {
  const before = tokens[at - 1]?.folded ?? '';
  return before === 'the' ? (tokens[at - 2]?.folded ?? '') : before;
}

function written(token: Token | undefined): string {
  return token?.kind === 'word' ? token.text.toLowerCase() : '';
}

/** "will", "is picking", "has to", "is due", "is on Tuesday". */
function isAhead(tokens: readonly Token[], at: number): boolean {
  const word = written(tokens[at]);
  if (word === '') return false;
  if (WILL.has(word) || word.endsWith("'ll") || DUE.has(word)) return true;
  if (BEFORE_TO.has(word)) return tokens[at + 1]?.folded === 'to' && !isAfterBeen(tokens, at);
  if (!BE_NOW.has(word) && !isShortIs(tokens, at, word)) return false;
  let next = at + 1;
  while (next < at + 4 && BETWEEN_BE.has(written(tokens[next]))) next += 1;
  const after = written(tokens[next]);
  return /[a-z]{2}ing$/.test(after) && after !== 'being';
}

/** "the exam is on Tuesday" */
function isEventOn(tokens: readonly Token[], at: number, day: number, from: number): boolean {
  if (!BE_NOW.has(written(tokens[at])) || day - at < 1 || day - at > 2) return false;
  if (day - at === 2 && !/^(?:on|this)$/.test(written(tokens[at + 1]))) return false;
  return tokens
    .slice(from, at)
    .some((token) => token.clause === tokens[at]!.clause && ONCE.has(written(token)));
}

/** "Nora's coming": a name with the short form of "is". */
function isShortIs(tokens: readonly Token[], at: number, word: string): boolean {
  return /[a-z]'s$/.test(word) && /[a-z]{2}ing$/.test(written(tokens[at + 1]));
}

function isAfterBeen(tokens: readonly Token[], at: number): boolean {
  return DONE.has(written(tokens[at - 1])) || written(tokens[at - 1]) === 'been';
}

/** "came", "hiked", "was", "having torn". */
function isBehind(tokens: readonly Token[], at: number): boolean {
  const word = written(tokens[at]);
  if (word === '' || MEANT.has(word) || DENYING.has(word)) return false;
  if (DONE.has(word)) return !isMeant(tokens, at + 1);
  const before = written(tokens[at - 1]);
  const form = VERB_FORMS.get(word);
  if (before === 'having') return form !== undefined || word.endsWith('ed');
  // A participle after "is", "has", "gets" or an article tells of the present.
  if (
    BE_NOW.has(before) ||
    /^(?:be|been|being|has|have|'ve|get|gets|to|a|an|the|his|her|my|their|our)$/.test(before)
  )
    return false;
  if (before.endsWith("'s") || before.endsWith("'ve")) return false;
  if (form) return form.tense !== 'participle' && !UNCHANGING.has(word);
  return /[a-z]{2}ed$/.test(word) && word.length > 4 && !/^(?:need|hundred|indeed|speed|exceed)/.test(word);
}

/** "was booked", "were going to": it was only meant then. */
function isMeant(tokens: readonly Token[], at: number): boolean {
  const word = written(tokens[at]);
  return MEANT.has(word) || word === 'going' || word === 'due' || word === 'to' || DUE.has(word);
}

/** "wanted to come on Saturday": the day belongs to what was still to be done. */
function hasInfinitive(tokens: readonly Token[], at: number, clause: number): boolean {
  for (let index = at - 1; index > 0 && tokens[index]!.clause === clause; index -= 1) {
    if (tokens[index - 1]!.folded === 'to' && COMMON_VERBS.has(tokens[index]!.text)) return true;
  }
  return false;
}
