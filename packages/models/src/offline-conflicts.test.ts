import { buildLabelRequest, type ConflictSide, judgeLabels } from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, storedAnswer } from '../../../test/fakes/rough-text.ts';
import { createOfflineProvider } from './offline.ts';

const side = (content: string): ConflictSide => ({
  id: content,
  contentHash: content,
  version: 1,
  content,
  memoryType: 'regular',
  origin: 'user',
  visibility: 'private',
  trust: 0.8,
  documentDate: 0,
  eventDate: null,
  validFrom: null,
  validTo: null,
  workspace: null,
  archived: false,
});

async function label(pairs: [string, string][]) {
  const request = buildLabelRequest(pairs.map(([a, b]) => ({ a: side(a), b: side(b) })));
  return judgeLabels(pairs.length, await storedAnswer(createOfflineProvider(), request));
}

describe('the offline labels of pairs', () => {
  it.each<[string, string, string, 'a' | 'b' | null]>([
    ['Ana eats meat.', 'Ana does not eat meat.', 'contradictory', null],
    ['Ana has 2 dogs.', 'Ana has 3 dogs.', 'ambiguous', null],
    ['Ana has a dog.', 'Ana has a dog.', 'compatible', null],
    ['Ana plays the cello.', 'Ana plays the cello in an orchestra.', 'subsumes', 'b'],
    ['Ana plays the cello in an orchestra.', 'Ana plays the cello.', 'subsumes', 'a'],
    // What these mean does not show in their words: a person has to look.
    ['Ana lives in York.', 'Ana lives in Oslo.', 'ambiguous', null],
    ['Ana drinks tea.', 'Ana lives in Oslo.', 'ambiguous', null],
  ])('%j and %j: %s', async (a, b, type, wider) => {
    const judged = await label([[a, b]]);
    expect(judged).toMatchObject({ ok: true, labels: [{ type, wider }] });
    // Never so sure that a policy would act on it.
    expect(judged.ok && judged.labels[0]!.confidence).toBeLessThan(0.7);
  });

  it('are one for each pair, whatever they say', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyText, anyText), { minLength: 1, maxLength: 4 }),
        async (pairs) => {
          const judged = await label(pairs);
          expect(judged).toMatchObject({ ok: true, labelled: pairs.length });
        },
      ),
      { numRuns: 60 },
    );
  });
});
