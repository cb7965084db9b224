import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CODE_POINT } from '../../../../../test/fixtures/code-point.ts';
import { piecesOf } from './pieces.ts';

it('cuts where sentences end, else between words', () => {
  expect(piecesOf('Ana sails. Ben reads books.', 20)).toEqual(['Ana sails.', 'Ben reads books.']);
  expect(piecesOf('one two three four', 10)).toEqual(['one two', 'three four']);
  expect(piecesOf('彼は東京に住む。猫を飼う。', 9)).toEqual(['彼は東京に住む。', '猫を飼う。']);
  expect(piecesOf('short', 100, 'Ana: ')).toEqual(['Ana: short']);
  expect(piecesOf('   ', 100, 'Ana: ')).toEqual([]);
});

it('loses no sign but spaces, keeps within the limit and within no character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: CODE_POINT, maxLength: 300 }),
      fc.integer({ min: 4, max: 60 }),
      (text, max) => {
        const pieces = piecesOf(text, max);
        expect(pieces.join('').replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
        for (const piece of pieces) {
          expect(piece.length).toBeLessThanOrEqual(max);
          expect(piece.trim()).not.toBe('');
          expect(piece).not.toMatch(/\p{Surrogate}/u);
        }
      },
    ),
  );
});
