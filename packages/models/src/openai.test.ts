import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeProvider, failureOf } from '../../../test/conformance/provider.ts';
import { CHAT_PATH, startOpenAiServer } from '../../../test/fakes/openai-server.ts';
import type { FakeServer } from '../../../test/fakes/scripted-server.ts';
import { type Ledger, meterProvider } from './meter.ts';
import { createOpenAiProvider, type OpenAiOptions } from './openai.ts';

const MODEL = 'qwen3:8b';
const REQUEST = { messages: [{ role: 'user' as const, content: 'Say ok.' }] };
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } } };

describeProvider('openai', { remote: true }, async () => {
  const server = await startOpenAiServer();
  const withTimeout = (timeoutMs: number) =>
    createOpenAiProvider({
      baseUrl: `${server.url}/v1`,
      model: MODEL,
      timeoutMs,
      structuredOutput: 'json_schema',
    });
  return { provider: withTimeout(60_000), withTimeout, request: REQUEST, server, stop: server.stop };
});

/** An error that names one of several refused parameters at a time. */
const named = (message: string, body: Record<string, unknown> | null): string =>
  message.startsWith('max_tokens and') && !('max_tokens' in (body ?? {})) ? 'temperature: unknown' : message;

describe('chat completions', () => {
  let server: FakeServer;
  beforeEach(async () => {
    server = await startOpenAiServer();
  });
  afterEach(() => server.stop());
  const providerOf = (more: Partial<OpenAiOptions> = {}) =>
    createOpenAiProvider({
      baseUrl: `${server.url}/v1/`,
      model: MODEL,
      timeoutMs: 60_000,
      structuredOutput: 'json_schema',
      ...more,
    });
  const bodyOf = async (more: Partial<OpenAiOptions>, request = {}) => {
    await providerOf(more).complete({ ...REQUEST, system: 'Be brief.', ...request });
    return server.calls.at(-1)?.json;
  };

  it('get model, limit, temperature and messages', async () => {
    expect(await bodyOf({}, { temperature: 0.1, maxTokens: 77 })).toEqual({
      model: MODEL,
      stream: false,
      temperature: 0.1,
      max_tokens: 77,
      messages: [{ role: 'system', content: 'Be brief.' }, ...REQUEST.messages],
    });
    expect(server.calls[0]).toMatchObject({ method: 'POST', path: CHAT_PATH });
  });

  it('leave out what newer hosted models refuse, when told so', async () => {
    const body = await bodyOf(
      { maxTokensField: 'max_completion_tokens', omitTemperature: true },
      { temperature: 0.1 },
    );
    expect(body).toMatchObject({ max_completion_tokens: 256 });
    expect(body).not.toHaveProperty('max_tokens');
    expect(body).not.toHaveProperty('temperature');
  });

  it('get the schema as the response format where the server can enforce it', async () => {
    const body = await bodyOf({ structuredOutput: 'json_schema' }, { schema: SCHEMA });
    expect(body?.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema: SCHEMA },
    });
    expect(JSON.stringify(body?.messages)).not.toContain('properties');
  });

  it('get the schema in words where the server cannot', async () => {
    for (const structuredOutput of ['json_object', 'none'] as const) {
      const body = await bodyOf({ structuredOutput }, { schema: SCHEMA });
      expect(body?.messages).toEqual([
        { role: 'system', content: expect.stringContaining(JSON.stringify(SCHEMA)) },
        ...REQUEST.messages,
      ]);
      expect(body?.response_format).toEqual(
        structuredOutput === 'json_object' ? { type: 'json_object' } : undefined,
      );
    }
  });

  const INVALID = 'invalid_request_error';
  const refusals: [string, string, (body: Record<string, unknown>) => boolean, Record<string, unknown>][] = [
    [
      'max_tokens',
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      (body) => 'max_tokens' in body,
      { max_completion_tokens: 256, temperature: 0.1 },
    ],
    [
      'temperature',
      "Unsupported value: 'temperature' does not support 0.1 with this model.",
      (body) => 'temperature' in body,
      { max_tokens: 256 },
    ],
    [
      '',
      'This response_format type is unavailable now',
      ({ response_format: format }) => (format as { type?: string } | undefined)?.type === 'json_schema',
      { response_format: { type: 'json_object' } },
    ],
    [
      '',
      'response_format is not supported',
      (body) => 'response_format' in body,
      { max_tokens: 256, temperature: 0.1 },
    ],
    [
      '',
      'max_tokens and temperature: unknown parameters',
      (body) => 'max_tokens' in body || 'temperature' in body,
      { max_completion_tokens: 256 },
    ],
  ];
  it.each(refusals)(
    'complete, the endpoint refuses %s (%s): asks in the other form, and later begins with it',
    async (param, message, isRefused, expected) => {
      server.use((call) =>
        isRefused(call.json ?? {})
          ? { kind: 'error', status: 400, param, message: named(message, call.json), errorCode: INVALID }
          : { kind: 'text', text: 'ok' },
      );
      const provider = providerOf();
      const request = { ...REQUEST, schema: SCHEMA, temperature: 0.1 };
      expect((await provider.complete(request)).content[0]?.text).toBe('ok');
      expect(server.calls.at(-1)?.json).toMatchObject(expected);
      expect(isRefused(server.calls.at(-1)?.json ?? {})).toBe(false);
      server.reset();
      await provider.complete(request);
      expect(server.calls).toHaveLength(1);
      expect(server.calls[0]?.json).toMatchObject(expected);
    },
  );

  it.each([
    [400, { detail: [{ loc: ['body', 'temperature'], msg: 'Extra inputs are not permitted' }] }],
    [422, { error: 'temperature is not supported' }],
  ])('complete, status %i with another shape of error: leaves the parameter out', async (status, body) => {
    server.use((call) =>
      'temperature' in (call.json ?? {}) ? { kind: 'error', status, body } : { kind: 'text', text: 'ok' },
    );
    await providerOf().complete({ ...REQUEST, temperature: 0.1 });
    expect(server.calls).toHaveLength(2);
  });

  it('complete, metered, the endpoint refuses a parameter: one reservation, settled with what the answer took', async () => {
    server.use((call) =>
      'temperature' in (call.json ?? {})
        ? { kind: 'error', status: 400, param: 'temperature' }
        : { kind: 'text', text: 'ok' },
    );
    const told: unknown[] = [];
    const ledger: Ledger = {
      async reserve() {
        told.push('reserved');
        return {
          settle: async (usage) => void told.push(usage),
          release: async () => void told.push('released'),
        };
      },
    };
    const metered = meterProvider(providerOf(), ledger);
    const { usage } = await metered.complete({ ...REQUEST, temperature: 0.1 });
    expect(told).toEqual(['reserved', usage]);
    expect(server.calls).toHaveLength(2);
  });

  it('complete, the endpoint refuses both forms: throws the refusal, and the next call is one', async () => {
    const message = 'max_tokens is too large: 256';
    server.use({ kind: 'error', status: 400, param: 'max_tokens', message });
    const provider = providerOf();
    expect(await failureOf(provider.complete(REQUEST))).toMatchObject({ code: 'invalid_request' });
    expect(
      server.calls.map(({ json }) => Object.keys(json ?? {}).find((key) => key.startsWith('max_'))),
    ).toEqual(['max_tokens', 'max_completion_tokens']);
    server.reset();
    await failureOf(provider.complete(REQUEST));
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    [429, 'temperature'],
    [401, 'temperature'],
    [500, 'temperature'],
    [400, 'messages'],
  ])('complete, status %i that names %s: is not asked again', async (status, param) => {
    server.use({ kind: 'error', status, param, message: 'no' });
    await failureOf(providerOf().complete({ ...REQUEST, temperature: 0.1 }));
    expect(server.calls).toHaveLength(1);
  });

  it('get the key as a bearer token, and no header without a key', async () => {
    await bodyOf({ apiKey: 'test-key' });
    await bodyOf({});
    expect(server.calls[0]?.headers.authorization).toBe('Bearer test-key');
    expect(server.calls[1]?.headers).not.toHaveProperty('authorization');
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
    ['tool_calls', 'tool_calls'],
    ['constructor', 'constructor'],
  ])('end with %s as %s', async (finishReason, stopReason) => {
    server.use({ kind: 'text', text: 'x', stopReason: finishReason });
    expect((await providerOf().complete(REQUEST)).stopReason).toBe(stopReason);
  });

  it('may give their text in parts, and no usage', async () => {
    const message = { content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, 7] };
    server.use({ kind: 'answer', value: () => ({ choices: [{ message, finish_reason: 'stop' }] }) });
    expect(await providerOf().complete(REQUEST)).toEqual({
      content: [{ type: 'text', text: 'ab' }],
      stopReason: 'end_turn',
      usage: { inputTokens: 0, outputTokens: 0 },
      model: MODEL,
    });
  });

  it.each([
    ['with both marks', '<think>Draft: {"a":"x"}</think>\n{"a":"b"}'],
    ['without the opening mark', 'Let me draft {"a": [ ... ]} first.\n</think>\n\n{"a":"b"}'],
    ['several times', '<think>x</think>\nHm.\n</think> {"a":"b"}'],
    ['under another name', '<thinking>{"a":"x"}</thinking>{"a":"b"}'],
  ])('leave out thinking %s', async (_name, text) => {
    server.use({ kind: 'text', text });
    expect((await providerOf().complete(REQUEST)).content[0]?.text).toBe('{"a":"b"}');
  });

  it.each(['<think>Draft: {"a":"x"}', 'Draft: {"a":"x"}\n</think>\n'])(
    'have no text where thinking has no answer behind it: %j',
    async (text) => {
      server.use({ kind: 'text', text });
      expect((await providerOf().complete(REQUEST)).content).toEqual([]);
    },
  );

  it.each([
    ['{"a":"b"}', 'stop', '{"a":"b"}'],
    ['I see. </think> {"a":"b"}', 'stop', '{"a":"b"}'],
    ['Draft: {"a":"x"}', 'stop', undefined],
    ['{"a":"x"}, or', 'length', undefined],
  ])(
    'without a text, with the reasoning %j that ended with %s: have the text %j',
    async (reasoning, finish, text) => {
      const message = { content: null, reasoning_content: reasoning };
      server.use({ kind: 'answer', value: () => ({ choices: [{ message, finish_reason: finish }] }) });
      expect((await providerOf().complete(REQUEST)).content[0]?.text).toBe(text);
    },
  );

  it('keep a mark of thinking in a string of JSON', async () => {
    const text = JSON.stringify({ a: 'ends with </think>', b: '<think> and </think>\n{' });
    server.use({ kind: 'text', text });
    expect((await providerOf().complete(REQUEST)).content[0]?.text).toBe(text);
  });

  it.each(['\u201cabc\u201d', 'sk-\u2022\u2022\u2022', 'clé', 'a\nb'])(
    'with the key %j: fail before a request is made, without the key in the error',
    async (apiKey) => {
      const error = await failureOf(providerOf({ apiKey }).complete(REQUEST));
      expect(error).toMatchObject({ code: 'auth', retryable: false, unsent: true });
      expect(error.message).toContain('no header can carry');
      expect(error.message).not.toContain(apiKey);
      expect(server.calls).toEqual([]);
    },
  );

  it('keep thinking marks that are part of the text', async () => {
    server.use({ kind: 'text', text: 'The tag <think>x</think> stays.' });
    expect((await providerOf().complete(REQUEST)).content[0]?.text).toBe('The tag <think>x</think> stays.');
  });

  it('take a 429 for an exhausted quota as a matter of the account', async () => {
    server.use({ kind: 'error', status: 429, errorCode: 'insufficient_quota' });
    expect(await failureOf(providerOf().complete(REQUEST))).toMatchObject({ code: 'auth', retryable: false });
  });
});
