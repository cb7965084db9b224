import { type Reading, readDayNumber } from './numbers.ts';
import type { Token } from './tokens.ts';

/**
 * Dates in canonical spelling: 2024-05-03, --05-03 (no year), 2024-05, --05 (a month alone), 2024, 1990s, monday. A date whose order of
 * day and month cannot be told ("3/5/2024") stays a literal with its order, which equals only itself.
 */
const MONTHS = new Map<string, number>();
for (const [index, line] of [
  'january jan januar janvier enero janeiro gennaio januari styczeń stycznia января январь ocak',
  'february feb februar février febrero fevereiro febbraio februari luty lutego февраля февраль şubat',
  'march mar märz mars marzo março maart marzec marca марта март mart',
  'april apr avril abril aprile kwiecień kwietnia апреля апрель nisan',
  'may mai mayo maio maggio mei maj maja мая май mayıs',
  'june jun juni juin junio junho giugno czerwiec czerwca июня июнь haziran',
  'july jul juli juillet julio julho luglio lipiec lipca июля июль temmuz',
  'august aug août agosto augustus sierpień sierpnia августа август ağustos',
  'september sep sept septembre septiembre setembro settembre wrzesień września сентября сентябрь eylül',
  'october oct oktober octobre octubre outubro ottobre październik października октября октябрь ekim',
  'november nov novembre noviembre novembro listopad listopada ноября ноябрь kasım',
  'december dec dezember décembre diciembre dezembro dicembre grudzień grudnia декабря декабрь aralık',
].entries()) {
  for (const name of line.split(' ')) MONTHS.set(name, index + 1);
}
/** Month names that are other words too: alone they count only with a capital. */
const AMBIGUOUS = new Set([
  'may',
  'march',
  'mars',
  'mai',
  'mayo',
  'mei',
  'maja',
  'marca',
  'august',
  'mart',
  'ocak',
  'ekim',
  'maj',
]);
const WEEKDAYS = new Set(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']);
const DATE_JOINERS = new Set(['of', 'de', 'del', 'di']);

/** A date from token `at` on, or null. */
export function readDate(tokens: Token[], at: number): Reading | null {
  const token = tokens[at]!;
  if (token.kind === 'digits') {
    return (
      readNumericDate(token, at) ??
      readHanDate(tokens, at) ??
      readDayFirst(tokens, at) ??
      readYear(tokens, at)
    );
  }
  if (token.kind !== 'word') return null;
  const weekday = token.folded.endsWith('s') ? token.folded.slice(0, -1) : token.folded;
  if (WEEKDAYS.has(weekday)) return { values: [weekday], next: at + 1 };
  return readDayFirst(tokens, at) ?? readMonthFirst(tokens, at);
}

/** A time of day from token `at` on: 14:30, 2 pm, 2:30 pm, noon, midnight; canonical HH:MM or HH:MM:SS. */
export function readTime(tokens: Token[], at: number): Reading | null {
  const token = tokens[at]!;
  if (token.kind === 'word') {
    if (token.folded === 'noon') return { values: ['12:00'], next: at + 1 };
    return token.folded === 'midnight' ? { values: ['00:00'], next: at + 1 } : null;
  }
  const parts = token.kind === 'digits' ? /^(\d{1,2})(?:[:.](\d\d))?(?::(\d\d))?$/.exec(token.text) : null;
  if (!parts) return null;
  const half = tokens[at + 1]?.folded;
  const twelve = half === 'am' || half === 'pm';
  if (!twelve && !token.text.includes(':')) return null;
  let hour = Number(parts[1]);
  const minute = parts[2] ?? '00';
  if (Number(minute) > 59 || Number(parts[3] ?? 0) > 59) return null;
  if (twelve) {
    if (hour < 1 || hour > 12) return null;
    hour = (hour % 12) + (half === 'pm' ? 12 : 0);
  }
  if (hour > 23) return null;
  const seconds = parts[3] === undefined || parts[3] === '00' ? '' : `:${parts[3]}`;
  return { values: [`${two(hour)}:${minute}${seconds}`], next: at + (twelve ? 2 : 1) };
}

function readNumericDate(token: Token, at: number): Reading | null {
  const year = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/.exec(token.text);
  if (year) return dateOrNull(Number(year[1]), Number(year[3]), Number(year[4]), at + 1);
  const month = /^(\d{4})-(\d\d)$/.exec(token.text);
  if (month && Number(month[2]) >= 1 && Number(month[2]) <= 12) {
    return { values: [`${month[1]}-${month[2]}`], next: at + 1 };
  }
  const parts = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)$/.exec(token.text);
  if (!parts) return null;
  const [first, second] = [Number(parts[1]), Number(parts[3])];
  const fullYear =
    parts[4]!.length === 4 ? Number(parts[4]) : Number(parts[4]) + (Number(parts[4]) < 70 ? 2000 : 1900);
  if (parts[2] === '.') return dateOrNull(fullYear, second, first, at + 1);
  if (first > 12) return dateOrNull(fullYear, second, first, at + 1);
  if (second > 12 || first === second) return dateOrNull(fullYear, first, second, at + 1);
  return first >= 1 && second >= 1 ? { values: [`?${first}/${second}/${fullYear}`], next: at + 1 } : null;
}

