import { readConfig } from '@slowwave/config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOpenAiServer } from '../../../../test/fakes/openai-server.ts';
import type { Behaviour, FakeServer, RecordedCall } from '../../../../test/fakes/scripted-server.ts';
import { modelCheck } from './model-checks.ts';

const KEY = 'not-a-real-key';

describe('modelCheck, with a call of the model', () => {
  let server: FakeServer;
  beforeAll(async () => {
    server = await startOpenAiServer();
  });
  afterAll(() => server?.stop());

  async function look(script: Behaviour | ((call: RecordedCall) => Behaviour)) {
    server.reset();
    server.use(script);
    const config = readConfig({
      SLOWWAVE_MODEL_PROVIDER: 'openai',
      SLOWWAVE_MODEL: 'm',
      OPENAI_BASE_URL: `${server.url}/v1`,
      OPENAI_API_KEY: KEY,
    });
    return modelCheck(config, { ask: true }).look();
  }

  it('asks as runs do, and takes the object that is asked for', async () => {
    expect(await look({ kind: 'text', text: 'Sure: {"ok":true}' })).toMatchObject({ verdict: 'ok' });
    expect(server.calls[0]?.json).toMatchObject({
      temperature: 0.1,
      max_tokens: 256,
      response_format: { type: 'json_schema' },
    });
  });

  it.each(['temperature', 'max_tokens', 'response_format'])(
    'an endpoint that refuses %s: asks in the other form, as runs do',
    async (param) => {
      const finding = await look(({ json }) =>
        param in (json ?? {}) ? { kind: 'error', status: 400, param } : { kind: 'text', text: '{"ok":true}' },
      );
      expect(finding).toMatchObject({ verdict: 'ok' });
    },
  );

  const answers: [string, Behaviour, RegExp][] = [
    ['a log-in page', { kind: 'raw', body: '<html>Sign in</html>', contentType: 'text/html' }, /a web page/],
    ['a stream', { kind: 'raw', body: 'data: {}\n\n', contentType: 'text/event-stream' }, /a stream/],
    ['an error in a 200', { kind: 'answer', value: () => ({ error: { message: 'no' } }) }, /is an error/],
    ['no choices', { kind: 'answer', value: () => ({ choices: null }) }, /not a chat completion/],
    ['empty choices', { kind: 'answer', value: () => ({ choices: [] }) }, /not a chat completion/],
  ];
  it.each(answers)('%s: fails, and says what to check', async (_name, behaviour, cause) => {
    expect(await look(behaviour)).toMatchObject({
      verdict: 'fail',
      cause: expect.stringMatching(cause),
      action: expect.stringContaining('OPENAI_BASE_URL'),
    });
  });

  it.each<[string, Behaviour, RegExp]>([
    ['prose', { kind: 'text', text: 'Yes, I am here.' }, /not with the JSON object/],
    ['another object', { kind: 'text', text: '{"yes":1}' }, /not with the JSON object/],
    ['a refusal', { kind: 'refusal' }, /not with the JSON object/],
    ['an answer that was cut short', { kind: 'truncated', text: '{"o' }, /cut short/],
  ])('%s: fails', async (_name, behaviour, cause) => {
    expect(await look(behaviour)).toMatchObject({ verdict: 'fail', cause: expect.stringMatching(cause) });
  });

  it.each<[string, Behaviour]>([
    ['429', { kind: 'error', status: 429 }],
    ['a 429 in a 200', { kind: 'answer', value: () => ({ error: { message: 'slow', code: 429 } }) }],
  ])('%s: warns that the model is busy', async (_name, behaviour) => {
    expect(await look(behaviour)).toMatchObject({
      verdict: 'warn',
      cause: expect.stringContaining('rate_limited'),
    });
  });
});
