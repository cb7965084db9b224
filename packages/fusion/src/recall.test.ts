import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStrong, type RecallHit, rankRecall } from './recall.ts';

/** What ts_rank gives when every word is found once, and when half of them are. */
const ALL_WORDS = 0.06079271;
const HALF_OF_THE_WORDS = 0.030396355;
const OPTIONS = { limit: 10, threshold: 0.75 };

function hit(id: string, overrides: Partial<RecallHit> = {}): RecallHit {
  return { id, similarity: null, textRank: null, prominence: 0.5, ...overrides };
}

function order(hits: RecallHit[], options = OPTIONS): string[] {
  return rankRecall(hits, options).map(({ id }) => id);
}

describe('rankRecall', () => {
  it('lets either search win alone', () => {
    const byText = hit('text', { textRank: ALL_WORDS });
    const byVector = hit('vector', { similarity: 0.95 });
    const weak = [hit('weak text', { textRank: 0.01 }), hit('weak vector', { similarity: 0.6 })];
    expect(order([...weak, byText])[0]).toBe('text');
    expect(order([...weak, byVector])[0]).toBe('vector');
    expect(order([byVector, byText])).toEqual(['text', 'vector']);
    expect(order([byVector, hit('half', { textRank: HALF_OF_THE_WORDS })])).toEqual(['vector', 'half']);
  });

  it('puts what both have found above what one of them has', () => {
    expect(
      order([
        hit('vector', { similarity: 0.85 }),
        hit('both', { similarity: 0.85, textRank: 0.02 }),
        hit('text', { textRank: 0.02 }),
      ]),
    ).toEqual(['both', 'vector', 'text']);
  });

  it('scores agreement of both searches higher than either', () => {
    const [both, vector] = rankRecall(
      [hit('both', { similarity: 0.85, textRank: 0.02 }), hit('vector', { similarity: 0.85 })],
      OPTIONS,
    );
    expect(both!.score).toBeGreaterThan(vector!.score + 0.01);
  });

  it('makes little of a similarity far below the threshold, which most of all pairs have', () => {
    // A fifth of the question's words.
    expect(order([hit('vector', { similarity: 0.45 }), hit('text', { textRank: 0.0122 })])).toEqual([
      'text',
      'vector',
    ]);
  });

  it('weighs by prominence, but a dormant perfect match beats an active poor one', () => {
    const perfect = hit('perfect', { similarity: 1, prominence: 0 });
    expect(
      order([
        hit('faded', { similarity: 0.9, prominence: 0.1 }),
        hit('fresh', { similarity: 0.9, prominence: 1 }),
      ]),
    ).toEqual(['fresh', 'faded']);
    // The best of all that do not answer: just below both limits, and as prominent as can be.
    const poor = hit('poor', { similarity: 0.7499, textRank: 0.0303, prominence: 1 });
    expect(isStrong(poor, 0.75)).toBe(false);
    expect(order([poor, perfect])).toEqual(['perfect', 'poor']);
    expect(order([poor, hit('words', { textRank: ALL_WORDS, prominence: 0 })])).toEqual(['words', 'poor']);
  });

  it('keeps to the limit', () => {
    const hits = [0.8, 0.9, 0.85].map((similarity) => hit(`s${similarity}`, { similarity }));
    expect(order(hits, { ...OPTIONS, limit: 2 })).toEqual(['s0.9', 's0.85']);
    expect(order(hits, { ...OPTIONS, limit: 0 })).toEqual([]);
    expect(order(hits, { ...OPTIONS, limit: -1 })).toEqual([]);
  });

  it('leaves out what nothing speaks for', () => {
    const nothing = [
      hit('a'),
      hit('b', { similarity: -0.4 }),
      hit('c', { textRank: 0 }),
      hit('d', { similarity: Number.NaN, textRank: Number.NaN, prominence: 1 }),
    ];
    expect(order(nothing)).toEqual([]);
    expect(order(nothing, { limit: 10, threshold: 0 })).toEqual([]);
  });

  it('takes a memory given twice once, with the better of each value', () => {
    expect(
      rankRecall(
        [
          hit('a', { similarity: 0.9, prominence: Number.NaN }),
          hit('a', { textRank: 0.05, prominence: 0.4 }),
        ],
        OPTIONS,
      ),
    ).toEqual([{ id: 'a', score: expect.any(Number), similarity: 0.9, textRank: 0.05, prominence: 0.4 }]);
  });

  it('breaks ties by similarity, then text, then id', () => {
    // Beyond a full text rank nothing is added, so these two score the same.
    const full = { similarity: 0.8, prominence: 0.3 };
    expect(
      order([
        hit('b', { ...full, textRank: 0.1 }),
        hit('c', { ...full, textRank: 0.2 }),
        hit('a', { ...full, textRank: 0.1 }),
        hit('d', { textRank: 0.3, similarity: null, prominence: 0.3 }),
      ]),
    ).toEqual(['c', 'a', 'b', 'd']);
  });
});

