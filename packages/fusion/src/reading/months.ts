import { LANGUAGES } from './languages/all.ts';
import { ENGLISH } from './languages/en.ts';
import { type Language, numbered } from './languages/language.ts';
import type { Token } from './tokens.ts';

/** Months in languages without a table of their own. */
const ELSEWHERE = numbered(
  'styczeń stycznia января январь ocak januari|luty lutego февраля февраль şubat februari|marzec marca марта март mart mars|' +
    'kwiecień kwietnia апреля апрель nisan april|maj maja мая май mayıs|czerwiec czerwca июня июнь haziran juni|' +
    'lipiec lipca июля июль temmuz juli|sierpień sierpnia августа август ağustos augusti|wrzesień września сентября сентябрь eylül|' +
    'październik października октября октябрь ekim|listopad listopada ноября ноябрь kasım|grudzień grudnia декабря декабрь aralık',
);
/** Names of months that are other words in English: they count where the language is theirs, or with a year. */
const WEAK = new Set('set out mar mars mart dez ene fev dic maj déc avr abr'.split(' '));
/** Month names that are other words too: alone they count only with a capital. */
const AMBIGUOUS = new Set('may march mai mayo mei maja marca august mart mars ocak ekim maj'.split(' '));
/** Abbreviations and first names: no date alone. */
const SHORT = 4;
const WHOLE_THOUGH_SHORT = new Set([
  'may',
  'june',
  'july',
  'mai',
  'maj',
  'mei',
  'juin',
  'août',
  'juni',
  'juli',
  'ocak',
  'ekim',
]);

/** Every name of a month. */
export const ALL_MONTHS = new Map<string, number>();
for (const table of [...LANGUAGES.map(({ months }) => months), ELSEWHERE]) {
  for (const [name, month] of table) {
    if (!ALL_MONTHS.has(name)) ALL_MONTHS.set(name, month);
  }
}
const WEEKDAY_NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
/** Every name of a weekday; parts of hyphenated ones joined by a space. */
export const WEEKDAYS = new Map<string, number>();
for (const { weekdays, code } of LANGUAGES) {
  for (const [name, day] of weekdays) {
    if (code === 'en' || name.length > 4) WEEKDAYS.set(name, day);
  }
}
for (const [name, day] of numbered(
  'понедельник|вторник|среда среду|четверг|пятница пятницу|суббота субботу|воскресенье',
)) {
  WEEKDAYS.set(name, day);
}
for (const [name, day] of numbered(
  'poniedziałek|wtorek|środa środę|czwartek|piątek|sobota sobotę|niedziela niedzielę',
)) {
  WEEKDAYS.set(name, day);
}
for (const [name, day] of numbered('måndag|tisdag|onsdag|torsdag|fredag|lördag|söndag'))
  WEEKDAYS.set(name, day);

/** The month that a word names, 1 to 12, or null. @param sure a day or a year stands beside it */
export function monthAt(token: Token | undefined, language: Language | null): number | null {
  if (token?.kind !== 'word') return null;
  const { folded } = token;
  const month = ENGLISH.months.get(folded) ?? language?.months.get(folded);
  if (month !== undefined) return month;
  return WEAK.has(folded) && language !== null ? null : (ALL_MONTHS.get(folded) ?? null);
}

/** Whether a month's name alone is a date: not the verb "may", not Jan or Mar, who may be people. */
export function standsAlone(token: Token): boolean {
  if (token.folded.length <= SHORT && !WHOLE_THOUGH_SHORT.has(token.folded)) return false;
  return /^\p{Lu}/u.test(token.text) || !AMBIGUOUS.has(token.folded);
}

/** Whether a month written small is as likely another word: "may 3 people come". */
export function needsCapital(token: Token): boolean {
  return (
    (token.folded === 'may' || token.folded === 'march' || token.folded === 'mars') &&
    token.text === token.folded
  );
}

export interface WeekdayReading {
  /** 1 (Monday) to 7. */
  day: number;
  /** "Mondays": any of them. */
  plural: boolean;
  next: number;
}

export function weekdayName(day: number): string {
  return WEEKDAY_NAMES[day - 1]!;
}

/** A weekday from token `at` on: Monday, Mon., Mondays, Freitag, segunda-feira. */
export function weekdayAt(
  tokens: readonly Token[],
  at: number,
  language: Language | null,
): WeekdayReading | null {
  const token = tokens[at];
  if (token?.kind !== 'word') return null;
  const { folded } = token;
  if (tokens[at + 1]?.text === '-' && tokens[at + 1]!.glued && tokens[at + 2]?.kind === 'word') {
    const both = WEEKDAYS.get(`${folded} ${tokens[at + 2]!.folded}`);
    if (both !== undefined) return { day: both, plural: tokens[at + 2]!.folded.endsWith('s'), next: at + 3 };
  }
  const whole = WEEKDAYS.get(folded);
  const short = folded.length <= 5 && !folded.endsWith('day') && ENGLISH.weekdays.has(folded);
  if (whole !== undefined) {
    // Sat, Sun, Mon, Wed are other words when they are written small, and in other languages.
    return short && (token.text === folded || language?.code !== 'en')
      ? null
      : { day: whole, plural: false, next: at + 1 };
  }
  const one = folded.endsWith('s') ? WEEKDAYS.get(folded.slice(0, -1)) : undefined;
  return one === undefined || folded.length < 6 ? null : { day: one, plural: true, next: at + 1 };
}

/** Only a time follows them before a short name of a month: "from Jan" may be a person. */
const BEFORE_MONTH = new Set(['in', 'since', 'until', 'till', 'early', 'late', 'mid']);
/** Words of their own in English that are months elsewhere. */
const EVERYDAY = new Set('set out mart mars mai dez ene fev dic maj ago'.split(' '));

/** "in Jan", "since early Sept.": after a word that only a time follows. */
export function isShortMonth(tokens: readonly Token[], at: number, language: Language | null): boolean {
  const token = tokens[at]!;
  if (language?.code !== 'en' || !/^\p{Lu}/u.test(token.text)) return false;
  const next = tokens[at + 1];
  const named = next?.kind === 'word' && /^\p{Lu}/u.test(next.text);
  return !named && BEFORE_MONTH.has(tokens[at - 1]?.folded ?? '') && !EVERYDAY.has(token.folded);
}
