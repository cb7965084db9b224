import { type CompletionRequest, type LLMProvider, ModelError, type ModelErrorCode } from '@slowwave/fusion';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Behaviour, FakeServer } from '../fakes/scripted-server.ts';

export interface ProviderFixture {
  provider: LLMProvider;
  /** A request that the provider answers with text when nothing goes wrong. */
  request: CompletionRequest;
  /** The fake that answers it; absent for a provider that calls nobody. */
  server?: FakeServer;
  /** A provider like the first whose patience ends after `timeoutMs`. Needed with a server. */
  withTimeout?: (timeoutMs: number) => LLMProvider;
  stop(): Promise<void>;
}

/** Text that must never come out of a provider by way of an error. */
export const CANARY = 'canary-7f3a-ZEBRA';

export async function failureOf(promise: Promise<unknown>): Promise<ModelError> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(ModelError);
  if (!(outcome instanceof ModelError)) throw new Error('expected a ModelError');
  return outcome;
}

/** Everything of an error that a log or a queue could keep. */
export function allTextOf(error: Error): string {
  const own = Object.getOwnPropertyNames(error).map((name) => [name, Reflect.get(error, name)]);
  return [error.message, error.stack, JSON.stringify(error), JSON.stringify(own), String(error.cause)].join(
    '\n',
  );
}

interface ErrorCase {
  behaviour: Behaviour & { kind: 'error' };
  code: ModelErrorCode;
  retryable: boolean;
  retryAfterMs: number | null;
}

const status = (code: number, more: Partial<Behaviour & { kind: 'error' }> = {}) =>
  ({ kind: 'error', status: code, ...more }) as const;

const ERROR_CASES: ErrorCase[] = [
  { behaviour: status(400), code: 'invalid_request', retryable: false, retryAfterMs: null },
  { behaviour: status(404), code: 'invalid_request', retryable: false, retryAfterMs: null },
  { behaviour: status(422), code: 'invalid_request', retryable: false, retryAfterMs: null },
  { behaviour: status(401), code: 'auth', retryable: false, retryAfterMs: null },
  { behaviour: status(402), code: 'auth', retryable: false, retryAfterMs: null },
  { behaviour: status(403), code: 'auth', retryable: false, retryAfterMs: null },
  { behaviour: status(408), code: 'timeout', retryable: true, retryAfterMs: null },
  { behaviour: status(413), code: 'too_large', retryable: false, retryAfterMs: null },
  { behaviour: status(429), code: 'rate_limited', retryable: true, retryAfterMs: null },
  { behaviour: status(429, { retryAfter: '7' }), code: 'rate_limited', retryable: true, retryAfterMs: 7000 },
  {
    behaviour: status(429, { retryAfter: 'soon' }),
    code: 'rate_limited',
    retryable: true,
    retryAfterMs: null,
  },
  { behaviour: status(500), code: 'server_error', retryable: true, retryAfterMs: null },
  { behaviour: status(502), code: 'server_error', retryable: true, retryAfterMs: null },
  { behaviour: status(503, { retryAfter: '2' }), code: 'server_error', retryable: true, retryAfterMs: 2000 },
  { behaviour: status(504), code: 'server_error', retryable: true, retryAfterMs: null },
  { behaviour: status(529), code: 'overloaded', retryable: true, retryAfterMs: null },
];

/** What every provider promises, whether it calls anybody or not. */
function describeBasics(fixture: () => ProviderFixture): void {
  it('has a name, a model and is available', () => {
    const { provider } = fixture();
    expect(provider.name).not.toBe('');
    expect(provider.model).toBeTruthy();
    expect(provider.isAvailable()).toBe(true);
  });

  it('answers with text blocks, a stop reason, usage and a model', async () => {
    const { provider, request, server } = fixture();
    const answer = await provider.complete(request);
    expect(answer.stopReason).toBe('end_turn');
    expect(answer.content.length).toBeGreaterThan(0);
    for (const block of answer.content) expect(block).toEqual({ type: 'text', text: expect.any(String) });
    // What nobody bills is 0.
    const least = server ? 1 : 0;
    expect(answer.usage.inputTokens).toBeGreaterThanOrEqual(least);
    expect(answer.usage.outputTokens).toBeGreaterThanOrEqual(least);
    expect(answer.model).toBe(provider.model);
  });

  it('refuses a call whose signal has fired, as aborted and not to be retried', async () => {
    const { provider, request, server } = fixture();
    const error = await failureOf(provider.complete({ ...request, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'aborted', retryable: false });
    expect(server?.calls ?? []).toHaveLength(0);
  });

  it('leaves the request as it was and can be called at the same time', async () => {
    const { provider, request } = fixture();
    const before = structuredClone(request);
    const answers = await Promise.all([1, 2, 3].map(() => provider.complete(request)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.content))).size).toBe(1);
    expect(request).toEqual(before);
  });
}

