import { instantAtWallTime } from '../../packages/db/src/scheduling/zone-time.ts';
import { DAY_MINUTES, DAYS_AFTER, DAYS_BEFORE } from './rhythms.ts';

export const MINUTE_MS = 60_000;

/** The minute after `day` (the midnight of UTC, epoch ms) at which a wall clock of the zone shows a minute after its own midnight of that date. */
export function minuteOfWall(zone: string, day: number, wallMinute: number): number {
  return Math.floor((instantAtWallTime(zone, day + wallMinute * MINUTE_MS).instant - day) / MINUTE_MS);
}

/** minuteOfWall for every minute that a rhythm may have, looked up once a quarter of an hour: clocks change at none between. */
export function wallTable(zone: string, day: number): (wallMinute: number) => number {
  const from = -DAYS_BEFORE * DAY_MINUTES;
  const quarters = Array.from({ length: ((1 + DAYS_AFTER + DAYS_BEFORE) * DAY_MINUTES) / 15 }, (_, i) =>
    minuteOfWall(zone, day, from + i * 15),
  );
  return (wallMinute) => {
    const quarter = Math.floor((wallMinute - from) / 15);
    const at = quarters[quarter]!;
    // A wall time that clocks jumped over stands for the jump.
    const next = quarters[quarter + 1] ?? at + 15;
    return Math.min(at + ((wallMinute - from) % 15), Math.max(at, next));
  };
}