describe('isStrong', () => {
  it.each([
    [{ similarity: 0.75 }, true],
    [{ similarity: 0.7499 }, false],
    [{ textRank: HALF_OF_THE_WORDS }, true],
    [{ textRank: ALL_WORDS / 3 }, false],
    [{ similarity: 0.74, textRank: 0.02 }, false],
    [{}, false],
    [{ similarity: 0.9, prominence: 0 }, true],
  ] as const)('says of %j: %s', (overrides, strong) => {
    expect(isStrong(hit('a', overrides), 0.75)).toBe(strong);
  });

  it('goes by the threshold of the embedder', () => {
    expect(isStrong(hit('a', { similarity: 0.5 }), 0.4)).toBe(true);
    expect(isStrong(hit('a', { similarity: 1 }), 1)).toBe(true);
    expect(isStrong(hit('a', { similarity: 0.99 }), 1)).toBe(false);
    expect(isStrong(hit('a'), 0)).toBe(false);
  });
});

describe('rankRecall over any hits', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const cosine = fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: null });
  const rank = fc.option(fc.double({ min: 0, max: 0.5, noNaN: true }), { nil: null });
  const found = fc.record({ similarity: cosine, textRank: rank, prominence: share });
  const scored = (given: Omit<RecallHit, 'id'>, threshold: number): number =>
    rankRecall([{ id: 'a', ...given }], { limit: 1, threshold })[0]?.score ?? 0;

  it('scores from 0 to 1, and no less when any input is more', () => {
    fc.assert(
      fc.property(found, found, share, (one, other, threshold) => {
        const score = scored(one, threshold);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        for (const field of ['similarity', 'textRank', 'prominence'] as const) {
          const more = { ...one, [field]: other[field] };
          if ((other[field] ?? -2) >= (one[field] ?? -2))
            expect(scored(more, threshold)).toBeGreaterThanOrEqual(score);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives one order, whatever that of the hits is', () => {
    const few = fc.record({
      // Few values, so that ties are common.
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      similarity: fc.constantFrom(null, Number.NaN, 0.5, 0.9),
      textRank: fc.constantFrom(null, 0.01, 0.2, 0.3),
      prominence: fc.constantFrom(0, 0.5, 1),
    });
    const shuffled = fc
      .array(few, { maxLength: 12 })
      .chain((hits) => fc.tuple(fc.constant(hits), fc.shuffledSubarray(hits, { minLength: hits.length })));
    fc.assert(
      fc.property(shuffled, ([hits, other]) => {
        const ranked = rankRecall(hits, OPTIONS);
        expect(rankRecall(other, OPTIONS)).toEqual(ranked);
        expect(new Set(ranked.map(({ id }) => id)).size).toBe(ranked.length);
        for (const [index, { score }] of ranked.entries())
          expect(score).toBeLessThanOrEqual(ranked[index - 1]?.score ?? 1);
      }),
    );
  });
});
