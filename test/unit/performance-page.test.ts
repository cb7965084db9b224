import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type BenchFigures, FROM, fillPage, TO } from '../../bench/performance-table.ts';
import { ROWS } from '../../bench/rows/index.ts';

const PAGE = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');

describe('the page of figures', () => {
  const figures: BenchFigures = {
    measuredAt: '2026-11-22T10:00:00.000Z',
    quick: false,
    seed: 7,
    rounds: 5,
    node: 'v20.1.0',
    cpu: 'one | other',
    cores: 2,
    servers: ['PostgreSQL 15, from /opt/somewhere/bin', 'Redis 7, from TEST_REDIS_URL'],
    rows: [
      {
        ...ROWS[0]!,
        results: [
          {
            name: 'large',
            baseline: '20 s',
            ours: '0.10 s',
            ratio: { median: 200, from: 150.4, to: 201 },
            met: true,
          },
          { name: 'small', baseline: null, ours: '3 calls', met: false },
        ],
      },
      { ...ROWS[1]!, failed: 'no server' },
    ],
  };

  it('names every row between its marks', () => {
    const between = PAGE.slice(PAGE.indexOf(FROM), PAGE.indexOf(TO));
    for (const { id } of ROWS) expect(between).toContain(`| ${id} |`);
  });

  it('is filled from the figures, and again from others', () => {
    const filled = fillPage(`before\n${FROM}\nold\n${TO}\nafter\n`, ROWS, figures);
    expect(filled.split('\n')).toEqual([
      'before',
      FROM,
      'Measured on 2026-11-22 on 2 cores (one | other), Node 20.1.0, PostgreSQL 15; Redis 7; seed 7, 5 rounds.',
      '',
      '|  | measured | goal | baseline | ours | ratio (range) |  |',
      '| --- | --- | --- | --- | --- | --- | --- |',
      '| P1 | large | at least 40× | 20 s | 0.10 s | 200× (150 to 201) | met |',
      '| P1 | small |  |  | 3 calls |  | missed |',
      expect.stringMatching(/^\| P2 \| .* \| could not be measured \|$/),
      TO,
      'after',
      '',
    ]);
    expect(fillPage(filled, ROWS, figures)).toBe(filled);
    const goals = fillPage(filled, ROWS, null);
    expect(goals).toContain('| P4 |');
    expect(goals).not.toContain('large');
  });

  it('needs its marks', () => {
    expect(() => fillPage('a page', ROWS, figures)).toThrow(FROM);
  });
});
