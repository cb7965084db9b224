import { readFileSync } from 'node:fs';
import { createClient, SlowwaveProblem } from '@slowwave/client';
import { createOfflineEmbedder } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../fixtures/wait.ts';
import { clientExample } from './client-example.ts';
import { openStage, type Stage, TOKEN, tokenFor } from './harness.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('the client of a service', () => {
  let stage: Stage;
  let url: string;
  beforeAll(async () => {
    stage = await openStage();
    const { producer } = stage.newProducer({ embedder: createOfflineEmbedder() });
    ({ url } = await producer.listen());
  });
  afterAll(() => stage?.dispose());

  const clientOf = async (tenant: string, role: 'read' | 'write' | 'admin') => {
    const { authorization } = await tokenFor(stage.database, { tenant, role });
    return createClient({ url, token: authorization.slice('Bearer '.length) });
  };

  it('does what its README shows', async () => {
    const shown = /```ts\n[^\n]*\n\n([\s\S]*?)```/.exec(read('../../packages/client/README.md'))?.[1];
    const run = /\/\/ example\n([\s\S]*?)\n {2}\/\/ end/.exec(read('./client-example.ts'))?.[1];
    expect(shown?.trim()).toBe(run?.replaceAll(/^ {2}/gm, '').trim());

    const { authorization } = await tokenFor(stage.database, { tenant: 'readme', role: 'write' });
    const token = authorization.slice('Bearer '.length);
    const lines: string[] = [];
    const example = clientExample(url, token, (line) => lines.push(line));
    // No worker is here: the run ends since it is cancelled.
    const client = createClient({ url, token });
    const runId = await until('a run', async () => (await client.listRuns({ user: 'ana' })).runs[0]?.runId);
    await client.cancelConsolidation({ runId, user: 'ana' });
    await example;
    expect(lines).toEqual([
      expect.stringMatching(/^Ana plays the cello on Tuesdays\. \(/),
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      'cancelled',
      expect.stringMatching(/^404 unknown_memory: /),
    ]);
  });

  it('goes through lists of several pages, each item once', async () => {
    const client = await clientOf('lists', 'admin');
    for (let i = 0; i < 5; i++) await client.createToken({ name: `agent ${i}`, role: 'read' });
    const names = [];
    for await (const token of client.all.listTokens({ limit: 2 })) names.push(token.name);
    expect(names).toEqual(['agent 4', 'agent 3', 'agent 2', 'agent 1', 'agent 0', 'admin of lists']);
  });

  it('does a write once, however often its key comes', async () => {
    const client = await clientOf('once', 'write');
    const input = { user: 'ana', content: 'Ana has two cats.' };
    const options = { idempotencyKey: 'cats' };
    const first = await client.createMemory(input, options);
    expect(await client.createMemory(input, options)).toEqual(first);
    await expect(client.createMemory({ ...input, content: 'other' }, options)).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
  });

  it('is told what it may not do', async () => {
    const client = await clientOf('low', 'read');
    const refused = await client.createMemory({ user: 'ana', content: 'x' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SlowwaveProblem);
    expect(refused).toMatchObject({ status: 403, code: 'role_too_low', retryable: false });
    const nobody = createClient({ url, token: 'wrong' });
    await expect(nobody.listTokens()).rejects.toMatchObject({ status: 401, code: 'not_signed_in' });
  });

  it('moves files in and out', async () => {
    const client = createClient({ url, token: TOKEN });
    const body = '{"user":"ana","content":"Ana sings.","category":"fact"}\n';
    const summary = await client.importMemories({ tenant: 'files', body });
    expect(summary).toMatchObject({ inserted: 1, problemCount: 0 });
    const exported = await new Response(await client.exportMemories({ tenant: 'files' })).text();
    expect(exported).toContain('Ana sings.');
  });

  it('tries again when it comes too often', async () => {
    const { producer } = stage.newProducer({ ratePerMinute: 2 });
    const limited = await producer.listen();
    const waits: number[] = [];
    const client = createClient({
      url: limited.url,
      token: TOKEN,
      retries: 1,
      pause: async (ms) => void waits.push(ms),
    });
    await client.listTokens();
    await client.listTokens();
    await expect(client.listTokens()).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
    expect(waits).toHaveLength(1);
    expect(waits[0]! > 0 && waits[0]! <= 60_000).toBe(true);
  });

  it('reads what the service is and how it is', async () => {
    const client = createClient({ url, token: TOKEN });
    expect(await client.getLiveness()).toEqual({ status: 'live' });
    expect((await client.getReadiness()).version).toBe('1.2.3');
    expect((await client.getOpenApi()).openapi).toBe('3.1.0');
    expect(await client.getMetrics()).toContain('slowwave_users_overdue');
  });
});
