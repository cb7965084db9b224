import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEEP_INTERVAL_MS,
  firstDeepDue,
  isQuiet,
  nextDeepDue,
  nextSleepDue,
  SLEEP_MAX_GAP_MS,
  SLEEP_MIN_GAP_MS,
  type SleepQuestion,
} from './nights.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Apia',
];

const hash = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const minute = fc.integer({ min: 0, max: 1439 });
const instant = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2037, 0) });
const zone = fc.constantFrom(...ZONES);

const formatters = new Map<string, Intl.DateTimeFormat>(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }),
  ]),
);

/** "2026-03-29 03:12", by another road than the code's own. */
const localText = (timezone: string, at: number): string => formatters.get(timezone)!.format(at);

function inWindow(quiet: { timezone: string; quietStart: number; quietEnd: number }, at: number): boolean {
  const [hours, minutes] = localText(quiet.timezone, at).slice(-5).split(':').map(Number);
  const now = hours! * 60 + minutes!;
  const length = (quiet.quietEnd - quiet.quietStart + 1440) % 1440;
  return (now - quiet.quietStart + 1440) % 1440 < length;
}

/** Whether wall clocks jump forward at this very instant. */
function isJump(timezone: string, at: number): boolean {
  const wall = (ms: number) => Date.parse(`${localText(timezone, ms).replace(' ', 'T')}:00Z`);
  return wall(at) - wall(at - 60_000) > 60_000;
}

const ask = (more: Partial<SleepQuestion>): string => {
  const question = {
    timezone: 'Europe/Berlin',
    quietStart: 120,
    quietEnd: 300,
    userHash: 0.1,
    after: 0,
    lastSuccess: null,
    ...more,
  };
  return new Date(nextSleepDue(question)).toISOString().slice(0, 19);
};

