import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { normaliseText, normaliseWithPlaces } from './normalise.ts';

const written = (text: string): [string, string][] => {
  const placed = normaliseWithPlaces(text);
  return [...placed.text].map((character, at) => [character, text.slice(placed.from[at], placed.to[at])]);
};

describe('normaliseWithPlaces', () => {
  it.each([
    [
      '2½',
      [
        ['2', '2'],
        [' ', '½'],
        ['1', '½'],
        ['/', '½'],
        ['2', '½'],
      ],
    ],
    [
      '“é”',
      [
        ['"', '“'],
        ['é', 'é'],
        ['"', '”'],
      ],
    ],
    [
      'e\u0301x',
      [
        ['é', 'e\u0301'],
        ['x', 'x'],
      ],
    ],
    [
      '１a',
      [
        ['1', '１'],
        ['a', 'a'],
      ],
    ],
    [
      'a\u200bb',
      [
        ['a', 'a'],
        ['b', 'b'],
      ],
    ],
    [
      'ㄱㅏb',
      [
        ['가', 'ㄱㅏ'],
        ['b', 'b'],
      ],
    ],
    [
      'U.S.',
      [
        ['U', 'U'],
        ['S', 'S.'],
      ],
    ],
  ])('of %j: each character with what it was written as', (text, expected) => {
    const found = written(text);
    expect(found.map(([character]) => character)).toEqual(expected.map(([character]) => character));
    for (const [at, [, from]] of expected.entries()) expect(found[at]![1]).toContain(from);
  });

  it('gives the same text as normaliseText, with places in order inside of what was written', () => {
    const special = fc.constantFrom(
      ...[
        '½',
        '2',
        ' ',
        '\u00a0',
        '１',
        'e',
        '\u0301',
        '\u0323',
        'ﷺ',
        'ㄱ',
        'ㅏ',
        'ᄀ',
        'ᅡ',
        'ᆨ',
        'ｶ',
        'ﾞ',
        '™',
        '“',
      ],
      ...[
        'U.',
        'p. m.',
        'T',
        '10:',
        'Z',
        'm²',
        '×',
        '٫',
        '٣',
        '\uE000',
        '\u200b',
        '\u0e33',
        '😀',
        '\ud800',
        'ﬁ',
        '⁄',
      ],
    );
    const text = fc.oneof(
      fc.array(special, { maxLength: 20 }).map((parts) => parts.join('')),
      fc.string({ unit: CODE_POINT, maxLength: 40 }),
    );
    fc.assert(
      fc.property(text, (given) => {
        const placed = normaliseWithPlaces(given);
        expect(placed.text).toBe(normaliseText(given));
        expect([placed.from.length, placed.to.length]).toEqual([placed.text.length, placed.text.length]);
        placed.from.forEach((from, at) => {
          expect(from).toBeGreaterThanOrEqual(at === 0 ? 0 : placed.from[at - 1]!);
          expect(placed.to[at]).toBeGreaterThan(from);
          expect(placed.to[at]).toBeLessThanOrEqual(given.length);
        });
      }),
      { numRuns: 2_000 },
    );
  });
});
