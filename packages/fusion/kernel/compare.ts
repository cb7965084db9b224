/**
 * What compares vectors, in AssemblyScript: `npm run build:kernel` compiles it into src/vectors/kernel-bytes.ts. src/vectors/plain-kernel.ts
 * says the same in plain JavaScript, and a test holds the two together bit for bit. The caller lays out the memory: nothing is allocated here.
 *
 * A row is `stride` bytes of int16 (a multiple of 16, the rest zeros) and a foot of 16 bytes: how long the row still is behind each of four
 * checks, as i32, rounded up. What is left of a dot product is at most the product of the two lengths.
 */

const SCALE: f64 = 32767;
const FOOT: usize = 16;
/** The first 64 bytes of the memory are the kernel's own. */
const RESTS: usize = 0;
/** Rows of the left side, and of the right one, that are multiplied in one go: their sums just fit the registers. */
const LEFT_AT_ONCE: i32 = 4;
const RIGHT_AT_ONCE: i32 = 2;
/** From three eighths of a row on, at every eighth, it is looked whether the rest can still reach the bound; of unlike rows it cannot. */
const FIRST_CHECK: usize = 3;
const CHECKS: i32 = 4;

/** Bytes of a row up to a check; behind the last one, all of them. */
function checkAt(check: i32, stride: usize): usize {
  if (check === CHECKS) return stride;
  return (((stride >> 4) * (FIRST_CHECK + <usize>check)) >> 3) << 4;
}

/**
 * Writes a row of f32 as int16: brought to length 1, times 32767, rounded to the nearest (halves to the even). A row of zeros, and one
 * that holds something not finite, is written as zeros.
 * @param from stride / 2 numbers, of which those beyond the dimensions are zero
 * @returns the square of its length, summed in the order of the components: 0 for a row of zeros, infinite or not a number when refused
 */
export function quantise(from: usize, to: usize, stride: usize): f64 {
  let square: f64 = 0;
  const end = from + (stride << 1);
  for (let at = from; at < end; at += 4) {
    const component = <f64>load<f32>(at);
    square += component * component;
  }
  // Also false for what is not a number.
  const isHeld = square > 0 && square < Infinity;
  if (!isHeld) {
    memory.fill(to, 0, stride + FOOT);
    return square;
  }
  const scale = f64x2.splat(SCALE / sqrt(square));
  for (let k: usize = 0; k < stride; k += 16) {
    const low = four(from + (k << 1), scale);
    const high = four(from + (k << 1) + 16, scale);
    v128.store(to + k, v128.narrow<i32>(low, high));
  }
  for (let check: i32 = 0; check < CHECKS; check += 1) {
    let rest = i32x4.splat(0);
    for (let k = checkAt(check, stride); k < stride; k += 16) {
      const part = v128.load(to + k);
      rest = i32x4.add(rest, i32x4.dot_i16x8_s(part, part));
    }
    const sum = i32x4.extract_lane(fold(rest, rest, rest, rest), 0);
    store<i32>(to + stride + ((<usize>check) << 2), <i32>ceil(sqrt(<f64>sum)));
  }
  return square;
}

/** Four numbers, scaled and rounded. */
function four(from: usize, scale: v128): v128 {
  const numbers = v128.load(from);
  const low = f64x2.mul(f64x2.promote_low_f32x4(numbers), scale);
  const high = f64x2.mul(f64x2.promote_low_f32x4(v128.shuffle<i64>(numbers, numbers, 1, 0)), scale);
  return v128.shuffle<i64>(
    i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(low)),
    i32x4.trunc_sat_f64x2_s_zero(f64x2.nearest(high)),
    0,
    2,
  );
}

/**
 * Writes row of the left, row of the right and dot product (three i32, rows counted from 0) of every pair whose dot product is at least
 * the bound of its left row. Rows beyond the counts, up to a multiple of what is taken at once, are read and not reported, so they must
 * be inside of the memory; `found` must have room for leftCount × rightCount pairs.
 * @param bounds one i32 for each left row
 * @returns how many pairs were written
 */
