import type { Link } from '../components.ts';
import { inOneGo, type Slices } from '../slices.ts';
import { cosineOf } from './cosine.ts';
import { createKernel } from './create-kernel.ts';
import type { Kernel } from './kernel.ts';
import { integerBounds } from './margin.ts';
import { scanPairs } from './scan.ts';
import { splitVectors, writeFinite } from './write.ts';

/**
 * All pairs a < b of vectors whose cosine reaches a threshold, each with its cosine as `weight`, ordered by a and b. The cosine of a zero
 * vector is 0. Integers only choose which pairs are looked at: the result is that of comparing all of them in float64.
 * @param vectors one after another, `dimensions` numbers each
 * @param threshold cosine, inclusive
 * @throws RangeError when a vector holds something not finite, or when there are more of them than a kernel holds
 */
export function pairsAbove(
  vectors: Float32Array,
  dimensions: number,
  threshold: number,
  kernel: Kernel = createKernel(),
): Link[] {
  return inOneGo(pairsInSlices(vectors, dimensions, threshold, kernel));
}

/** As pairsAbove, in slices. The kernel is taken up to the end. */
export function* pairsInSlices(
  vectors: Float32Array,
  dimensions: number,
  threshold: number,
  kernel: Kernel = createKernel(),
): Slices<Link[]> {
  const rows = splitVectors(vectors, dimensions);
  const integers = kernel.open(dimensions, rows.length);
  const lengths = yield* writeFinite(integers, 0, rows, 0);
  integers.bounds.fill(integerBounds(threshold, dimensions).possible);
  const pairs: Link[] = [];
  yield* scanPairs(kernel, integers, dimensions, (a, b) => {
    const weight = cosineOf(rows[a]!, rows[b]!, lengths[a]!, lengths[b]!);
    if (weight >= threshold) pairs.push({ a, b, weight });
  });
  return pairs.sort((one, other) => one.a - other.a || one.b - other.b);
}
