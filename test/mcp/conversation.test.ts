import { readFile, writeFile } from 'node:fs/promises';
import type { Client } from '@modelcontextprotocol/client';
import { createOfflineEmbedder, createRecording, createReplayProvider, parseAnswers } from '@slowwave/models';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStatementModel } from '../fakes/statement-model.ts';
import { runTier } from '../fixtures/tier-runs.ts';
import { callTool, type McpStage, openMcpStage } from './stage.ts';

const DOCUMENT = new URL('../../docs/how-to/agents.md', import.meta.url);
/** What a large language model answered to the requests of this night. */
const ANSWERS = new URL('./conversation.jsonl', import.meta.url);
const EVENING = Date.parse('2026-03-02T18:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const IDS = /[0-9a-f]{64}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mcp-[0-9a-f]+/g;
const BLOCK = /(?<=## Two conversations\n[^`]*```text\n)[^`]*(?=```)/;

let at = EVENING;
let stage: McpStage;
beforeAll(async () => {
  stage = await openMcpStage({ embedder: createOfflineEmbedder(), now: () => at });
});
afterAll(() => stage?.dispose());

/** Notes down what is called and answered, with short ids and without scores. */
function transcript() {
  const names = new Map<string, string>();
  const shortened = (text: string): string =>
    text.replace(IDS, (id) => names.get(id) ?? names.set(id, `id-${names.size + 1}`).get(id)!);
  const lines: string[] = [];
  return {
    say: (line: string) => lines.push(line, ''),
    async call(client: Client, name: string, args: Record<string, unknown>) {
      const answer = await callTool(client, name, args);
      expect(answer.isError, answer.text).toBe(false);
      const told = JSON.stringify(answer.data, (key, value) =>
        value === null || key === 'score' || (Array.isArray(value) && value.length === 0) ? undefined : value,
      );
      // Each item of a list stands in a line.
      const folded = told.replace(/(?<=[[,])(?={|"[^"]*"[,\]])/g, '\n  ');
      lines.push(`> ${name} ${shortened(JSON.stringify(args))}`, shortened(folded), '');
      return answer.data;
    },
    text: () => lines.join('\n'),
  };
}

it('an agent writes, the night fuses, another conversation finds it and takes it back: as docs/how-to/agents.md shows', async () => {
  const { say, call, text } = transcript();
  const listening = await stage.connect({ user: 'zoe', speaksForUser: true });
  say('# Monday evening, by an agent that writes down what Zoe says');
  const notes = [
    'Zoe is allergic to hazelnuts: even traces make her throat swell.',
    'Zoe has an allergy to hazelnuts and cannot eat anything with traces of them.',
    'For her allergy to hazelnuts, of which even traces make her throat swell, Zoe always carries an adrenaline pen.',
  ];
  const flight = 'Zoe flies to Lisbon on 14 March 2026 at 07:40, from Basel.';
  for (const content of [...notes, flight]) {
    at += MINUTE;
    await call(listening, 'add_memory', { content, category: 'fact' });
  }
  const { data: night } = await callTool(listening, 'run_consolidation', { tier: 'sleep', preview: false });
  await listening.close();

  at += 32 * HOUR;
  const recording = createRecording(parseAnswers(await readFile(ANSWERS, 'utf8')));
  const fallback = createStatementModel({ write: () => ({ statements: [], conflicts: [] }) });
  const provider = createReplayProvider(recording, { model: 'recorded', fallback });
  const statements = { judge: true, judgeSecret: 'demonstration' };
  const target = { tenant: 't', user: 'zoe', tier: 'sleep' as const, at, runId: night.run_id };
  await runTier(stage.database, target, { provider, statements });
  expect(recording.open(), 'requests without a recorded answer').toEqual([]);

  const other = await stage.connect({ user: 'zoe' });
  say('# After the night, another conversation');
  const query = 'What must Zoe not eat?';
  const found = await call(other, 'search_memories', { query, limit: 2, expand: true });
  expect(found.memories[0]).toMatchObject({ type: 'derived', origin: 'user' });
  expect(found.memories[0].made_of.map(({ content }: { content: string }) => content).sort()).toEqual(
    [...notes].sort(),
  );
  const { fusions } = await call(other, 'get_consolidation', {});
  const [{ fusion_key: key }] = fusions;
  say('# Zoe wants her own words back');
  await call(other, 'undo_consolidation', { fusion_key: key });
  await call(other, 'undo_consolidation', { fusion_key: key, confirm: true });
  const { memories } = await call(other, 'list_memories', {});
  expect(memories.map(({ content }: { content: string }) => content)).toEqual([flight, ...notes.reverse()]);

  const document = await readFile(DOCUMENT, 'utf8');
  if (process.env.UPDATE_DOCS)
    await writeFile(
      DOCUMENT,
      document.replace(BLOCK, () => text().trimEnd() + '\n'),
    );
  else expect(text().trim()).toBe(BLOCK.exec(document)?.[0].trim());
});
