import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joined, samples, sampleVectors } from '../../../../test/fixtures/sample-vectors.ts';
import type { Link } from '../components.ts';
import { cosineSimilarity } from '../conflict/similarity.ts';
import { SCALE } from './limits.ts';
import { integerBounds, marginOf } from './margin.ts';
import { pairsAbove, pairsInSlices } from './pairs.ts';
import { createPlainKernel } from './plain-kernel.ts';
import { createSimdKernel } from './simd-kernel.ts';

const kernels = [createSimdKernel()!, createPlainKernel()];

function pairByPair(vectors: Float32Array[], threshold: number): Link[] {
  const pairs: Link[] = [];
  for (let a = 0; a < vectors.length; a += 1) {
    for (let b = a + 1; b < vectors.length; b += 1) {
      const weight = cosineSimilarity(vectors[a]!, vectors[b]!);
      if (weight >= threshold) pairs.push({ a, b, weight });
    }
  }
  return pairs;
}

describe('pairsAbove', () => {
  it('finds what comparing pair by pair finds, with the same cosines to the bit', () => {
    const thresholds = fc.oneof(
      fc.double({ min: -1.1, max: 1.1, noNaN: true }),
      fc.constantFrom(0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    );
    fc.assert(
      fc.property(
        samples({ count: 90, dimensions: 50 }),
        thresholds,
        ({ dimensions, vectors }, threshold) => {
          const expected = pairByPair(vectors, threshold);
          for (const kernel of kernels)
            expect(pairsAbove(joined(vectors, dimensions), dimensions, threshold, kernel)).toEqual(expected);
        },
      ),
    );
  });

  it('includes a pair whose cosine is the threshold itself, and not one just below', () => {
    const picks = fc.tuple(fc.nat(39), fc.nat(39));
    fc.assert(
      fc.property(fc.string(), picks, (seed, [one, other]) => {
        const vectors = sampleVectors(seed, 40, 33);
        const threshold = cosineSimilarity(vectors[one]!, vectors[other]!);
        const expected = pairByPair(vectors, threshold);
        expect(pairsAbove(joined(vectors, 33), 33, threshold)).toEqual(expected);
      }),
    );
  });

  it('works in slices', () => {
    const vectors = sampleVectors('many', 300, 200);
    const work = pairsInSlices(joined(vectors, 200), 200, 0.75, createPlainKernel());
    let slices = 1;
    let step = work.next();
    for (; !step.done; step = work.next()) slices += 1;
    expect(slices).toBeGreaterThan(2);
    expect(step.value).toEqual(pairByPair(vectors, 0.75));
    expect(step.value.length).toBeGreaterThan(100);
  });

  it('refuses what is not finite, naming the vector, and numbers that are no whole vectors', () => {
    expect(() => pairsAbove(Float32Array.of(1, 2, 3, Number.NaN), 2, 0.5)).toThrow('vector 1 holds');
    expect(() => pairsAbove(Float32Array.of(1, 2, 3), 2, 0.5)).toThrow(RangeError);
    expect(pairsAbove(new Float32Array(0), 2, 0.5)).toEqual([]);
  });
});

describe('the margin of the integers', () => {
  it('holds what rounding does to a dot product', () => {
    fc.assert(
      fc.property(samples({ count: 20, dimensions: 300 }), ({ dimensions, vectors }) => {
        const [kernel] = kernels;
        const rows = kernel!.open(dimensions, vectors.length);
        for (const [row, vector] of vectors.entries()) rows.write(row, vector);
        rows.bounds.fill(-SCALE * SCALE * 2);
        const pairs = rows.compare(0, vectors.length, 0, vectors.length);
        expect(pairs).toBe(vectors.length ** 2);
        for (let at = 0; at < pairs * 3; at += 3) {
          const [one, other] = [vectors[rows.found[at]!]!, vectors[rows.found[at + 1]!]!];
          const off = rows.found[at + 2]! - cosineSimilarity(one, other) * SCALE * SCALE;
          expect(Math.abs(off)).toBeLessThanOrEqual(marginOf(dimensions));
        }
      }),
    );
  });

  it('is small beside what it is compared with', () => {
    const { possible, certain } = integerBounds(0.75, 1_536);
    expect((certain - possible) / (SCALE * SCALE)).toBeLessThan(0.0025);
  });
});
