import type { Kernel, KernelRows } from './kernel.ts';
import { checkComponents, checkSpan, layOut } from './layout.ts';
import { SCALE, TILE_ROWS, UNREACHED } from './limits.ts';

const PRODUCTS_AT_ONCE = 4_000_000;
/** Added and taken away again, it leaves a number rounded to the nearest integer, halves to the even, as the vector instruction does. */
const ROUNDING = 6_755_399_441_055_744;

/** The kernel without vector instructions, for runtimes that have none: as exact, some thirty times slower. */
export function createPlainKernel(): Kernel {
  let latest: KernelRows | null = null;
  return {
    kind: 'plain',
    productsAtOnce: PRODUCTS_AT_ONCE,
    open: (dimensions, rows) => {
      // Only for its refusals: both kernels have the same limits.
      layOut(dimensions, rows);
      const opened = openRows(dimensions, rows, () => latest === opened);
      latest = opened;
      return opened;
    },
  };
}

function openRows(dimensions: number, rows: number, isLatest: () => boolean): KernelRows {
  const integers = new Int16Array(dimensions * rows);
  const bounds = new Int32Array(rows).fill(UNREACHED);
  const found = new Int32Array(TILE_ROWS * TILE_ROWS * 3);
  return {
    bounds,
    found,
    write: (row, vector) => {
      checkSpan(isLatest(), row, 1, rows);
      checkComponents(vector, dimensions);
      return quantise(vector, integers.subarray(row * dimensions, (row + 1) * dimensions));
    },
    compare: (left, leftCount, right, rightCount) => {
      checkSpan(isLatest(), left, leftCount, rows);
      checkSpan(true, right, rightCount, rows);
      return compare(integers, dimensions, bounds, found, { left, leftCount, right, rightCount });
    },
  };
}

function quantise(vector: Float32Array, integers: Int16Array): number {
  let square = 0;
  for (let k = 0; k < vector.length; k += 1) square += vector[k]! * vector[k]!;
  integers.fill(0);
  // Also for what is not a number.
  if (!(square > 0 && square < Infinity)) return square;
  const scale = SCALE / Math.sqrt(square);
  for (let k = 0; k < vector.length; k += 1) integers[k] = vector[k]! * scale + ROUNDING - ROUNDING;
  return square;
}

interface Tile {
  left: number;
  leftCount: number;
  right: number;
  rightCount: number;
}

/** In the order of the vector instructions: four rows of the left at a time, and in them pair by pair. */
function compare(
  integers: Int16Array,
  dimensions: number,
  bounds: Int32Array,
  found: Int32Array,
  { left, leftCount, right, rightCount }: Tile,
): number {
  const leftAtOnce = 4;
  let end = 0;
  for (let first = 0; first < leftCount; first += leftAtOnce) {
    for (let j = 0; j < rightCount; j += 1) {
      for (let i = first; i < Math.min(first + leftAtOnce, leftCount); i += 1) {
        const dot = dotProduct(integers, (left + i) * dimensions, (right + j) * dimensions, dimensions);
        if (dot < bounds[left + i]!) continue;
        found[end] = i;
        found[end + 1] = j;
        found[end + 2] = dot;
        end += 3;
      }
    }
  }
  return end / 3;
}

function dotProduct(integers: Int16Array, one: number, other: number, dimensions: number): number {
  let dot = 0;
  for (let k = 0; k < dimensions; k += 1) dot = (dot + integers[one + k]! * integers[other + k]!) | 0;
  return dot;
}
