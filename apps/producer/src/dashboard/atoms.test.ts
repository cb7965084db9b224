import { atomSpans } from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { wordsWithAtoms } from './atoms.ts';

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
    'marks 32 KB of %j: the whole text stands there, with each hard fact',
    (piece) => {
      const text = piece.repeat(32_768 / piece.length);
      const markup = wordsWithAtoms(text).toString();
      expect(shown(markup)).toBe(text);
      const places = new Set(atomSpans(text).map(({ from }) => from));
      expect(markup.split('<mark').length - 1).toBeGreaterThanOrEqual(places.size);
    },
  );
});
