import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyComponents, samples } from '../../../../test/fixtures/sample-vectors.ts';
import { createKernel } from './create-kernel.ts';
import type { Kernel } from './kernel.ts';
import { MAX_DIMENSIONS, SCALE, TILE_ROWS, UNREACHED } from './limits.ts';
import { createPlainKernel } from './plain-kernel.ts';
import { createSimdKernel } from './simd-kernel.ts';

const simd = createSimdKernel()!;
const plain = createPlainKernel();

interface Job {
  dimensions: number;
  vectors: Float32Array[];
  bound: number;
}

/** What a kernel says of all pairs, tile by tile, and of each vector as it takes it over. */
function answersOf(kernel: Kernel, { dimensions, vectors, bound }: Job) {
  const rows = kernel.open(dimensions, vectors.length);
  const squares = vectors.map((vector, row) => rows.write(row, vector));
  rows.bounds.fill(bound);
  const found: number[] = [];
  for (let left = 0; left < vectors.length; left += TILE_ROWS) {
    for (let right = 0; right < vectors.length; right += TILE_ROWS) {
      const counts = [left, right].map((first) => Math.min(TILE_ROWS, vectors.length - first));
      const pairs = rows.compare(left, counts[0]!, right, counts[1]!);
      found.push(...rows.found.subarray(0, pairs * 3));
    }
  }
  return { squares, found };
}

describe('the two kernels', () => {
  it('are what they are called, and the fast one is taken', () => {
    expect([simd.kind, plain.kind, createKernel().kind]).toEqual(['simd', 'plain', 'simd']);
  });

  it('give the same to the bit', () => {
    const cosines = fc.double({ min: -1.01, max: 1.01, noNaN: true });
    fc.assert(
      fc.property(samples({ count: 150, dimensions: 70 }), cosines, ({ dimensions, vectors }, cosine) => {
        const job = { dimensions, vectors, bound: Math.round(cosine * SCALE * SCALE) };
        expect(answersOf(simd, job)).toEqual(answersOf(plain, job));
      }),
    );
  });

  it('give the same where a bound is the dot product of a pair itself, and find that pair', () => {
    const picks = fc.tuple(fc.nat(), fc.nat());
    const some = samples({ count: 60, dimensions: 200 }).filter(({ vectors }) => vectors.length > 0);
    fc.assert(
      fc.property(some, picks, ({ dimensions, vectors }, pick) => {
        const [one, other] = pick.map((at) => at % vectors.length);
        const bound = dotOf(vectors[one!]!, vectors[other!]!);
        const answers = answersOf(simd, { dimensions, vectors, bound });
        expect(answers).toEqual(answersOf(plain, { dimensions, vectors, bound }));
        expect(pairsOf(Int32Array.from(answers.found))).toContainEqual([one, other, bound]);
      }),
    );
  });

  it('give the same of any components, finite or not', () => {
    const rows = fc.integer({ min: 1, max: 40 }).chain((dimensions) =>
      fc.record({
        dimensions: fc.constant(dimensions),
        vectors: fc.array(
          fc
            .array(anyComponents, { minLength: dimensions, maxLength: dimensions })
            .map((row) => Float32Array.from(row)),
          { maxLength: 12 },
        ),
        bound: fc.constantFrom(-UNREACHED, 0, 1, 500_000_000, SCALE * SCALE),
      }),
    );
    fc.assert(
      fc.property(rows, (job) => {
        expect(answersOf(simd, job)).toEqual(answersOf(plain, job));
      }),
    );
  });
});

describe.each([
  ['simd', simd],
  ['plain', plain],
])('the %s kernel', (_kind, kernel) => {
  const write = (...components: number[]): number =>
    kernel.open(components.length, 1).write(0, Float32Array.from(components));

  it('tells the square of a length, and what it cannot hold', () => {
    expect([write(3, 4), write(0, -0)]).toEqual([25, 0]);
    expect(write(1, Number.NaN)).toBeNaN();
    expect(write(1, Number.NEGATIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('finds the pairs that reach the bound of their left row, and holds what it refuses as zeros', () => {
    const rows = kernel.open(2, 4);
    const vectors = [
      [1, 0],
      [0, 2],
      [Number.NaN, 1],
      [5, 0],
    ];
    for (const [row, vector] of vectors.entries()) rows.write(row, Float32Array.from(vector));
    // Opened with bounds that nothing reaches.
    expect(rows.compare(0, 4, 0, 4)).toBe(0);
    // The last row is on no left side, whatever its bound.
    rows.bounds.set([1, 1, 0, 1]);
    const one = SCALE * SCALE;
    expect(rows.compare(0, 3, 1, 3)).toBe(5);
    const [first, ...others] = pairsOf(rows.found.subarray(0, 15)).sort();
    expect([first, ...others]).toEqual([
      [0, 2, one],
      [1, 0, one],
      [2, 0, 0],
      [2, 1, 0],
      [2, 2, 0],
    ]);
  });

  it('takes rows of other sizes in the same memory, and no more of those before', () => {
    const before = kernel.open(3, 2);
    before.write(0, Float32Array.of(1, 2, 3));
    const rows = kernel.open(700, 300);
    expect(() => before.write(0, Float32Array.of(1, 2, 3))).toThrow('given up');
    expect(() => before.compare(0, 1, 1, 1)).toThrow('given up');
    for (let row = 0; row < 300; row += 1) rows.write(row, new Float32Array(700).fill(1));
    rows.bounds.fill(0);
    expect(rows.compare(236, TILE_ROWS, 236, TILE_ROWS)).toBe(TILE_ROWS * TILE_ROWS);
  });

  it.each([
    [0, 1],
    [MAX_DIMENSIONS + 1, 1],
    [2, 1e9],
    [2, -1],
    [1.5, 1],
  ])('does not open %d dimensions, %d rows', (dimensions, rows) => {
    expect(() => kernel.open(dimensions, rows)).toThrow(RangeError);
  });

  it('refuses rows that are not there, more than a tile, and vectors of another size', () => {
    const rows = kernel.open(2, 100);
    expect(() => rows.write(100, new Float32Array(2))).toThrow(RangeError);
    expect(() => rows.write(0, new Float32Array(3))).toThrow(RangeError);
    expect(() => rows.compare(0, 65, 0, 1)).toThrow(RangeError);
    expect(() => rows.compare(0, 1, 99, 2)).toThrow(RangeError);
    expect(() => rows.compare(-1, 1, 0, 1)).toThrow(RangeError);
  });
});

/** The dot product of the integers of two vectors. */
function dotOf(one: Float32Array, other: Float32Array): number {
  const rows = plain.open(one.length, 2);
  rows.write(0, one);
  rows.write(1, other);
  rows.bounds.fill(-UNREACHED);
  rows.compare(0, 1, 1, 1);
  return rows.found[2]!;
}

function pairsOf(found: Int32Array): number[][] {
  return Array.from({ length: found.length / 3 }, (_, pair) => [...found.subarray(pair * 3, pair * 3 + 3)]);
}