describe('nextSleepDue', () => {
  it('gives every night one slot in the quiet hours, through whole years of every zone', () => {
    fc.assert(
      fc.property(zone, minute, minute, hash, instant, (timezone, quietStart, quietEnd, userHash, from) => {
        fc.pre(quietStart !== quietEnd);
        const quiet = { timezone, quietStart, quietEnd };
        let due = nextSleepDue({ ...quiet, userHash, after: from, lastSuccess: null });
        expect(due).toBeGreaterThanOrEqual(from);
        expect(due - from).toBeLessThan(50 * HOUR);
        for (let night = 0; night < 190; night++) {
          expect(inWindow(quiet, due) || isJump(timezone, due), localText(timezone, due)).toBe(true);
          expect(isQuiet(quiet, due)).toBe(inWindow(quiet, due));
          const next = nextSleepDue({ ...quiet, userHash, after: due, lastSuccess: due });
          expect(next - due).toBeGreaterThanOrEqual(SLEEP_MIN_GAP_MS);
          expect(next - due, localText(timezone, due)).toBeLessThanOrEqual(28 * HOUR);
          due = next;
        }
      }),
      { numRuns: 20 },
    );
  });

  it('keeps 20 hours after any last success and never answers with the past', () => {
    const ago = fc.integer({ min: 0, max: 4 * DAY });
    fc.assert(
      fc.property(
        zone,
        minute,
        minute,
        hash,
        instant,
        ago,
        (timezone, quietStart, quietEnd, userHash, at, since) => {
          fc.pre(quietStart !== quietEnd);
          const quiet = { timezone, quietStart, quietEnd };
          const lastSuccess = at - since;
          const due = nextSleepDue({ ...quiet, userHash, after: at, lastSuccess });
          expect(due).toBeGreaterThanOrEqual(at);
          expect(due - lastSuccess).toBeGreaterThanOrEqual(SLEEP_MIN_GAP_MS);
          expect(due - at).toBeLessThan(72 * HOUR);
          expect(inWindow(quiet, due) || isJump(timezone, due)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('without quiet hours comes 20 to 26 hours after the last success', () => {
    fc.assert(
      fc.property(zone, minute, hash, instant, (timezone, start, userHash, lastSuccess) => {
        const quiet = { timezone, quietStart: start, quietEnd: start };
        const due = nextSleepDue({ ...quiet, userHash, after: lastSuccess, lastSuccess });
        expect(due - lastSuccess).toBeGreaterThanOrEqual(SLEEP_MIN_GAP_MS);
        expect(due - lastSuccess).toBeLessThanOrEqual(SLEEP_MAX_GAP_MS);
        const first = nextSleepDue({ ...quiet, userHash, after: lastSuccess, lastSuccess: null });
        expect(first - lastSuccess).toBeGreaterThanOrEqual(0);
        expect(first - lastSuccess).toBeLessThan(DAY);
        expect(nextSleepDue({ ...quiet, userHash, after: first, lastSuccess: first })).toBe(first + DAY);
      }),
    );
  });

  it('without quiet hours is due at once when the last success is long ago', () => {
    const at = Date.UTC(2026, 5, 1);
    const quiet = { timezone: 'UTC', quietStart: 0, quietEnd: 0, userHash: 0.5 };
    expect(nextSleepDue({ ...quiet, after: at, lastSuccess: at - 3 * DAY })).toBe(at);
  });

  it('stands at the offset of the hash', () => {
    expect(ask({ after: Date.UTC(2026, 5, 15, 12), userHash: 0 })).toBe('2026-06-16T00:00:00');
    expect(ask({ after: Date.UTC(2026, 5, 15, 12), userHash: 0.5 })).toBe('2026-06-16T01:30:00');
  });

  it('takes tonight while the slot lies ahead, also after midnight in a window that wraps', () => {
    const wrapping = { timezone: 'UTC', quietStart: 1380, quietEnd: 180, userHash: 0.5 };
    expect(ask({ ...wrapping, after: Date.UTC(2026, 5, 15, 0, 30) })).toBe('2026-06-15T01:00:00');
    expect(ask({ ...wrapping, after: Date.UTC(2026, 5, 15, 1, 30) })).toBe('2026-06-16T01:00:00');
  });

  it('uses the rest of the night when the last success came late', () => {
    const late = Date.UTC(2026, 5, 15, 5, 30); // 07:30 in Berlin; 20 hours later it is 03:30, the slot is 02:18
    expect(ask({ after: late, lastSuccess: late })).toBe('2026-06-16T01:30:00');
    const tooLate = Date.UTC(2026, 5, 15, 7, 30); // 20 hours later it is 05:30: quiet hours are over
    expect(ask({ after: tooLate, lastSuccess: tooLate })).toBe('2026-06-17T00:18:00');
  });

  it('keeps the night when clocks jump over the slot', () => {
    // Berlin, 29 March 2026: 02:18 does not exist; quiet are 03:00 to 05:00 summer time.
    expect(ask({ after: Date.UTC(2026, 2, 28, 12) })).toBe('2026-03-29T01:12:00');
    // Lord Howe, 4 October 2026: 02:00 to 02:30 do not exist; quiet are 02:30 to 05:00.
    expect(ask({ timezone: 'Australia/Lord_Howe', after: Date.UTC(2026, 9, 3, 12), userHash: 0.1 })).toBe(
      '2026-10-03T15:45:00',
    );
  });

  it('takes the jump itself when clocks jump over all of the quiet hours', () => {
    const quiet = { timezone: 'America/New_York', quietStart: 120, quietEnd: 180, userHash: 0.9 };
    expect(ask({ ...quiet, after: Date.UTC(2026, 2, 7, 12) })).toBe('2026-03-08T07:00:00');
  });

  it('takes the first of two when clocks go back', () => {
    expect(ask({ after: Date.UTC(2026, 9, 24, 12), userHash: 0.1 })).toBe('2026-10-25T00:18:00');
    const santiago = { timezone: 'America/Santiago', quietStart: 1380, quietEnd: 60, userHash: 0.25 };
    expect(ask({ ...santiago, after: Date.UTC(2026, 3, 4, 20) })).toBe('2026-04-05T02:30:00');
  });

  it('leaves out a date that a zone left out', () => {
    // Samoa had no 30 December 2011.
    const apia = { timezone: 'Pacific/Apia', userHash: 0.5 };
    const before = nextSleepDue({
      ...apia,
      quietStart: 120,
      quietEnd: 300,
      after: Date.UTC(2011, 11, 29, 6),
      lastSuccess: null,
    });
    expect(localText('Pacific/Apia', before)).toBe('2011-12-29 03:30');
    expect(ask({ ...apia, after: before, lastSuccess: before })).toBe('2011-12-30T13:30:00');
  });

  it('takes a zone that this runtime does not know for UTC', () => {
    expect(ask({ timezone: 'Moon/Tranquility', after: Date.UTC(2026, 5, 15, 12), userHash: 0 })).toBe(
      '2026-06-16T02:00:00',
    );
  });
});

describe('isQuiet', () => {
  it('is never true without quiet hours', () => {
    fc.assert(
      fc.property(zone, minute, instant, (timezone, start, at) => {
        expect(isQuiet({ timezone, quietStart: start, quietEnd: start }, at)).toBe(false);
      }),
    );
  });
});

describe('nextDeepDue', () => {
  it('is the first point of the grid after now, whatever was missed', () => {
    const missed = fc.integer({ min: 0, max: 30 * DAY });
    fc.assert(
      fc.property(instant, missed, (previous, late) => {
        const next = nextDeepDue(previous, previous + late);
        expect((next - previous) % DEEP_INTERVAL_MS).toBe(0);
        expect(next).toBeGreaterThan(previous + late);
        expect(next - (previous + late)).toBeLessThanOrEqual(DEEP_INTERVAL_MS);
      }),
    );
  });

  it('leaves a due time ahead where it is', () => {
    expect(nextDeepDue(2_000, 1_000)).toBe(2_000);
  });

  it('begins within six hours', () => {
    fc.assert(
      fc.property(hash, instant, (userHash, at) => {
        const due = firstDeepDue(userHash, at);
        expect(due).toBeGreaterThanOrEqual(at);
        expect(due - at).toBeLessThan(DEEP_INTERVAL_MS);
      }),
    );
  });
});
