import { describe, expect, it } from 'vitest';
import { quotesOf } from './quotes.ts';

describe('quotesOf', () => {
  it('gives the sentences as they stand, each with an end', () => {
    expect(quotesOf('Mara  bakes bread!\nDr. Okafor is kind. Then home,')).toEqual([
      'Mara bakes bread!',
      'Dr. Okafor is kind.',
      'Then home.',
    ]);
    expect(quotesOf('京都に行きます。抹茶が好きです')).toEqual(['京都に行きます。', '抹茶が好きです.']);
  });

  it('leaves out what would say something else on its own', () => {
    expect(quotesOf('Ich komme am 3. Mai an. Das Boot ist blau.')).toEqual(['Das Boot ist blau.']);
  });

  it('leaves out what is no sentence, or a very long one', () => {
    expect(quotesOf('👍 !! 12. ')).toEqual([]);
    expect(quotesOf(`${'word '.repeat(100)}. Boats are blue.`)).toEqual(['Boats are blue.']);
  });
});
