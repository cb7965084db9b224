import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSides, medianOf, ratioOf, shareOf } from '../../bench/compare.ts';
import { bytesText, durationText, goalText, numberText, timesResult } from '../../bench/figures.ts';
import { readOptions } from '../../bench/options.ts';
import { seededRandom, seedOf } from '../../bench/random.ts';
import { GOALS, ROWS } from '../../bench/rows/index.ts';
import { isFrame, transactionsOf } from '../../bench/stage/statements.ts';
import { exitCodeOf, type Outcome, tableOf } from '../../bench/table.ts';

const times = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 40 });

describe('a comparison', () => {
  /** Each side takes as long as it says, on a clock of its own. */
  function scripted(baselineMs: number, oursMs: number, results = { baseline: 1, ours: 1 }) {
    let clock = 0;
    const order: string[] = [];
    const equals: [number, number][] = [];
    return {
      order,
      equals,
      parts: { rounds: 4, nowMs: () => clock, settle: () => void order.push('settle') },
      sides: {
        async baseline() {
          order.push('baseline');
          clock += baselineMs;
          return results.baseline;
        },
        async ours() {
          order.push('ours');
          clock += oursMs;
          return results.ours;
        },
        equal(a: number, b: number) {
          equals.push([a, b]);
          if (a !== b) throw new Error('they differ');
        },
      },
    };
  }

  it('insists on equal results before it times anything, and in every round', async () => {
    const { parts, sides, order, equals } = scripted(1, 1, { baseline: 1, ours: 2 });
    await expect(compareSides(parts, sides)).rejects.toThrow('they differ');
    expect(order).toEqual(['baseline', 'ours']);
    expect(equals).toEqual([[1, 2]]);
    const equal = scripted(1, 1);
    await compareSides(equal.parts, equal.sides);
    expect(equal.equals).toHaveLength(5);
  });

  it('interleaves the sides and swaps their order from round to round', async () => {
    const { parts, sides, order } = scripted(30, 10);
    const compared = await compareSides(parts, sides);
    const ran = order.filter((what) => what !== 'settle');
    const rounds = ['baseline', 'ours', 'ours', 'baseline'];
    expect(ran.slice(2)).toEqual([...rounds, ...rounds]);
    expect(order.filter((what) => what === 'settle')).toHaveLength(8);
    expect(compared).toEqual({
      baselineMs: [30, 30, 30, 30],
      oursMs: [10, 10, 10, 10],
      ratio: { median: 3, from: 3, to: 3 },
    });
  });

  it('needs a round', async () => {
    const { parts, sides } = scripted(1, 1);
    await expect(compareSides({ ...parts, rounds: 0 }, sides)).rejects.toThrow(RangeError);
  });

  it('has a ratio within its range, however the rounds went', () => {
    fc.assert(
      fc.property(times, times, (one, other) => {
        const rounds = Math.min(one.length, other.length);
        const { median, from, to } = ratioOf(one.slice(0, rounds), other.slice(0, rounds));
        expect(from).toBeLessThanOrEqual(median);
        expect(median).toBeLessThanOrEqual(to);
        expect(Number.isFinite(to)).toBe(true);
      }),
    );
    expect(() => ratioOf([1], [])).toThrow(RangeError);
  });

  it('takes the median and the shares of what was measured', () => {
    expect(medianOf([3, 1, 2])).toBe(2);
    expect(medianOf([4, 1, 2, 3])).toBe(2.5);
    expect(() => medianOf([])).toThrow(RangeError);
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([shareOf(hundred, 0.5), shareOf(hundred, 0.95), shareOf(hundred, 1), shareOf(hundred, 0)]).toEqual(
      [50, 95, 100, 1],
    );
    expect(() => shareOf([], 0.5)).toThrow(RangeError);
    fc.assert(
      fc.property(times, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
        const value = shareOf(values, share);
        expect(values).toContain(value);
        expect(values.filter((one) => one <= value).length).toBeGreaterThanOrEqual(
          share * values.length - 1e-6,
        );
      }),
    );
  });
});

describe('seeded chance', () => {
  it('is the same for the same seed, between 0 and 1, and different for each row', () => {
    const draw = (seed: number) => Array.from({ length: 50 }, seededRandom(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (seed) => {
        for (const value of draw(seed)) expect(value >= 0 && value < 1).toBe(true);
      }),
    );
    expect(new Set(ROWS.map(({ id }) => seedOf(1, id))).size).toBe(ROWS.length);
    expect(seedOf(1, 'P4')).not.toBe(seedOf(2, 'P4'));
  });
});

describe('the arguments', () => {
  const known = ['P3', 'P4', 'P5'];
  const refusals = (...args: string[]) => {
    const parsed = readOptions(args, known);
    return parsed.kind === 'refused' ? parsed.errors : parsed.kind;
  };

  it('name rows in any order and in any case; none is all', () => {
    const ids = (...args: string[]) => {
      const parsed = readOptions(args, known);
      return parsed.kind === 'run' ? parsed.options.ids : parsed;
    };
    expect(ids()).toEqual(known);
    expect(ids('p5', 'P3', 'p3')).toEqual(['P3', 'P5']);
  });

  it('have defaults, fewer rounds for small data', () => {
    expect(readOptions([], known)).toEqual({
      kind: 'run',
      options: { ids: known, quick: false, seed: 20_261_122, rounds: 5, json: null },
    });
    const given = ['--quick', '--seed', '7', '--json', 'out.json', 'P4'];
    expect(readOptions(given, known)).toEqual({
      kind: 'run',
      options: { ids: ['P4'], quick: true, seed: 7, rounds: 3, json: 'out.json' },
    });
    expect(readOptions(['--rounds=9'], known)).toMatchObject({ options: { rounds: 9 } });
  });

  it('ask for help or the list', () => {
    expect(refusals('--help')).toBe('help');
    expect(refusals('-h', '--nonsense')).toBe('help');
    expect(refusals('--list')).toBe('list');
  });

  it('are refused all at once, each mistake with what was expected', () => {
    expect(refusals('P44', 'Q1', '--qick', '--rounds', '0', '--seed', 'x', '--json')).toEqual([
      'unknown option --qick: did you mean --quick?',
      '--seed: expected a whole number from 0 to 4294967295',
      '--rounds: expected a whole number from 1 to 1000',
      '--json: expected a file',
      expect.stringContaining('unknown row P44: did you mean P4?'),
      expect.stringContaining('unknown row Q1'),
    ]);
    expect(refusals('--quick=yes')).toEqual(['--quick takes no value']);
  });
});

