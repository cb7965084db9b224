import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Collection, inverseFrequency, type Matches, wordShare } from './bm25.ts';

const collection = (memoriesWith: number[], more: Partial<Collection> = {}): Collection => ({
  memories: 100,
  averageSize: 80,
  memoriesWith,
  ...more,
});
const matches = (counts: number[], more: Partial<Matches> = {}): Matches => ({
  size: 80,
  counts,
  inSources: [],
  ...more,
});

describe('wordShare', () => {
  it('is 1 for every word once in a memory of average size, and 0 for none', () => {
    expect(wordShare(collection([3, 40]), matches([1, 1]))).toBeCloseTo(1, 12);
    expect(wordShare(collection([3, 40]), matches([0, 0]))).toBe(0);
    expect(wordShare(collection([]), matches([]))).toBe(0);
  });

  it('counts a rare word for more than a frequent one', () => {
    const asked = collection([1, 90]);
    expect(wordShare(asked, matches([1, 0]))).toBeGreaterThan(10 * wordShare(asked, matches([0, 1])));
  });

  it('counts a long memory for less than a short one with the same words', () => {
    const asked = collection([5]);
    const [short, long] = [40, 800].map((size) => wordShare(asked, matches([1], { size })));
    expect(short!).toBeGreaterThan(2 * long!);
  });

  it('counts a word that only a source has for a fifth, and not beside the content', () => {
    const asked = collection([5]);
    const full = wordShare(asked, matches([1]));
    expect(wordShare(asked, matches([0], { inSources: [true] }))).toBeCloseTo(full / 5, 12);
    expect(wordShare(asked, matches([1], { inSources: [true] }))).toBe(full);
  });

  it('counts words that no memory has among what is asked for', () => {
    expect(wordShare(collection([5, 0]), matches([1, 0]))).toBeLessThan(0.5);
  });

  it('stays within 0 and 2.2, and grows with each further word and occurrence', () => {
    const scene = fc.integer({ min: 1, max: 6 }).chain((words) =>
      fc.record({
        memories: fc.integer({ min: 50, max: 5_000 }),
        averageSize: fc.double({ min: 1, max: 4_000, noNaN: true }),
        memoriesWith: fc.array(fc.integer({ min: 0, max: 50 }), { minLength: words, maxLength: words }),
        counts: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: words, maxLength: words }),
        size: fc.integer({ min: 0, max: 100_000 }),
        more: fc.nat({ max: words - 1 }),
      }),
    );
    fc.assert(
      fc.property(scene, ({ memories, averageSize, memoriesWith, counts, size, more }) => {
        const all = { memories, averageSize, memoriesWith };
        const share = wordShare(all, matches(counts, { size }));
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(2.2 + 1e-9);
        const once = counts.with(more, counts[more]! + 1);
        expect(wordShare(all, matches(once, { size }))).toBeGreaterThan(share);
      }),
    );
  });
});

it('inverseFrequency is above 0 even for a word that every memory has', () => {
  expect(inverseFrequency(10, 10)).toBeGreaterThan(0);
  expect(inverseFrequency(1_000, 10)).toBeGreaterThan(inverseFrequency(1_000, 20));
});
