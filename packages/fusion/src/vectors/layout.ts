import { MAX_DIMENSIONS, MAX_ROOM_BYTES, TILE_ROWS } from './limits.ts';

/** Where things stand in the memory of a kernel, in bytes; all of it at multiples of 16. */
export interface Layout {
  /** The integers of one row, a multiple of 16. */
  stride: number;
  /** From one row to the next. */
  pitch: number;
  stageAt: number;
  boundsAt: number;
  foundAt: number;
  rowsAt: number;
  end: number;
}

const COMPONENTS_AT_ONCE = 8;
const FOOT_BYTES = 16;
/** At the start of the memory, what the kernel notes for itself. */
const OWN_BYTES = 64;
/** Rows that the kernel may read beyond the last one. */
const SPARE_ROWS = 4;
/** Pairs of three 32-bit numbers. */
const FOUND_BYTES = TILE_ROWS * TILE_ROWS * 12;

/** Whether a kernel holds that many rows. */
export function fitsRoom(dimensions: number, rows: number): boolean {
  return dimensions >= 1 && dimensions <= MAX_DIMENSIONS && place(dimensions, rows).end <= MAX_ROOM_BYTES;
}

/** @throws RangeError when there are too many dimensions, or too many rows of them */
export function layOut(dimensions: number, rows: number): Layout {
  if (!Number.isInteger(dimensions) || !Number.isInteger(rows) || rows < 0 || !fitsRoom(dimensions, rows))
    throw new RangeError(`a kernel does not hold ${rows} rows of ${dimensions} dimensions`);
  return place(dimensions, rows);
}

function place(dimensions: number, rows: number): Layout {
  const padded = Math.ceil(dimensions / COMPONENTS_AT_ONCE) * COMPONENTS_AT_ONCE;
  const stride = padded * 2;
  const pitch = stride + FOOT_BYTES;
  const stageAt = OWN_BYTES;
  const boundsAt = stageAt + padded * 4;
  const foundAt = boundsAt + Math.ceil((rows + SPARE_ROWS) / 4) * 16;
  const rowsAt = foundAt + FOUND_BYTES;
  return { stride, pitch, stageAt, boundsAt, foundAt, rowsAt, end: rowsAt + pitch * (rows + SPARE_ROWS) };
}

/** @throws Error when other rows were opened since; RangeError when the rows asked for are not there, or more than a tile */
export function checkSpan(isLatest: boolean, first: number, count: number, rows: number): void {
  if (!isLatest) throw new Error('these rows were given up: the kernel has opened others');
  if (first >= 0 && count >= 0 && count <= TILE_ROWS && first + count <= rows) return;
  throw new RangeError(`${count} rows from ${first} of ${rows}, at most ${TILE_ROWS} at once`);
}

/** @throws RangeError */
export function checkComponents(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions)
    throw new RangeError(`a vector has ${dimensions} components here, got ${vector.length}`);
}