/** 2024年5月3日, 5月3日, 2024年 */
function readHanDate(tokens: Token[], at: number): Reading | null {
  const take = (index: number, sign: string): number | null => {
    const digits = tokens[index];
    const run = tokens[index + 1];
    const found =
      digits?.kind === 'digits' && /^\d{1,4}$/.test(digits.text) && run?.glued && run.text.startsWith(sign);
    return found ? Number(digits.text) : null;
  };
  const year = take(at, '年');
  const monthAt = year === null ? at : at + 2;
  const month = take(monthAt, '月');
  const day = month === null ? null : take(monthAt + 2, '日');
  if (month !== null && month >= 1 && month <= 12) {
    const head = year === null ? '-' : String(year);
    if (day !== null) return dateOrNull(year, month, day, afterSign(tokens, monthAt + 3));
    return { values: [`${head}-${two(month)}`], next: afterSign(tokens, monthAt + 1) };
  }
  return year !== null && year > 999 ? { values: [String(year)], next: afterSign(tokens, at + 1) } : null;
}

/** A run that goes on after its sign has content of its own and is read again. */
function afterSign(tokens: Token[], at: number): number {
  return tokens[at]!.text.length === 1 ? at + 1 : at;
}

/** 3 May 2024, 3rd of May, 3. Mai, the third of May */
function readDayFirst(tokens: Token[], at: number): Reading | null {
  const day = readDayNumber(tokens, at);
  if (!day) return null;
  let index = day.next;
  if (DATE_JOINERS.has(tokens[index]?.folded ?? '')) index += 1;
  const month = monthAt(tokens, index);
  if (month === null) return null;
  const year = yearAfter(tokens, index + 1);
  return dateOrNull(year?.year ?? null, month, day.day, year?.next ?? index + 1);
}

/** May 3, 2024; May 3rd; May 2024; May */
function readMonthFirst(tokens: Token[], at: number): Reading | null {
  const month = monthAt(tokens, at);
  if (month === null) return null;
  const day = readDayNumber(tokens, at + 1);
  if (day && tokens[at + 1]!.kind === 'digits') {
    const year = yearAfter(tokens, day.next);
    return dateOrNull(year?.year ?? null, month, day.day, year?.next ?? day.next);
  }
  const year = yearAfter(tokens, at + 1);
  if (year) return { values: [`${year.year}-${two(month)}`], next: year.next };
  const token = tokens[at]!;
  if (
    token.folded.length <= 4 &&
    !AMBIGUOUS.has(token.folded) &&
    token.folded !== 'june' &&
    token.folded !== 'july'
  )
    return null;
  const capital = /^\p{Lu}/u.test(token.text);
  return capital || !AMBIGUOUS.has(token.folded) ? { values: [`--${two(month)}`], next: at + 1 } : null;
}

/** A year of four digits alone, or a decade (1990s, 90s). */
function readYear(tokens: Token[], at: number): Reading | null {
  const { text } = tokens[at]!;
  const next = tokens[at + 1];
  if (/^(?:\d\d)?\d0$/.test(text) && next?.glued && next.folded === 's')
    return { values: [`${text}s`], next: at + 2 };
  const before = tokens[at - 1];
  if (before?.kind === 'mark' && before.glued === false && /^[$€£¥₹₽₺#]$/.test(before.text)) return null;
  return /^(?:19|20)\d\d$/.test(text) && !isMeasured(next) ? { values: [text], next: at + 1 } : null;
}

/** A number before one of these is an amount, not a year. */
function isMeasured(next: Token | undefined): boolean {
  return next !== undefined && (/^[%€$£°]$/.test(next.text) || (next.glued && next.kind === 'word'));
}

function monthAt(tokens: Token[], at: number): number | null {
  const token = tokens[at];
  return token?.kind === 'word' ? (MONTHS.get(token.folded) ?? null) : null;
}

function yearAfter(tokens: Token[], at: number): { year: number; next: number } | null {
  let index = at;
  const joiner = tokens[index];
  if (joiner?.text === '.' && joiner.glued) index += 1;
  if (tokens[index]?.text === ',' || DATE_JOINERS.has(tokens[index]?.folded ?? '')) index += 1;
  const token = tokens[index];
  const year = token?.kind === 'digits' && /^[12]\d{3}$/.test(token.text) ? Number(token.text) : null;
  return year === null ? null : { year, next: index + 1 };
}

function dateOrNull(year: number | null, month: number, day: number, next: number): Reading | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  return { values: [`${year ?? '-'}-${two(month)}-${two(day)}`], next };
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
