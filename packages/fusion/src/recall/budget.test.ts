import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { charsIn, withinBudget } from './budget.ts';

const texts = (...contents: string[]) => contents.map((content) => ({ content }));

describe('withinBudget', () => {
  it('takes the best first, and passes over what no longer fits', () => {
    const ranked = texts('aaaa', 'bbbbbbbb', 'cc', 'd');
    expect(withinBudget(ranked, 7).map(({ content }) => content)).toEqual(['aaaa', 'cc', 'd']);
    expect(withinBudget(ranked, 0)).toEqual([]);
  });

  it('counts code points', () => {
    expect(charsIn('🐕é猫')).toBe(3);
    const units = fc.constantFrom('a', '🐕', '\ud83d', '\udc15');
    fc.assert(fc.property(fc.string({ unit: units }), (text) => charsIn(text) === [...text].length));
    expect(withinBudget(texts('🐕🐕🐕'), 3)).toHaveLength(1);
    expect(withinBudget(texts('🐕🐕🐕'), 2)).toHaveLength(0);
  });

  it('never passes its budget, keeps the order, and leaves out nothing that would still fit', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: CODE_POINT })), fc.nat({ max: 60 }), (contents, budget) => {
        const ranked = texts(...contents);
        const kept = withinBudget(ranked, budget);
        const used = kept.reduce((sum, { content }) => sum + charsIn(content), 0);
        expect(used).toBeLessThanOrEqual(budget);
        expect(ranked.filter((one) => kept.includes(one))).toEqual(kept);
        for (const left of ranked.filter((one) => !kept.includes(one))) {
          expect(charsIn(left.content)).toBeGreaterThan(budget - used);
        }
      }),
    );
  });
});
