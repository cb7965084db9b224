import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory';
import { createClient, createMemoryToolHandlers, type MemoryToolCommand } from '@slowwave/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMessagesServer } from '../fakes/messages-server.ts';
import { filesOf, outcomeOf } from '../fixtures/memory-tool.ts';
import { CANARY, tokenFor } from './harness.ts';
import { expectOracle, KINDS, openToolStage, type ToolPlace } from './memory-tool-stage.ts';

describe('the memory tool', () => {
  let stage: Awaited<ReturnType<typeof openToolStage>>;
  beforeAll(async () => {
    stage = await openToolStage();
  });
  afterAll(() => stage?.close());

  const create = ({ handlers }: ToolPlace, name: string, text: string) =>
    handlers.create({ command: 'create', path: `/memories/${name}`, file_text: text });
  const lastRun = async ({ client, where }: ToolPlace) =>
    (await client.listWorkspaceRuns({ ...where, work: 'files' })).runs[0]!;
  const undo = ({ client, where }: ToolPlace, run: string) => client.undoWorkspaceRun({ ...where, run });
  const standing = ({ client, where }: ToolPlace) => filesOf(client, where);

  it.each(KINDS)('any commands: the answers, the errors and the files of the tool of the SDK: %s', (kind) =>
    expectOracle(() => stage.made(kind), 12),
  );

  it.each(KINDS)('two agents write one file at once: no line is lost: %s', async (kind) => {
    const place = await stage.made(kind);
    await create(place, 'log.md', 'first\nmine: 0\nyours: 0');
    const agents = ['one', 'two'].map((by) => createMemoryToolHandlers({ ...place, ...place.where, by }));
    await Promise.all(
      agents.map(async (handlers, agent) => {
        const name = ['mine', 'yours'][agent]!;
        for (let i = 0; i < 8; i++) {
          const command = { path: '/memories/log.md' };
          await handlers.insert({
            ...command,
            command: 'insert',
            insert_line: 1,
            insert_text: `${name} ${i}`,
          });
          const [old_str, new_str] = [`${name}: ${i}`, `${name}: ${i + 1}`];
          await handlers.str_replace({ ...command, command: 'str_replace', old_str, new_str });
        }
      }),
    );
    const lines = (await standing(place))['/memories/log.md']!.split('\n');
    const added = ['mine', 'yours'].flatMap((name) => Array.from({ length: 8 }, (_, i) => `${name} ${i}`));
    expect(lines.sort()).toEqual(['first', 'mine: 8', 'yours: 8', ...added].sort());
  });

  it.each(KINDS)(
    'two agents create one file at once: one of them is told that it is there: %s',
    async (kind) => {
      const place = await stage.made(kind);
      const outcomes = await Promise.all(
        ['a', 'b'].map((text) => outcomeOf(() => create(place, 'x/y.md', text))),
      );
      expect(outcomes.filter((outcome) => 'answer' in outcome)).toHaveLength(1);
      expect(outcomes).toContainEqual({ error: 'File /memories/x/y.md already exists' });
    },
  );

  it.each(KINDS)(
    'a deleted folder, a rename and an overwritten text: undone by their runs: %s',
    async (kind) => {
      const place = await stage.made(kind);
      const { handlers } = place;
      await create(place, 'notes/cats.md', 'Tom\n');
      await create(place, 'notes/deep/dogs.md', 'Rex');
      const before = await standing(place);
      const steps: MemoryToolCommand[] = [
        { command: 'delete', path: '/memories/notes' },
        { command: 'rename', old_path: '/memories/notes', new_path: '/memories/pets/all' },
        { command: 'str_replace', path: '/memories/notes/cats.md', old_str: 'Tom', new_str: '' },
      ];
      for (const step of steps) {
        await handlers.execute(step);
        expect(await standing(place)).not.toEqual(before);
        const { id, paths, report } = await lastRun(place);
        expect(paths.some((changed) => changed.startsWith('notes/'))).toBe(true);
        expect(report).toMatchObject({ documents: paths.length });
        expect(await undo(place, id)).toMatchObject({ work: 'files', status: 'undone' });
        expect(await undo(place, id)).toMatchObject({ status: 'already_undone' });
        expect(await standing(place)).toEqual(before);
      }
      const view = await handlers.view({ command: 'view', path: '/memories' });
      expect(view).not.toContain('pets');
    },
  );

  it.each(KINDS)('undo of a delete: refused once something else stands there: %s', async (kind) => {
    const place = await stage.made(kind);
    await create(place, 'a.md', 'old');
    await place.handlers.delete({ command: 'delete', path: '/memories/a.md' });
    const { id } = await lastRun(place);
    await create(place, 'a.md', 'new');
    await expect(undo(place, id)).rejects.toMatchObject({ code: 'CONFLICT' });
    await place.handlers.delete({ command: 'delete', path: '/memories/a.md' });
    await create(place, 'a.md/b.md', 'below');
    await expect(undo(place, id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await standing(place)).toEqual({ '/memories/a.md/b.md': 'below' });
  });

  it('undo of a delete: refused when what was deleted was forgotten', async () => {
    const place = await stage.made('documents');
    const { client, where } = place;
    const content = `Ana hides the ${CANARY} under the third stair.`;
    const memory = await client.createMemory({ user: where.user, content });
    await create(place, 'secrets.md', content);
    await place.handlers.delete({ command: 'delete', path: '/memories/secrets.md' });
    const { id } = await lastRun(place);
    await client.forgetMemory({ id: memory.id, user: where.user });
    await expect(undo(place, id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await standing(place)).toEqual({});
  });

  it.each(KINDS)('files of the service: not shown, not read and not written: %s', async (kind) => {
    const place = await stage.made(kind);
    const { client, where, handlers } = place;
    await client.writeInsights({ ...where, content: 'ours' });
    await client.writeMemory({ ...where, content: '# What is known\n' });
    expect(await handlers.view({ command: 'view', path: '/memories' })).toMatch(/\t\/memories\/MEMORY\.md$/);
    expect(await handlers.view({ command: 'view', path: '/memories/MEMORY.md' })).toContain(
      '# What is known',
    );
    for (const name of [
      'memory-insights.md',
      'Memory-Insights.md',
      '.slowwave.lock',
      'a/.slowwave-1.tmp',
      'MEMORY.md/x',
    ]) {
      expect(await outcomeOf(() => create(place, name, 'x'))).toEqual({ error: expect.any(String) });
      const renamed = {
        command: 'rename',
        old_path: '/memories/MEMORY.md',
        new_path: `/memories/${name}`,
      } as const;
      expect(await outcomeOf(() => handlers.rename(renamed))).toEqual({ error: expect.any(String) });
    }
    await expect(
      handlers.view({ command: 'view', path: '/memories/memory-insights.md' }),
    ).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    });
    await create(place, 'a/b.md', 'x');
    await expect(
      client.renameDocument({ ...where, path: '/memories/a', newPath: '/memories/DREAMS.md' }),
    ).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    });
    expect((await client.readInsights(where)).content).toBe('ours');
    expect(await standing(place)).toEqual({
      '/memories/MEMORY.md': '# What is known\n',
      '/memories/a/b.md': 'x',
    });
    expect((await client.listDocuments(where)).files.map(({ label }) => label)).toEqual(['Long-term memory']);
  });

  it.each(KINDS)('paths that lead elsewhere: refused by the service as well: %s', async (kind) => {
    const { client, where } = await stage.made(kind);
    for (const name of [
      '../MEMORY.md',
      'a/../../b',
      'a//b',
      './a',
      'a\u0000',
      'a\\..\\b',
      'x'.repeat(256),
      '..',
    ]) {
      const asked = { ...where, path: `/memories/${name}` };
      const refused = { status: 400 };
      await expect(client.readDocument(asked)).rejects.toMatchObject(refused);
      await expect(client.writeDocument({ ...asked, content: 'x' })).rejects.toMatchObject(refused);
      await expect(client.removeDocument(asked)).rejects.toMatchObject(refused);
      await expect(client.browseDocuments(asked)).rejects.toMatchObject(refused);
      await expect(
        client.renameDocument({ ...where, path: '/memories/a', newPath: asked.path }),
      ).rejects.toMatchObject(refused);
    }
    await expect(client.removeDocument({ ...where, path: '/memories' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('a folder with links: they are not shown, not followed and not removed', async () => {
    const place = await stage.made('folder');
    const outside = path.join(stage.open.root, 'outside');
    await mkdir(outside);
    await writeFile(path.join(outside, 'secret.md'), 'not for you');
    await create(place, 'a/b.md', 'x');
    const memory = path.join(place.folder!, '.fusion/memory');
    await symlink(outside, path.join(memory, 'a/out'));
    const { handlers } = place;
    expect(await handlers.view({ command: 'view', path: '/memories' })).not.toContain('out');
    const commands: MemoryToolCommand[] = [
      { command: 'view', path: '/memories/a/out/secret.md' },
      { command: 'create', path: '/memories/a/out/new.md', file_text: 'x' },
      { command: 'delete', path: '/memories/a/out' },
      { command: 'delete', path: '/memories/a' },
      { command: 'rename', old_path: '/memories/a', new_path: '/memories/c' },
      { command: 'rename', old_path: '/memories/a/b.md', new_path: '/memories/a/out/b.md' },
    ];
    for (const command of commands) {
      await expect(handlers.execute(command)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    }
    expect(await readdir(outside)).toEqual(['secret.md']);
    expect(await readFile(path.join(memory, 'a/b.md'), 'utf8')).toBe('x');
  });

  it('another user, another tenant, a token that only reads: nothing is seen and nothing changes', async () => {
    const place = await stage.made('documents');
    const { where } = place;
    await create(place, 'a.md', CANARY);
    const before = await standing(place);
    const clientOf = async (tenant: string, role: 'read' | 'write') => {
      const { authorization } = await tokenFor(stage.open.stage.database, { tenant, role });
      return createClient({ url: stage.url, token: authorization.slice('Bearer '.length) });
    };
    const strangers = [
      createMemoryToolHandlers({ ...where, client: place.client, user: 'ben' }),
      createMemoryToolHandlers({ ...where, client: place.client, tenant: 'other' }),
      createMemoryToolHandlers({ ...where, client: await clientOf('other', 'write') }),
    ];
    const reader = createMemoryToolHandlers({ ...where, client: await clientOf('default', 'read') });
    expect(await reader.view({ command: 'view', path: '/memories/a.md' })).toContain(CANARY);
    const commands: MemoryToolCommand[] = [
      { command: 'create', path: '/memories/b.md', file_text: 'x' },
      { command: 'str_replace', path: '/memories/a.md', old_str: CANARY, new_str: '' },
      { command: 'rename', old_path: '/memories/a.md', new_path: '/memories/c.md' },
      { command: 'delete', path: '/memories/a.md' },
    ];
    for (const command of commands) {
      for (const handlers of strangers) {
        await expect(handlers.execute(command)).rejects.toMatchObject({ code: 'unknown_workspace' });
      }
      await expect(reader.execute(command)).rejects.toMatchObject({ code: 'role_too_low' });
    }
    for (const handlers of strangers) {
      await expect(handlers.view({ command: 'view', path: '/memories' })).rejects.toMatchObject({
        code: 'unknown_workspace',
      });
    }
    expect(await standing(place)).toEqual(before);
    expect(stage.log.text()).not.toContain(CANARY);
    expect(stage.log.text()).not.toContain('a.md');
  });

  it('the tool runner of the SDK: commands of a model are carried out, and it is told what came of them', async () => {
    const place = await stage.made('documents');
    const path = '/memories/zoe.md';
    const commands: MemoryToolCommand[] = [
      { command: 'view', path: '/memories' },
      { command: 'create', path, file_text: 'Zoe likes tea.' },
      { command: 'create', path, file_text: 'again' },
      { command: 'view', path },
    ];
    const model = await startMessagesServer(({ index, json }) => ({
      kind: 'answer',
      value: () => ({
        id: `msg_${index}`,
        type: 'message',
        role: 'assistant',
        model: json?.model,
        content:
          index < commands.length
            ? [{ type: 'tool_use', id: `use_${index}`, name: 'memory', input: commands[index] }]
            : [{ type: 'text', text: 'done' }],
        stop_reason: index < commands.length ? 'tool_use' : 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    }));
    try {
      const anthropic = new Anthropic({ apiKey: 'none', baseURL: model.url, maxRetries: 0 });
      const last = await anthropic.beta.messages.toolRunner({
        model: 'a-model',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'What do I drink?' }],
        tools: [betaMemoryTool(place.handlers)],
      });
      expect(last.content).toMatchObject([{ type: 'text', text: 'done' }]);
      type Sent = { messages: { content: { content: string; is_error?: boolean }[] }[] };
      const results = model.calls
        .slice(1)
        .map(({ json }) => (json as unknown as Sent).messages.at(-1)!.content[0]!);
      expect(results.map(({ content, is_error = false }) => [content, is_error])).toEqual([
        [expect.stringContaining('up to 2 levels deep in /memories, excluding hidden items'), false],
        [`File created successfully at: ${path}`, false],
        [`Error: File ${path} already exists`, true],
        [`Here's the content of ${path} with line numbers:\n     1\tZoe likes tea.`, false],
      ]);
    } finally {
      await model.stop();
    }
    expect(await standing(place)).toEqual({ [path]: 'Zoe likes tea.' });
  });

  it('the types of the commands of the AI SDK and of LangChain: execute takes them', async () => {
    const { handlers } = await stage.made('documents');
    type Rest =
      | { command: 'create'; path: string; file_text: string }
      | { command: 'str_replace'; path: string; old_str: string; new_str: string }
      | { command: 'insert'; path: string; insert_line: number; insert_text: string }
      | { command: 'delete'; path: string }
      | { command: 'rename'; old_path: string; new_path: string };
    type OfAiSdk = Rest | { command: 'view'; path: string; view_range?: [number, number] };
    type OfLangChain = Rest | { command: 'view'; path: string };
    const aiSdk: (input: OfAiSdk, options: unknown) => PromiseLike<string> = handlers.execute;
    const langChain: (action: OfLangChain) => Promise<string> | string = handlers.execute;
    const command = { path: '/memories/a.md', command: 'create', file_text: 'x' } as const;
    expect(await aiSdk(command, {})).toBe('File created successfully at: /memories/a.md');
    await expect(langChain(command)).rejects.toThrow('File /memories/a.md already exists');
  });

  it('a command that is none: an error', async () => {
    const { handlers } = await stage.made('documents');
    for (const command of ['execute', 'toString', 'chmod']) {
      await expect(handlers.execute({ command } as never)).rejects.toThrow(`${command} not implemented`);
    }
  });
});
