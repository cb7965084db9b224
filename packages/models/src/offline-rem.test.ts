import { buildRemRequest, judgeRem, type MemoryCategory, type RemNode, type RemSeed } from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, roughSentence, storedAnswer } from '../../../test/fakes/rough-text.ts';
import { createOfflineProvider } from './offline.ts';

const node = (content: string, i: number, category: MemoryCategory = 'fact', importance = 5): RemNode => ({
  id: `m${i}`,
  version: 1,
  content,
  category,
  importance,
  prominence: 0.5,
  documentDate: Date.parse('2026-05-04T12:00:00Z'),
});

function seedOf([seed, ...candidates]: RemNode[]): RemSeed {
  return { seed: seed!, candidates: candidates.map((candidate) => ({ node: candidate, activation: 0.5 })) };
}

async function judge(nodes: RemNode[]) {
  const seed = seedOf(nodes);
  return judgeRem(seed, await storedAnswer(createOfflineProvider(), buildRemRequest(seed)));
}

const NODES = [
  node('Mara practises the cello every evening in the kitchen.', 0),
  node('Mara had an argument with the neighbours about noise from the kitchen.', 1, 'event'),
  node('Mara drinks her coffee black.', 2, 'preference'),
  node('Mara keeps the cello in the kitchen.', 3),
  node('Mara likes jazz.', 4, 'preference'),
  node('Mara takes the early train.', 5),
];

describe('the offline judge of connections', () => {
  it('accepts what shares rare words, with these words as the explanation', async () => {
    const judgement = await judge(NODES);
    expect(judgement).toMatchObject({ ok: true, counts: { candidates: 5, accepted: 2, unexplained: 0 } });
    const verdicts = judgement.ok ? judgement.verdicts : [];
    expect(verdicts[0]).toMatchObject({ accepted: true, novelty: 4, explanation: 'Both mention kitchen.' });
    expect(verdicts[2]).toMatchObject({
      accepted: true,
      novelty: 2,
      explanation: 'Both mention cello and kitchen.',
    });
    expect(verdicts.map(({ accepted }) => accepted)).toEqual([true, false, true, false, false]);
  });

  it('takes no connection from the person, from words that all share, or from sameness', async () => {
    const shared = ['bread', 'jam', 'soup', 'cake'].map((what, i) =>
      node(`Mara cooks ${what} in the kitchen.`, i, i % 2 === 0 ? 'fact' : 'event', 10),
    );
    expect(await judge(shared)).toMatchObject({ counts: { accepted: 0 } });
    const same = [
      node('Mara practises the cello in the kitchen.', 0),
      node('Mara practises her cello in the kitchen.', 1, 'event', 10),
    ];
    expect(await judge(same)).toMatchObject({ counts: { accepted: 0 }, verdicts: [{ novelty: 1 }] });
    expect(
      await judge([node('Mara owns 12 lamps.', 0), node('Mara booked 12 seats.', 1, 'event', 10)]),
    ).toMatchObject({ counts: { accepted: 0 } });
  });

  it('finds the more important connection the more useful one', async () => {
    const pair = (importance: number) => [
      node('Mara is allergic to nuts.', 0, 'fact', importance),
      node('Mara bakes a cake with nuts.', 1, 'event', importance),
    ];
    const [low, high] = await Promise.all([judge(pair(1)), judge(pair(10))]);
    const usefulness = (judgement: typeof low) => (judgement.ok ? judgement.verdicts[0]!.usefulness : 0);
    expect([usefulness(low), usefulness(high)]).toEqual([1, 5]);
    expect(high).toMatchObject({ verdicts: [{ accepted: true, explanation: 'Both mention nuts.' }] });
  });

  it('gives every candidate one verdict that stands up to the judge, whatever the memories say', async () => {
    const category = fc.constantFrom<MemoryCategory>(
      'preference',
      'fact',
      'event',
      'relationship',
      'insight',
    );
    const memory = fc.tuple(fc.oneof(roughSentence, anyText), category, fc.integer({ min: 1, max: 10 }));
    await fc.assert(
      fc.asyncProperty(fc.array(memory, { minLength: 2, maxLength: 9 }), async (memories) => {
        const judgement = await judge(
          memories.map(([text, kind, importance], i) => node(text, i, kind, importance)),
        );
        expect(judgement).toMatchObject({
          ok: true,
          counts: { judged: memories.length - 1, dropped: 0, unexplained: 0 },
        });
      }),
      { numRuns: 300 },
    );
  });
});
