import type { Person } from './people.ts';
import { DAY_MS, MINUTE_MS } from './units.ts';

/**
 * The nights of a person by the calendar, reckoned from what a wall clock shows and from nothing of the service: each minute of the
 * time is looked at, so that no arithmetic of zones can be wrong twice in the same way.
 */
export interface Night {
  /** Local date on which the quiet hours begin. */
  date: string;
  /** First and last quiet minute, epoch ms. */
  from: number;
  to: number;
  /** Hours of that local date: 23 or 25 where clocks change. */
  hours: number;
}

function createClock(timezone: string) {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return (at: number): { date: string; minute: number } => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return {
      date: `${parts.year}-${parts.month}-${parts.day}`,
      minute: Number(parts.hour) * 60 + Number(parts.minute),
    };
  };
}

function isQuietMinute({ quietStart, quietEnd }: Person, minute: number): boolean {
  return quietStart < quietEnd
    ? minute >= quietStart && minute < quietEnd
    : minute >= quietStart || minute < quietEnd;
}

/** Whole nights between two instants. Steps of ten minutes: quiet hours begin and end on them in every zone. */
export function nightsOf(person: Person, from: number, to: number): Night[] {
  const clock = createClock(person.timezone);
  const minutesOfDate = new Map<string, number>();
  const nights: Night[] = [];
  let current: Night | null = null;
  const step = 10 * MINUTE_MS;
  for (let at = from - DAY_MS; at <= to + DAY_MS; at += step) {
    const { date, minute } = clock(at);
    minutesOfDate.set(date, (minutesOfDate.get(date) ?? 0) + 10);
    if (isQuietMinute(person, minute)) {
      if (current === null) current = { date, from: at, to: at, hours: 0 };
      current.to = at + step;
    } else if (current !== null) {
      nights.push(current);
      current = null;
    }
  }
  return nights
    .filter((night) => night.from >= from && night.to <= to)
    .map((night) => ({ ...night, hours: (minutesOfDate.get(night.date) ?? 0) / 60 }));
}

export interface NightReport {
  nights: number;
  /** Nights of a date with more or fewer than 24 hours. */
  odd: number;
  /** Nights with no sleep, and with more than one. */
  missed: string[];
  doubled: string[];
  /** Sleeps that began outside of every night. */
  outside: number;
}

/**
 * Counts a person's sleeps by night.
 * @param cut nights that an outage took a part of: they may have one sleep or none
 * @param lateMs how long after a night's last minute a sleep still counts for it: the beat that carries it out comes later than its time
 */
export function countNights(
  given: { whole: Night[]; cut: Night[] },
  sleeps: number[],
  lateMs: number,
): NightReport {
  const { whole, cut } = given;
  const counts = new Map<Night, number>([...whole, ...cut].map((night) => [night, 0]));
  let outside = 0;
  for (const at of sleeps) {
    const night = [...counts.keys()].find(({ from, to }) => at >= from && at < to + lateMs);
    if (night) counts.set(night, counts.get(night)! + 1);
    else outside += 1;
  }
  const missed = whole.filter((night) => counts.get(night) === 0);
  const doubled = [...counts].filter(([, count]) => count > 1).map(([night]) => night);
  return {
    nights: whole.length,
    odd: whole.filter(({ hours }) => Math.abs(hours - 24) > 0.01).length,
    missed: missed.map(({ date }) => date),
    doubled: doubled.map(({ date }) => date),
    outside,
  };
}
