import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CANARY, describeProvider, failureOf } from '../../../test/conformance/provider.ts';
import { MESSAGES_PATH, startMessagesServer } from '../../../test/fakes/messages-server.ts';
import type { FakeServer } from '../../../test/fakes/scripted-server.ts';
import { createAnthropicProvider } from './anthropic.ts';

const MODEL = 'claude-haiku-5-5';
const REQUEST = { messages: [{ role: 'user' as const, content: 'Say ok.' }] };

describeProvider('anthropic', { remote: true }, async () => {
  const server = await startMessagesServer({ kind: 'text', text: 'ok' });
  const withTimeout = (timeoutMs: number) =>
    createAnthropicProvider({ apiKey: 'test-key', model: MODEL, baseUrl: server.url, timeoutMs });
  return { provider: withTimeout(60_000), withTimeout, request: REQUEST, server, stop: server.stop };
});

describe('the Messages API', () => {
  let server: FakeServer;
  beforeEach(async () => {
    server = await startMessagesServer({ kind: 'text', text: 'ok' });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    await server.stop();
  });
  const providerOf = (more: { apiKey?: string; authToken?: string } = { apiKey: 'test-key' }) =>
    createAnthropicProvider({ ...more, model: MODEL, baseUrl: `${server.url}/`, timeoutMs: 60_000 });

  it('gets model, limit, system and messages, thinking switched off, and no sampling parameter', async () => {
    await providerOf().complete({ ...REQUEST, system: 'Be brief.', temperature: 0.1, maxTokens: 77 });
    const [call] = server.calls;
    expect(call).toMatchObject({ method: 'POST', path: MESSAGES_PATH });
    expect(call?.json).toEqual({
      model: MODEL,
      max_tokens: 77,
      system: 'Be brief.',
      messages: REQUEST.messages,
      thinking: { type: 'disabled' },
    });
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

  it('gets the schema as its output format, without the constraints it does not know', async () => {
    const schema = {
      type: 'object',
      required: ['importance'],
      properties: { importance: { type: 'integer', minimum: 1, maximum: 10 } },
    };
    const before = structuredClone(schema);
    await providerOf().complete({ ...REQUEST, schema });
    expect(server.calls[0]?.json?.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          required: ['importance'],
          additionalProperties: false,
          properties: {
            importance: { type: 'integer', description: expect.stringContaining('maximum: 10') },
          },
        },
      },
    });
    expect(schema).toEqual(before);
  });

  it('sizes the limit from the prompt when the request has none', async () => {
    await providerOf().complete({ messages: [{ role: 'user', content: 'word '.repeat(600) }] });
    expect(server.calls[0]?.json?.max_tokens).toBe(860);
    await providerOf().complete(REQUEST);
    expect(server.calls[1]?.json?.max_tokens).toBe(256);
  });

  it('authenticates with the key or the token it was given and with nothing of the surroundings', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'of-the-machine');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'of-the-machine');
    vi.stubEnv('ANTHROPIC_BASE_URL', 'http://127.0.0.1:9');
    await providerOf().complete(REQUEST);
    await providerOf({ authToken: 'test-token' }).complete(REQUEST);
    const headers = server.calls.map((call) => JSON.stringify(call.headers));
    expect(headers[0]).toContain('test-key');
    expect(headers[1]).toContain('Bearer test-token');
    expect(headers.join()).not.toContain('of-the-machine');
  });

  it('is unavailable without a key', () => {
    expect(providerOf({}).isAvailable()).toBe(false);
    expect(providerOf({ apiKey: '' }).isAvailable()).toBe(false);
    expect(providerOf({ authToken: 'x' }).isAvailable()).toBe(true);
  });

  it('logs no prompt and no answer, whatever the log level in the environment', async () => {
    vi.stubEnv('ANTHROPIC_LOG', 'debug');
    const lines: unknown[] = [];
    for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
      vi.spyOn(console, level).mockImplementation((...line) => void lines.push(...line));
    }
    server.use([
      { kind: 'text', text: CANARY },
      { kind: 'error', status: 400, echo: true },
    ]);
    const request = { messages: [{ role: 'user' as const, content: CANARY }] };
    await providerOf().complete(request);
    await failureOf(providerOf().complete(request));
    expect(lines).toEqual([]);
  });

  it('names the request in an error, so that support can find it', async () => {
    server.use({ kind: 'error', status: 500 });
    expect((await failureOf(providerOf().complete(REQUEST))).message).toContain('req_fake00000000');
  });

  it.each([
    [429, 'contract_spend_limit_reached'],
    [429, 'enforced_spend_limit_reached'],
    [400, 'organization_on_hold'],
  ])('takes a %i with the code %s for a matter of the account', async (status, errorCode) => {
    server.use({ kind: 'error', status, errorCode, retryAfter: '5' });
    const error = await failureOf(providerOf().complete(REQUEST));
    expect(error).toMatchObject({ code: 'auth', retryable: false, status, retryAfterMs: null });
  });

  it('takes a full context window for a cut answer', async () => {
    server.use({ kind: 'text', text: 'half', stopReason: 'model_context_window_exceeded' });
    expect((await providerOf().complete(REQUEST)).stopReason).toBe('max_tokens');
  });
});
