import { buildReflectionRequest, judgeReflection, type ReflectionInput } from '@slowwave/fusion';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, roughSentence, storedAnswer } from '../../../test/fakes/rough-text.ts';
import { createOfflineProvider } from './offline.ts';

const AT = Date.parse('2026-05-04T12:00:00Z');

function inputOf(
  summaries: [summary: string, topics: string[]][],
  profile: string | null = null,
): ReflectionInput {
  return {
    summaries: summaries.map(([summary, topics], i) => ({
      sessionId: `s${i + 1}`,
      summary,
      topics,
      at: AT + i,
    })),
    profile,
  };
}

async function reflect(input: ReflectionInput) {
  return judgeReflection(input, await storedAnswer(createOfflineProvider(), buildReflectionRequest(input)));
}

const WEEK = inputOf([
  [
    'The user asked: How do I feed my sourdough starter? The user said: My oven is old.',
    ['sourdough', 'starter', 'oven'],
  ],
  ['The user said: The night train to Lisbon leaves at 21:40.', ['Lisbon', 'train', 'night']],
  [
    'The user said: My sourdough bread burns in the oven. The user said: The crust is black.',
    ['bread', 'sourdough', 'oven'],
  ],
]);

describe('the offline reflection', () => {
  it('tells what came up again, with a sentence of the latest conversation', async () => {
    expect(await reflect(WEEK)).toMatchObject({
      ok: true,
      insights: [
        {
          content:
            'The user came back to sourdough and oven. The user said: My sourdough bread burns in the oven.',
          sessionIds: ['s1', 's3'],
        },
      ],
      profile: 'The user speaks of sourdough, oven, starter, Lisbon, train and night.',
    });
  });

  it('has no insight where nothing came up again', async () => {
    const input = inputOf([
      ['The user said: I repair bicycles.', ['bicycles']],
      ['The user said: I sing.', ['singing']],
    ]);
    expect(await reflect(input)).toMatchObject({ ok: true, insights: [] });
  });

  it('keeps the subjects and the sentences of the profile before', async () => {
    const before = 'The user speaks of chess and oven. The user wants short answers in the morning.';
    expect(await reflect({ ...WEEK, profile: before })).toMatchObject({
      profile:
        'The user speaks of sourdough, oven, starter, Lisbon, train, night and chess. The user wants short answers in the morning.',
    });
  });

  it('has a profile that settles when nothing new comes', async () => {
    const first = await reflect(WEEK);
    const profile = first.ok ? first.profile : null;
    expect(await reflect({ ...WEEK, profile })).toMatchObject({ ok: true, profile });
  });

  it('names no subject that would end its sentence or change it', async () => {
    const topics = ['Really? No', 'oven, hot', '3 May', 'never', 'oven'];
    const odd = inputOf([
      ['The user said: My oven is hot. The user asked: Really?', topics],
      ['The user said: The oven never works on 3 May.', topics],
    ]);
    const verdict = await reflect(odd);
    expect(verdict).toMatchObject({ ok: true, profile: 'The user speaks of oven.' });
    expect(verdict.ok && verdict.insights[0]?.content).toMatch(
      /^The user came back to oven\. The user said: /,
    );
  });

  it('names a subject once, however it was put before', async () => {
    const input = inputOf([['The user said: I like rock and roll.', ['rock and roll']]]);
    expect(await reflect({ ...input, profile: 'The user speaks of chess, roll and rock.' })).toMatchObject({
      profile: 'The user speaks of rock and roll and chess.',
    });
  });

  it('keeps no sentence of the profile before that says something else beside the others', async () => {
    const verdict = await reflect(inputOf([['', []]], 'without Mara Mara.  $5 a ٣ Mai Mara Mara. '));
    expect(verdict).toMatchObject({ ok: true, counts: { profileInvented: 0 } });
  });

  it('stands up to the judge as it is, whatever the summaries say', async () => {
    const text = fc.oneof(
      roughSentence,
      fc.array(roughSentence, { maxLength: 4 }).map((all) => all.join(' ')),
      anyText,
    );
    const topic = fc.oneof(
      fc.constantFrom(
        'bread',
        'oven',
        'Lisbon',
        'night train',
        '3 May',
        'no meat',
        'May',
        '寿司',
        'IT',
        '5 kg',
        'and',
      ),
      anyText,
    );
    const summary = fc.tuple(text, fc.array(topic, { maxLength: 5 }));
    const input = fc.tuple(fc.array(summary, { minLength: 1, maxLength: 6 }), fc.option(text));
    await fc.assert(
      fc.asyncProperty(input, async ([summaries, profile]) => {
        const verdict = await reflect(inputOf(summaries, profile));
        expect(verdict).toMatchObject({ ok: true, counts: { profileInvented: 0 } });
        if (verdict.ok) expect(verdict.counts.kept).toBe(verdict.counts.offered);
      }),
      { numRuns: 300 },
    );
  });
});
