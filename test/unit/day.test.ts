import { DEFAULT_QUIET } from '@slowwave/db';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drain, longestWaitOf } from '../../bench/day/drain.ts';
import { liveDay } from '../../bench/day/one-by-one.ts';
import { readDayOptions } from '../../bench/day/options.ts';
import { count, pageOf } from '../../bench/day/page.ts';
import { drawPeople, groupsOf } from '../../bench/day/people.ts';
import { questionsOf } from '../../bench/day/questions.ts';
import { reckonDay } from '../../bench/day/reckon.ts';
import { DAY_MINUTES, DAYS_AFTER, DAYS_BEFORE, makeRhythms } from '../../bench/day/rhythms.ts';
import { pick, shareOut } from '../../bench/day/spread.ts';
import { countWakeUps, emptyDay, lightRuns } from '../../bench/day/wake-ups.ts';
import { minuteOfWall, wallTable } from '../../bench/day/wall.ts';
import { HOURS, ZONES } from '../../bench/day/zones.ts';

const weights = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 60 });
const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);
/** Of the places with most people: each zone more takes as long again. */
const FEW_ZONES = [...ZONES].sort((a, b) => b.people - a.people).slice(0, 4);
const SMALL = { active: 0.3, memories: 12, sessions: 3, historyDays: 60, seed: 7 };

describe('shares', () => {
  it('are whole, add up to the total and are at most one away from what is exact', () => {
    fc.assert(
      fc.property(weights, fc.nat(10_000_000), (parts, total) => {
        const sum = sumOf(parts);
        fc.pre(sum > 0);
        const shares = shareOut(total, parts);
        expect(sumOf(shares)).toBe(total);
        for (const [i, share] of shares.entries()) {
          expect(Number.isInteger(share) && Math.abs(share - (total * parts[i]!) / sum) <= 1 + 1e-6).toBe(
            true,
          );
        }
      }),
    );
    expect(() => shareOut(1, [0])).toThrow(RangeError);
  });

  it('are picked as often as they are large', () => {
    const picked = [0, 0, 0, 0];
    for (let n = 0; n < 1_000; n += 1) picked[pick([1, 0, 3, 6], n / 1_000)]! += 1;
    expect(picked).toEqual([100, 0, 300, 600]);
  });
});

describe('the table of zones', () => {
  it('names each place once, knows all of them, and has an hour weight for each hour', () => {
    expect(new Set(ZONES.map(({ name }) => name)).size).toBe(ZONES.length);
    for (const { name, people } of ZONES) {
      expect(people, name).toBeGreaterThan(0);
      expect(() => new Intl.DateTimeFormat('en', { timeZone: name }), name).not.toThrow();
    }
    expect(sumOf(ZONES.map(({ people }) => people))).toBeGreaterThan(7_500);
    expect(HOURS).toHaveLength(24);
  });
});

describe('wall clocks', () => {
  // Clocks go forward, and back in a zone of half an hour.
  it.each([
    ['Europe/Berlin', '2026-03-29'],
    ['Australia/Adelaide', '2026-04-05'],
  ])('of %s around %s are looked up as they are reckoned', (zone, date) => {
    const day = Date.parse(`${date}T00:00:00Z`);
    const table = wallTable(zone, day);
    for (let minute = -DAYS_BEFORE * DAY_MINUTES; minute < (1 + DAYS_AFTER) * DAY_MINUTES; minute += 1) {
      if (table(minute) !== minuteOfWall(zone, day, minute)) expect([minute, table(minute)]).toBe(zone);
    }
  });
});

describe('light', () => {
  it('runs at once, and not within five minutes of the last time', () => {
    expect(lightRuns([])).toEqual([]);
    expect(lightRuns([10, 11, 12, 14, 15, 16, 30])).toEqual([10, 15, 20, 30]);
  });

  it('runs at or after every minute in which it is due, with no run for nothing', () => {
    const minutes = fc.uniqueArray(fc.integer({ min: -3_000, max: 3_000 }), { maxLength: 80 });
    fc.assert(
      fc.property(minutes, (dues) => {
        const sorted = dues.sort((a, b) => a - b);
        const runs = lightRuns(sorted);
        for (const due of sorted) expect(runs.some((run) => run >= due && run < due + 5)).toBe(true);
        for (const [i, run] of runs.entries()) {
          const last = runs[i - 1] ?? Number.NEGATIVE_INFINITY;
          expect(run - last).toBeGreaterThanOrEqual(5);
          expect(sorted.some((due) => due > last && due <= run)).toBe(true);
        }
      }),
    );
  });
});

