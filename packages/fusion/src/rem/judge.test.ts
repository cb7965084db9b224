import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../../test/fixtures/code-point.ts';
import { safeText } from '../fence.ts';
import { NASTY, outsideOfFences, stored } from '../testing/answers.ts';
import { AT } from '../testing/samples.ts';
import type { RemNode, RemSeed } from './config.ts';
import { judgeRem, MAX_EXPLANATION_CHARS, type RemVerdict } from './judge.ts';
import { buildRemRequest, REM_SCHEMA, readRemRequest } from './prompt.ts';

function seedOf(...contents: string[]): RemSeed {
  const nodes = contents.map(
    (content, index): RemNode => ({
      id: `id-${index}`,
      version: index + 1,
      content,
      category: 'preference',
      importance: 6,
      prominence: 0.3,
      documentDate: AT,
    }),
  );
  return { seed: nodes[0]!, candidates: nodes.slice(1).map((node) => ({ node, activation: 0.4 })) };
}

const SEED = seedOf(
  'Sleeps badly before flights',
  'Flies to Lisbon every May',
  'Does not drink coffee after 14:00',
  'Plays chess',
);
const SCORES = { novelty: 3, plausibility: 4, usefulness: 4 };
const EXPLANATION = 'Both are about flights, so each May a night of bad sleep is near.';

function verdicts(...items: unknown[]): RemVerdict[] {
  const judgement = judgeRem(SEED, stored({ verdicts: items }));
  return judgement.ok ? judgement.verdicts : [];
}

function explained(explanation: unknown, n = 1): RemVerdict | undefined {
  return verdicts({ n, ...SCORES, explanation })[0];
}

describe('buildRemRequest', () => {
  it('shows the seed and numbered candidates, and no id', () => {
    const request = buildRemRequest(SEED);
    const shown = readRemRequest(request)!;
    expect(shown.seed).toEqual({
      n: 0,
      category: 'preference',
      importance: 6,
      date: '2026-06-01',
      text: 'Sleeps badly before flights',
    });
    expect(shown.candidates.map(({ n, text }) => [n, text])).toEqual([
      [1, 'Flies to Lisbon every May'],
      [2, 'Does not drink coffee after 14:00'],
      [3, 'Plays chess'],
    ]);
    expect(JSON.stringify(request)).not.toContain('id-');
    expect(request).toMatchObject({ schema: REM_SCHEMA, maxTokens: 128 + 3 * 320 });
    const { signal } = new AbortController();
    expect(buildRemRequest(SEED, { signal }).signal).toBe(signal);
  });

  it('gives texts back whatever they hold, and nothing in them changes a word of the task', () => {
    const plain = buildRemRequest(seedOf('x', 'y'));
    const text = fc.oneof(fc.string({ unit: CODE_POINT }), fc.constantFrom(...NASTY));
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 9 }), (texts) => {
        const request = buildRemRequest(seedOf(...texts));
        const shown = readRemRequest(request)!;
        expect([shown.seed, ...shown.candidates].map((source) => source.text)).toEqual(texts.map(safeText));
        expect(request.system).toBe(plain.system);
        expect(outsideOfFences(request.messages[0]!.content)).toBe(
          outsideOfFences(plain.messages[0]!.content),
        );
      }),
    );
  });

  it('shows the start of a very long memory', () => {
    const { candidates } = readRemRequest(buildRemRequest(seedOf('x', 'word '.repeat(9_000))))!;
    expect(candidates[0]!.text.length).toBeLessThanOrEqual(2_000);
  });

  it('reads back no other request', () => {
    expect(readRemRequest({ messages: [{ role: 'user', content: 'Hello' }] })).toBeNull();
    expect(readRemRequest(buildRemRequest(seedOf('x')))).toBeNull();
  });
});

