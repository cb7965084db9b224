import { twoDigits } from './calendar.ts';
import type { Language } from './languages/language.ts';
import { readNumberWords } from './number-words.ts';
import type { Token } from './tokens.ts';
import { unitOf } from './units.ts';

export const NAMED = new Map<string, number>(Object.entries({ noon: 12, midday: 12, midnight: 0 }));

const HOUR_SIGNS = new Set(['uhr', "o'clock", 'oclock']);

const PARTS_OF_DAY = new Map<string, 'am' | 'pm' | 'night'>(
  Object.entries({ morning: 'am', afternoon: 'pm', evening: 'pm', night: 'night' }),
);

const HALF_WORDS = new Set([
  'am',
  'pm',
  'afternoon',
  'morning',
  'evening',
  'night',
  'noon',
  'midnight',
  'midday',
]);

export interface Clock {
  /** 0 to 23; with `half` unknown, as it was said. */
  hour: number;
  minute: number;
  second: number;
  next: number;
}

export function clockText({ hour, minute, second }: Clock): string {
  return `${twoDigits(hour)}:${twoDigits(minute)}${second === 0 ? '' : `:${twoDigits(second)}`}`;
}

export function readClock(tokens: readonly Token[], at: number, language: Language | null): Clock | null {
  const token = tokens[at];
  if (token === undefined) return null;
  if (token.kind === 'digits') return readDigitClock(tokens, at);
  if (token.kind !== 'word') return null;
  const named = NAMED.get(token.folded);
  if (named !== undefined) return { hour: named, minute: 0, second: 0, next: at + 1 };
  return readSpokenClock(tokens, at, language);
}

function readDigitClock(tokens: readonly Token[], at: number): Clock | null {
  const parts = /^(\d{1,2})(?:([:.])(\d\d))?(?::(\d\d))?$/.exec(tokens[at]!.text);
  if (!parts) return null;
  const clock: Clock = {
    hour: Number(parts[1]),
    minute: Number(parts[3] ?? 0),
    second: Number(parts[4] ?? 0),
    next: at + 1,
  };
  if (clock.minute > 59 || clock.second > 59) return null;
  const said = NAMED.get(tokens[at + 1]?.folded ?? '');
  if (said !== undefined && clock.hour === 12) return { hour: said, minute: 0, second: 0, next: at + 2 };
  const past = parts[3] === undefined ? readPastTo(tokens, at, clock.hour) : null;
  if (past) return past;
  const half = halfAfter(tokens, at + 1, clock.hour);
  if (half) return onHalf(clock, half);
  if (tokens[at + 1] && HOUR_SIGNS.has(tokens[at + 1]!.folded))
    return clock.hour > 24 ? null : withPart(tokens, { ...clock, next: at + 2 });
  if (parts[2] === '.' && !isDottedRange(tokens, at)) return null;
  return parts[2] !== undefined && clock.hour <= 23 ? clock : null;
}

const DOTTED = /^\d{1,2}\.[0-5]\d$/;
const BETWEEN_TIMES = new Set(['to', 'until', 'till', '-', '–']);

/** "13.00 until 19.30": two of them with a word between, of which nothing says that they are amounts of something. */
function isDottedRange(tokens: readonly Token[], at: number): boolean {
  const first = BETWEEN_TIMES.has(tokens[at + 1]?.folded ?? '') ? at : at - 2;
  const [from, to] = [tokens[first], tokens[first + 2]];
  if (!DOTTED.test(from?.text ?? '') || !DOTTED.test(to?.text ?? '')) return false;
  if (!BETWEEN_TIMES.has(tokens[first + 1]?.folded ?? '') || Number(from!.text) >= Number(to!.text))
    return false;
  const [before, after] = [tokens[first - 1], tokens[first + 3]];
  const priced = before?.kind === 'mark' && /^[$€£¥₹]$/.test(before.text);
  return (
    !priced &&
    (after === undefined || after.kind === 'mark'
      ? !/^[$€£¥₹%°]$/.test(after?.text ?? '')
      : unitOf(after.folded) === null)
  );
}

