import { type Clock, clockText, halfAfter, onHalf, readClock, saysHalf } from './clocks.ts';
import type { Language } from './languages/language.ts';
import type { Reading } from './number-reading.ts';
import { readNumberWords } from './number-words.ts';
import type { Token } from './tokens.ts';

const RANGE_WORDS = new Set(['to', 'until', 'till', 'through', 'bis']);

/**
 * A time of day, or a range of them, from token `at` on: 14:30, 2 pm, 2:30 pm, noon, half past three, quarter to nine, 3 in the afternoon,
 * 15 Uhr, 3-5 pm; canonical HH:MM or HH:MM:SS. A time on a dial of twelve hours without its half stays as it was said.
 */
export function readTime(
  tokens: readonly Token[],
  at: number,
  language: Language | null = null,
): Reading | null {
  const between = tokens[at]!.folded === 'between';
  const start = between ? at + 1 : at;
  if (tokens[start] === undefined) return null;
  const dashed = readDashed(tokens, start);
  if (dashed) return dashed;
  const first = readClock(tokens, start, language);
  const second = readRangeEnd(tokens, first?.next ?? bareHourEnd(tokens, start), between, language);
  if (second && first) {
    // "7:30 to 9 pm": the half of the end holds for the start as well.
    const open =
      first.hour >= 1 && first.hour <= 12 && !saysHalf(tokens, first.next) && saysHalf(tokens, second.next);
    const from = open ? (beforeEnd(first.hour, first.minute, second) ?? first) : first;
    return { values: [`${clockText(from)}..${clockText(second)}`], next: second.next };
  }
  if (second) {
    const from = spokenBefore(tokens, start, second);
    if (from) return { values: [`${clockText(from)}..${clockText(second)}`], next: second.next };
  }
  return first === null || between ? null : { values: [clockText(first)], next: first.next };
}

/** "3-5 pm", "9:30-17:00": both ends in one token. */
function readDashed(tokens: readonly Token[], at: number): Reading | null {
  const token = tokens[at]!;
  if (token.kind !== 'digits') return null;
  const parts = /^(\d{1,2})(?::(\d\d))?-(\d{1,2})(?::(\d\d))?$/.exec(token.text);
  if (!parts) return null;
  const half = halfAfter(tokens, at + 1, Number(parts[3]));
  const clocks = parts[2] !== undefined && parts[4] !== undefined;
  if (!half && !clocks) return null;
  const to: Clock = { hour: Number(parts[3]), minute: Number(parts[4] ?? 0), second: 0, next: at + 1 };
  const end = half ? onHalf(to, half) : to;
  if (end === null) return null;
  const from = half
    ? beforeEnd(Number(parts[1]), Number(parts[2] ?? 0), end)
    : { ...to, hour: Number(parts[1]), minute: Number(parts[2]) };
  if (from === null || from.hour > 23 || end.hour > 23 || from.minute > 59 || end.minute > 59) return null;
  return { values: [`${clockText(from)}..${clockText(end)}`], next: end.next };
}

/** The half of the day that makes a start lie before its end: 3-5 pm, 11-1 pm. */
function beforeEnd(hour: number, minute: number, end: Clock): Clock | null {
  if (hour < 1 || hour > 12) return null;
  const same = { ...end, hour: (hour % 12) + (end.hour >= 12 ? 12 : 0), minute, second: 0 };
  if (same.hour * 60 + minute < end.hour * 60 + end.minute) return same;
  return end.hour >= 12 && hour < 12 ? { ...same, hour } : null;
}

function readRangeEnd(
  tokens: readonly Token[],
  at: number,
  between: boolean,
  language: Language | null,
): Clock | null {
  const joiner = at < 0 ? undefined : tokens[at];
  if (joiner === undefined) return null;
  const dash =
    (joiner.text === '-' || joiner.text === '–') && joiner.glued === (tokens[at + 1]?.glued ?? false);
  const word = joiner.kind === 'word' && (between ? joiner.folded === 'and' : RANGE_WORDS.has(joiner.folded));
  return dash || word ? readClock(tokens, at + 1, language) : null;
}

/** Where a bare hour ends ("3 to 5 pm"), or -1 when none stands there. */
function bareHourEnd(tokens: readonly Token[], at: number): number {
  return bareHour(tokens, at)?.next ?? -1;
}

function bareHour(
  tokens: readonly Token[],
  at: number,
): { hour: number; minute: number; next: number } | null {
  const token = tokens[at]!;
  const parts = token.kind === 'digits' ? /^(\d{1,2})$/.exec(token.text) : null;
  if (parts) return { hour: Number(parts[1]), minute: 0, next: at + 1 };
  const words = token.kind === 'word' ? readNumberWords(tokens, at, null) : null;
  if (words === null || words.ordinal || words.value > 12 || !Number.isInteger(words.value)) return null;
  return { hour: words.value, minute: 0, next: words.next };
}

/** "3 to 5 pm" and "from 9 to 5 pm": the start takes the half of its end; minutes to an hour were read before. */
function spokenBefore(tokens: readonly Token[], at: number, end: Clock): Clock | null {
  const start = bareHour(tokens, at);
  // "from 12 to 20:00": an end past noon counts the hours of the whole day, and so does the start.
  const whole = tokens[end.next - 1]?.kind === 'digits' && end.hour > 12;
  if (whole && start !== null && tokens[at]!.kind === 'digits' && start.hour < end.hour)
    return { ...end, hour: start.hour, minute: 0, second: 0 };
  if (start === null || !saysHalf(tokens, end.next)) return null;
  return beforeEnd(start.hour, start.minute, end);
}
