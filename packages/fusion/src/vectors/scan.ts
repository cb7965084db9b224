import type { Slices } from '../slices.ts';
import type { Kernel, KernelRows } from './kernel.ts';
import { TILE_ROWS } from './limits.ts';

/** What a visitor does for one component of a pair, in multiplications of the kernel. */
const VISIT_COST = 32;

/** Told of a pair of rows, a < b, and of the dot product of their integers. */
export type PairVisitor = (a: number, b: number, dot: number) => void;

/** Compares all rows with each other, tile by tile, and reports the pairs whose dot product reaches the bound of their first row. */
export function* scanPairs(
  kernel: Kernel,
  rows: KernelRows,
  dimensions: number,
  visit: PairVisitor,
): Slices<void> {
  const count = rows.bounds.length;
  const { found } = rows;
  let products = 0;
  for (let left = 0; left < count; left += TILE_ROWS) {
    const leftCount = Math.min(TILE_ROWS, count - left);
    for (let right = left; right < count; right += TILE_ROWS) {
      const rightCount = Math.min(TILE_ROWS, count - right);
      const end = 3 * rows.compare(left, leftCount, right, rightCount);
      for (let at = 0; at < end; at += 3) {
        const [a, b] = [left + found[at]!, right + found[at + 1]!];
        // A tile that meets itself reports each pair twice, and each row with itself.
        if (a < b) visit(a, b, found[at + 2]!);
      }
      products += (leftCount * rightCount + (end / 3) * VISIT_COST) * dimensions;
      if (products < kernel.productsAtOnce) continue;
      products = 0;
      yield;
    }
  }
}