describe('judgeRem', () => {
  it('gives verdicts for the candidates, in their order', () => {
    const low = { n: 2, novelty: 1, plausibility: 5, usefulness: 2, explanation: 'Both are habits.' };
    const judgement = judgeRem(
      SEED,
      stored({ verdicts: [low, { n: 1, ...SCORES, explanation: ` ${EXPLANATION}\n` }] }),
    );
    expect(judgement).toEqual({
      ok: true,
      verdicts: [
        { id: 'id-1', version: 2, ...SCORES, accepted: true, explanation: EXPLANATION },
        {
          id: 'id-2',
          version: 3,
          novelty: 1,
          plausibility: 5,
          usefulness: 2,
          accepted: false,
          explanation: '',
        },
      ],
      counts: { candidates: 3, judged: 2, accepted: 1, dropped: 1, unexplained: 0 },
    });
  });

  it.each([
    [3, 3, 3, true],
    [1, 3, 5, true],
    [2, 3, 3, false],
    [5, 1, 2, false],
    [5, 5, 5, true],
    [1, 1, 1, false],
  ])('accepts from a mean of 3: %i, %i, %i', (novelty, plausibility, usefulness, accepted) => {
    expect(verdicts({ n: 1, novelty, plausibility, usefulness, explanation: EXPLANATION })[0]).toMatchObject({
      accepted,
    });
  });

  it.each([
    ['an unknown number', { n: 4, ...SCORES }],
    ['the number of the seed', { n: 0, ...SCORES }],
    ['a number as text', { n: '1', ...SCORES }],
    ['no number', { ...SCORES }],
    ['a missing score', { n: 1, novelty: 3, plausibility: 3 }],
    ['a score above 5', { n: 1, ...SCORES, novelty: 6 }],
    ['a score below 1', { n: 1, ...SCORES, usefulness: 0 }],
    ['half a score', { n: 1, ...SCORES, plausibility: 3.5 }],
    ['a score as text', { n: 1, ...SCORES, plausibility: '4' }],
    ['nothing', null],
    ['no object', 1],
  ])('drops a verdict with %s and keeps the others', (_, item) => {
    const good = { n: 3, ...SCORES, explanation: 'Both are habits.' };
    expect(verdicts({ explanation: EXPLANATION, ...(item as object) }, good).map(({ id }) => id)).toEqual([
      'id-3',
    ]);
    expect(judgeRem(SEED, stored({ verdicts: [item] }))).toEqual({ ok: false, reason: 'invalid_output' });
  });

  it('drops both of two verdicts on one candidate', () => {
    const one = { n: 1, ...SCORES, explanation: EXPLANATION };
    const other = { n: 2, ...SCORES, explanation: 'Both are habits.' };
    expect(verdicts(one, other, { ...one, novelty: 1 }).map(({ id }) => id)).toEqual(['id-2']);
  });

  it.each([
    ['no explanation', undefined],
    ['an empty one', ' \n'],
    ['marks alone', '...'],
    ['unsafe text', 'Both\0 are about flights.'],
    ['another name', 'Both are about flights to Porto.'],
    ['another name at the beginning', 'Maria sleeps badly before flights.'],
    ['a number', 'Both are about 3 flights.'],
    ['a date', 'Both are about flights on 2026-06-01.'],
    ['a negation', 'The flights do not matter for sleep.'],
    ['an address', 'Both are about flights, see https://example.com/x.'],
  ])('rejects a good score with %s', (_, explanation) => {
    expect(explained(explanation)).toMatchObject({ ...SCORES, accepted: false, explanation: '' });
    const judgement = judgeRem(SEED, stored({ verdicts: [{ n: 1, ...SCORES, explanation }] }));
    expect(judgement).toMatchObject({ counts: { judged: 1, accepted: 0, unexplained: 1 } });
  });

  it('looks for hard atoms in the two memories alone', () => {
    const explanation = 'The coffee after 2 pm fits bad sleep.';
    expect(explained(explanation, 2)).toMatchObject({ accepted: true });
    expect(explained(explanation, 1)).toMatchObject({ accepted: false });
  });

  it('cuts a long explanation between words, and never into another number', () => {
    const long = `Both are about flights ${'and sleep '.repeat(40)}`;
    const cut = explained(long)!.explanation;
    expect(cut).toMatch(/^Both are about flights and .*(?:and|sleep)…$/);
    expect(cut.length).toBeLessThanOrEqual(MAX_EXPLANATION_CHARS);
    const filler = 'a'.repeat(280);
    const seed = seedOf('Runs twenty five miles', 'Rests');
    const judgement = judgeRem(
      seed,
      stored({ verdicts: [{ n: 1, ...SCORES, explanation: `Both ${filler} runs twenty five miles.` }] }),
    );
    expect(judgement).toMatchObject({ verdicts: [{ accepted: false }] });
  });

  it.each([
    ['refused', stored({ verdicts: [{ n: 1, ...SCORES, explanation: EXPLANATION }] }, 'refusal')],
    ['truncated', stored('{"verdicts": [{"n": 1, "nov', 'max_tokens')],
    ['invalid_output', stored('{"verdicts": [{"n": 1, "nov')],
    ['invalid_output', stored('Nothing connects them.')],
    ['invalid_output', stored({ verdicts: [] })],
    ['invalid_output', stored({ verdicts: { n: 1 } })],
    ['invalid_output', stored({})],
  ])('says %s', (reason, answer) => {
    expect(judgeRem(SEED, answer)).toEqual({ ok: false, reason });
  });

  it('never throws, and what it takes is within all bounds', () => {
    const score = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constant(null), fc.double());
    const item = fc.oneof(
      fc.json(),
      fc
        .record({
          n: fc.integer({ min: 0, max: 4 }),
          novelty: score,
          plausibility: score,
          usefulness: score,
          explanation: fc.oneof(fc.string(), fc.constant(EXPLANATION)),
        })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 6 }), (items) => {
        const judgement = judgeRem(SEED, stored(`{"verdicts":[${items.join(',')}]}`));
        if (!judgement.ok) return;
        const { counts } = judgement;
        expect(counts.judged + counts.dropped).toBe(counts.candidates);
        expect(new Set(judgement.verdicts.map(({ id }) => id)).size).toBe(judgement.verdicts.length);
        for (const { novelty, plausibility, usefulness, accepted, explanation } of judgement.verdicts) {
          for (const value of [novelty, plausibility, usefulness]) expect([1, 2, 3, 4, 5]).toContain(value);
          expect(accepted).toBe(explanation !== '');
          if (accepted) expect(novelty + plausibility + usefulness).toBeGreaterThanOrEqual(9);
        }
      }),
    );
  });
});