/** half past three, quarter to nine, ten past five, three o'clock, three in the afternoon, three pm */
function readSpokenClock(tokens: readonly Token[], at: number, language: Language | null): Clock | null {
  const start = tokens[at]!.folded === 'a' && tokens[at + 1]?.folded === 'quarter' ? at + 1 : at;
  const word = tokens[start]!.folded;
  if (word === 'half' || word === 'quarter') {
    const to = tokens[start + 1]?.folded;
    if (to !== 'past' && !(word === 'quarter' && (to === 'to' || to === 'after'))) return null;
    return offHour(tokens, start + 2, (to === 'to' ? -1 : 1) * (word === 'half' ? 30 : 15), language);
  }
  const number = readNumberWords(tokens, at, language);
  if (number === null || number.ordinal || !Number.isInteger(number.value)) return null;
  const past = readPastTo(tokens, number.next - 1, number.value);
  if (past) return past;
  if (number.value < 1 || number.value > 12) return null;
  const clock: Clock = { hour: number.value, minute: 0, second: 0, next: number.next };
  const half = halfAfter(tokens, number.next, number.value);
  if (half) return onHalf(clock, half);
  if (HOUR_SIGNS.has(tokens[number.next]?.folded ?? ''))
    return withPart(tokens, { ...clock, next: number.next + 1 });
  // "seven thirty", when the half of the day says that it is a time.
  const minutes = readNumberWords(tokens, number.next, language);
  if (minutes && minutes.value >= 10 && minutes.value < 60) {
    const later = halfAfter(tokens, minutes.next, number.value);
    if (later) return onHalf({ ...clock, minute: minutes.value }, later);
  }
  return null;
}

/** "ten past five", "20 to 6": minutes in fives and an hour. */
function readPastTo(tokens: readonly Token[], at: number, minutes: number): Clock | null {
  const word = tokens[at + 1]?.folded;
  if ((word !== 'past' && word !== 'to') || minutes % 5 !== 0 || minutes < 5 || minutes > 25) return null;
  const clock = offHour(tokens, at + 2, word === 'past' ? minutes : -minutes, null);
  // "from 10 to 5" is a range; only what says that it is a time is one.
  if (
    word === 'to' &&
    clock &&
    clock.next === at + 3 &&
    !/^(?:at|it's|by|until|since)$/.test(tokens[at - 1]?.folded ?? '')
  )
    return null;
  return clock;
}

function offHour(
  tokens: readonly Token[],
  at: number,
  minutes: number,
  language: Language | null,
): Clock | null {
  const token = tokens[at];
  if (token === undefined) return null;
  const number =
    token.kind === 'digits'
      ? { value: Number(token.text), next: at + 1, ordinal: false }
      : readNumberWords(tokens, at, language);
  const named = NAMED.get(token.folded);
  const hour = named === undefined ? number?.value : named;
  if (hour === undefined || number?.ordinal || !Number.isInteger(hour) || hour > 23) return null;
  if (named === undefined && hour < 1) return null;
  const whole = { hour, minute: 0, second: 0, next: named === undefined ? number!.next : at + 1 };
  const half = halfAfter(tokens, whole.next, hour);
  const clock = half ? onHalf(whole, half) : whole;
  if (clock === null) return null;
  const total = (clock.hour * 60 + minutes + 1440) % 1440;
  return { ...clock, hour: Math.floor(total / 60), minute: total % 60 };
}

interface Half {
  pm: boolean;
  next: number;
}

/** "pm", "in the afternoon", "at night" after a time. */
export function halfAfter(tokens: readonly Token[], at: number, hour: number): Half | null {
  const clockSign = HOUR_SIGNS.has(tokens[at]?.folded ?? '') ? at + 1 : at;
  const token = tokens[clockSign];
  if (token?.folded === 'am' && token.text !== 'Am')
    return isHalfDay(tokens, clockSign) ? { pm: false, next: clockSign + 1 } : null;
  if (token?.folded === 'pm') return { pm: true, next: clockSign + 1 };
  if (token?.folded === 'in' && tokens[clockSign + 1]?.folded === 'the') {
    const part = PARTS_OF_DAY.get(tokens[clockSign + 2]?.folded ?? '');
    if (part === 'am' || part === 'pm') return { pm: part === 'pm', next: clockSign + 3 };
  }
  if (token?.folded === 'at' && tokens[clockSign + 1]?.folded === 'night' && hour < 12)
    return { pm: hour >= 6, next: clockSign + 2 };
  return null;
}

/** "I am" and "10 am": the first follows a pronoun, the second a number. */
function isHalfDay(tokens: readonly Token[], at: number): boolean {
  return tokens[at - 1]?.kind === 'digits' || tokens[at - 1]?.kind === 'word';
}

export function onHalf(clock: Clock, half: Half): Clock | null {
  if (clock.hour < 1 || clock.hour > 12) return clock.hour <= 23 ? { ...clock, next: half.next } : null;
  return { ...clock, hour: (clock.hour % 12) + (half.pm ? 12 : 0), next: half.next };
}

function withPart(tokens: readonly Token[], clock: Clock): Clock | null {
  const half = halfAfter(tokens, clock.next, clock.hour);
  return half ? onHalf(clock, half) : clock;
}

/** Whether a time that ends before token `next` says its half of the day. */
export function saysHalf(tokens: readonly Token[], next: number): boolean {
  return HALF_WORDS.has(tokens[next - 1]?.folded ?? '');
}
