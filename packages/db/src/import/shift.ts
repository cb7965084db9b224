import { ImportError } from './errors.ts';
import type { ImportRecord, MemoryRecord } from './record.ts';

const DAY_MS = 86_400_000;

/** The whole days, in milliseconds, that bring an instant as near to `now` as possible without passing it. */
export function daysUntil(newest: number, now: number): number {
  return Math.floor((now - newest) / DAY_MS) * DAY_MS;
}

const moved = (ms: number | null, deltaMs: number): number | null => (ms === null ? null : ms + deltaMs);

/**
 * The same records as if everything had happened `deltaMs` later: every time of a memory moves, ids and texts stay. For
 * demonstrations, where memories written long ago are to be of today.
 *
 * @throws ImportError `invalid_shift` when `deltaMs` is not a whole number of days: hours of the day must stay.
 */
export function shiftDates<Shifted extends ImportRecord>(
  records: readonly Shifted[],
  deltaMs: number,
): Shifted[] {
  if (!Number.isSafeInteger(deltaMs) || deltaMs % DAY_MS !== 0) {
    throw new ImportError('invalid_shift', 'dates can be shifted by whole days only, given in milliseconds');
  }
  return records.map((record) => {
    if (record.kind !== 'memory') return record;
    const memory: MemoryRecord = record;
    const times = {
      date: memory.date + deltaMs,
      eventDate: moved(memory.eventDate, deltaMs),
      validFrom: moved(memory.validFrom, deltaMs),
      validTo: moved(memory.validTo, deltaMs),
      expiresAt: moved(memory.expiresAt, deltaMs),
    };
    return { ...record, ...times };
  });
}
