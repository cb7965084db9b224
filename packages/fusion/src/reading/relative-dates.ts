import { dateOf, dayNumber, dayNumberOf, dayText, isDay } from './calendar.ts';
import { LANGUAGES, languageOf } from './languages/all.ts';
import { detectLanguage } from './languages/detect.ts';
import { ENGLISH } from './languages/en.ts';
import type { Language } from './languages/language.ts';
import { untabledLanguage } from './languages/untabled.ts';
import { resolveElsewhere } from './relative-elsewhere.ts';
import { lastHoliday, type Resolved, resolveMeaning, type Tense } from './relative-meaning.ts';
import { compileRules, type Match, matchRule, type RuleBook, type Word } from './relative-rules.ts';
import { isApproximate, tenseAround } from './relative-tense.ts';
import { isDatePart, isNotRelative, looksLikeTitle, quotedSpans, readWords } from './relative-words.ts';

export interface ResolvedText {
  /** The text with relative dates replaced; the very same string when there was nothing to replace. */
  text: string;
  /** Phrases, as written, that look relative and could not be resolved for sure, in order. */
  unresolved: string[];
}

const BOOKS = new Map<string, RuleBook>();

/**
 * Replaces relative dates ("yesterday", "two weeks ago", "last May") by absolute ones ("on 2024-05-02", "in the week of 2024-04-15",
 * "in May 2023"), in the language of the text. Idempotent; touches nothing else. Linear in the length of the text.
 *
 * Days are exact. Weeks are named by their Monday, months, quarters, seasons and years by themselves. A phrase that people use in two ways is
 * resolved only when both mean the same date; everything else that looks relative is listed.
 *
 * @param saidOn the local day on which it was said, YYYY-MM-DD; null or no such day means that nothing can be resolved.
 * @param code language of the text, ISO 639-1, when it is one without a table or known already; null to detect it.
 */
export function resolveRelativeDates(
  text: string,
  saidOn: string | null,
  code = untabledLanguage(text),
): ResolvedText {
  const today = saidOn === null ? null : dayNumberOf(saidOn);
  const unresolved: string[] = [];
  const listed = new Set<string>();
  let resolved = text;
  // What was replaced may have been all that told the language: then the rest is read again, in the language that it shows now.
  for (let pass = 0; pass < LANGUAGES.length; pass += 1) {
    const once = resolveOnce(resolved, today, code);
    for (const phrase of once.unresolved) if (pass === 0 || !listed.has(phrase)) unresolved.push(phrase);
    for (const phrase of once.unresolved) listed.add(phrase);
    if (once.text === resolved) break;
    resolved = once.text;
  }
  return { text: resolved, unresolved: resolved === text ? unresolved : stillIn(resolved, unresolved) };
}

/** What one reading left open the next may have resolved. @param phrases in the order of the text, so that each is soon found */
function stillIn(text: string, phrases: readonly string[]): string[] {
  const known = new Map<string, boolean>();
  let at = 0;
  const isThere = (phrase: string): boolean => {
    const next = text.indexOf(phrase, at);
    if (next !== -1) at = next;
    return next !== -1 || text.includes(phrase);
  };
  return phrases.filter((phrase) => {
    const found = known.get(phrase) ?? isThere(phrase);
    known.set(phrase, found);
    return found;
  });
}

function resolveOnce(text: string, today: number | null, code: string | null): ResolvedText {
  const language = languageOf(code ?? detectLanguage(text));
  if (language === null) return resolveElsewhere(text, today, code ?? detectLanguage(text));
  const words = readWords(text);
  const book = bookOf(language);
  const isQuoted = quoteReader(text);
  const parts: string[] = [];
  const unresolved: string[] = [];
  let done = 0;
  let at = 0;
  while (at < words.length) {
    const match = matchRule(words, at, language, book);
    if (match === null) {
      at += 1;
      continue;
    }
    const [first, last] = [words[at]!, words[match.next - 1]!];
    if (match.meaning.kind !== 'none' && !isNotRelative(words, at, match, text, language)) {
      const sure = today !== null && !isQuoted(first.from);
      const beside = weekdayBesideDate(words, match, text, language);
      const day = sure ? dayOfMonth(text, first.from, last.to, match, today, language) : null;
      const replaced =
        beside ?? day?.text ?? (sure ? resolvePhrase(words, at, match, { text, today, language }) : null);
      if (replaced === null) {
        unresolved.push(text.slice(first.from, last.to));
      } else {
        parts.push(text.slice(done, day?.from ?? first.from), replaced);
        done = day?.to ?? last.to;
        while (match.next < words.length && words[match.next]!.from < done) match.next += 1;
      }
    }
    at = match.next;
  }
  if (done === 0) return { text, unresolved };
  parts.push(text.slice(done));
  return { text: parts.join(''), unresolved };
}