describe('the rows', () => {
  it('stand once each, in the order of the goals', () => {
    const numbers = GOALS.map(({ id }) => Number(/^P(\d+)$/.exec(id)?.[1]));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(new Set(numbers).size).toBe(GOALS.length);
  });
});

describe('the table', () => {
  const row = {
    id: 'P9',
    measure: 'work',
    against: 'more work',
    goal: { kind: 'ratio', atLeast: 1.9 },
  } as const;
  const ratio = { median: 2, from: 1.5, to: 150.4 };
  const done: Outcome = {
    row,
    seconds: 1,
    results: [
      { name: 'two', baseline: '2.00 s', ours: '1.00 s', ratio, met: true },
      { name: 'more', baseline: null, ours: '7 bytes', met: false, note: 'why' },
    ],
  };
  const failed: Outcome = { row, seconds: 1, failed: 'no server' };

  it('says of each result what was measured and whether the goal is met, and why a row could not be', () => {
    const lines = tableOf([done, failed]);
    expect(lines).toHaveLength(7);
    expect(lines[1]).toMatch(/^P9 +two +at least 1.90× +2.00 s +1.00 s +2× \(1.50 to 150\) +met$/);
    expect(lines[2]).toMatch(/^P9 +more +7 bytes +missed$/);
    expect(lines[3]).toMatch(/^P9 +work +at least 1.90× +failed$/);
    expect(lines.slice(5)).toEqual(['P9, more: why', 'P9 could not be measured: no server']);
  });

  it('goal without a row: named as missing, with the code of the others', () => {
    const missing: Outcome = { row, seconds: 0, missing: true };
    const lines = tableOf([missing]);
    expect(lines[1]).toMatch(/^P9 +work +at least 1.90× +missing$/);
    expect(lines.at(-1)).toBe('P9 has no row yet: it is not measured');
    expect(exitCodeOf([missing], false)).toBe(0);
  });

  it('times as long: ours over the baseline, met up to the goal', () => {
    const result = (oursMs: number[]) =>
      timesResult('a', { baselineMs: [10, 10, 10], oursMs }, { atMost: 1.5 }, 'why');
    expect(result([15, 12, 30])).toMatchObject({ ratio: { median: 1.5, from: 1.2, to: 3 }, met: true });
    expect(result([16, 16, 16]).met).toBe(false);
    expect(goalText({ kind: 'times', atMost: 1.5 })).toBe('at most 1.50× as long');
  });

  it('ends well, or with 1 for a missed goal where the data were large, or with 2', () => {
    const met: Outcome = { row, seconds: 1, results: [{ name: 'a', baseline: null, ours: '1', met: true }] };
    expect(exitCodeOf([met], false)).toBe(0);
    expect([exitCodeOf([met, done], false), exitCodeOf([done], true)]).toEqual([1, 0]);
    expect([exitCodeOf([done, failed], false), exitCodeOf([failed], true)]).toEqual([2, 2]);
  });

  it('writes figures as people read them', () => {
    expect([0, 7, 0.1234, 12.34, 123.4, 98_765].map(numberText)).toEqual([
      '0',
      '7',
      '0.12',
      '12.3',
      '123',
      '98765',
    ]);
    expect([durationText(1.5), durationText(9_999), durationText(12_340)]).toEqual([
      '1.50 ms',
      '9999 ms',
      '12.3 s',
    ]);
    expect([bytesText(0), bytesText(2_048), bytesText(1.5 * 2 ** 30)]).toEqual([
      '0 bytes',
      '2 KB',
      '1.50 GB',
    ]);
    expect(goalText({ kind: 'most', value: 2, unit: 's' })).toBe('at most 2 s');
  });
});

describe('recorded statements', () => {
  const on = (connection: number, ...texts: string[]) => texts.map((text) => ({ connection, text }));

  it('fall into transactions, also when connections take turns', () => {
    const [a, b] = [on(0, 'begin', 'select 1', 'commit', 'select 2'), on(1, 'begin', 'insert', 'ROLLBACK')];
    const mixed = [a[0]!, b[0]!, a[1]!, b[1]!, b[2]!, a[2]!, a[3]!];
    const texts = transactionsOf(mixed).map((all) => all.map(({ text }) => text));
    expect(texts).toEqual([['begin', 'select 1', 'commit'], ['begin', 'insert', 'ROLLBACK'], ['select 2']]);
  });

  it('are frames or work', () => {
    const frames = ['begin', 'commit', ' rollback', "select set_config('role', 'x', true)"];
    expect(on(0, ...frames).every(isFrame)).toBe(true);
    expect(on(0, 'select 1', 'with beginning as (select 1) select', 'update t set x = 1').some(isFrame)).toBe(
      false,
    );
  });
});
