import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { safeText } from '../fence.ts';
import { countWords, cutSentences, endOf, splitSentences, startOf } from './sentences.ts';

describe('splitSentences', () => {
  it.each([
    ['One. Two! Three?', 3],
    ['One... Two?! Three', 3],
    ['He said "no." Then he left.', 2],
    ['It cost 3.50 euros. Fine.', 2],
    ['Dr. Smith and Mr. Jones met J. Doe. They ate.', 2],
    ['Likes tea, e.g. Earl Grey, i.e. strong ones. Done.', 2],
    ['Likes jazz, blues etc. and rock. Sings.', 2],
    ['See No. 5 first. She said no. Then she left.', 3],
    ['Better than I. Then more.', 2],
    ['Runs approx. three times a week. Swims.', 2],
    ['first line\nsecond line\n\nthird', 3],
    ['彼はお茶が好きです。毎朝飲みます。', 2],
    ['Visit www.example.com today. Bye.', 2],
    ['no mark at all', 1],
    ['', 0],
  ])('%j has %i', (text, count) => {
    expect(splitSentences(text)).toHaveLength(count);
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: CODE_POINT }), fc.string({ unit: fc.constantFrom(...'aA.!?" )\n。1') })),
        (text) => {
          expect(splitSentences(text).join('')).toBe(text);
        },
      ),
    );
  });

  it('is linear on long runs of marks', () => {
    expect(splitSentences(`${'!'.repeat(200_000)}a${'.'.repeat(200_000)}`)).toHaveLength(1);
    expect(splitSentences(`${'.)'.repeat(100_000)}a`)).toHaveLength(1);
  });
});

describe('cutSentences', () => {
  it('keeps whole sentences within each limit', () => {
    const text = ' One two. Three four. Five six. ';
    expect(cutSentences(text, {})).toBe('One two. Three four. Five six.');
    expect(cutSentences(text, { sentences: 2 })).toBe('One two. Three four.');
    expect(cutSentences(text, { chars: 20 })).toBe('One two. Three four.');
    expect(cutSentences(text, { chars: 19 })).toBe('One two.');
    expect(cutSentences(text, { words: 5 })).toBe('One two. Three four.');
    expect(cutSentences(text, { words: 1 })).toBe('');
  });
});

describe('countWords', () => {
  it('counts between spaces, and two characters as a word where there are none', () => {
    expect(countWords(' one  two\nthree ')).toBe(3);
    expect(countWords('well-known — fact')).toBe(3);
    expect(countWords('彼はお茶が好きです。')).toBe(5);
    expect(countWords('')).toBe(0);
  });
});

describe('startOf and endOf', () => {
  it('cut at a space near the limit', () => {
    expect(startOf('one two three four', 15)).toBe('one two three');
    expect(endOf('one two three four', 12)).toBe('three four');
    expect(startOf('short', 5)).toBe('short');
    expect(endOf('short', 5)).toBe('short');
  });

  it('never split a character and never exceed the limit', () => {
    expect(startOf('😀😀', 3)).toBe('😀');
    expect(endOf('😀😀', 3)).toBe('😀');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (text, limit) => {
        for (const cut of [startOf(text, limit), endOf(text, limit)]) {
          expect(cut.length).toBeLessThanOrEqual(limit);
          expect(cut).toBe(safeText(cut));
        }
        expect(text.startsWith(startOf(text, limit))).toBe(true);
        expect(text.endsWith(endOf(text, limit))).toBe(true);
      }),
    );
  });
});
