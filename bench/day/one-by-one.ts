import { firstDeepDue, LIGHT_INTERVAL_MS, nextDeepDue, nextSleepDue } from '@slowwave/db';
import type { Person } from './people.ts';
import { DAY_MINUTES, DAYS_BEFORE, type Rhythm } from './rhythms.ts';
import { bornAt, type Day, type DayQuestion, emptyDay } from './wake-ups.ts';
import { MINUTE_MS, minuteOfWall } from './wall.ts';

/** What user_tiers keeps of one user, epoch ms. */
interface Rows {
  light: { dueAt: number; nextAttemptAt: number };
  deep: { dueAt: number };
  sleep: { dueAt: number };
}

/**
 * The same day as countWakeUps, lived minute by minute: every user is an object with the rows that the service keeps, whoever is due runs,
 * and the end of the run says when they are due again. Slow, and so the judge of the other.
 */
export function liveDay(
  people: readonly Person[],
  zones: readonly string[],
  rhythms: readonly Rhythm[],
  { day, quiet }: DayQuestion,
): Day {
  const counts = emptyDay();
  const born = bornAt(day);
  const states = people.map((person) => {
    const timezone = zones[person.zone]!;
    const question = { ...quiet, timezone, userHash: person.hash };
    const ahead = rhythms[person.rhythm]!.events.map(
      (wallMinute) => day + minuteOfWall(timezone, day, wallMinute) * MINUTE_MS,
    ).reverse();
    const rows: Rows = {
      light: { dueAt: Number.POSITIVE_INFINITY, nextAttemptAt: Number.NEGATIVE_INFINITY },
      deep: { dueAt: firstDeepDue(person.hash, born) },
      sleep: { dueAt: nextSleepDue({ ...question, after: born, lastSuccess: null }) },
    };
    return { question, ahead, rows };
  });
  // Rhythms begin on the wall clock: up to 14 hours before the midnight of UTC.
  const first = -(DAYS_BEFORE + 1) * DAY_MINUTES;
  for (let minute = first; minute < DAY_MINUTES; minute += 1) {
    const at = day + minute * MINUTE_MS;
    for (const { question, ahead, rows } of states) {
      const { light, deep, sleep } = rows;
      while (ahead.length > 0 && ahead.at(-1)! <= at) light.dueAt = Math.min(light.dueAt, ahead.pop()!);
      if (light.dueAt <= at && light.nextAttemptAt <= at) {
        if (minute >= 0) counts.light[minute]! += 1;
        light.nextAttemptAt = at + LIGHT_INTERVAL_MS;
        light.dueAt = Number.POSITIVE_INFINITY;
      }
      if (at < born) continue;
      if (deep.dueAt < at + MINUTE_MS) {
        if (minute >= 0) counts.deep[minute]! += 1;
        deep.dueAt = nextDeepDue(deep.dueAt, deep.dueAt);
      }
      if (sleep.dueAt < at + MINUTE_MS) {
        if (minute >= 0) counts.sleep[minute]! += 1;
        sleep.dueAt = nextSleepDue({ ...question, after: sleep.dueAt, lastSuccess: sleep.dueAt });
      }
    }
  }
  return counts;
}
