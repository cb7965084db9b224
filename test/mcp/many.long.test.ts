import { loadImport } from '@slowwave/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