/** "last Monday, July 7": the date says it all; the weekday stays for whoever checks it. */
function weekdayBesideDate(
  words: readonly Word[],
  match: Match,
  text: string,
  language: Language,
): string | null {
  const [last, after] = [words[match.next - 1]!, words[match.next]];
  if (match.meaning.kind !== 'weekday' || match.part !== null || last.possessive || after === undefined)
    return null;
  if (!/^[ ,(]{1,2}$/.test(text.slice(last.to, after.from)) || !isDatePart(after, language)) return null;
  return text.slice(last.from, last.to);
}

/** "next month, on the 19th", "on the 19th of next month": a day, and what it takes of the text. */
function dayOfMonth(
  text: string,
  from: number,
  to: number,
  { meaning, unit }: Match,
  today: number,
  language: Language,
): { text: string; from: number; to: number } | null {
  if (language !== ENGLISH || meaning.kind !== 'span' || unit !== 'month') return null;
  const behind = /^,? (?:on )?the (\d{1,2})(?:st|nd|rd|th)(?![\p{L}\p{N}])(?! [\p{L}])/u.exec(
    text.slice(to, to + 30),
  );
  const ahead =
    behind === null
      ? /(?:[Oo]n )?[Tt]he (\d{1,2})(?:st|nd|rd|th) of $/.exec(text.slice(Math.max(0, from - 20), from))
      : null;
  const found = behind ?? ahead;
  if (found === null) return null;
  const now = dateOf(today);
  const months = now.year * 12 + now.month - 1 + meaning.offset;
  const [year, month, date] = [Math.floor(months / 12), (months % 12) + 1, Number(found[1])];
  if (!isDay(year, month, date)) return null;
  const on = ahead === null || /^[Oo]n/.test(found[0]) ? 'on ' : '';
  return {
    text: `${on}${dayText(dayNumber(year, month, date))}`,
    from: ahead === null ? from : from - found[0].length,
    to: behind === null ? to : to + found[0].length,
  };
}

/** Whether a position stands between quotation marks; to be asked with growing positions. */
function quoteReader(text: string): (position: number) => boolean {
  const quotes = quotedSpans(text);
  let at = 0;
  return (position) => {
    while (at < quotes.length && quotes[at]![1] <= position) at += 1;
    return at < quotes.length && quotes[at]![0] < position;
  };
}

function bookOf(language: Language): RuleBook {
  const known = BOOKS.get(language.code);
  if (known) return known;
  const book = compileRules(language);
  BOOKS.set(language.code, book);
  return book;
}

interface Around {
  text: string;
  today: number;
  language: Language;
}

function resolvePhrase(words: readonly Word[], at: number, match: Match, around: Around): string | null {
  const { meaning } = match;
  if (meaning.kind !== 'weekday' && meaning.kind !== 'month' && looksLikeTitle(words[at]!, around.text))
    return null;
  if (
    (meaning.kind === 'ago' || meaning.kind === 'exact' || meaning.kind === 'in') &&
    isApproximate(words, at, around.text)
  )
    return null;
  const tense: Tense = tenseAround(words, at, match, around.language);
  if (around.language.capitalNouns && words[at]!.folded === 'morgen' && words[at]!.capital) return null;
  const isLast = words[at]!.folded === 'last';
  const resolved =
    meaning.kind === 'holiday'
      ? isLast
        ? lastHoliday(match.holiday!, around.today)
        : null
      : resolveMeaning(match, around.today, tense, around.language);
  if (resolved === null || (resolved.what === '' && resolved.year === '')) return null;
  const before = words[at - 1];
  const bare =
    words[at]!.joined && before !== undefined && around.language.wording.prepositions.has(before.folded);
  const worded = wordDate(resolved, around.language, bare, words[match.next - 1]!.possessive);
  const opens = words[at]!.opens && words[at]!.capital;
  return opens ? worded[0]!.toUpperCase() + worded.slice(1) : worded;
}

/**
 * @param bare a preposition stands before it already.
 * @param possessive "yesterday's meeting" becomes "the 2024-05-02 meeting".
 */
function wordDate(resolved: Resolved, language: Language, bare: boolean, possessive: boolean): string {
  const { wording, what, year, part } = resolved;
  if (wording === 'holiday') return `${what} ${year}`;
  const template = language.wording[wording];
  const fill = (pattern: string): string =>
    pattern.replace(/\b[DMSY]\b/g, (slot) => (slot === 'Y' ? year : what));
  if (possessive && language === ENGLISH) {
    const partWord = part === null ? '' : ` ${part}`;
    return `the ${[what, year].filter((one) => one !== '').join(' ')}${partWord}${wording === 'day' ? '' : wording === 'week' ? ' week' : wording === 'weekend' ? ' weekend' : ''}`;
  }
  const worded = fill(bare ? template.slice(template.indexOf(' ') + 1) : template);
  return part === null ? worded : `${worded} ${language.wording.parts[part]}`;
}
