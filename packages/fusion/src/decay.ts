import type { MemoryCategory, MemoryType } from './memory.ts';
import { PROMINENCE_THRESHOLDS } from './memory.ts';

/**
 * Prominence as a function of time, in closed form. Nothing is rewritten by time passing: a memory keeps its parameters and
 * prominence is computed for an instant.
 *
 *     p(t) = demotion × (floor + (peak − floor) × rate^(max(0, ageDays − 1) / stability))
 *     ageDays   = (t − anchorAt) / 86,400,000
 *     floor     = min(floorOf(category, importance), peak)
 *     rate      = rateOf(category, memoryType)
 *     stability = stabilityOf(confirmations) = 1 + 0.35 × log2(1 + confirmations)
 *
 * A static_profile memory is 1 at every instant, whatever its other parameters. The SQL twin of this file repeats the formula
 * term by term; whoever changes one changes the other.
 */
export interface DecayParams {
  category: MemoryCategory;
  memoryType: MemoryType;
  /** 1 to 10 */
  importance: number;
  /** How often it was confirmed; 0 for a new memory. */
  confirmations: number;
  /** Prominence at the anchor, 0 to 1, before demotion. */
  peak: number;
  /** Creation, last confirmation or last explicit set, epoch milliseconds. */
  anchorAt: number;
  /** Factor of the retrieval audit, 0 to 1; 1 when never demoted. */
  demotion: number;
}

export const DAY_MS = 86_400_000;

/** What is left after one day, per category. */
export const CATEGORY_RATES: Readonly<Record<MemoryCategory, number>> = {
  preference: 0.995,
  fact: 0.99,
  event: 0.95,
  relationship: 0.998,
  insight: 0.97,
};
export const DERIVED_MIN_RATE = 0.98;
export const SUPERSEDED_RATE = 0.9;
export const DYNAMIC_PROFILE_RATE = 0.99;

/** The thresholds whose crossings are stored with every memory, so that a window is an index range. */
export const CROSSING_THRESHOLDS = [0.8, 0.5, 0.1, 0.05] as const;

/** Rate per day (0 to 1; 1 = does not decay). */
export function rateOf(category: MemoryCategory, memoryType: MemoryType): number {
  switch (memoryType) {
    case 'static_profile':
      return 1;
    case 'dynamic_profile':
      return DYNAMIC_PROFILE_RATE;
    case 'superseded':
      return SUPERSEDED_RATE;
    case 'derived':
      return Math.max(CATEGORY_RATES[category], DERIVED_MIN_RATE);
    case 'regular':
      return CATEGORY_RATES[category];
  }
}

/** How many times slower a confirmed memory decays; 1 without confirmations. */
export function stabilityOf(confirmations: number): number {
  return 1 + 0.35 * Math.log2(1 + confirmations);
}

/** The prominence below which an important fact or relationship never sinks (before demotion). */
export function floorOf(category: MemoryCategory, importance: number): number {
  return importance >= 8 && (category === 'fact' || category === 'relationship') ? 0.2 : 0;
}

/** Peak of a new memory: 0.55 at importance 1, 1 at importance 10. */
export function initialPeak(importance: number): number {
  return 0.5 + 0.05 * importance;
}

/** Prominence (0 to 1) at the instant `at` (epoch milliseconds). Before the anchor it is what it is at the anchor. */
export function prominenceAt(params: DecayParams, at: number): number {
  if (params.memoryType === 'static_profile') return 1;
  const floor = Math.min(floorOf(params.category, params.importance), params.peak);
  const ageDays = (at - params.anchorAt) / DAY_MS;
  const exponent = Math.max(0, ageDays - 1) / stabilityOf(params.confirmations);
  const rate = rateOf(params.category, params.memoryType);
  return params.demotion * (floor + (params.peak - floor) * rate ** exponent);
}

/**
 * The instant (epoch milliseconds, rounded up to a whole one) from which prominence is below `threshold`; null when it never
 * falls below it; -Infinity when it is below it from the anchor on.
 */
export function crossingTime(params: DecayParams, threshold: number): number | null {
  if (params.memoryType === 'static_profile') return threshold > 1 ? Number.NEGATIVE_INFINITY : null;
  if (params.demotion * params.peak < threshold) return Number.NEGATIVE_INFINITY;
  const floor = Math.min(floorOf(params.category, params.importance), params.peak);
  if (params.demotion * floor >= threshold) return null;
  // From here on demotion > 0 and floor < threshold / demotion <= peak, so both logarithms are defined.
  const share = (threshold / params.demotion - floor) / (params.peak - floor);
  const rate = rateOf(params.category, params.memoryType);
  const days = 1 + (stabilityOf(params.confirmations) * Math.log(share)) / Math.log(rate);
  return Math.ceil(params.anchorAt + days * DAY_MS);
}

export type Band = 'active' | 'dormant' | 'archived';

/** The band of a prominence: active from 0.5, dormant from 0.1, archived below. */
export function bandOf(prominence: number): Band {
  if (prominence >= PROMINENCE_THRESHOLDS.ACTIVE) return 'active';
  return prominence >= PROMINENCE_THRESHOLDS.DORMANT ? 'dormant' : 'archived';
}
