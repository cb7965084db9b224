import { type Language, words as list } from './languages/language.ts';
import type { Tense } from './relative-meaning.ts';
import type { Match, Word } from './relative-rules.ts';

const FUTURE_SIGNS = list(`
  will i'll he'll she'll they'll we'll it'll won't gonna shall
`);
const PAST_SIGNS = list(`
  went met saw was were ate ran came fell broke died happened attended visited watched arrived finished celebrated played drove flew lost won completed returned woke slept cooked
`);
const APPROXIMATE = list(`
  about around roughly approximately almost nearly over under than least most or to and some etwa ungefähr fast rund environ presque casi unos circa quasi cerca ongeveer bijna half
`);
/** How many words around a weekday are looked at for what its sentence speaks of. */
const LOOK_BACK = 8;

/** "in three days" after something done is how long it took; of hours and minutes it says nothing of a date. */
export function isDuration(words: readonly Word[], at: number, match: Match, language: Language): boolean {
  const { unit } = match;
  if (unit !== 'day' && unit !== 'week' && unit !== 'month' && unit !== 'year') return true;
  const before = words[at - 1];
  if (isStatedAhead(words, at)) return false;
  if (before?.folded === 'times' || before?.folded === 'twice' || before?.folded === 'once') return true;
  return language.code === 'en' && (tenseOf(words, at, match.next) === 'past' || isDoneBefore(words, at));
}

const PLANNING = list(`
  booked scheduled planned invited arranged supposed expected interested need needed wanted hoped
`);

/** Verbs in the present and nouns that speak of what is still to come: "retires in two years", "next check in March". */
const AHEAD = list(`
  retires expires starts begins ends moves leaves arrives opens closes due graduates returns renews turns comes flies departs finishes next upcoming
  appointment deadline exam trip wedding flight renewal checkup check-up game match must should retire expire start begin end move leave arrive graduate return
`);

/** "The next check is in three months", "has to hand it in in four weeks": a copula right before, or a duty. */
function isStatedAhead(words: readonly Word[], at: number): boolean {
  const before = words[at - 1];
  return before !== undefined && words[at]!.joined && COPULAS.has(before.folded);
}

const COPULAS = list('is are');
/** Together with "to" a duty, which lies ahead. */
const DUTIES = list('has have need needs ought');
const HABITS = list('every each usually always normally never often sometimes generally regularly');

/** What surely comes once, on the next such weekday, when the present tells of it. */
const AHEAD_ON_WEEKDAY = list(`
  comes arrives leaves starts begins departs flies moves expires retires due must should
`);
/** So does what is named by these, beside a verb of the present. */
const EVENTS = list('appointment exam interview funeral wedding flight deadline surgery operation');
const AHEAD_ON_WEEKDAY_OR_EVENT = new Set([...AHEAD_ON_WEEKDAY, ...EVENTS]);
const PRESENT = list('is are has have am');

/** A past form in "-ed" stands before, and none of those that look ahead. */
function isDoneBefore(words: readonly Word[], at: number): boolean {
  let done = false;
  for (let index = at - 1; index >= 0 && at - index <= LOOK_BACK; index -= 1) {
    const word = words[index]!;
    if (PLANNING.has(word.folded) || FUTURE_SIGNS.has(word.folded)) return false;
    if (word.folded.length > 4 && word.folded.endsWith('ed')) done = true;
    if (word.opens || !word.joined) break;
  }
  return done;
}

/** What the sentence around a phrase speaks of; only English words are known to tell. An approximate amount tells nothing. */
export function tenseAround(words: readonly Word[], at: number, match: Match, language: Language): Tense {
  const before = words[at - 1];
  if (language.code !== 'en') return 'unknown';
  if (before?.folded === 'since' && words[at]!.joined) return 'past';
  if (
    match.meaning.kind === 'weekday' &&
    before &&
    words[at]!.joined &&
    !ALLOWED_BEFORE_BARE.has(before.folded)
  ) {
    const tense = tenseOf(words, at, match.next);
    return tense === 'future' && FUTURE_BEFORE_BARE.has(before.folded) ? 'future' : 'unknown';
  }
  if (match.meaning.kind === 'future')
    return isStatedAhead(words, at) ? 'future' : tenseOf(words, at, match.next, AHEAD);
  const sure = tenseOf(words, at, match.next);
  if (sure !== 'unknown' || match.meaning.kind !== 'weekday' || isDoneBefore(words, at) || isHabit(words, at))
    return sure;
  const present = words
    .slice(Math.max(0, at - LOOK_BACK), at + LOOK_BACK)
    .some(({ folded }) => PRESENT.has(folded));
  return tenseOf(words, at, match.next, present ? AHEAD_ON_WEEKDAY_OR_EVENT : AHEAD_ON_WEEKDAY);
}

/** A word of the sentence says that it happens again and again. */
function isHabit(words: readonly Word[], at: number): boolean {
  for (let index = at; index >= 0 && at - index <= LOOK_BACK; index -= 1) {
    if (HABITS.has(words[index]!.folded)) return true;
    if (words[index]!.opens) break;
  }
  for (
    let index = at + 1;
    index < words.length && index - at <= LOOK_BACK && !words[index]!.opens;
    index += 1
  ) {
    if (HABITS.has(words[index]!.folded)) return true;
  }
  return false;
}

const ALLOWED_BEFORE_BARE = new Set(['on', 'here', 'there', 'home', 'up', 'out', 'it', 'him', 'her', 'them']);
const FUTURE_BEFORE_BARE = new Set(['until', 'till', 'by', 'from', 'before', 'after']);

/** @param ahead words that count as a look ahead besides the sure ones. */
function tenseOf(words: readonly Word[], from: number, to: number, ahead?: ReadonlySet<string>): Tense {
  let past = false;
  let future = false;
  const look = (word: Word, next: Word | undefined): void => {
    if (PAST_SIGNS.has(word.folded)) past = true;
    if (
      FUTURE_SIGNS.has(word.folded) ||
      ahead?.has(word.folded) ||
      (ahead !== undefined && DUTIES.has(word.folded) && next?.folded === 'to') ||
      (word.folded === 'going' && next?.folded === 'to')
    )
      future = true;
  };
  for (let at = from - 1; at >= 0 && from - at <= LOOK_BACK; at -= 1) {
    look(words[at]!, words[at + 1]);
    if (words[at]!.opens || !words[at]!.joined) break;
  }
  for (let at = to; at < words.length && at - to < LOOK_BACK; at += 1) {
    const word = words[at]!;
    if (word.opens) break;
    look(word, words[at + 1]);
  }
  return past === future ? 'unknown' : past ? 'past' : 'future';
}

/** Whether an amount before "ago" is only about so, or part of a larger expression: "2-3 weeks", "1.5 years", "about a year". */
export function isApproximate(words: readonly Word[], at: number, text: string): boolean {
  const before = words[at - 1];
  const start = words[at]!.from;
  const sign = text[start - 1] ?? '';
  if (/[-–~.,/<>]/.test(sign) && /[\d~<>]/.test(text[start - 2] ?? sign)) return true;
  return before !== undefined && words[at]!.joined && APPROXIMATE.has(before.folded);
}
