import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOSTILE } from '../testing/hostile.ts';
import { differenceWords, flagKindsOf } from './difference-words.ts';

describe('difference words', () => {
  it.each(HOSTILE)('of long texts of %s and one word more: that word', (_name, textOf) => {
    const text = textOf(8_192);
    expect(differenceWords([`${text}\nzebra`, text], text)).toEqual({
      sources: [
        { missing: ['zebra'], flags: [] },
        { missing: [], flags: [] },
      ],
      added: [],
    });
  });

  it('are the content words that a statement lacks, its flag words that a source lacks, and what it adds', () => {
    expect(
      differenceWords(
        ['Ben may sell the boat in May 2025.', "Ada's brother finds the harbour too expensive."],
        "Ada's brother Ben might sell his boat in May 2025, as the harbour got expensive.",
      ),
    ).toEqual({
      sources: [
        { missing: ['may'], flags: [] },
        { missing: ['finds'], flags: [] },
      ],
      added: ['might', 'got'],
    });
  });

  it('list flag words of one source for the others', () => {
    const { sources, added } = differenceWords(
      ['Ada is allergic to nuts.', 'Ada does not drink milk.'],
      'Ada is allergic to nuts and does not drink milk.',
    );
    expect(sources).toEqual([
      { missing: [], flags: ['not'] },
      { missing: [], flags: [] },
    ]);
    expect(added).toEqual([]);
  });

  it('leave numbers and dates to the floor', () => {
    expect(differenceWords(['Ada paid 30 euros on 3 May 2025.'], 'Ada paid.').sources[0]!.missing).toEqual(
      [],
    );
  });

  it('know inflections of English, and no function words of a language without a list', () => {
    expect(differenceWords(['Ada walked the dogs.'], 'Ada walks a dog.').sources[0]!.missing).toEqual([]);
    const polish = differenceWords(['Ada nie je mięsa, ale lubi ryby.'], 'Ada lubi ryby.');
    expect(polish.sources[0]!.missing).toEqual(['nie', 'je', 'mięsa', 'ale']);
  });

  it('are pairs of signs where words have no spaces', () => {
    const { sources } = differenceWords(['彼女は魚が嫌いです'], '彼女は肉が嫌いです');
    expect(sources[0]!.missing.join()).toContain('魚');
  });

  it.each([
    ['en', 'She does not eat fish.', 'negation'],
    ['en', 'He may come.', 'modality'],
    ['en', 'Only Ada knows.', 'quantity'],
    ['en', 'He comes if it rains.', 'condition'],
    ['de', 'Jonas isst kein Fleisch und ist nie müde.', 'negation'],
    ['es', 'El usuario nunca come carne en su casa.', 'negation'],
  ])('know flags (%s: %s)', (_, text, kind) => {
    expect(flagKindsOf([text])).toContain(kind);
  });

  it('are none between equal texts', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(differenceWords([text], text)).toEqual({ sources: [{ missing: [], flags: [] }], added: [] });
      }),
    );
  });
});
