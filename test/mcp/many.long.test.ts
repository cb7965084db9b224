import { loadImport } from '@slowwave/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../fixtures/wait.ts';
import { lineOf } from '../producer/harness.ts';
import { callTool, type McpStage, openMcpStage } from './stage.ts';

const MEMORIES = 50_000;
/** Four thousand tokens of four characters. */
const ANSWER_CHARS = 16_000;

let stage: McpStage;
beforeAll(async () => {
  stage = await openMcpStage();
  const lines = Array.from({ length: MEMORIES }, (_, at) =>
    lineOf('ana', `Note ${at}: the hens of house ${at % 97} sing at dawn.`),
  );
  await loadImport(stage.database, lines.join('\n'), {
    format: 'jsonl',
    defaults: { tenant: 't' },
    at: Date.now(),
    maxContentChars: 1_000,
  });
});
afterAll(() => stage?.dispose());

it(`list_memories: of ${MEMORIES} memories each page fits, and all pages together hold each once`, async () => {
  const client = await stage.connect({ role: 'read' });
  const seen = new Set<string>();
  let calls = 0;
  let cursor: string | undefined;
  do {
    const page = await callTool(client, 'list_memories', { limit: 100, ...(cursor ? { cursor } : {}) });
    expect(page.size).toBeLessThanOrEqual(ANSWER_CHARS);
    for (const { id } of page.data.memories) seen.add(id);
    calls += 1;
    cursor = page.data.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen.size).toBe(MEMORIES);
  expect(calls).toBeLessThan(MEMORIES / 10);
});

it('subscriptions/listen: the hundred and first of a token is refused, and one that is closed makes room', async () => {
  const { url } = await stage.producer.listen();
  const client = await stage.connect({ role: 'read', url });
  const listen = () => client.listen({ resourceSubscriptions: ['slowwave://users/ana/reports/latest'] });
  const open = await Promise.all(Array.from({ length: 100 }, listen));
  await expect(listen()).rejects.toThrow(/429|rate_limited/);
  await open[0]!.close();
  await until('room for another one', () => listen().then(Boolean, () => false));
});
