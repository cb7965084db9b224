import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { describe, expect, it } from 'vitest';
import { createInsightModel } from '../../../../test/fakes/insight-model.ts';
import { askProvider } from './ask.ts';
import { judgeExtraction, MAX_INSIGHT_CHARS, MAX_INSIGHTS } from './judge.ts';
import { buildExtractionRequest } from './request.ts';

const AT = Date.UTC(2026, 4, 1, 12);
const judge = (value: unknown, stopReason = 'end_turn') =>
  judgeExtraction({ text: JSON.stringify(value), stopReason }, AT);
const item = (content: unknown, more: object = {}) => ({ category: 'pattern', content, ...more });

describe('judging an extraction', () => {
  it('passes over what is no insight, too long or too much, and counts it', () => {
    const many = Array.from({ length: MAX_INSIGHTS + 2 }, (_, i) => item(`Insight ${i}.`));
    const odd = [item(' '), item(7), null, 'text', item('x'.repeat(MAX_INSIGHT_CHARS + 1))];
    const judged = judge({ summary: 's', insights: [...odd, ...many] });
    expect(judged).toMatchObject({ ok: true, counts: { offered: 47, malformed: 4, tooLong: 1, surplus: 2 } });
    expect(judged.ok && judged.insights.length).toBe(MAX_INSIGHTS);
  });

  it('reads an insight as it is, an unknown category as context, and leaves out an endless source', () => {
    const found = judge({
      insights: [item(' a ', { source: ' s ' }), item('b', { category: 'gossip', source: 'x'.repeat(201) })],
      prunedMemory: ' ',
    });
    const extractedAt = new Date(AT).toISOString();
    expect(found).toMatchObject({
      ok: true,
      summary: '',
      insights: [
        { category: 'pattern', content: 'a', source: 's', extractedAt },
        { category: 'context', content: 'b', source: undefined },
      ],
      prunedMemory: undefined,
    });
  });

  it('takes nothing of an answer that was cut off or refused, whole as it looks', () => {
    expect(judge({ insights: [] }, 'max_tokens')).toEqual({ ok: false, reason: 'truncated' });
    expect(judge({ insights: [] }, 'refusal')).toEqual({ ok: false, reason: 'refused' });
    expect(judge({ summary: 's' })).toEqual({ ok: false, reason: 'malformed' });
  });
});

describe('asking about a working memory', () => {
  it('gives room for as much as could be said, and asks for no pruning where that is too much or not wanted', () => {
    const request = (working: string, prune?: boolean) =>
      buildExtractionRequest({ working, insights: null, ...(prune === undefined ? {} : { prune }) });
    const [small, large, huge] = [100, 10_000, 100_000].map((size) => request('word '.repeat(size / 5)));
    expect(large!.maxTokens).toBeGreaterThan(small!.maxTokens!);
    expect(large!.system).toContain('Copy every line');
    expect(huge!.system).not.toContain('Copy every line');
    expect(huge!.maxTokens).toBeLessThan(large!.maxTokens!);
    expect(request('word', false).system).not.toContain('Copy every line');
  });

  it('tells a provider that may not be asked from a question that failed', async () => {
    const { provider } = createInsightModel({ insights: [] });
    const request = buildExtractionRequest({ working: 'w', insights: null });
    const ask = (over: Partial<LLMProvider>) => askProvider({ ...provider, ...over })(request, []);
    const failing = (error: Error) => ({ complete: () => Promise.reject(error) });
    expect(await ask({})).toMatchObject({ status: 'answered', reused: false });
    expect(await ask({ isAvailable: () => false })).toEqual({
      status: 'stopped',
      code: 'unavailable',
      transient: true,
    });
    for (const [code, retryable, ending] of [
      ['rate_limited', true, { status: 'stopped', transient: true }],
      ['auth', false, { status: 'stopped', transient: true }],
      ['overloaded', true, { status: 'failed', transient: true }],
      ['invalid_request', false, { status: 'failed', transient: false }],
    ] as const) {
      expect(await ask(failing(new ModelError(code, { retryable })))).toEqual({ ...ending, code });
    }
    expect(await ask(failing(new Error('secret')))).toEqual({
      status: 'failed',
      code: 'provider_error',
      transient: true,
    });
  });
});
