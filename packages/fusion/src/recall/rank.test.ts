import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Collection } from './bm25.ts';
import { DEFAULT_PRIORS, type RankOptions, type RecallHit, rankRecall } from './rank.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const DAY = 86_400_000;
/** Three words of a question, equally rare. */
const COLLECTION: Collection = { memories: 100, averageSize: 80, memoriesWith: [5, 5, 5] };
const OPTIONS: RankOptions = {
  limit: 10,
  threshold: 0.75,
  lexical: false,
  at: NOW,
  priors: DEFAULT_PRIORS,
};

function hit(id: string, words: number, more: Partial<RecallHit> = {}): RecallHit {
  const counts = [0, 1, 2].map((at) => (at < words ? 1 : 0));
  return {
    id,
    size: 80,
    counts,
    inSources: [],
    similarity: null,
    prominence: 0.5,
    documentDate: NOW,
    ...more,
  };
}

const order = (hits: RecallHit[], options: Partial<RankOptions> = {}): string[] =>
  rankRecall(COLLECTION, hits, { ...OPTIONS, ...options }).map(({ id }) => id);

describe('rankRecall', () => {
  it('lets words and meaning each win alone, and puts first what both have found', () => {
    const weak = [hit('one word', 1), hit('far', 0, { similarity: 0.6 })];
    const byWords = hit('words', 3);
    const byMeaning = hit('meaning', 0, { similarity: 0.9 });
    const both = hit('both', 3, { similarity: 0.97 });
    expect(order([...weak, byMeaning])[0]).toBe('meaning');
    expect(order([...weak, byWords, byMeaning, both]).slice(0, 3)).toEqual(['both', 'words', 'meaning']);
  });

  it('trusts the vectors less of an embedder that knows words alone', () => {
    const hits = [hit('words', 2), hit('meaning', 0, { similarity: 0.99 })];
    expect(order(hits)).toEqual(['meaning', 'words']);
    expect(order(hits, { lexical: true })).toEqual(['words', 'meaning']);
  });

  it('makes little of a similarity far below the threshold, which most of all pairs have', () => {
    expect(order([hit('vector', 0, { similarity: 0.45 }), hit('words', 1)])).toEqual(['words', 'vector']);
  });

  it('decides by prominence and by day among what answers alike, and lifts nothing above what answers better', () => {
    const alike = [
      hit('faded', 2, { prominence: 0 }),
      hit('prominent', 2, { prominence: 1 }),
      hit('old', 2, { documentDate: NOW - 300 * DAY }),
    ];
    expect(order(alike)).toEqual(['prominent', 'faded', 'old']);
    expect(order(alike, { priors: { prominence: 0, recency: 0.2 } })).toEqual(['faded', 'prominent', 'old']);
    const faded = hit('answer', 3, { prominence: 0, documentDate: NOW - 900 * DAY });
    const strongest = { prominence: 0.2, recency: 0.2 };
    expect(order([hit('fresh', 1, { prominence: 1 }), faded], { priors: strongest })).toEqual([
      'answer',
      'fresh',
    ]);
  });

  it('says how a score came about', () => {
    const [ranked] = rankRecall(COLLECTION, [hit('a', 3, { similarity: 0.8, prominence: 0.4 })], OPTIONS);
    const { words, meaning, relevance, prominence, recency } = ranked!.parts;
    expect(words).toBeCloseTo(1, 12);
    expect(meaning).toBeCloseTo(0.6, 12);
    expect(ranked!.score).toBeCloseTo(relevance * prominence * recency, 12);
    expect([prominence, recency]).toEqual([0.982, 1]);
  });

  it('keeps to the limit, and leaves out what nothing speaks for', () => {
    expect(order([hit('a', 3), hit('b', 2), hit('c', 1)], { limit: 2 })).toEqual(['a', 'b']);
    expect(order([hit('a', 3)], { limit: -1 })).toEqual([]);
    const nothing = [hit('a', 0), hit('b', 0, { similarity: -0.4 }), hit('c', 0, { similarity: Number.NaN })];
    expect(order(nothing)).toEqual([]);
    expect(order(nothing, { threshold: 0 })).toEqual([]);
  });
});

describe('rankRecall over any hits', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const found = fc.record({
    size: fc.nat({ max: 5_000 }),
    counts: fc.array(fc.nat({ max: 9 }), { minLength: 3, maxLength: 3 }),
    inSources: fc.constantFrom([], [true, false, true]),
    similarity: fc.option(fc.double({ min: -1, max: 1 }), { nil: null }),
    prominence: share,
    documentDate: fc.integer({ min: NOW - 2_000 * DAY, max: NOW + DAY }),
  });
  const options = fc.record({ threshold: share, lexical: fc.boolean() });
  const scored = (given: Omit<RecallHit, 'id'>, more: Partial<RankOptions>): number =>
    rankRecall(COLLECTION, [{ id: 'a', ...given }], { ...OPTIONS, ...more })[0]?.score ?? 0;

  it('scores from 0 to 1, and no less when a memory is nearer, more prominent or newer', () => {
    fc.assert(
      fc.property(found, found, options, (one, other, more) => {
        const score = scored(one, more);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        for (const field of ['similarity', 'prominence', 'documentDate'] as const) {
          if (!((other[field] ?? -2) >= (one[field] ?? -2))) continue;
          expect(scored({ ...one, [field]: other[field] }, more)).toBeGreaterThanOrEqual(score);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives one order, whatever that of the hits is', () => {
    const shuffled = fc
      .uniqueArray(fc.record({ id: fc.string(), of: found }), { maxLength: 12, selector: ({ id }) => id })
      .map((hits) => hits.map(({ id, of }) => ({ id, ...of })))
      .chain((hits) => fc.tuple(fc.constant(hits), fc.shuffledSubarray(hits, { minLength: hits.length })));
    fc.assert(
      fc.property(shuffled, ([hits, other]) => {
        const ranked = rankRecall(COLLECTION, hits, OPTIONS);
        expect(rankRecall(COLLECTION, other, OPTIONS)).toEqual(ranked);
        for (const [index, { score }] of ranked.entries())
          expect(score).toBeLessThanOrEqual(ranked[index - 1]?.score ?? 1);
      }),
    );
  });
});