function describeAnswers(fixture: () => ProviderFixture, server: () => FakeServer): void {
  it('skips thinking that comes before the text', async () => {
    server().use({ kind: 'text', text: 'the answer', thinkingFirst: true });
    const answer = await fixture().provider.complete(fixture().request);
    expect(answer.content).toEqual([{ type: 'text', text: 'the answer' }]);
  });

  it('hands back text that is not JSON as it stands', async () => {
    server().use({ kind: 'text', text: 'Sure! Here it is: {"summary": ' });
    const answer = await fixture().provider.complete({ ...fixture().request, schema: { type: 'object' } });
    expect(answer.content).toEqual([{ type: 'text', text: 'Sure! Here it is: {"summary": ' }]);
    expect(answer.stopReason).toBe('end_turn');
  });

  it('reports a refusal, whatever text there is', async () => {
    server().use({ kind: 'refusal' });
    const answer = await fixture().provider.complete({ ...fixture().request, schema: { type: 'object' } });
    expect(answer.stopReason).toBe('refusal');
  });

  it('reports an answer that was cut as max_tokens, and does not parse it', async () => {
    server().use({ kind: 'truncated', text: '{"summary":"Mara pl' });
    const answer = await fixture().provider.complete({ ...fixture().request, schema: { type: 'object' } });
    expect(answer).toMatchObject({
      stopReason: 'max_tokens',
      content: [{ type: 'text', text: '{"summary":"Mara pl' }],
    });
  });

  it('takes a stop reason that is a sentence for unknown', async () => {
    server().use({ kind: 'text', text: 'x', stopReason: 'Because of the user’s text' });
    expect((await fixture().provider.complete(fixture().request)).stopReason).toBe('unknown');
  });

  it('sends text in any script, and a lone surrogate as a replacement character', async () => {
    server().use({ kind: 'text', text: 'schön 健太 🍕' });
    const content = 'grün 健太 🍕 \ud800 end \u0000';
    const answer = await fixture().provider.complete({ messages: [{ role: 'user', content }] });
    expect(answer.content[0]?.text).toBe('schön 健太 🍕');
    expect(server().calls[0]?.text).toContain('grün 健太 🍕 \ufffd end');
  });

  for (const [name, behaviour] of [
    ['a page of a proxy', { kind: 'raw', body: '<html>502</html>', contentType: 'text/html' }],
    ['a body that is not JSON', { kind: 'raw', body: `{"content": ${CANARY}` }],
    ['JSON of another shape', { kind: 'raw', body: '{"hello":[1]}' }],
    ['an empty body', { kind: 'raw', body: '' }],
  ] satisfies [string, Behaviour][]) {
    it(`calls ${name} an invalid response, to be tried again`, async () => {
      server().use(behaviour);
      const error = await failureOf(fixture().provider.complete(fixture().request));
      expect(error).toMatchObject({ code: 'invalid_response', retryable: true });
      expect(allTextOf(error)).not.toContain(CANARY);
    });
  }

  it('stops reading an answer above 4 MB', async () => {
    server().use({ kind: 'text', text: 'x'.repeat(5 * 1024 * 1024) });
    const error = await failureOf(fixture().provider.complete(fixture().request));
    expect(error).toMatchObject({ code: 'invalid_response', retryable: false });
  });
}

