import { type CompletionRequest, ModelError } from '@slowwave/fusion';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BatchesServer, startBatchesServer } from '../../../test/fakes/batches-server.ts';
import { createAnthropicBatches } from './anthropic-batches.ts';
import type { BatchResult } from './batches.ts';

const MODEL = 'claude-haiku-5-5';
const CANARY = 'sarrusophone';
const NOW = Date.UTC(2026, 10, 22);
const LONG = 'Keep every fact. '.repeat(200);

const ask = (content: string, system?: string): CompletionRequest => ({
  messages: [{ role: 'user', content }],
  ...(system === undefined ? {} : { system }),
});

describe('Message Batches', () => {
  let server: BatchesServer;
  beforeEach(async () => {
    server = await startBatchesServer(() => NOW);
  });
  afterEach(() => server.stop());

  const open = (baseUrl = server.url) =>
    createAnthropicBatches({ apiKey: 'test-key', model: MODEL, baseUrl, timeoutMs: 60_000 });
  const requests = (contents: readonly string[], system?: string) => {
    const { bodyOf } = open();
    return contents.map((content, i) => ({ id: `q-${i}`, body: bodyOf(MODEL, ask(content, system)) }));
  };
  async function failureOf(work: Promise<unknown>): Promise<ModelError> {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ModelError)) throw new Error('expected a ModelError');
    expect(`${error.message}${error.stack}`).not.toContain(CANARY);
    return error;
  }
  async function resultsOf(id: string, url = server.url): Promise<(BatchResult | null)[]> {
    const results: (BatchResult | null)[] = [];
    for await (const result of open(url).api.results(id)) results.push(result);
    return results;
  }

  it('are made, looked at, listed and read, in whatever order the results come', async () => {
    const { api } = open();
    server.hold = true;
    const made = await api.create(requests(['one', 'two']));
    expect(made).toEqual({ id: expect.any(String), ended: false, requests: 2, createdAt: NOW });
    await server.release();
    expect(await api.retrieve(made.id)).toEqual({ ...made, ended: true });
    expect(await api.list(NOW - 1)).toEqual([{ ...made, ended: true }]);
    expect(await api.list(NOW + 1)).toEqual([]);
    const results = await resultsOf(made.id);
    expect(results.map((result) => result?.id)).toEqual(['q-1', 'q-0']);
    expect(results[0]).toMatchObject({
      outcome: 'answered',
      answer: { model: MODEL, stopReason: 'end_turn' },
    });
  });

  it('send each request as it would be sent alone', async () => {
    await open().api.create(requests(['one'], 'Be brief.'));
    expect(server.batches[0]!.requests).toEqual([
      {
        custom_id: 'q-0',
        params: {
          model: MODEL,
          max_tokens: 256,
          system: 'Be brief.',
          messages: [{ role: 'user', content: 'one' }],
          thinking: { type: 'disabled' },
        },
      },
    ]);
  });

  it('cache a prefix that four of them begin with, and none that three do, or that is too short', async () => {
    const { api } = open();
    await api.create(requests(['1', '2', '3'], LONG));
    await api.create(requests(['1', '2', '3', '4'], 'Be brief.'));
    expect(server.billed).toMatchObject({ cacheReadTokens: 0, cacheWriteTokens: 0 });
    await api.create(requests(['1', '2', '3', '4'], LONG));
    const prefix = Math.ceil((LONG.length + 4) / 4);
    expect(server.billed).toMatchObject({ cacheWriteTokens: prefix, cacheReadTokens: 3 * prefix });
  });

  it('say what became of each question, and of what is none', async () => {
    const { api } = open();
    server.fate = (_request, index) => (['errored', 'expired', 'canceled', 'succeeded'] as const)[index]!;
    server.order = (lines) => [
      ...lines,
      { custom_id: 'q-9', result: { type: 'succeeded', message: { said: CANARY } } },
      { custom_id: 'q-8', result: { type: CANARY } },
      { custom_id: `../${CANARY}`, result: { type: 'expired' } },
      { result: {} },
    ];
    const { id } = await api.create(requests(['1', '2', '3', '4']));
    const results = await resultsOf(id);
    expect(results.map((result) => result && [result.id, result.outcome])).toEqual([
      ['q-0', 'errored'],
      ['q-1', 'expired'],
      ['q-2', 'canceled'],
      ['q-3', 'answered'],
      ['q-9', 'unreadable'],
      ['q-8', 'unreadable'],
      null,
      null,
    ]);
    expect(JSON.stringify(results)).not.toContain(CANARY);
  });

  it.each([
    [429, 'rate_limited'],
    [401, 'auth'],
    [413, 'too_large'],
    [400, 'invalid_request'],
    [529, 'overloaded'],
    [500, 'server_error'],
  ] as const)('refused with %i fail as %s, without a word of what was asked', async (status, code) => {
    server.onCreate = [status];
    const error = await failureOf(open().api.create(requests([CANARY])));
    expect(error).toMatchObject({ code, status, unsent: false });
    expect(server.counts.create).toBe(1);
  });

  it('that nobody heard of are a network failure, and are not tried again', async () => {
    server.onCreate = ['drop'];
    const error = await failureOf(open().api.create(requests([CANARY])));
    expect(error).toMatchObject({ code: 'network', unsent: false });
    expect(server.counts.create).toBe(1);
    expect(server.batches).toHaveLength(1);
  });

  it('are not known, or cannot be told from anything else', async () => {
    expect(await failureOf(open().api.retrieve('msgbatch_none'))).toMatchObject({ status: 404 });
    const gone = await startBatchesServer(() => NOW);
    await gone.stop();
    expect(await failureOf(open(gone.url).api.list(0))).toMatchObject({ code: 'network', unsent: true });
  });

  it('give the key to no other host, whatever the answer says of its results', async () => {
    const elsewhere = await startBatchesServer(() => NOW);
    try {
      const { id } = await open().api.create(requests(['one']));
      const url = server.url;
      server.url = elsewhere.url;
      await expect(resultsOf(id, url)).rejects.toMatchObject({ code: 'invalid_response', retryable: false });
      expect(elsewhere.counts.results).toBe(0);
      server.url = url;
      expect(await resultsOf(id)).toHaveLength(1);
    } finally {
      await elsewhere.stop();
    }
  });
});
