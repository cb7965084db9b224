import { type Language, words } from './languages/language.ts';
import type { Match, Word } from './relative-rules.ts';
import { isStillGoingOn } from './relative-since.ts';
import { isDuration } from './relative-tense.ts';
import { isCalledAfter, isEachWeek } from './weekday-habits.ts';

const WORDS = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** A space, the apostrophe of a plural possessive with one, or a hyphen. */
const JOINS = /^(?:['’]?[ \t\u00A0]+|-)$/;
const SENTENCE_GAP = /[.!?\n。]/;
/** Days with a name of their own, and words that make a weekday any one of its kind. */
const BEFORE_WEEKDAY = words(`
  good black ash palm easter cyber shrove whit giving a an one any each every first second third fourth fifth alternate other some most except besides 1st 2nd 3rd 4th
`);
const RECURRING_PARTS = new Set(['mornings', 'afternoons', 'evenings', 'nights']);

/** The words of a text with where they stand in it. */
export function readWords(text: string): Word[] {
  const words: Word[] = [];
  let end = 0;
  let opens = true;
  for (const match of text.matchAll(WORDS)) {
    const gap = text.slice(end, match.index);
    if (SENTENCE_GAP.test(gap)) opens = true;
    const straight = match[0].toLowerCase().replaceAll('’', "'").normalize('NFC');
    const possessive = straight.endsWith("'s") && straight.length > 3;
    words.push({
      folded: possessive ? straight.slice(0, -2) : straight,
      from: match.index,
      to: match.index + match[0].length,
      capital: /^\p{Lu}/u.test(match[0]),
      possessive,
      joined: words.length > 0 && JOINS.test(gap),
      opens,
    });
    opens = false;
    end = match.index + match[0].length;
  }
  return words;
}

/** Whether what matched is no relative date after all: part of a full date, of a schedule, of a name of a day, or a noun. */
export function isNotRelative(
  words: readonly Word[],
  at: number,
  match: Match,
  text: string,
  language: Language,
): boolean {
  const { meaning } = match;
  const before = at > 0 ? words[at - 1] : undefined;
  const after = words[match.next];
  if (language.capitalNouns && words[at]!.folded === 'morgen') return words[at]!.capital && !words[at]!.opens;
  if (meaning.kind === 'vague' && match.unit === 'year' && isStillGoingOn(words, at, language)) return true;
  if (meaning.kind === 'future') return isDuration(words, at, match, language);
  if (meaning.kind === 'span' || meaning.kind === 'loose')
    return !SPANS.has((meaning.kind === 'span' ? meaning.unit : null) ?? match.unit ?? '');
  if (meaning.kind !== 'weekday' || meaning.which !== 'bare') return false;
  const gapAfter = after ? text.slice(words[match.next - 1]!.to, after.from) : '';
  const gapBefore = before ? text.slice(before.to, words[at]!.from) : '';
  // Sun and Sat, Mon and Wed are weekdays after a preposition; elsewhere they may be anything.
  const short = words[at]!.folded.length <= 4 && match.next === at + 1;
  if (short && !(words[at]!.joined && before && language.wording.prepositions.has(before.folded)))
    return true;
  if (before && words[at]!.joined && BEFORE_WEEKDAY.has(before.folded)) return true;
  if (language.code === 'en' && isAttribute(words, at, match.next)) return true;
  if (before && /^[ ,(]{1,2}$/.test(gapBefore) && isDatePart(before, language)) return true;
  if (before && /[-–—]/.test(gapBefore) && language.weekdays.has(before.folded)) return true;
  if (!after) return false;
  if (/[-–—]/.test(gapAfter) && language.weekdays.has(after.folded)) return true;
  if (after.joined && RECURRING_PARTS.has(after.folded)) return true;
  const follows =
    after.folded === 'the' || after.folded === 'den' || after.folded === 'le' ? words[match.next + 1] : after;
  return /^[ ,(]{1,2}$/.test(gapAfter) && follows !== undefined && isDatePart(follows, language);
}

/** "Tuesday piano lessons", "Sunday roast" */
function isAttribute(words: readonly Word[], at: number, next: number): boolean {
  const before = words[at]!.joined ? (words[at - 1]?.folded ?? '') : '';
  const after: string[] = [];
  for (let index = next; index < next + 3 && words[index]?.joined; index += 1)
    after.push(words[index]!.folded);
  return isEachWeek(before, after) || isCalledAfter(before, after);
}

const SPANS = new Set(['week', 'month', 'year', 'quarter', 'weekend', 'decade']);

export function isDatePart({ folded }: Word, language: Language): boolean {
  return (
    /^\d{1,2}(?:st|nd|rd|th)?$/.test(folded) ||
    /^[12]\d{3}$/.test(folded) ||
    (folded.length > 2 && language.months.has(folded))
  );
}

/**
 * Where text stands between double quotation marks, as [from, to) pairs in order. A mark without a partner in its paragraph quotes nothing, and marks
 * around all of a text are those of a statement written down word by word.
 */
export function quotedSpans(text: string): [number, number][] {
  const spans: [number, number][] = [];
  let open = -1;
  for (const { 0: mark, index } of text.matchAll(/["“”„«»\n]/gu)) {
    if (mark === '\n') open = -1;
    else if (open === -1) open = index;
    else {
      spans.push([open, index]);
      open = -1;
    }
  }
  const [whole] = spans;
  if (
    whole &&
    spans.length === 1 &&
    text.slice(0, whole[0]).trim() === '' &&
    /^[\s.!?]*$/.test(text.slice(whole[1] + 1))
  )
    return [];
  return spans;
}

/** Whether a phrase is written like a title: a capital inside a sentence that is not all in capitals. */
export function looksLikeTitle(word: Word, text: string): boolean {
  const written = text.slice(word.from, word.to);
  return word.capital && !word.opens && written !== written.toUpperCase();
}
