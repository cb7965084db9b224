import { type EvaluationQuestion, type LLMProvider, ModelError } from '@slowwave/fusion';
import { createAnthropicProvider } from '@slowwave/models';
import { afterEach, describe, expect, it } from 'vitest';
import { startMessagesServer } from '../../../../test/fakes/messages-server.ts';
import type { FakeServer } from '../../../../test/fakes/scripted-server.ts';
import { answerQuestions } from './answering.ts';

const questionOf = (more: Partial<EvaluationQuestion> = {}): EvaluationQuestion => ({
  question: 'Where does Ana live?',
  answers: ['Utrecht'],
  evidence: [['a']],
  outdated: [],
  type: 'single',
  ...more,
});
const TEXTS = [
  { content: 'Ana moved to Utrecht.', days: ['2026-05-01'], standsFor: [] },
  { content: 'x'.repeat(2_000), days: ['2026-04-01'], standsFor: [] },
];

let server: FakeServer | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

type Json = Record<string, unknown>;

/** A model over the real client: what it is asked to answer, and how it grades. */
async function modelThat(answer: (text: string) => Json, grade: (text: string) => Json = () => ({})) {
  server = await startMessagesServer(({ text }) => ({
    kind: 'json',
    value: text.includes('You grade an answer') ? grade(text) : answer(text),
  }));
  return createAnthropicProvider({ apiKey: 'k', model: 'm', baseUrl: server.url, timeoutMs: 10_000 });
}
const run = (provider: LLMProvider, questions: EvaluationQuestion[], seen: number[] = []) =>
  answerQuestions(
    provider,
    questions.map((question) => ({ question, texts: TEXTS })),
    '2026-06-01',
    (done) => seen.push(done),
    1,
  );

describe('answers of a model', () => {
  it('are made of what fits the budget and graded against what is accepted', async () => {
    const provider = await modelThat(
      () => ({ answer: 'in Utrecht' }),
      (text) => ({ reason: 'r', right: text.includes('in Utrecht') && text.includes('accepted') }),
    );
    const seen: number[] = [];
    const figures = await run(provider, [questionOf(), questionOf()], seen);
    expect(figures).toMatchObject({ questions: 2, right: 2, failed: 0 });
    expect(figures.inputTokens).toBeGreaterThan(0);
    expect(figures.outputTokens).toBeGreaterThan(0);
    expect(seen).toEqual([1, 2]);
    const asked = server!.calls.find(({ text }) => !text.includes('You grade'))!.text;
    expect(asked).toContain('Ana moved to Utrecht.');
    expect(asked).toContain('2026-06-01');
    expect(asked).not.toContain('xxx');
    expect(asked).not.toContain('accepted');
  });

  it('that are none are right where nothing answers, and wrong elsewhere, without a grade', async () => {
    const provider = await modelThat(() => ({ answer: null }));
    expect(
      await run(provider, [questionOf({ type: 'unanswerable', answers: [], evidence: [] })]),
    ).toMatchObject({ right: 1 });
    expect(await run(provider, [questionOf()])).toMatchObject({ right: 0, failed: 0 });
    expect(server!.calls.every(({ text }) => !text.includes('You grade'))).toBe(true);
  });

  it('are wrong where nothing answers', async () => {
    const provider = await modelThat(() => ({ answer: 'Utrecht' }));
    expect(
      await run(provider, [questionOf({ type: 'unanswerable', answers: [], evidence: [] })]),
    ).toMatchObject({ right: 0 });
  });

  it('that cannot be read, or have no grade, count as failed', async () => {
    expect(await run(await modelThat(() => ({ other: 1 })), [questionOf()])).toMatchObject({
      right: 0,
      failed: 1,
    });
    await server!.stop();
    const ungraded = await modelThat(() => ({ answer: 'x' }));
    expect(await run(ungraded, [questionOf()])).toMatchObject({ right: 0, failed: 1 });
  });

  it('are asked for again after a failure that passes, and given up after a few', async () => {
    server = await startMessagesServer([
      { kind: 'error', status: 529 },
      { kind: 'json', value: { answer: null } },
      { kind: 'error', status: 529 },
    ]);
    const provider = createAnthropicProvider({
      apiKey: 'k',
      model: 'm',
      baseUrl: server.url,
      timeoutMs: 10_000,
    });
    expect(await run(provider, [questionOf()])).toMatchObject({ failed: 0 });
    expect(await run(provider, [questionOf()])).toMatchObject({ failed: 1 });
    expect(server.calls).toHaveLength(6);
  });

  it('end with a key that is refused', async () => {
    server = await startMessagesServer({ kind: 'error', status: 401 });
    const provider = createAnthropicProvider({
      apiKey: 'k',
      model: 'm',
      baseUrl: server.url,
      timeoutMs: 10_000,
    });
    await expect(run(provider, [questionOf()])).rejects.toBeInstanceOf(ModelError);
  });
});