describe('rhythms', () => {
  it('are the same for the same seed, and write what the options say', () => {
    const options = { ...SMALL, rhythms: 50 };
    const rhythms = makeRhythms(options);
    expect(makeRhythms(options)).toEqual(rhythms);
    expect(makeRhythms({ ...options, seed: 8 })).not.toEqual(rhythms);
    const written = sumOf(rhythms.map((rhythm) => rhythm.written));
    // Conversations that go on after midnight belong to both days.
    expect(Math.abs(written - 50 * 0.3 * 12)).toBeLessThanOrEqual(12);
    for (const { events } of rhythms) expect(events).toEqual([...new Set(events)].sort((a, b) => a - b));
  });

  it('cross bands long after they were written', () => {
    const now = makeRhythms({ ...SMALL, rhythms: 50, historyDays: 0 });
    const later = makeRhythms({ ...SMALL, rhythms: 50, historyDays: 400 });
    expect(sumOf(now.map(({ crossed }) => crossed))).toBeLessThan(
      sumOf(later.map(({ crossed }) => crossed)) / 4,
    );
  });
});

describe('a day of groups', () => {
  const RHYTHMS = 40;
  const rhythms = makeRhythms({ ...SMALL, rhythms: RHYTHMS });

  it('is the day of the same people one by one, minute by minute, also when clocks change', () => {
    // Clocks go back in New York.
    const day = Date.parse('2026-11-01T00:00:00Z');
    const people = drawPeople(200, ZONES, RHYTHMS, 11);
    const question = { day, quiet: DEFAULT_QUIET };
    const groups = groupsOf(people, ZONES, RHYTHMS);
    const counted = countWakeUps(groups, rhythms, question);
    const lived = liveDay(people, groups.zones, rhythms, question);
    for (const tier of ['light', 'deep', 'sleep'] as const) {
      expect([...counted[tier]], tier).toEqual([...lived[tier]]);
      expect(sumOf(lived[tier]), tier).toBeGreaterThan(0);
    }
  });
});

