import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joined, samples, sampleVectors } from '../../../../test/fixtures/sample-vectors.ts';
import { cosineSimilarity } from '../conflict/similarity.ts';
import type { Kernel } from './kernel.ts';
import { createNearest, type NearestOptions } from './nearest.ts';
import { createPlainKernel } from './plain-kernel.ts';
import { createSimdKernel } from './simd-kernel.ts';

type Neighbour = readonly [index: number, cosine: number];

const kernels = [createSimdKernel()!, createPlainKernel()];
const isZero = (vector: Float32Array): boolean => vector.every((component) => component === 0);

/** Every query beside every row, as the words say it. */
function oneByOne(queries: Float32Array[], indexes: number[], rows: Float32Array[], options: NearestOptions) {
  return queries.map((query, at) =>
    rows
      .map((row, index): Neighbour => [index, cosineSimilarity(query, row)])
      .filter(([index, cosine]) => index !== indexes[at] && cosine >= options.floor)
      .filter(([index]) => !isZero(query) && !isZero(rows[index]!))
      .sort((one, other) => other[1] - one[1] || one[0] - other[0])
      .slice(0, options.limit),
  );
}

function listsOf({ starts, others, cosines }: ReturnType<ReturnType<typeof createNearest>['finish']>) {
  return Array.from({ length: starts.length - 1 }, (_, list) =>
    Array.from({ length: starts[list + 1]! - starts[list]! }, (_, at): Neighbour => {
      const from = starts[list]! + at;
      return [others[from]!, cosines[from]!];
    }),
  );
}

interface Job {
  dimensions: number;
  rows: Float32Array[];
  queries: Float32Array[];
  indexes: number[];
  /** Rows of a tile. */
  tile: number;
}

function search({ dimensions, rows, queries, indexes, tile }: Job, options: NearestOptions) {
  const nearest = createNearest(options);
  nearest.setQueries(joined(queries, dimensions), indexes);
  for (let first = 0; first < rows.length; first += tile)
    nearest.addTile(joined(rows.slice(first, first + tile), dimensions), first);
  return listsOf(nearest.finish());
}

function optionsOf(dimensions: number, limit: number, floor: number, kernel: Kernel): NearestOptions {
  return { dimensions, limit, floor, kernel };
}

describe('createNearest', () => {
  it('finds what comparing one by one finds, whatever the tiles', () => {
    const jobs = fc.record({
      sample: samples({ count: 150, dimensions: 40 }),
      tile: fc.integer({ min: 1, max: 160 }),
      limit: fc.nat(8),
      floor: fc.oneof(
        fc.double({ min: -1.1, max: 1.1, noNaN: true }),
        fc.constantFrom(-1, 0, 0.4, 1, Number.NaN),
      ),
      picks: fc.array(fc.nat(), { maxLength: 12 }),
      stranger: fc.string(),
    });
    fc.assert(
      fc.property(jobs, ({ sample: { dimensions, vectors: rows }, tile, limit, floor, picks, stranger }) => {
        const indexes = rows.length === 0 ? [] : picks.map((pick) => pick % rows.length);
        const strangers = sampleVectors(stranger, 5, dimensions);
        const queries = [...indexes.map((index) => rows[index]!), ...strangers];
        const own = [...indexes, ...strangers.map(() => -1)];
        for (const kernel of kernels) {
          const options = optionsOf(dimensions, limit, floor, kernel);
          const found = search({ dimensions, rows, queries, indexes: own, tile }, options);
          expect(found).toEqual(oneByOne(queries, own, rows, options));
        }
      }),
    );
  });

  it('keeps the best of far more than it may, equals by their index', () => {
    const rows = sampleVectors('crowd', 1_500, 24);
    const indexes = rows.map((_, index) => index).filter((index) => index % 9 === 0);
    const queries = indexes.map((index) => rows[index]!);
    const options = optionsOf(24, 16, 0.2, kernels[0]!);
    const expected = oneByOne(queries, indexes, rows, options);
    expect(expected.filter(({ length }) => length === 16).length).toBeGreaterThan(100);
    expect(search({ dimensions: 24, rows, queries, indexes, tile: 700 }, options)).toEqual(expected);
    // The same rows, seen from the last tile to the first.
    const nearest = createNearest(options);
    nearest.setQueries(joined(queries, 24), indexes);
    for (const first of [1_400, 700, 0])
      nearest.addTile(
        joined(rows.slice(first, Math.min(first + 700, 1_500)).slice(0, first === 1_400 ? 100 : 700), 24),
        first,
      );
    expect(listsOf(nearest.finish())).toEqual(expected);
  });

  it('works in slices', () => {
    const rows = sampleVectors('slices', 1_024, 512);
    const nearest = createNearest(optionsOf(512, 8, 0.4, kernels[0]!));
    const count = (work: Iterator<void>): number => {
      let slices = 1;
      while (!work.next().done) slices += 1;
      return slices;
    };
    expect(count(nearest.setQueriesInSlices(joined(rows, 512)))).toBe(1);
    expect(count(nearest.addTileInSlices(joined(rows, 512), 0))).toBeGreaterThan(3);
    expect(nearest.finish().starts).toHaveLength(1_025);
  });

  it('wants queries once, before the rows, and finite numbers', () => {
    const options = optionsOf(2, 3, 0, kernels[0]!);
    const nearest = createNearest(options);
    expect(nearest.finish()).toEqual({
      starts: new Uint32Array(1),
      others: new Uint32Array(0),
      cosines: new Float64Array(0),
    });
    expect(() => nearest.addTile(Float32Array.of(1, 2), 0)).toThrow('no queries');
    nearest.setQueries(Float32Array.of(1, 2));
    expect(() => nearest.setQueries(Float32Array.of(1, 2))).toThrow('already');
    const bad = Float32Array.of(1, 2, Number.POSITIVE_INFINITY, 0);
    expect(() => nearest.addTile(bad, 10)).toThrow('vector 11 holds');
    expect(() => createNearest(options).setQueries(bad)).toThrow('vector 1 holds');
  });
});
