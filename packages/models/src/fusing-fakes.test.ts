import {
  buildStatementsRequest,
  type Cluster,
  type LLMProvider,
  parseStatements,
  textOf,
} from '@slowwave/fusion';
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../../test/conformance/provider.ts';
import { fuse, unknownIds } from '../../../test/fakes/fuse.ts';
import { startMessagesServer } from '../../../test/fakes/messages-server.ts';
import { startOpenAiServer } from '../../../test/fakes/openai-server.ts';
import type { FakeServer, Script } from '../../../test/fakes/scripted-server.ts';
import { createAnthropicProvider } from './anthropic.ts';
import { createOpenAiProvider } from './openai.ts';

const clusterOf = (...texts: string[]) =>
  ({
    members: texts.map((content, i) => ({
      id: `m${i}`,
      content,
      category: 'fact',
      importance: 5,
      documentDate: 0,
    })),
    relations: [],
  }) as unknown as Cluster;
const DOGS = ['Biscuit is a beagle.', 'Biscuit likes cheese.'];
const DOG = buildStatementsRequest(clusterOf(...DOGS));
const CELLO = buildStatementsRequest(clusterOf('Mara plays the cello.', 'Mara owns a cello from 1921.'));

const KINDS: [string, (script: Script) => Promise<{ server: FakeServer; provider: LLMProvider }>][] = [
  [
    'anthropic',
    async (script) => {
      const server = await startMessagesServer(script);
      const options = { apiKey: 'k', model: 'claude-haiku-5-5', baseUrl: server.url, timeoutMs: 60_000 };
      return { server, provider: createAnthropicProvider(options) };
    },
  ],
  [
    'openai',
    async (script) => {
      const server = await startOpenAiServer({ chat: script });
      const options = { model: 'm', baseUrl: `${server.url}/v1`, timeoutMs: 60_000 };
      return { server, provider: createOpenAiProvider({ ...options, structuredOutput: 'json_schema' }) };
    },
  ],
];

describe.each(KINDS)('a fusion through %s', (_name, start) => {
  let server: FakeServer | undefined;
  afterEach(() => server?.stop());

  it('is answered by a fake that fuses, but for the clusters it is told to fail', async () => {
    const intercept = (text: string) =>
      text.includes('cello') ? ({ kind: 'error', status: 400, echo: true } as const) : undefined;
    const started = await start(fuse({ intercept, delayMs: 5 }));
    server = started.server;
    const [dog, cello] = await Promise.all([
      started.provider.complete(DOG),
      failureOf(started.provider.complete(CELLO)),
    ]);
    expect(parseStatements(textOf(dog), DOGS)).toMatchObject({
      ok: true,
      answer: { statements: [{ sources: [1, 2], text: 'Biscuit beagle.; Biscuit cheese.' }] },
    });
    expect(cello).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(server.calls).toHaveLength(2);
  });

  it('arrives with ids that were not given, for the reader to refuse', async () => {
    const started = await start(unknownIds());
    server = started.server;
    const answer = await started.provider.complete(DOG);
    expect(parseStatements(textOf(answer), DOGS)).toMatchObject({
      ok: true,
      answer: { statements: [], problems: ['sources_invalid'] },
    });
  });
});
