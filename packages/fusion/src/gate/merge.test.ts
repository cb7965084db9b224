import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../memory.ts';
import { AT, candidate, DAY } from '../testing/samples.ts';
import { planMerges } from './merge.ts';
import type { TwinPair } from './twins.ts';

const pair = (a: string, b: string): TwinPair => ({ a, b, weight: 0.97, differs: [] });

function merged(one: Partial<Candidate>, other: Partial<Candidate>): string {
  const merges = planMerges(
    [candidate({ id: 'a', ...one }), candidate({ id: 'b', ...other })],
    [pair('a', 'b')],
  );
  return merges.map(({ keepId, dropId }) => `${keepId}<${dropId}`).join();
}

describe('planMerges', () => {
  it.each([
    ['the better confirmed', { confirmations: 1 }, { confirmations: 2, trust: 0.1 }],
    ['then the more trusted', { trust: 0.4 }, { trust: 0.5, importance: 1 }],
    ['then the more important', { importance: 4, documentDate: 2 }, { importance: 5, documentDate: 1 }],
    ['then what was said later', { documentDate: 1 }, { documentDate: 2 }],
  ])('keeps %s', (_rank, less, more) => {
    expect(merged(less, more)).toBe('b<a');
    expect(merged(more, less)).toBe('a<b');
  });

  it('keeps the smaller id of equals', () => {
    expect(merged({}, {})).toBe('a<b');
  });

  it.each([
    ['origin', { origin: 'assistant' as const }],
    ['visibility', { visibility: 'shared' as const }],
    ['category', { category: 'event' as const }],
  ])('merges nothing of another %s', (_field, other) => {
    expect(merged({}, other)).toBe('');
    expect(merged(other, {})).toBe('');
  });

  it.each(['eventDate', 'validFrom', 'validTo'] as const)('loses no %s', (field) => {
    // The one that has the time stays, whatever its rank.
    expect(merged({ confirmations: 9 }, { [field]: 5 })).toBe('b<a');
    expect(merged({ [field]: 5 }, { confirmations: 9 })).toBe('a<b');
    expect(merged({ [field]: 5 }, { [field]: 6 })).toBe('');
  });

  const [EARLIER, LATER] = [{ documentDate: AT - 9 * DAY }, { documentDate: AT }];

  it('keeps the later of two that were said on different days, however well confirmed the earlier one is', () => {
    expect(merged({ ...EARLIER, confirmations: 9, importance: 9 }, LATER)).toBe('b<a');
    expect(merged(LATER, { ...EARLIER, confirmations: 9, importance: 9 })).toBe('a<b');
    const lateEvening = { documentDate: AT + DAY / 3, documentDay: '2026-06-02' };
    expect(merged({ documentDate: AT, confirmations: 9 }, lateEvening)).toBe('b<a');
  });

  it('keeps the more trusted of two that were said on different days', () => {
    expect(merged({ ...EARLIER, trust: 0.9 }, { ...LATER, trust: 0.4 })).toBe('a<b');
  });

  it.each(['eventDate', 'validFrom', 'validTo'] as const)(
    'merges nothing that was said on different days when one alone has the time %s',
    (field) => {
      expect(merged(EARLIER, { ...LATER, [field]: 5 })).toBe('');
      expect(merged({ ...EARLIER, [field]: 5 }, LATER)).toBe('');
      expect(merged({ ...EARLIER, [field]: 5 }, { ...LATER, [field]: 5 })).toBe('b<a');
    },
  );

  it('merges nothing when each has a time that the other lacks', () => {
    expect(merged({ validFrom: 5 }, { validTo: 6 })).toBe('');
  });

  it('asks before a pair takes its memories', () => {
    const candidates = ['a', 'b', 'c'].map((id) => candidate({ id }));
    const merges = planMerges(candidates, [pair('a', 'b'), pair('b', 'c')], (one) => one.id !== 'a');
    expect(merges).toEqual([{ keepId: 'b', dropId: 'c' }]);
  });

  it('passes over a pair of which one is not known', () => {
    expect(planMerges([candidate({ id: 'a' })], [pair('a', 'b'), pair('a', 'a')])).toEqual([]);
  });

  it('gives each memory one part', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const pairs = fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids)), { maxLength: 12 });
    const ranks = fc.array(fc.nat(2), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(pairs, ranks, (chosen, confirmations) => {
        const candidates = ids.map((id, n) => candidate({ id, confirmations: confirmations[n]! }));
        const merges = planMerges(
          candidates,
          chosen.map(([a, b]) => pair(a, b)),
        );
        const used = merges.flatMap(({ keepId, dropId }) => [keepId, dropId]);
        expect(new Set(used).size).toBe(used.length);
        for (const { keepId, dropId } of merges) {
          expect(confirmations[ids.indexOf(keepId)]!).toBeGreaterThanOrEqual(
            confirmations[ids.indexOf(dropId)]!,
          );
        }
      }),
    );
  });
});
