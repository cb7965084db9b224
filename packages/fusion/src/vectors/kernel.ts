/** Rows as integers. Row numbers count from 0. */
export interface KernelRows {
  /** The least dot product that interests, for each row on the left side; UNREACHED at first. */
  readonly bounds: Int32Array;
  /** What the last comparison found: left row, right row and dot product, the rows counted from the first ones of the call. */
  readonly found: Int32Array;
  /**
   * Takes a vector over: brought to length 1, times SCALE, rounded to the nearest (halves to the even).
   * @param vector as many components as there are dimensions
   * @returns the square of its length; 0 for a vector of zeros, infinite or not a number for one that holds what is not finite. Both are
   *   held as zeros.
   */
  write(row: number, vector: Float32Array): number;
  /**
   * Compares each of some rows with each of some others, at most TILE_ROWS on both sides.
   * @returns how many pairs reach the bounds of their left rows; they stand in `found`
   */
  compare(left: number, leftCount: number, right: number, rightCount: number): number;
}

/** Compares rows of 16-bit integers. Every kernel gives the same, bit for bit, whatever it runs on. */
export interface Kernel {
  readonly kind: 'simd' | 'plain';
  /** Multiplications that take a few milliseconds. */
  readonly productsAtOnce: number;
  /**
   * Room for rows. It is the same memory again each time: rows that were opened before are given up and refuse to work.
   * @throws RangeError when they are more than MAX_ROOM_BYTES, or have more than MAX_DIMENSIONS
   */
  open(dimensions: number, rows: number): KernelRows;
}
