import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bandOf,
  CROSSING_THRESHOLDS,
  crossingTime,
  DAY_MS,
  type DecayParams,
  floorOf,
  initialPeak,
  prominenceAt,
  rateOf,
  stabilityOf,
} from './decay.ts';
import { CATEGORIES, MEMORY_TYPES, type MemoryCategory } from './memory.ts';

const ANCHOR = Date.UTC(2026, 0, 1);

function params(overrides: Partial<DecayParams> = {}): DecayParams {
  return {
    category: 'fact',
    memoryType: 'regular',
    importance: 5,
    confirmations: 0,
    peak: initialPeak(overrides.importance ?? 5),
    anchorAt: ANCHOR,
    demotion: 1,
    ...overrides,
  };
}

function daysUntil(category: MemoryCategory, threshold: number): number {
  return (crossingTime(params({ category }), threshold)! - ANCHOR) / DAY_MS;
}

describe('expected days at importance 5', () => {
  it.each([
    ['event', 8.9],
    ['insight', 14.3],
    ['fact', 41.3],
    ['preference', 81.9],
    ['relationship', 203.5],
  ] as const)('%s falls below 0.5 after %d days', (category, days) => {
    expect(daysUntil(category, 0.5)).toBeCloseTo(days, 1);
  });

  it.each([
    ['event', 40.3],
    ['insight', 67.2],
    ['fact', 201.5],
  ] as const)('%s falls below 0.1 after %d days', (category, days) => {
    expect(daysUntil(category, 0.1)).toBeCloseTo(days, 1);
  });
});

describe('the terms of the formula', () => {
  it('stands still for the first day and for instants before the anchor', () => {
    expect(prominenceAt(params(), ANCHOR)).toBe(0.75);
    expect(prominenceAt(params(), ANCHOR + DAY_MS)).toBe(0.75);
    expect(prominenceAt(params(), ANCHOR - 100 * DAY_MS)).toBe(0.75);
    expect(prominenceAt(params(), ANCHOR + 2 * DAY_MS)).toBeCloseTo(0.75 * 0.99, 12);
  });

  it('takes the rate from the type before the category', () => {
    expect(rateOf('event', 'regular')).toBe(0.95);
    expect(rateOf('event', 'derived')).toBe(0.98);
    expect(rateOf('relationship', 'derived')).toBe(0.998);
    expect(rateOf('relationship', 'superseded')).toBe(0.9);
    expect(rateOf('event', 'dynamic_profile')).toBe(0.99);
    expect(rateOf('event', 'static_profile')).toBe(1);
  });

  it('keeps important facts and relationships above a floor that is demoted with them', () => {
    expect(floorOf('fact', 8)).toBe(0.2);
    expect(floorOf('fact', 7)).toBe(0);
    expect(floorOf('relationship', 10)).toBe(0.2);
    expect(floorOf('event', 10)).toBe(0);
    const far = ANCHOR + 100_000 * DAY_MS;
    expect(prominenceAt(params({ importance: 9 }), far)).toBeCloseTo(0.2, 9);
    expect(prominenceAt(params({ importance: 9, demotion: 0.5 }), far)).toBeCloseTo(0.1, 9);
    expect(prominenceAt(params({ importance: 9, peak: 0.05 }), far)).toBe(0.05);
  });

  it('slows decay with confirmations', () => {
    expect(stabilityOf(0)).toBe(1);
    expect(stabilityOf(1)).toBeCloseTo(1.35, 12);
    expect(stabilityOf(3)).toBeCloseTo(1.7, 12);
    expect(initialPeak(1)).toBeCloseTo(0.55, 12);
    expect(initialPeak(10)).toBe(1);
  });

  it('never moves a static profile', () => {
    const still = params({ memoryType: 'static_profile', peak: 0.3, demotion: 0.1 });
    expect(prominenceAt(still, ANCHOR + 9_999 * DAY_MS)).toBe(1);
    expect(crossingTime(still, 0.8)).toBeNull();
    expect(crossingTime(still, 1.1)).toBe(Number.NEGATIVE_INFINITY);
  });

  it('names the bands', () => {
    expect([1, 0.5, 0.4999, 0.1, 0.0999, 0].map(bandOf)).toEqual([
      'active',
      'active',
      'dormant',
      'dormant',
      'archived',
      'archived',
    ]);
  });
});

describe('crossing times', () => {
  it('answers the edges', () => {
    expect(crossingTime(params({ peak: 0.4 }), 0.5)).toBe(Number.NEGATIVE_INFINITY);
    expect(crossingTime(params({ importance: 8 }), 0.2)).toBeNull();
    expect(crossingTime(params({ importance: 8 }), 0)).toBeNull();
    expect(crossingTime(params({ demotion: 0 }), 0.05)).toBe(Number.NEGATIVE_INFINITY);
    expect(crossingTime(params({ peak: 0.5 }), 0.5)).toBe(ANCHOR + DAY_MS);
  });

  const anyParams = fc.record({
    category: fc.constantFrom(...CATEGORIES),
    memoryType: fc.constantFrom(...MEMORY_TYPES),
    importance: fc.integer({ min: 1, max: 10 }),
    confirmations: fc.integer({ min: 0, max: 1_000 }),
    peak: fc.double({ min: 0, max: 1, noNaN: true }),
    anchorAt: fc.integer({ min: 0, max: 4_000_000_000_000 }),
    demotion: fc.double({ min: 0, max: 1, noNaN: true }),
  });

  it('inverts prominence at every threshold', () => {
    fc.assert(
      fc.property(anyParams, fc.constantFrom(...CROSSING_THRESHOLDS), (some, threshold) => {
        const crossing = crossingTime(some, threshold);
        if (crossing === null) {
          expect(prominenceAt(some, some.anchorAt + 1e7 * DAY_MS)).toBeGreaterThanOrEqual(threshold - 1e-12);
        } else if (crossing === Number.NEGATIVE_INFINITY) {
          expect(prominenceAt(some, some.anchorAt)).toBeLessThan(threshold);
        } else {
          expect(crossing).toBeGreaterThanOrEqual(some.anchorAt + DAY_MS);
          expect(prominenceAt(some, crossing - 1)).toBeGreaterThanOrEqual(threshold - 1e-9);
          expect(prominenceAt(some, crossing + 1)).toBeLessThan(threshold + 1e-12);
          expect(prominenceAt(some, crossing)).toBeCloseTo(threshold, 7);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('never rises with time', () => {
    fc.assert(
      fc.property(anyParams, fc.nat(1e9), fc.nat(1e9), (some, first, more) => {
        const early = prominenceAt(some, some.anchorAt + first);
        expect(prominenceAt(some, some.anchorAt + first + more)).toBeLessThanOrEqual(early);
        expect(early).toBeGreaterThanOrEqual(0);
        expect(early).toBeLessThanOrEqual(1);
      }),
    );
  });
});
