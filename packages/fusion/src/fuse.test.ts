import { describe, expect, it } from 'vitest';
import { fuseMemoryCluster, fuseMemoryClusterWithReason } from './fuse.ts';
import type { MemoryCategory } from './memory.ts';
import { type CompletionRequest, type CompletionResponse, type LLMProvider, ModelError } from './ports.ts';
import type { buildFusionPrompt } from './prompt.ts';
import { entry } from './testing/samples.ts';

const DUBLIN = [
  entry({ id: 'm1', content: 'Lives in Dublin', importance: 7, confidence: 0.9 }),
  entry({ id: 'm2', content: 'Works at a tech company in Dublin', importance: 5, confidence: 0.8 }),
  entry({ id: 'm3', content: 'Office is near Trinity College', importance: 6, confidence: 0.85 }),
];
const SUMMARY = 'Lives and works at a tech company in Dublin, with office near Trinity College';

function provider(
  answer: string | Error,
  overrides: Partial<CompletionResponse> = {},
): LLMProvider & { requests: CompletionRequest[] } {
  const requests: CompletionRequest[] = [];
  return {
    name: 'canned',
    requests,
    isAvailable: () => true,
    complete: async (request) => {
      requests.push(request);
      if (answer instanceof Error) throw answer;
      return {
        content: [{ type: 'text', text: answer }],
        stopReason: 'end_turn',
        usage: { inputTokens: 100, outputTokens: 50 },
        model: 'canned-1',
        ...overrides,
      };
    },
  };
}

function answer(fields: Record<string, unknown>): string {
  return JSON.stringify({ importance: 1, category: 'event', ...fields });
}

describe('fuseMemoryCluster', () => {
  it('merges: highest importance, most common category, lowest confidence, whatever the model thinks', async () => {
    expect(await fuseMemoryCluster(DUBLIN, provider(answer({ summary: SUMMARY })))).toEqual({
      summary: SUMMARY,
      importance: 7,
      category: 'fact',
      confidence: 0.8,
    });
  });

  it('answers null for an empty cluster without a call', async () => {
    const model = provider('{}');
    expect(await fuseMemoryCluster([], model)).toBeNull();
    expect(model.requests).toEqual([]);
    expect(await fuseMemoryClusterWithReason([], model)).toEqual({ ok: false, reason: 'empty_cluster' });
  });

  it.each([
    ['invalid_output', provider('This is not valid JSON {broken')],
    ['invalid_output', provider('')],
    ['invalid_output', provider('{"importance": 3}')],
    ['provider_error', provider(new Error('boom'))],
    ['provider_error', provider(new ModelError('overloaded', { retryable: true }))],
    ['not_shorter', provider(answer({ summary: 'x'.repeat(78) }))],
    ['refused', provider('{}', { stopReason: 'refusal' })],
    ['truncated', provider('{"summary": "Lives', { stopReason: 'max_tokens' })],
    ['invalid_output', provider('', { content: 'text' as unknown as [] })],
  ] as const)('answers null and keeps the reason %s', async (reason, model) => {
    expect(await fuseMemoryCluster(DUBLIN, model)).toBeNull();
    expect(await fuseMemoryClusterWithReason(DUBLIN, model)).toMatchObject({ ok: false, reason });
  });

  it('needs a summary strictly shorter than the sources together', async () => {
    const combined = DUBLIN.reduce((sum, { content }) => sum + content.length, 0);
    expect(await fuseMemoryCluster(DUBLIN, provider(answer({ summary: 'x'.repeat(combined) })))).toBeNull();
    expect(
      await fuseMemoryCluster(DUBLIN, provider(answer({ summary: 'x'.repeat(combined - 1) }))),
    ).not.toBeNull();
  });

  it('takes the text blocks of an answer and passes over others', async () => {
    const thinking = { type: 'thinking', thinking: '{"summary":"no"}' } as unknown as {
      type: 'text';
      text: string;
    };
    const model = provider('', {
      content: [thinking, { type: 'text', text: answer({ summary: 'Likes it' }) }],
    });
    expect((await fuseMemoryCluster(DUBLIN, model))?.summary).toBe('Likes it');
  });

  it('keeps what the provider threw, and passes the signal on', async () => {
    const error = new Error('boom');
    expect(await fuseMemoryClusterWithReason(DUBLIN, provider(error))).toMatchObject({ cause: error });
    const { signal } = new AbortController();
    const model = provider('{}');
    await fuseMemoryCluster(DUBLIN, model, { signal });
    expect(model.requests[0]!.signal).toBe(signal);
  });

  it('does not wait for a provider that is deaf to the signal', async () => {
    const controller = new AbortController();
    const deaf: LLMProvider = {
      name: 'deaf',
      isAvailable: () => true,
      complete: () => {
        controller.abort();
        return new Promise(() => {});
      },
    };
    const reading = await fuseMemoryClusterWithReason(DUBLIN, deaf, { signal: controller.signal });
    expect(reading).toMatchObject({ ok: false, reason: 'provider_error', cause: { code: 'aborted' } });
  });

  it('asks in the words of another prompt, with the relations given', async () => {
    const model = provider(answer({ summary: SUMMARY }));
    const relationContext = [
      { memoryIndex: 1, relationType: 'EXTENDS', targetIndex: 2, targetContent: 'x', confidence: 0.9 },
    ];
    const seen: unknown[] = [];
    const buildPrompt: typeof buildFusionPrompt = (cluster, context) => {
      seen.push(cluster, context);
      return { messages: [{ role: 'user', content: 'Merge' }] };
    };
    expect(await fuseMemoryCluster(DUBLIN, model, { relationContext, buildPrompt })).not.toBeNull();
    expect(seen).toEqual([DUBLIN, relationContext]);
    expect(model.requests[0]!.messages[0]!.content).toBe('Merge');
  });

  it.each([
    [['fact', 'event', 'event'], false, 'event'],
    [['fact', 'event', 'preference'], false, 'fact'],
    [['fact', 'event', 'event'], true, 'insight'],
    [['event', 'event', 'event'], true, 'event'],
  ] as const)(
    'makes of %j (cross-category %s) the category %s',
    async (categories, crossCategory, expected) => {
      const mixed = DUBLIN.map((memory, n) => ({ ...memory, category: categories[n] as MemoryCategory }));
      const result = await fuseMemoryCluster(mixed, provider(answer({ summary: SUMMARY })), {
        crossCategory,
      });
      expect(result?.category).toBe(expected);
    },
  );
});
