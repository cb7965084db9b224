import type { Slices } from '../slices.ts';
import type { KernelRows } from './kernel.ts';

/** Components taken over in one slice. */
const COMPONENTS_AT_ONCE = 1_000_000;

/**
 * Takes vectors over, one row after another.
 * @param first row of the first vector
 * @returns their lengths; not finite where a vector holds something that is not
 */
export function* writeRows(
  rows: KernelRows,
  first: number,
  vectors: readonly Float32Array[],
): Slices<Float64Array> {
  const lengths = new Float64Array(vectors.length);
  let components = 0;
  for (const [index, vector] of vectors.entries()) {
    lengths[index] = Math.sqrt(rows.write(first + index, vector));
    components += vector.length;
    if (components < COMPONENTS_AT_ONCE) continue;
    components = 0;
    yield;
  }
  return lengths;
}

/** As writeRows. @param firstName number of the first vector, as the caller counts them @throws RangeError when one holds something not finite */
export function* writeFinite(
  rows: KernelRows,
  first: number,
  vectors: readonly Float32Array[],
  firstName: number,
): Slices<Float64Array> {
  const lengths = yield* writeRows(rows, first, vectors);
  const wrong = lengths.findIndex((length) => !Number.isFinite(length));
  if (wrong >= 0) throw new RangeError(`vector ${firstName + wrong} holds a number that is not finite`);
  return lengths;
}

/** Views of the vectors that stand in one array. @throws RangeError when they do not fill it */
export function splitVectors(vectors: Float32Array, dimensions: number): Float32Array[] {
  const count = vectors.length / dimensions;
  if (!Number.isInteger(count))
    throw new RangeError(`${vectors.length} numbers are no vectors of ${dimensions} dimensions`);
  return Array.from({ length: count }, (_, row) =>
    vectors.subarray(row * dimensions, (row + 1) * dimensions),
  );
}
