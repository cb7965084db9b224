import { CATEGORIES, CROSSING_THRESHOLDS, crossingTime, initialPeak } from '@slowwave/fusion';
import { seededRandom, seedOf } from '../random.ts';
import { pick } from './spread.ts';
import { HOURS } from './zones.ts';

const MINUTE_MS = 60_000;
export const DAY_MINUTES = 1_440;
/** The days before and after the simulated one whose events count: a day of UTC lies on two days of a wall clock, and light needs a start. */
export const DAYS_BEFORE = 2;
export const DAYS_AFTER = 1;
/** Importance from 3 to 8, and categories in the order of the product's list: an assumption. */
const IMPORTANCE_FROM = 3;
const IMPORTANCE_WEIGHTS = [1, 2, 3, 2, 1, 1];
const CATEGORY_WEIGHTS = [3, 4, 3, 1, 1];
/** Between two memories of a conversation, minutes at most. */
const GAP_MINUTES = 3;

export interface RhythmOptions {
  /** Different people who all others are copies of. */
  rhythms: number;
  /** Share of all users who write on a day, 0 to 1. */
  active: number;
  /** Written on such a day. */
  memories: number;
  /** Conversations of such a day. */
  sessions: number;
  /** For how many days before people have written. */
  historyDays: number;
  seed: number;
}

/** What makes light due for somebody, in minutes of their wall clock after the midnight at which the simulated day begins. */
export interface Rhythm {
  /** Minutes at which something is written or a memory crosses a band, in order, each once. */
  events: number[];
  /** Memories written from that midnight to the next. */
  written: number;
  /** Memories that cross a band from that midnight to the next. */
  crossed: number;
}

/** Minutes from the writing of a memory to each of the bands that it crosses, by category and importance. */
function crossingMinutes(category: number, importance: number): number[] {
  const memory = {
    category: CATEGORIES[category]!,
    memoryType: 'regular',
    importance,
    confirmations: 0,
    peak: initialPeak(importance),
    anchorAt: 0,
    demotion: 1,
  } as const;
  return CROSSING_THRESHOLDS.map((threshold) => crossingTime(memory, threshold))
    .filter((at): at is number => at !== null && at > 0)
    .map((at) => Math.floor(at / MINUTE_MS));
}

const CROSSINGS = CATEGORIES.map((_, category) =>
  IMPORTANCE_WEIGHTS.map((_, i) => crossingMinutes(category, IMPORTANCE_FROM + i)),
);

/** Who writes on a day: exactly the share, drawn anew each day. */
function activeOn(rhythms: number, share: number, random: () => number): number[] {
  const order = Array.from({ length: rhythms }, (_, i) => i);
  const count = Math.round(rhythms * share);
  for (let i = 0; i < count; i += 1) {
    const j = i + Math.floor(random() * (rhythms - i));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order.slice(0, count);
}

/** People as the options say, each with a past: what they wrote long ago crosses its bands today. */
export function makeRhythms(options: RhythmOptions): Rhythm[] {
  const { rhythms, active, memories, sessions, historyDays, seed } = options;
  const random = seededRandom(seedOf(seed, 'rhythms'));
  const made = Array.from({ length: rhythms }, () => ({ at: new Set<number>(), written: 0, crossed: 0 }));
  const [from, to] = [-DAYS_BEFORE * DAY_MINUTES, (1 + DAYS_AFTER) * DAY_MINUTES];
  const isToday = (minute: number) => minute >= 0 && minute < DAY_MINUTES;
  for (let day = -historyDays; day <= DAYS_AFTER; day += 1) {
    for (const one of activeOn(rhythms, active, random)) {
      const rhythm = made[one]!;
      for (let session = 0; session < sessions; session += 1) {
        let minute = day * DAY_MINUTES + pick(HOURS, random()) * 60 + Math.floor(random() * 60);
        const first = Math.floor((session * memories) / sessions);
        const last = Math.floor(((session + 1) * memories) / sessions);
        for (let n = first; n < last; n += 1) {
          if (isToday(minute)) rhythm.written += 1;
          if (minute >= from && minute < to) rhythm.at.add(minute);
          const category = pick(CATEGORY_WEIGHTS, random());
          for (const after of CROSSINGS[category]![pick(IMPORTANCE_WEIGHTS, random())]!) {
            const crossing = minute + after;
            if (isToday(crossing)) rhythm.crossed += 1;
            if (crossing >= from && crossing < to) rhythm.at.add(crossing);
          }
          minute += Math.floor(random() * (GAP_MINUTES + 1));
        }
      }
    }
  }
  return made.map(({ at, ...counted }) => ({ events: [...at].sort((a, b) => a - b), ...counted }));
}
