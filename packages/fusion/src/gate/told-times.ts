import { readTokens, type Token } from '../reading/tokens.ts';
import type { Statement, Unit } from './unit.ts';

const CLOCK = /^(\d\d):(\d\d)$/;
/** "10.40" as a time; a price and a version are written so as well, which differ from any time in the other text. */
const DOTTED = /^(\d{1,2})\.([0-5]\d)$/;
const HOUR = /^\d{1,2}$/;
const EVENING = new Set(['evening', 'evenings', 'tonight', 'dinner', 'supper', 'dinners', 'nightcap']);
const MORNING = new Set(['morning', 'mornings', 'breakfast', 'breakfasts', 'dawn', 'sunrise']);
/** What says the half of the day beside a time. */
const HALF = new Set(['am', 'pm', 'noon', 'midday', 'midnight']);
const BEFORE_HOUR = new Set([
  'at',
  'by',
  'from',
  'until',
  'till',
  'to',
  'after',
  'before',
  'around',
  'about',
]);
const REACH = 4;

/**
 * Gives times the further keys by which the same time is told in other spellings: "10.40", "8" beside "evening", "half past seven" for a dinner, "4:45" after
 * "4:30 pm". Linear: each sentence is looked at once.
 */
export function settleTimes({ units }: Statement, text: string): void {
  if (!units.some(({ kind, form }) => kind === 'time' || (kind === 'number' && isHourLike(form)))) return;
  const tokens = readTokens(text);
  const parts = partsOfSentences(tokens);
  let late: { sentence: number; minutes: number } | null = null;
  for (const unit of units) {
    if (unit.kind !== 'time' && unit.kind !== 'number') continue;
    const clock = clockOf(unit);
    if (clock === null) continue;
    const { sentence } = tokens[unit.word]!;
    const minutes = clock.hour * 60 + clock.minute;
    if (unit.kind === 'time' && clock.hour >= 12) late = { sentence, minutes };
    if (DOTTED.test(unit.form)) offer(unit, clock.hour, clock.minute);
    if (clock.hour < 1 || clock.hour > 11 || saysHalf(tokens, unit.word)) continue;
    const part = parts.get(sentence);
    const follows = unit.kind === 'time' && late?.sentence === sentence && minutes + 720 > late.minutes;
    if (part === 'pm' || follows) offer(unit, clock.hour + 12, clock.minute);
    if (part === 'am') offer(unit, clock.hour, clock.minute);
  }
}

function isHourLike(form: string): boolean {
  return HOUR.test(form) || DOTTED.test(form);
}

function clockOf(unit: Unit): { hour: number; minute: number } | null {
  const parts =
    unit.kind === 'time'
      ? CLOCK.exec(unit.form)
      : (DOTTED.exec(unit.form) ??
        (BEFORE_HOUR.has(unit.before) && HOUR.test(unit.form) ? [unit.form, unit.form, '0'] : null));
  const hour = Number(parts?.[1]);
  return parts === null || hour > 23 ? null : { hour, minute: Number(parts[2]) };
}

function offer(unit: Unit, hour: number, minute: number): void {
  const key = `time:${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  if (!unit.keys.includes(key)) unit.keys = [...unit.keys, key];
}

/** "7:30 am", "seven in the morning": the half of the day is told already. */
function saysHalf(tokens: readonly Token[], at: number): boolean {
  for (let index = at; index < at + REACH && index < tokens.length; index += 1) {
    const { folded } = tokens[index]!;
    if (HALF.has(folded) || (folded === 'in' && tokens[index + 1]?.folded === 'the')) return true;
  }
  return false;
}

/** The half of the day that the words of each sentence tell; sentences with both tell none. */
function partsOfSentences(tokens: readonly Token[]): Map<number, 'am' | 'pm' | 'both'> {
  const parts = new Map<number, 'am' | 'pm' | 'both'>();
  for (const { folded, sentence } of tokens) {
    const part = EVENING.has(folded) ? 'pm' : MORNING.has(folded) ? 'am' : null;
    if (part === null) continue;
    const known = parts.get(sentence);
    parts.set(sentence, known === undefined || known === part ? part : 'both');
  }
  return parts;
}
