import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { createMatcher, foldText } from './words.ts';

const MEMORY = 'Ana keeps 4711 marbles in Dublin.';

describe('what says the same as a forgotten text', () => {
  const matcher = createMatcher([MEMORY]);

  it.each([
    ['the text itself', MEMORY],
    ['in another case, with other spaces and signs', 'so: ANA  keeps 4711\nmarbles — in dublin, she says'],
    ['in full-width letters', 'Ａｎａ keeps 4711 marbles in Dublin'],
  ])('contains it: %s', (_what, text) => {
    expect(matcher.contains(text)).toBe(true);
    expect(matcher.says(text)).toBe(true);
  });

  it.each([
    ['nothing of it', 'The weather is fine.'],
    ['a longer word at its end', 'Ana keeps 4711 marbles in Dublinville'],
    ['other words between', 'Ana keeps her 4711 marbles in Dublin'],
    ['nothing', ''],
  ])('does not contain it: %s', (_what, text) => expect(matcher.contains(text)).toBe(false));

  it.each([
    ['a name of it, even without its capital', 'i moved to dublin'],
    ['a number of it', 'There are 4,711 of them.'],
    ['half of its words', 'what Ana keeps are marbles'],
  ])('says it: %s', (_what, text) => expect(matcher.says(text)).toBe(true));

  it('is not said by what shares little', () => {
    expect(matcher.says('She keeps bees in Cork.')).toBe(false);
    expect(matcher.says('Not at all, never.')).toBe(false);
    // "not" is no fact by itself.
    expect(createMatcher(['Ana does not smoke.']).says('It does not matter.')).toBe(false);
  });

  it('knows a part of it', () => {
    expect(matcher.isPart('Marbles in Dublin')).toBe(true);
    expect(matcher.isPart('marble')).toBe(false);
    expect(matcher.isPart('?')).toBe(false);
  });

  it('is found in scripts without spaces, and among signs alone', () => {
    const japanese = createMatcher(['彼女は東京に住んでいる']);
    expect(japanese.contains('昨日、彼女は東京に住んでいると言った')).toBe(true);
    expect(japanese.says('東京に住んでいる人')).toBe(true);
    expect(japanese.says('犬が好き')).toBe(false);
    expect(createMatcher(['🎉🎉']).contains('well 🎉🎉')).toBe(false);
    expect(createMatcher(['🎉🎉']).contains('🎉🎉')).toBe(true);
  });

  it('is nothing where there is no text', () => {
    const nothing = createMatcher(['', '   ']);
    expect(nothing.anchors).toEqual([]);
    for (const text of ['', ' ', 'anything'])
      expect([nothing.contains(text), nothing.says(text), nothing.isPart(text)]).toEqual([
        false,
        false,
        false,
      ]);
  });

  it('is found in whatever holds it as words of its own, and has its anchor there', () => {
    const sentence = fc
      .array(fc.stringMatching(/^[a-zA-Z0-9äß]{1,9}$/), { minLength: 1, maxLength: 8 })
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(sentence, sentence, sentence, (before, text, after) => {
        const whole = `${before}, ${text.toUpperCase()}! ${after}`;
        const { contains, anchors } = createMatcher([text]);
        expect(contains(whole)).toBe(true);
        const [anchor] = anchors;
        const plain = Buffer.byteLength(whole) === whole.length;
        if (anchor && plain) expect(whole.toLowerCase()).toContain(anchor);
      }),
    );
  });

  it('folds any text once and for all', () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT }), (text) => {
        const folded = foldText(text);
        expect(foldText(folded)).toBe(folded);
      }),
    );
  });
});