function describeFailures(fixture: () => ProviderFixture, server: () => FakeServer): void {
  for (const { behaviour, code, retryable, retryAfterMs } of ERROR_CASES) {
    const after = behaviour.retryAfter === undefined ? '' : ` with retry-after ${behaviour.retryAfter}`;
    it(`classifies ${behaviour.status}${after} as ${code}, from one call`, async () => {
      server().use(behaviour);
      const error = await failureOf(fixture().provider.complete(fixture().request));
      expect(error).toMatchObject({ code, retryable, retryAfterMs, status: behaviour.status });
      expect(server().calls).toHaveLength(1);
    });
  }

  it('reads a retry-after that is a date', async () => {
    const hour = 3_600_000;
    server().use(status(429, { retryAfter: new Date(Date.now() + 2 * hour).toUTCString() }));
    const { retryAfterMs } = await failureOf(fixture().provider.complete(fixture().request));
    expect(Math.round((retryAfterMs ?? 0) / hour)).toBe(2);
  });

  it('does not follow a redirect: prompts go to the configured host only', async () => {
    server().use(status(307, { location: `${server().url}/elsewhere` }));
    const error = await failureOf(fixture().provider.complete(fixture().request));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(server().calls).toHaveLength(1);
  });

  it('calls a connection reset in the middle of the body a network error', async () => {
    server().use({ kind: 'reset' });
    const error = await failureOf(fixture().provider.complete(fixture().request));
    expect(error).toMatchObject({ code: 'network', retryable: true });
  });

  it('calls a refused connection a network error', async () => {
    await server().stop();
    const error = await failureOf(fixture().provider.complete(fixture().request));
    expect(error).toMatchObject({ code: 'network', retryable: true });
  });

  for (const kind of ['hang', 'stall'] as const) {
    it(`gives up on a server that ${kind === 'hang' ? 'never answers' : 'stops in the middle'}`, async () => {
      server().use({ kind });
      const provider = fixture().withTimeout?.(2_000);
      const error = await failureOf(provider?.complete(fixture().request) ?? Promise.resolve());
      expect(error).toMatchObject({ code: 'timeout', retryable: true });
      expect(server().calls).toHaveLength(1);
    });

    it(`stops when the caller aborts while the server ${kind}s`, async () => {
      server().use({ kind });
      const controller = new AbortController();
      const failing = failureOf(
        fixture().provider.complete({ ...fixture().request, signal: controller.signal }),
      );
      await server().waitForCalls(1);
      controller.abort();
      expect(await failing).toMatchObject({ code: 'aborted', retryable: false });
    });
  }

  it('waits for a slow answer within its patience', async () => {
    server().use({ kind: 'text', text: 'late', delayMs: 50 });
    expect((await fixture().provider.complete(fixture().request)).content[0]?.text).toBe('late');
  });

  for (const code of [400, 401, 429, 500]) {
    it(`lets nothing of the prompt or the answer into the error of a ${code} that echoes it`, async () => {
      server().use(status(code, { echo: true, errorCode: CANARY }));
      const error = await failureOf(
        fixture().provider.complete({ system: CANARY, messages: [{ role: 'user', content: CANARY }] }),
      );
      expect(server().calls[0]?.text).toContain(CANARY);
      expect(allTextOf(error)).not.toContain(CANARY);
      expect(error.cause).toBeUndefined();
    });
  }
}

/**
 * The suite that every LLMProvider passes.
 * @param makeFixture called for each test; a fixture without a server runs what needs none.
 */
export function describeProvider(
  name: string,
  options: { remote: boolean },
  makeFixture: () => Promise<ProviderFixture>,
): void {
  describe(`LLMProvider: ${name}`, () => {
    let current: ProviderFixture | undefined;
    const fixture = (): ProviderFixture => {
      if (!current) throw new Error('no fixture');
      return current;
    };
    const server = (): FakeServer => {
      const found = fixture().server;
      if (!found) throw new Error('the fixture has no server');
      return found;
    };
    beforeEach(async () => {
      current = await makeFixture();
    });
    afterEach(async () => {
      await current?.stop();
      current = undefined;
    });

    describeBasics(fixture);
    if (options.remote) {
      describeAnswers(fixture, server);
      describeFailures(fixture, server);
    }
  });
}
