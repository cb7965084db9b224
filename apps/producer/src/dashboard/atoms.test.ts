import { atomSpans } from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { atomTable, MARKED_CHARS, wordsWithAtoms } from './atoms.ts';

const ENTITY: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const shown = (markup: string): string =>
  markup.replace(/<[^>]*>/g, '').replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITY[name]!);

describe('wordsWithAtoms', () => {
  it('marks in a quotation what it quotes, and the rest as quoted', () => {
    const markup = wordsWithAtoms('Ana said "the 3 red doors" twice.').toString();
    const marks = [...markup.matchAll(/atom-(\w+)"[^>]*>([^<]*)</g)].map(
      ([, kind, text]) => `${kind}: ${text}`,
    );
    expect(marks.slice(1, 4)).toEqual(['quote: the ', 'number: 3', 'quote:  red doors']);
  });

  it.each(['½', '½ ', '１', '[', '"x" ', '1,000 ', 'a_b_', 'Anna told Meyer on 3 May that 12 are left. '])(
    'marks 32 KB of %j: the whole text stands there, with each hard fact of its beginning, and that this is all',
    (piece) => {
      const text = piece.repeat(32_768 / piece.length);
      const markup = wordsWithAtoms(text).toString();
      const said = 'Hard facts are marked in the first 2,000 characters.';
      expect(shown(markup)).toBe(text + said);
      const spans = atomSpans(text.slice(0, MARKED_CHARS)).filter(({ to }) => to < MARKED_CHARS);
      const places = new Set(spans.map(({ from }) => from));
      expect(markup.split('<mark').length - 1).toBeGreaterThanOrEqual(places.size);
    },
  );

  it('a text of as many characters as are marked: marked to its end, without a word about it', () => {
    const text = `${'x '.repeat(MARKED_CHARS / 2 - 1)}77`;
    expect(shown(wordsWithAtoms(text).toString())).toBe(text);
    expect(wordsWithAtoms(text).toString()).toContain('number: 77');
  });

  it('a number that the end of the marked part cuts: not marked, in the table neither', () => {
    const text = `3 ${'x '.repeat(MARKED_CHARS / 2 - 2)}7777777 days`;
    expect(wordsWithAtoms(text).toString().split('<mark')).toHaveLength(2);
    expect(atomTable([{ name: 'source 1', text }]).toString()).not.toContain('77');
  });
});
