import { SCALE, UNREACHED } from './limits.ts';

/** Dot products of integers, beside a cosine of the vectors that they were made from. */
export interface IntegerBounds {
  /** No pair below this reaches the cosine. */
  possible: number;
  /** Every pair from this on reaches it. */
  certain: number;
}

/** How far rounding moves a component, at most: half a step, and what computing the step in float64 gets wrong. */
const STEP_ERROR = 0.5001;

/**
 * How far the dot product of two rows of integers is from SCALE² times the cosine of their vectors, at most. Each row is its vector, of
 * the length SCALE, and an error of at most STEP_ERROR in each component, so of at most e = STEP_ERROR × √dimensions in length; by
 * Cauchy and Schwarz the products of the one's vector with the other's error, twice, are at most SCALE × e, and that of the errors e².
 * One more covers what the cosine itself, summed in float64, is beside the true one.
 */
export function marginOf(dimensions: number): number {
  const error = STEP_ERROR * Math.sqrt(dimensions);
  return 2 * SCALE * error + error * error + 1;
}

/** @param cosine as it is compared: inclusive; not a number is reached by no pair */
export function integerBounds(cosine: number, dimensions: number): IntegerBounds {
  if (Number.isNaN(cosine)) return { possible: UNREACHED, certain: UNREACHED };
  const [exact, margin] = [cosine * SCALE * SCALE, marginOf(dimensions)];
  return { possible: clamp(Math.floor(exact - margin)), certain: clamp(Math.ceil(exact + margin)) };
}

function clamp(bound: number): number {
  return Math.max(-UNREACHED, Math.min(UNREACHED, bound));
}
