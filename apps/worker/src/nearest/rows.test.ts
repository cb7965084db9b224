import type { FoundNeighbours } from '@slowwave/db';
import { describe, expect, it } from 'vitest';
import { portionsOf, withoutThese } from './rows.ts';

const rowsOf = ({ ids, memories, others, cosines }: FoundNeighbours) =>
  [...memories].map((memory, row) => [ids[memory], ids[others[row]!], cosines[row]]);

describe('what was found for fresh memories', () => {
  // a, b and c are fresh, x is older: a is near b and x, b near a, c near a.
  const result = {
    starts: Uint32Array.of(0, 2, 3, 4),
    others: Uint32Array.of(1, 3, 0, 0),
    cosines: Float64Array.of(0.75, 0.5, 0.75, 0.625),
  };
  const ids = ['a', 'b', 'c', 'x'];

  it('is stored with the later one of two fresh ones, and for an older one as well', () => {
    const portions = portionsOf(result, ids, 3, 1).map(rowsOf);
    expect(portions).toEqual([
      [
        ['a', 'x', 0.5],
        ['x', 'a', 0.5],
      ],
      [
        ['a', 'b', 0.75],
        ['b', 'a', 0.75],
      ],
      [['c', 'a', 0.625]],
    ]);
  });

  it('is one portion where there is room, and leaves out those that have gone', () => {
    const [all, ...more] = portionsOf(result, ids, 3, 10);
    expect(more).toEqual([]);
    expect(rowsOf(all!)).toHaveLength(5);
    expect(withoutThese(all!, new Set(['y']))).toBe(all);
    expect(rowsOf(withoutThese(all!, new Set(['a'])))).toEqual([]);
    expect(rowsOf(withoutThese(all!, new Set(['x'])))).toHaveLength(3);
  });
});