export function compare(
  left: usize,
  leftCount: i32,
  right: usize,
  rightCount: i32,
  stride: usize,
  bounds: usize,
  found: usize,
): i32 {
  const pitch = stride + FOOT;
  let end = found;
  for (let i: i32 = 0; i < leftCount; i += LEFT_AT_ONCE) {
    const a0 = left + <usize>i * pitch;
    const a1 = a0 + pitch;
    const a2 = a1 + pitch;
    const a3 = a2 + pitch;
    const bound = v128.load(bounds + ((<usize>i) << 2));
    keepRests(a0 + stride, pitch);
    for (let j: i32 = 0; j < rightCount; j += RIGHT_AT_ONCE) {
      const b0 = right + <usize>j * pitch;
      const b1 = b0 + pitch;
      let s00 = i32x4.splat(0);
      let s10 = i32x4.splat(0);
      let s20 = i32x4.splat(0);
      let s30 = i32x4.splat(0);
      let s01 = i32x4.splat(0);
      let s11 = i32x4.splat(0);
      let s21 = i32x4.splat(0);
      let s31 = i32x4.splat(0);
      let k: usize = 0;
      for (let check: i32 = 0; check <= CHECKS; check += 1) {
        for (const stop = checkAt(check, stride); k < stop; k += 16) {
          const x = v128.load(b0 + k);
          const y = v128.load(b1 + k);
          let row = v128.load(a0 + k);
          s00 = i32x4.add(s00, i32x4.dot_i16x8_s(row, x));
          s01 = i32x4.add(s01, i32x4.dot_i16x8_s(row, y));
          row = v128.load(a1 + k);
          s10 = i32x4.add(s10, i32x4.dot_i16x8_s(row, x));
          s11 = i32x4.add(s11, i32x4.dot_i16x8_s(row, y));
          row = v128.load(a2 + k);
          s20 = i32x4.add(s20, i32x4.dot_i16x8_s(row, x));
          s21 = i32x4.add(s21, i32x4.dot_i16x8_s(row, y));
          row = v128.load(a3 + k);
          s30 = i32x4.add(s30, i32x4.dot_i16x8_s(row, x));
          s31 = i32x4.add(s31, i32x4.dot_i16x8_s(row, y));
        }
        if (check === CHECKS) {
          end = report(end, fold(s00, s10, s20, s30), bound, i, leftCount, j);
          if (j + 1 < rightCount) end = report(end, fold(s01, s11, s21, s31), bound, i, leftCount, j + 1);
        } else {
          const foot = stride + ((<usize>check) << 2);
          const rests = v128.load(RESTS + ((<usize>check) << 4));
          const most0 = i32x4.add(
            fold(s00, s10, s20, s30),
            i32x4.mul(rests, v128.load_splat<i32>(b0 + foot)),
          );
          const most1 = i32x4.add(
            fold(s01, s11, s21, s31),
            i32x4.mul(rests, v128.load_splat<i32>(b1 + foot)),
          );
          if (!v128.any_true(v128.or(i32x4.ge_s(most0, bound), i32x4.ge_s(most1, bound)))) break;
        }
      }
    }
  }
  return <i32>((end - found) / 12);
}

/** Writes what four rows are still long, check by check: the feet of the rows, turned round. @param foot of the first of them */
function keepRests(foot: usize, pitch: usize): void {
  const a = v128.load(foot);
  const b = v128.load(foot + pitch);
  const c = v128.load(foot + 2 * pitch);
  const d = v128.load(foot + 3 * pitch);
  const abLow = v128.shuffle<i32>(a, b, 0, 4, 1, 5);
  const abHigh = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const cdLow = v128.shuffle<i32>(c, d, 0, 4, 1, 5);
  const cdHigh = v128.shuffle<i32>(c, d, 2, 6, 3, 7);
  v128.store(RESTS, v128.shuffle<i64>(abLow, cdLow, 0, 2));
  v128.store(RESTS, v128.shuffle<i64>(abLow, cdLow, 1, 3), 16);
  v128.store(RESTS, v128.shuffle<i64>(abHigh, cdHigh, 0, 2), 32);
  v128.store(RESTS, v128.shuffle<i64>(abHigh, cdHigh, 1, 3), 48);
}

/** The sums of the lanes of four vectors, as one vector. */
function fold(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

/** Writes those of four pairs that reach their bounds; nearly always none. */
function report(end: usize, dots: v128, bound: v128, i: i32, leftCount: i32, j: i32): usize {
  const reached = i32x4.bitmask(i32x4.ge_s(dots, bound));
  return reached === 0 ? end : write(end, dots, reached, i, leftCount, j);
}

function write(end: usize, dots: v128, reached: i32, i: i32, leftCount: i32, j: i32): usize {
  let at = end;
  let first = dots;
  for (let lane: i32 = 0; lane < LEFT_AT_ONCE && i + lane < leftCount; lane += 1) {
    if (reached & (1 << lane)) {
      store<i32>(at, i + lane);
      store<i32>(at, j, 4);
      store<i32>(at, i32x4.extract_lane(first, 0), 8);
      at += 12;
    }
    first = v128.shuffle<i32>(first, first, 1, 2, 3, 0);
  }
  return at;
}
