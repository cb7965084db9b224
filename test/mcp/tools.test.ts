import type { Client } from '@modelcontextprotocol/client';
import { ROLES } from '@slowwave/api';
import { loadImport } from '@slowwave/db';
import { mayCall, TOOLS } from '@slowwave/mcp';
import { createOfflineEmbedder } from '@slowwave/models';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStatementModel } from '../fakes/statement-model.ts';
import { runTier } from '../fixtures/tier-runs.ts';
import { lineOf } from '../producer/harness.ts';
import { callTool, type Era, type McpStage, openMcpStage } from './stage.ts';

/** Four thousand tokens of four characters. */
const ANSWER_CHARS = 16_000;
const HENS = 'Ana keeps two hens in the garden.';

describe('the tools of /mcp', () => {
  let stage: McpStage;
  beforeAll(async () => {
    stage = await openMcpStage({ embedder: createOfflineEmbedder() });
  });
  afterAll(() => stage.dispose());

  const add = async (client: Client, content = HENS, more: Record<string, unknown> = {}) =>
    (await callTool(client, 'add_memory', { content, ...more })).data.id as string;
  const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  const yes = () => ({ action: 'accept' as const, content: { confirm: true } });

  describe.each(['legacy', 'auto'] as Era[])('in the era that %s negotiates', (era) => {
    it.each(ROLES)(
      'tools/list: a token of the role %s, those that it may call and no other',
      async (role) => {
        const client = await stage.connect({ era, role });
        const allowed = TOOLS.filter((tool) => mayCall(role, tool.role)).map(({ name }) => name);
        expect(await namesOf(client)).toEqual(allowed);
        for (const { name } of TOOLS.filter((tool) => !allowed.includes(tool.name))) {
          const refused = await callTool(client, name, {}).catch((error: unknown) => error);
          expect(refused, name).toMatchObject({ code: -32602 });
        }
      },
    );

    it('tools/list: each says what it takes, what it answers and how careful to be', async () => {
      const client = await stage.connect({ era, role: 'admin' });
      for (const { name, description, inputSchema, outputSchema, annotations } of (await client.listTools())
        .tools) {
        expect(description!.length, name).toBeGreaterThan(40);
        expect(inputSchema.properties, name).not.toHaveProperty('user');
        expect(outputSchema, name).toMatchObject({ type: 'object' });
        expect(annotations, name).toMatchObject({ openWorldHint: false, readOnlyHint: expect.any(Boolean) });
      }
    });

    it('tools/call: a memory from its first words to its end', async () => {
      const user = `life-${era}`;
      const client = await stage.connect({ era, user });
      const id = await add(client, HENS, { event_date: '2026-05-01', session: 's1' });
      expect(await add(client, HENS, { event_date: '2026-05-01', session: 's1' })).toBe(id);
      const found = await callTool(client, 'search_memories', { query: 'How many hens?', max_tokens: 500 });
      expect(found.data.memories).toMatchObject([{ id, content: HENS, origin: 'assistant', trust: 0.5 }]);
      const { data: read } = await callTool(client, 'get_memory', { id });
      expect(read).toMatchObject({ version: 1, session: 's1', event_date: '2026-05-01T00:00:00.000Z' });
      const edit = { id, content: 'Ana keeps three hens.', expected_version: 1 };
      const edited = await callTool(client, 'update_memory', edit);
      expect(edited.data).toMatchObject({ version: 2, change_set: expect.any(String) });
      expect((await callTool(client, 'update_memory', edit)).text).toMatch(/^version_changed: /);
      const changes = await callTool(client, 'list_changes', { since: '2026-01-01' });
      expect(changes.data.changes).toMatchObject([{ kind: 'edit', by: 'write of t', undone: false }]);
      const undo = { change_set: edited.data.change_set };
      expect((await callTool(client, 'undo_consolidation', undo)).data).toMatchObject({
        status: 'would',
        restored: 1,
      });
      await callTool(client, 'undo_consolidation', { ...undo, confirm: true });
      expect((await callTool(client, 'get_memory', { id })).data.content).toBe(HENS);
      expect((await callTool(client, 'delete_memory', { id })).data).toMatchObject({
        status: 'would',
        removed: [id],
      });
      expect((await callTool(client, 'list_memories')).data.memories).toHaveLength(1);
      expect((await callTool(client, 'delete_memory', { id, confirm: true })).data.status).toBe('done');
      expect((await callTool(client, 'get_memory', { id })).text).toMatch(/^unknown_memory: /);
    });

    it('resources and prompts: the memory as a document, one memory, and what to begin with', async () => {
      const user = `paper/${era}`;
      const client = await stage.connect({ era, user });
      const id = await add(client);
      const { resources } = await client.listResources();
      expect(resources.map(({ name }) => name)).toEqual(['memory.md', 'last-night', 'last-night-page']);
      const textOf = async (uri: string) =>
        (await client.readResource({ uri })).contents[0] as { text: string };
      expect((await textOf(resources[0]!.uri)).text).toContain(HENS);
      expect((await textOf(resources[1]!.uri)).text).toContain('No run has ended yet');
      expect((await textOf(`slowwave://memories/${id}`)).text).toContain(HENS);
      await expect(textOf('slowwave://memories/nothing')).rejects.toThrow(/unknown_memory/);
      expect((await client.listPrompts()).prompts).toHaveLength(3);
      const prompt = await client.getPrompt({ name: 'last_night' });
      expect(prompt.messages[0]!.content).toMatchObject({
        text: expect.stringContaining('get_consolidation'),
      });
    });
  });

  it('search_memories, list_memories, list_changes, get_consolidation: of a user of whom nothing was written yet, nothing', async () => {
    const client = await stage.connect({ user: 'nobody yet', role: 'read' });
    expect((await callTool(client, 'search_memories', { query: 'hens' })).data).toEqual({ memories: [] });
    expect((await callTool(client, 'list_memories')).data.memories).toEqual([]);
    expect((await callTool(client, 'list_changes')).data.changes).toEqual([]);
    expect((await callTool(client, 'get_consolidation')).data).toMatchObject({ run_id: null, fusions: [] });
    const { contents } = await client.readResource({ uri: 'slowwave://users/nobody%20yet/memory.md' });
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('Nothing is remembered yet') });
  });

  it('add_memory: an assistant writes in its own name, unless its token speaks for the user', async () => {
    const assistant = await stage.connect({ user: 'origins' });
    const given = { content: 'Ana likes tea.', from_user: true };
    const { data } = await callTool(assistant, 'add_memory', given);
    expect((await callTool(assistant, 'get_memory', { id: data.id })).data).toMatchObject({
      origin: 'assistant',
      trust: 0.5,
    });
    const speaker = await stage.connect({ user: 'origins', speaksForUser: true });
    const said = await callTool(speaker, 'add_memory', { content: 'Ana likes coffee.' });
    expect((await callTool(speaker, 'get_memory', { id: said.data.id })).data).toMatchObject({
      origin: 'user',
      trust: 0.8,
    });
    const guess = await callTool(speaker, 'add_memory', { content: 'Ana may like cocoa.', from_user: false });
    expect(guess.data.origin).toBe('assistant');
  });

  it('update_memory: the words of the user are changed only as the user says', async () => {
    const speaker = await stage.connect({ user: 'words', speaksForUser: true });
    const id = await add(speaker, 'Ana plays the cello.');
    const edit = { id, content: 'Ana plays the viola.', expected_version: 1 };
    const alone = await stage.connect({ user: 'words' });
    expect((await callTool(alone, 'update_memory', edit)).text).toMatch(/^not_allowed: /);
    const asked: string[] = [];
    const no = await stage.connect({
      user: 'words',
      person(said) {
        asked.push(said);
        return { action: 'decline' };
      },
    });
    expect((await callTool(no, 'update_memory', edit)).text).toMatch(/^declined: /);
    expect(asked).toEqual(['Replace “Ana plays the cello.” by “Ana plays the viola.”?']);
    expect((await callTool(alone, 'get_memory', { id })).data.version).toBe(1);
    // What is no word of theirs needs none.
    const kind = { id, category: 'preference', expected_version: 1 };
    expect((await callTool(alone, 'update_memory', kind)).data.version).toBe(2);
    const agreed = await stage.connect({ user: 'words', person: yes });
    expect((await callTool(agreed, 'update_memory', { ...edit, expected_version: 2 })).data.version).toBe(3);
    expect((await callTool(speaker, 'update_memory', { ...edit, expected_version: 3 })).data.version).toBe(3);
  });

  it('confirm_memory: what an assistant wrote is confirmed by the user alone', async () => {
    const alone = await stage.connect({ user: 'sure' });
    const id = await add(alone);
    expect((await callTool(alone, 'confirm_memory', { id })).text).toMatch(/^not_allowed: /);
    const turnedAway = await stage.connect({ user: 'sure', person: () => ({ action: 'cancel' }) });
    expect((await callTool(turnedAway, 'confirm_memory', { id })).text).toMatch(/^declined: /);
    const unticked = { action: 'accept' as const, content: { confirm: false } };
    const unsure = await stage.connect({ user: 'sure', person: () => unticked });
    expect((await callTool(unsure, 'confirm_memory', { id })).text).toMatch(/^declined: /);
    expect((await callTool(alone, 'get_memory', { id })).data.confirmations).toBe(0);
    const agreed = await stage.connect({ user: 'sure', person: yes });
    const { data } = await callTool(agreed, 'confirm_memory', { id });
    expect(data.prominence_after).toBeGreaterThan(data.prominence_before);
    const speaker = await stage.connect({ user: 'sure', speaksForUser: true });
    const said = await add(speaker, 'Ana said so herself.');
    expect((await callTool(alone, 'confirm_memory', { id: said })).isError).toBe(false);
  });

  it('delete_memory, undo_consolidation: a person who can be asked is asked, and their no changes nothing', async () => {
    const asked: string[] = [];
    const no = (said: string) => {
      asked.push(said);
      return { action: 'decline' as const };
    };
    const client = await stage.connect({ user: 'careful', person: no });
    const id = await add(client);
    expect((await callTool(client, 'delete_memory', { id })).text).toMatch(/^declined: /);
    expect(asked).toEqual([`Forget “${HENS}”, for good?`]);
    expect((await callTool(client, 'get_memory', { id })).isError).toBe(false);
    const agreed = await stage.connect({ user: 'careful', person: yes });
    expect((await callTool(agreed, 'delete_memory', { id })).data.status).toBe('done');
    expect((await callTool(client, 'undo_consolidation', {})).text).toMatch(/^invalid_request: give one/);
  });

  it('a night: run_consolidation, get_consolidation, search_memories with expand, and undo_consolidation', async () => {
    const user = 'night';
    const client = await stage.connect({ user });
    const notes = [
      HENS,
      'One of the hens that Ana keeps is called Frieda.',
      'Frieda, a hen of Ana, is brown.',
    ];
    for (const content of notes) await add(client, content);
    const { data: asked } = await callTool(client, 'run_consolidation', { tier: 'sleep', preview: false });
    const text = 'Ana keeps two hens in the garden; brown Frieda is one.';
    await runTier(
      stage.database,
      { tenant: 't', user, tier: 'sleep', at: Date.now() + 86_400_000, runId: asked.run_id },
      {
        provider: createStatementModel({
          write: (shown) => ({ statements: [{ sources: shown.map(({ n }) => n), text }], conflicts: [] }),
        }),
        statements: { judge: true },
      },
    );
    // Light runs every few minutes: by the evening hundreds of runs are newer than the night.
    await stage.database.withTenant('t', (tx) =>
      tx.rows(sql`
        insert into slowwave.runs select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'tier', 'light'))).*
        from slowwave.runs r, generate_series(1, 250) where r.user_id = ${user}`),
    );
    const { data: night } = await callTool(client, 'get_consolidation', { wait_seconds: 1 });
    expect(night).toMatchObject({
      run_id: asked.run_id,
      finished: true,
      totals: { fused: 1, superseded: 3 },
    });
    const [fusion] = night.fusions;
    expect(fusion).toMatchObject({ statement: text, status: 'applied' });
    expect([...fusion.made_of].sort()).toEqual([...notes].sort());
    const { data: found } = await callTool(client, 'search_memories', { query: 'hens', expand: true });
    expect(found.memories).toHaveLength(1);
    expect(found.memories[0]).toMatchObject({ content: text, type: 'derived', origin: 'assistant' });
    expect(found.memories[0].made_of).toHaveLength(3);
    const report = await client.readResource({ uri: `slowwave://users/${user}/reports/latest` });
    expect((report.contents[0] as { text: string }).text).toContain(text);
    await callTool(client, 'undo_consolidation', { fusion_key: fusion.fusion_key, confirm: true });
    expect((await callTool(client, 'list_memories')).data.memories).toHaveLength(3);
  });

  it('another tenant’s and another user’s ids: not found, by whatever tool', async () => {
    const mine = await stage.connect({ user: 'mine' });
    const id = await add(mine);
    for (const other of [
      await stage.connect({ user: 'other' }),
      await stage.connect({ tenant: 'u', user: 'mine' }),
    ]) {
      await add(other, 'Something else.');
      const calls = [
        ['get_memory', { id }],
        ['update_memory', { id, category: 'event', expected_version: 1 }],
        ['confirm_memory', { id }],
        ['delete_memory', { id }],
        ['delete_memory', { id, confirm: true }],
      ] as const;
      for (const [name, args] of calls) {
        expect((await callTool(other, name, args)).text, name).toMatch(/^unknown_memory: /);
      }
      expect((await callTool(other, 'search_memories', { query: 'hens' })).data.memories).toEqual([]);
    }
    expect((await callTool(mine, 'get_memory', { id })).data.version).toBe(1);
  });

  it('/mcp without a user: each call names one; without a token, or with another login: 401', async () => {
    const client = await stage.connect({ user: null });
    expect((await callTool(client, 'add_memory', { content: HENS })).text).toContain('user');
    const { data } = await callTool(client, 'add_memory', { user: 'zoe', content: HENS });
    expect((await callTool(client, 'get_memory', { user: 'zoe', id: data.id })).data.content).toBe(HENS);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    const { statusCode, headers } = await stage.producer.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { host: 'localhost', 'content-type': 'application/json' },
      payload: '{}',
    });
    expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });

  it('search and fetch: only as ChatGPT asks for them, one text of JSON', async () => {
    const client = await stage.connect({ user: 'gpt', role: 'read', forChatGpt: true });
    await add(await stage.connect({ user: 'gpt' }));
    expect((await namesOf(client)).slice(-2)).toEqual(['search', 'fetch']);
    const { results } = JSON.parse((await callTool(client, 'search', { query: 'hens' })).text);
    expect(results).toMatchObject([{ title: HENS, url: expect.stringContaining('slowwave://memories/') }]);
    const fetched = JSON.parse((await callTool(client, 'fetch', { id: results[0].id })).text);
    expect(fetched).toMatchObject({ text: HENS, metadata: { origin: 'assistant' } });
  });

  it('list_memories, search_memories: however long memories are, an answer has at most 4,000 tokens and pages hold all', async () => {
    const lines = Array.from({ length: 250 }, (_, at) =>
      lineOf(
        'long',
        `Note ${at}: ${'the hens "sing" at dawn, \\ and 雌鶏 too; '.repeat(1 + (at % 18))}`.slice(0, 900),
      ),
    );
    await loadImport(stage.database, lines.join('\n'), {
      format: 'jsonl',
      defaults: { tenant: 't' },
      at: Date.now(),
      maxContentChars: 1_000,
    });
    const client = await stage.connect({ user: 'long', role: 'read' });
    const seen = new Set<string>();
    let cursor: string | undefined;
    do {
      const page = await callTool(client, 'list_memories', { limit: 100, ...(cursor ? { cursor } : {}) });
      expect(page.size).toBeLessThanOrEqual(ANSWER_CHARS);
      for (const { id } of page.data.memories) seen.add(id);
      cursor = page.data.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen.size).toBe(250);
    const found = await callTool(client, 'search_memories', { query: 'hens at dawn', limit: 50 });
    expect(found.size).toBeLessThanOrEqual(ANSWER_CHARS);
    expect(found.data.memories.length + (found.data.left_out ?? 0)).toBe(50);
  });

  it('tools/call: whatever the arguments are, an answer of the tool and never an error of the protocol', async () => {
    const client = await stage.connect({ user: 'fuzz', role: 'admin' });
    await add(client);
    const names = TOOLS.map(({ name }) => name).filter((name) => name !== 'run_consolidation');
    const known = fc.constantFrom(
      'id',
      'query',
      'content',
      'limit',
      'cursor',
      'run_id',
      'fusion_key',
      'change_set',
      'user',
      'expected_version',
      'conflict_id',
      'verdict',
      'since',
      'category',
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.string({ unit: 'grapheme' }),
      fc.uuid(),
      fc.constantFrom('..', '%2e', '\0', '2026-02-31'),
    );
    const argsOf = fc.dictionary(fc.oneof(known, fc.string()), value, { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), argsOf, async (name, args) => {
        const { isError, text } = await callTool(client, name, args as Record<string, unknown>);
        if (isError) expect(text).not.toMatch(/internal_error|SlowwaveProblem|at .*\.ts/);
      }),
      { numRuns: Number(process.env.FUZZ_CALLS ?? 150) },
    );
  });
});
