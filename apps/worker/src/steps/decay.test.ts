import type { DecaySample } from '@slowwave/db';
import {
  CATEGORIES,
  CROSSING_THRESHOLDS,
  crossingTime,
  DAY_MS,
  type DecayParams,
  MEMORY_TYPES,
  prominenceAt,
} from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviates } from './decay.ts';

const NOW = Date.UTC(2026, 5, 15, 12);

/** What a database that agrees would give. */
function sampleOf(params: DecayParams, at: number): DecaySample {
  return {
    ...params,
    id: '0',
    prominence: prominenceAt(params, at),
    crossings: CROSSING_THRESHOLDS.map((threshold) => crossingTime(params, threshold)),
  };
}

const FACT: DecayParams = {
  category: 'fact',
  memoryType: 'regular',
  importance: 5,
  confirmations: 0,
  peak: 0.75,
  anchorAt: NOW - 90 * DAY_MS,
  demotion: 1,
};

describe('comparing the decay of the database with the closed form', () => {
  const params: fc.Arbitrary<DecayParams> = fc.record({
    category: fc.constantFrom(...CATEGORIES),
    memoryType: fc.constantFrom(...MEMORY_TYPES),
    importance: fc.integer({ min: 1, max: 10 }),
    confirmations: fc.integer({ min: 0, max: 1000 }),
    peak: fc.double({ min: 1e-9, max: 1, noNaN: true }),
    anchorAt: fc.integer({ min: NOW - 20_000 * DAY_MS, max: NOW }),
    demotion: fc.double({ min: 1e-9, max: 1, noNaN: true }),
  });

  it('finds nothing where both agree, whatever the memory, nor within the tolerance', () => {
    fc.assert(
      fc.property(params, (memory) => {
        const sample = sampleOf(memory, NOW);
        expect(deviates(sample, NOW)).toBe(false);
        const crossings = sample.crossings.map((at) => (at === null ? null : at + 900));
        const close = { ...sample, prominence: sample.prominence * (1 + 5e-10), crossings };
        expect(deviates(close, NOW)).toBe(false);
      }),
    );
  });

  it('finds a prominence that is off by a billionth and more, or is no number', () => {
    const sample = sampleOf(FACT, NOW);
    for (const prominence of [sample.prominence * (1 + 2e-9), sample.prominence * 0.99, Number.NaN])
      expect(deviates({ ...sample, prominence }, NOW)).toBe(true);
  });

  it('finds a crossing that is more than a second off, missing, or there where none is', () => {
    const sample = sampleOf(FACT, NOW);
    const at = (index: number, value: number | null) =>
      deviates({ ...sample, crossings: sample.crossings.with(index, value) }, NOW);
    // The first threshold lies above the peak: it never was reached from above.
    expect(sample.crossings[0]).toBe(Number.NEGATIVE_INFINITY);
    expect([at(0, NOW), at(0, null)]).toEqual([true, true]);
    const second = sample.crossings[1]!;
    expect([at(1, second + 1_001), at(1, second - 1_001), at(1, null), at(1, Number.NaN)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    const profile = sampleOf({ ...FACT, memoryType: 'static_profile' }, NOW);
    expect(deviates(profile, NOW)).toBe(false);
    expect(deviates({ ...profile, crossings: [null, null, null, NOW] }, NOW)).toBe(true);
    expect(deviates({ ...sample, crossings: [] }, NOW)).toBe(true);
  });
});