describe('workers', () => {
  const costs = {
    light: { cpuMs: 10, slotMs: 20 },
    deep: { cpuMs: 50, slotMs: 1_000 },
    sleep: { cpuMs: 50, slotMs: 2_000 },
  };
  const even = (light: number, deep: number, sleep: number) => {
    const day = emptyDay();
    day.light.fill(light);
    day.deep.fill(deep);
    day.sleep.fill(sleep);
    return day;
  };

  it('that are enough keep nobody waiting', () => {
    const { longestQueue, longestWait, cpu } = drain(even(1_000, 100, 60), costs, {
      workers: 1,
      concurrency: 4,
      dispatchPerMinute: 12_000,
    });
    expect(longestWait).toEqual({ light: 0, deep: 0, sleep: 0 });
    expect(longestQueue).toBeCloseTo(0);
    expect(cpu.peak).toBeCloseTo((1_000 * 10 + 160 * 50) / 60_000);
    expect(cpu.mean).toBeCloseTo(cpu.peak);
  });

  it('with too few slots, too slow beats or too little processor leave users waiting for ever', () => {
    const crew = { workers: 1, concurrency: 4, dispatchPerMinute: 12_000 };
    expect(drain(even(1_000, 241, 0), costs, crew).longestWait).toMatchObject({
      light: 0,
      deep: Number.POSITIVE_INFINITY,
    });
    expect(drain(even(1_000, 0, 0), costs, { ...crew, dispatchPerMinute: 999 }).longestWait.light).toBe(
      Number.POSITIVE_INFINITY,
    );
    expect(drain(even(6_100, 0, 0), costs, crew).longestWait.light).toBe(Number.POSITIVE_INFINITY);
  });

  it('catch up with a crowd, first come, first served', () => {
    const day = emptyDay();
    day.sleep[100] = 1_200;
    const crew = { workers: 1, concurrency: 4, dispatchPerMinute: 12_000 };
    const { longestWait, longestQueue } = drain(day, costs, crew);
    // 120 a minute.
    expect(longestWait.sleep).toBe(9);
    expect(longestQueue).toBe(1_080);
    const late = emptyDay();
    late.sleep[1_439] = 1_200;
    expect(drain(late, costs, crew).longestWait.sleep).toBe(9);
  });

  it('do what came in, neither more nor less', () => {
    const minute = fc.integer({ min: 0, max: 2_000 });
    fc.assert(
      fc.property(
        fc.array(minute, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        (came, workers) => {
          const day = emptyDay();
          for (const [i, users] of came.entries()) day.deep[i * 10] = users;
          const { done, waiting } = drain(day, costs, { workers, concurrency: 4, dispatchPerMinute: 500 });
          const total = sumOf(day.deep);
          fc.pre(waiting.deep.at(-1)! < 1);
          expect(Math.abs(sumOf(done.deep) - total)).toBeLessThan(2);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('wait as long as the sums say', () => {
    expect(longestWaitOf(Float64Array.of(5, 0, 0, 0), Float64Array.of(2, 2, 1, 0), 0)).toBe(2);
    expect(longestWaitOf(Float64Array.of(1, 1, 1, 1), Float64Array.of(1, 1, 1, 1), 0)).toBe(0);
    expect(longestWaitOf(Float64Array.of(1, 1, 1, 1), Float64Array.of(1, 1, 1, 1), 3)).toBe(3);
  });
});

describe('what a day costs', () => {
  const parsed = readDayOptions(['--users', '1000000']);
  if (parsed.kind !== 'run') throw new Error('the defaults are no options');
  const { options } = parsed;

  it('is what users, questions and prices say', () => {
    const questions = questionsOf({ memories: 30, sessions: 3, fused: 0.4 });
    expect(questions.find(({ kind }) => kind === 'fusion')).toMatchObject({ tier: 'deep', perActiveDay: 3 });
    for (const { input, output } of questions) expect(Math.min(input, output)).toBeGreaterThan(100);
    const figures = reckonDay(options, 100, FEW_ZONES);
    const { day, hours, mean, peak } = figures;
    expect(day.activeUsers).toBe(200_000);
    expect(day.runs).toMatchObject({ deep: 4_000_000, sleep: 1_000_000 });
    expect(Math.abs(day.memories / 6_000_000 - 1)).toBeLessThan(0.02);
    expect(day.modelCalls).toBe(200_000 * sumOf(questions.map(({ perActiveDay }) => perActiveDay)));
    // Ten cents and half a dollar a million.
    expect(day.dollars).toBeCloseTo(day.inputTokens * 1e-7 + day.outputTokens * 5e-7, 2);
    expect(sumOf(hours.map((hour) => hour.mean.modelCalls)) / 24).toBeCloseTo(mean.modelCalls, 6);
    expect(mean.modelCalls * 86_400).toBeCloseTo(day.modelCalls, 0);
    expect(Math.max(...hours.map(({ peakWakeUps }) => peakWakeUps))).toBeCloseTo(
      sumOf(Object.values(peak.wakeUps)),
      6,
    );
    expect(figures.spread.sleep.unspread).toBeGreaterThan(10 * figures.spread.sleep.perSecond);
    expect(figures.crews.at(-1)!.longestWait).toEqual({ light: 0, deep: 0, sleep: 0 });
    expect(pageOf(options, figures).join('\n')).toContain('1,000,000 users on 2026-11-22');
  });
});

describe('the arguments of bench:day', () => {
  it('are refused all at once, each with what was expected', () => {
    const parsed = readDayOptions(['--usres=3', '--day', '22.11.', '--model', 'x', '--seed', '-', 'y']);
    expect(parsed).toEqual({
      kind: 'refused',
      errors: [
        'unexpected y: options begin with --',
        'unknown option --usres: did you mean --users?',
        '--day: expected YYYY-MM-DD',
        '--model: nobody knows the price of x',
        '--seed: expected a whole number from 0 to 4294967295',
      ],
    });
    expect(readDayOptions(['--help', '--nonsense']).kind).toBe('help');
  });

  it('have the settings of the product as defaults', () => {
    expect(readDayOptions([])).toMatchObject({
      kind: 'run',
      options: {
        users: 10_000_000,
        active: 0.2,
        queueCap: 2_000,
        tickSeconds: 10,
        concurrency: 4,
        workers: null,
      },
    });
    expect(readDayOptions(['--workers', '9', '--json'])).toMatchObject({ kind: 'refused' });
  });
});

describe('counts', () => {
  it('have commas in the whole part alone', () => {
    expect([0, 7, 0.126, 12.34, 1_234.5, 12_345_678].map(count)).toEqual([
      '0',
      '7',
      '0.13',
      '12.3',
      '1,235',
      '12,345,678',
    ]);
  });
});
