import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { claimInsights, endWorkspaceRun, loadImport, startWorkspaceRun } from '@slowwave/db';
import type { LLMProvider } from '@slowwave/fusion';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addUsers,
  BEARER,
  CANARY,
  embeddedStage,
  HOST,
  type Stage,
} from '../../../../test/producer/harness.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

describe('workspaces over HTTP', { timeout: 30_000 }, () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let root: string;
  let serial = 0;
  beforeAll(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'slowwave workspaces ')));
    stage = await embeddedStage();
    made = stage.newProducer({ folders: [root] });
    for (const tenant of ['default', 'other']) await addUsers(stage.database, tenant, ['ana', 'ben']);
    const line = { user: 'ana', content: `important to ana ${CANARY}`, category: 'fact', importance: 9 };
    await loadImport(stage.database, JSON.stringify(line), {
      format: 'jsonl',
      defaults: { tenant: 'default' },
      at: Date.now() - 60_000,
      maxContentChars: 1_000,
    });
  }, 60_000);
  afterAll(async () => {
    await stage.dispose();
    await rm(root, { recursive: true, force: true });
  });

  const send = (method: Method, url: string, payload?: object, headers: object = BEARER) =>
    made.producer.app.inject({
      method,
      url,
      headers: { ...HOST, ...headers, ...(payload ? { 'content-type': 'application/json' } : {}) },
      ...(payload ? { payload: JSON.stringify(payload) } : {}),
    });
  const put = (name: string, body: object) => send('PUT', `/v1/workspaces/${name}`, { user: 'ana', ...body });
  const at = (name: string, route: string, more: Record<string, string> = {}) =>
    `/api/memory${route}?${new URLSearchParams({ user: 'ana', workspace: name, ...more })}`;
  async function newDocuments(more: object = {}): Promise<string> {
    const name = `w${++serial}`;
    expect((await put(name, more)).statusCode).toBe(201);
    return name;
  }
  async function newFolder(more: object = {}): Promise<{ name: string; folder: string }> {
    const name = `w${++serial}`;
    const folder = path.join(root, name);
    await mkdir(folder);
    expect((await put(name, { rootDir: folder, ...more })).statusCode).toBe(201);
    return { name, folder };
  }
  const told = (reply: Awaited<ReturnType<typeof send>>) => [reply.statusCode, reply.json().code];

  it('are made, changed, listed, shown and removed', async () => {
    const made = await put('notes', {});
    expect(made.statusCode).toBe(201);
    expect(made.json()).toMatchObject({
      created: true,
      workspace: { user: 'ana', workspace: 'notes', backend: 'postgres', rootDir: null, reachable: true },
    });
    const changed = await put('notes', {
      quotaBytes: 100_000,
      insightsEnabled: true,
      insightsTimezone: 'Asia/Tokyo',
    });
    expect(changed.statusCode).toBe(200);
    expect(changed.json().workspace).toMatchObject({
      quotaBytes: 100_000,
      insightsEnabled: true,
      backend: 'postgres',
    });
    const { workspaces } = (await send('GET', '/v1/workspaces?user=ana')).json();
    expect(workspaces.map(({ workspace }: { workspace: string }) => workspace)).toContain('notes');
    expect((await send('GET', '/v1/workspaces/notes?user=ana')).json()).toMatchObject({
      insightsTimezone: 'Asia/Tokyo',
    });
    expect(told(await send('DELETE', '/v1/workspaces/notes?user=ana'))).toEqual([409, 'not_confirmed']);
    const removed = await send('DELETE', '/v1/workspaces/notes?user=ana&confirm=notes');
    expect(removed.json()).toEqual({ tenant: 'default', user: 'ana', workspace: 'notes', removed: true });
    expect(told(await send('GET', '/v1/workspaces/notes?user=ana'))).toEqual([404, 'unknown_workspace']);
    expect(told(await send('DELETE', '/v1/workspaces/notes?user=ana&confirm=notes'))).toEqual([
      404,
      'unknown_workspace',
    ]);
  });

  it('in a folder are known by its real path, and one folder is one workspace', async () => {
    const folder = path.join(root, 'real');
    await mkdir(folder);
    await symlink(folder, path.join(root, 'alias'));
    const made = await put('linked', { rootDir: `${path.join(root, 'alias')}/` });
    expect(made.json().workspace).toMatchObject({ rootDir: folder, backend: 'file', reachable: true });
    expect(told(await put('twin', { rootDir: folder }))).toEqual([409, 'folder_taken']);
    const theirs = await send('PUT', '/v1/workspaces/linked', {
      tenant: 'other',
      user: 'ben',
      rootDir: folder,
    });
    expect(told(theirs)).toEqual([409, 'folder_taken']);
    const back = await put('linked', { backend: 'postgres' });
    expect(back.json().workspace).toMatchObject({ rootDir: null, backend: 'postgres' });
    const removed = await send('DELETE', '/v1/workspaces/linked?user=ana&confirm=linked');
    expect(removed.statusCode).toBe(200);
  });

  it.each(['documents', 'folder'])('read and write what they hold byte for byte: %s', async (kind) => {
    const of = kind === 'folder' ? await newFolder() : { name: await newDocuments(), folder: '' };
    const backend = kind === 'folder' ? 'file' : 'postgres';
    expect((await send('GET', at(of.name, ''))).json()).toEqual({ content: '', exists: false, backend });
    const content = `# Läs\r\n\u{1f415} ${CANARY}\n`;
    const written = await send('PUT', at(of.name, ''), { content });
    expect(written.json()).toEqual({
      success: true,
      backend,
      version: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const read = (await send('GET', at(of.name, ''))).json();
    expect(read).toEqual({ content, exists: true, backend, version: written.json().version });
    const onDisk = () => readFile(path.join(of.folder, '.fusion/memory/MEMORY.md'), 'utf8');
    if (kind === 'folder') expect(await onDisk()).toBe(content);
  });

  it.each(['documents', 'folder'])('refuse what was changed meanwhile, and keep it: %s', async (kind) => {
    const name = kind === 'folder' ? (await newFolder()).name : await newDocuments();
    const first = (await send('PUT', at(name, ''), { content: 'one', expectedVersion: null })).json();
    for (const expected of [{ expectedVersion: null }, { expectedSha256: 'f'.repeat(64) }]) {
      expect(told(await send('PUT', at(name, ''), { content: 'two', ...expected }))).toEqual([
        409,
        'CONFLICT',
      ]);
    }
    expect((await send('GET', at(name, ''))).json().content).toBe('one');
    const next = await send('PUT', at(name, ''), { content: 'two', expectedSha256: first.version });
    expect(next.statusCode).toBe(200);
    const both = { content: 'x', expectedVersion: null, expectedSha256: first.version };
    expect(told(await send('PUT', at(name, ''), both))).toEqual([400, 'invalid_request']);
  });

  it.each(['documents', 'folder'])('give whole files, and lines of files: %s', async (kind) => {
    const name = kind === 'folder' ? (await newFolder()).name : await newDocuments();
    const content = 'a\nb\nc\nd\n';
    const file = (more: Record<string, string> = {}) =>
      at(name, '/file', { path: 'memory/2026-05-01.md', ...more });
    expect((await send('PUT', file(), { content })).statusCode).toBe(200);
    const whole = (await send('GET', file())).json();
    expect(whole).toMatchObject({
      path: '.fusion/memory/2026-05-01.md',
      content,
      startLine: 1,
      endLine: 5,
      totalLines: 5,
      truncated: false,
      version: expect.any(String),
    });
    const some = (await send('GET', file({ startLine: '2', lineCount: '2' }))).json();
    expect(some).toMatchObject({ content: 'b\nc', startLine: 2, endLine: 3, totalLines: 5, truncated: true });
    expect((await send('GET', file({ startLine: '1' }))).json()).toMatchObject({ content, truncated: false });
    expect((await send('POST', file(), { content: 'e' })).statusCode).toBe(200);
    expect((await send('GET', file())).json().content).toBe(`${content}e\n`);
    const missing = await send('GET', at(name, '/file', { path: '2026-05-02.md' }));
    expect(told(missing)).toEqual([404, 'NOT_FOUND']);
    const { files } = (await send('GET', at(name, '/files'))).json();
    expect(files).toEqual([
      {
        path: '.fusion/memory/2026-05-01.md',
        label: 'Daily notes 2026-05-01',
        layer: 'daily',
        size: 10,
        updatedAt: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it.each([
    ['postgres', () => newDocuments()],
    ['file', async () => (await newFolder()).name],
    ['qmd', async () => (await newFolder({ backend: 'qmd' })).name],
  ] as const)('find words, and give lines that hold them: %s', async (backend, open) => {
    const name = await open();
    await send('PUT', at(name, ''), { content: 'one\ntwo\nthe quick heron\nfour\n' });
    const found = (await send('GET', at(name, '/search', { query: 'heron', limit: '3' }))).json();
    expect(found).toMatchObject({ source: 'files', degraded: backend === 'qmd' });
    expect(found.hits).toHaveLength(1);
    const [{ path: where, lineStart, lineEnd, snippet }] = found.hits;
    const lines = { path: where, startLine: String(lineStart), lineCount: String(lineEnd - lineStart + 1) };
    expect((await send('GET', at(name, '/file', lines))).json().content).toContain(snippet);
    expect((await send('GET', at(name, '/search', { query: 'walrus' }))).json().hits).toEqual([]);
  });

  it('tell what their backend is', async () => {
    const name = await newDocuments();
    expect((await send('GET', at(name, '/backend'))).json()).toMatchObject({
      type: 'postgres',
      capabilities: { writable: true, supportsAtomicWrite: true },
      types: ['postgres', 'file', 'readonly', 'qmd'],
    });
  });

  it('that are read-only are read as empty, and refuse every write', async () => {
    const name = await newDocuments({ backend: 'readonly' });
    expect((await send('GET', at(name, ''))).json()).toEqual({
      content: '',
      exists: false,
      backend: 'readonly',
    });
    expect((await send('GET', at(name, '/insights'))).json()).toMatchObject({ exists: false });
    expect((await send('GET', at(name, '/search', { query: 'x' }))).json().hits).toEqual([]);
    const file = { path: 'MEMORY.md' };
    expect(told(await send('GET', at(name, '/file', file)))).toEqual([404, 'NOT_FOUND']);
    for (const [method, route, query] of [
      ['PUT', '', {}],
      ['PUT', '/file', file],
      ['POST', '/file', file],
      ['PUT', '/insights', {}],
    ] as const) {
      const reply = await send(method, at(name, route, query), { content: 'x' });
      expect([route, ...told(reply)]).toEqual([route, 409, 'READ_ONLY']);
      expect(reply.json()).toMatchObject({ backend: 'readonly', type: 'urn:slowwave:problem:READ_ONLY' });
    }
  });

  it.each(['documents', 'folder'])('keep insights beside the memory: %s', async (kind) => {
    const name = kind === 'folder' ? (await newFolder()).name : await newDocuments();
    expect((await send('GET', at(name, '/insights'))).json()).toMatchObject({ content: '', exists: false });
    const { version } = (
      await send('PUT', at(name, '/insights'), { content: '- a\n', expectedVersion: null })
    ).json();
    expect((await send('GET', at(name, '/insights'))).json()).toMatchObject({
      content: '- a\n',
      exists: true,
      version,
    });
    expect(told(await send('PUT', at(name, '/insights'), { content: 'x', expectedVersion: null }))).toEqual([
      409,
      'CONFLICT',
    ]);
    for (const own of ['memory-insights.md', 'memory-audit.md', 'memory-audit-state.json']) {
      expect(told(await send('GET', at(name, '/file', { path: own })))).toEqual([400, 'UNSUPPORTED']);
    }
  });

  it('hold no more than they may', async () => {
    const name = await newDocuments({ quotaBytes: 10 });
    const reply = await send('PUT', at(name, ''), { content: 'ä'.repeat(6) });
    expect(told(reply)).toEqual([413, 'QUOTA_EXCEEDED']);
    expect((await send('GET', at(name, ''))).json().exists).toBe(false);
    expect((await send('PUT', at(name, ''), { content: 'ä'.repeat(5) })).statusCode).toBe(200);
  });

  it('take documents larger than other requests, and none above 16 MiB', async () => {
    const { name } = await newFolder();
    const content = 'x'.repeat(16 * 1024 * 1024);
    expect((await send('PUT', at(name, ''), { content })).statusCode).toBe(200);
    expect(told(await send('PUT', at(name, ''), { content: `${content}x` }))).toEqual([
      413,
      'QUOTA_EXCEEDED',
    ]);
    const huge = await send('PUT', at(name, ''), { content: 'x'.repeat(35 * 1024 * 1024) });
    expect(told(huge)).toEqual([413, 'body_too_large']);
  });

  it('whose folder is gone, moved or replaced by a link are unavailable, and nothing is made in its place', async () => {
    const { name, folder } = await newFolder();
    await rename(folder, `${folder} moved`);
    for (const reply of [
      await send('GET', at(name, '')),
      await send('PUT', at(name, ''), { content: 'x' }),
    ]) {
      expect(told(reply)).toEqual([503, 'BACKEND_UNAVAILABLE']);
      expect(reply.headers['retry-after']).toBeDefined();
    }
    await symlink(`${folder} moved`, folder);
    expect(told(await send('PUT', at(name, ''), { content: 'x' }))).toEqual([503, 'BACKEND_UNAVAILABLE']);
    expect((await send('GET', `/v1/workspaces/${name}?user=ana`)).json()).toMatchObject({ reachable: false });
    await expect(readFile(path.join(`${folder} moved`, '.fusion/memory/MEMORY.md'))).rejects.toThrow();
  });

  it('of a service without folders are documents only', async () => {
    const { name, folder } = await newFolder();
    await writeFile(path.join(folder, 'x'), '');
    const { producer } = stage.newProducer();
    const ask = (method: Method, url: string, payload?: object) =>
      producer.app.inject({ method, url, headers: { ...HOST, ...BEARER }, ...(payload ? { payload } : {}) });
    expect(told(await ask('GET', at(name, '')))).toEqual([503, 'BACKEND_UNAVAILABLE']);
    const refused = await ask('PUT', '/v1/workspaces/more', { user: 'ana', rootDir: folder });
    expect(told(refused)).toEqual([400, 'UNSUPPORTED']);
  });

  it('show their runs', async () => {
    const name = await newDocuments();
    const key = { tenant: 'default', user: 'ana', workspace: name };
    const id = await stage.database.withTenant('default', async (tx) => {
      const started = await startWorkspaceRun(tx, key, { work: 'insights', at: 1_000 });
      await endWorkspaceRun(tx, key, {
        id: started,
        status: 'skipped',
        reason: 'too_soon',
        report: { size: 1 },
        at: 2_000,
      });
      return started;
    });
    const run = {
      id,
      work: 'insights',
      status: 'skipped',
      reason: 'too_soon',
      report: { size: 1 },
      startedAt: 1_000,
      endedAt: 2_000,
      runId: null,
    };
    const url = `/v1/workspaces/${name}/runs`;
    expect((await send('GET', `${url}?user=ana`)).json()).toEqual({ ...key, runs: [run] });
    expect((await send('GET', `${url}?user=ana&work=import`)).json().runs).toEqual([]);
    expect((await send('GET', `${url}/${id}?user=ana`)).json()).toEqual({ ...key, run });
    expect(told(await send('GET', `${url}/${NOBODY}?user=ana`))).toEqual([404, 'unknown_run']);
    expect(told(await send('GET', `${url}/${id}?user=ben`))).toEqual([404, 'unknown_run']);
    expect(told(await send('GET', '/v1/workspaces/none/runs?user=ana'))).toEqual([404, 'unknown_workspace']);
  });

  it('draw insights from their memory, when a model is there and it is time', async () => {
    const { name } = await newFolder({ insightsEnabled: true });
    const asks: string[] = [];
    const answer = {
      summary: 'one thing',
      insights: [{ category: 'pattern', content: 'Tests come first.' }],
    };
    const provider: LLMProvider = {
      name: 'fake',
      isAvailable: () => true,
      async complete(request) {
        asks.push(JSON.stringify(request));
        return {
          content: [{ type: 'text', text: JSON.stringify(answer) }],
          usage: { inputTokens: 1, outputTokens: 1 },
          model: 'fake',
          stopReason: 'end_turn',
        };
      },
    };
    const { producer, clock } = stage.newProducer({ folders: [root], provider });
    const ask = async (method: Method, url: string, payload?: object) => {
      const reply = await producer.app.inject({
        method,
        url,
        headers: { ...HOST, ...BEARER },
        ...(payload ? { payload } : {}),
      });
      return { status: reply.statusCode, body: reply.json() };
    };
    const empty = await ask('POST', at(name, '/extract'), {});
    expect([empty.status, empty.body.code]).toEqual([409, 'empty']);
    await send('PUT', at(name, ''), { content: `# Project\n\n- ${CANARY} one\n` });
    const ran = await ask('POST', at(name, '/extract'), {});
    expect(ran.body).toMatchObject({ status: 'ran', run: { success: true, counts: { added: 1 } } });
    expect(asks).toHaveLength(1);
    expect((await ask('GET', at(name, '/insights'))).body.content).toContain('Tests come first.');
    const soon = await ask('POST', at(name, '/extract'), {});
    expect([soon.status, soon.body.code]).toEqual([409, 'too_soon']);
    clock.forward(60_000);
    const forced = await ask('POST', at(name, '/extract'), { force: true });
    expect(forced.body).toMatchObject({
      status: 'ran',
      run: { success: true, counts: { added: 0, duplicates: 1 } },
    });
    const audit = await ask('GET', at(name, '/audit'));
    expect(audit.body).toMatchObject({
      backend: 'file',
      report: { workingMemory: { exists: true }, insightsMemory: { exists: true, insightCount: 1 } },
      content: expect.stringContaining('#'),
    });
    const run = ran.body.run.runId;
    const undone = await ask('POST', `/v1/workspaces/${name}/runs/${run}/undo`, { user: 'ana' });
    expect(undone.body).toMatchObject({
      id: run,
      work: 'insights',
      status: 'undone',
      paths: ['memory-insights.md'],
    });
    const again = await ask('POST', `/v1/workspaces/${name}/runs/${run}/undo`, { user: 'ana' });
    expect(again.body).toMatchObject({ status: 'already_undone', paths: [] });
    expect((await ask('GET', at(name, '/insights'))).body.content).toBe('');
  });

  it('ask the workers for insights where there is no model, and only when it is time', async () => {
    const name = await newDocuments();
    await send('PUT', at(name, ''), { content: 'x' });
    expect(told(await send('POST', at(name, '/extract'), {}))).toEqual([409, 'disabled']);
    expect(told(await send('POST', at(name, '/extract'), { force: true }))).toEqual([409, 'disabled']);
    await put(name, { insightsEnabled: true });
    const asked = await send('POST', at(name, '/extract'), {});
    expect([asked.statusCode, asked.json()]).toEqual([202, { status: 'queued', runId: expect.any(String) }]);
    const view = (await send('GET', `/v1/workspaces/${name}?user=ana`)).json();
    expect(view).toMatchObject({ insightsDueAt: expect.any(Number), insightsLastRunAt: null });
    const run = await send('GET', `/v1/consolidations/${asked.json().runId}?user=ana`);
    expect(run.json()).toMatchObject({ tier: 'light' });
    const key = { tenant: 'default', user: 'ana', workspace: name };
    await stage.database.withTenant('default', (tx) => claimInsights(tx, key, { at: Date.now(), size: 1 }));
    expect(told(await send('POST', at(name, '/extract'), {}))).toEqual([409, 'too_soon']);
    expect((await send('POST', at(name, '/extract'), { force: true })).statusCode).toBe(202);
    const forced = (await send('GET', `/v1/workspaces/${name}?user=ana`)).json();
    expect(forced.insightsLastRunAt).toBeNull();
  });

  it.each(['documents', 'folder'])(
    'show what would be written, write it, and take it back: %s',
    async (kind) => {
      const name = kind === 'folder' ? (await newFolder()).name : await newDocuments();
      const own = '# Mine\n\nmy own words\n';
      await send('PUT', at(name, ''), { content: own });
      const url = `/v1/workspaces/${name}/projection`;
      const preview = (await send('GET', `${url}?user=ana`)).json();
      expect(preview.documents[0]).toMatchObject({ path: 'MEMORY.md', before: own });
      expect((await send('GET', at(name, ''))).json().content).toBe(own);
      const done = (await send('POST', url, { user: 'ana' })).json();
      expect(done).toMatchObject({
        user: 'ana',
        workspace: name,
        status: 'completed',
        report: { dreams: null },
      });
      const after = (await send('GET', at(name, ''))).json().content;
      expect(after).toBe(preview.documents[0].after ?? own);
      expect(after.startsWith(own)).toBe(true);
      expect(after).toContain('<!-- slowwave:begin -->');
      expect(after).toContain('important to ana');
      const { runs } = (await send('GET', `/v1/workspaces/${name}/runs?user=ana&work=projection`)).json();
      expect(runs.map(({ id }: { id: string }) => id)).toEqual([done.id]);
      const undone = (
        await send('POST', `/v1/workspaces/${name}/runs/${done.id}/undo`, { user: 'ana' })
      ).json();
      expect(undone).toMatchObject({ work: 'projection', status: 'undone', paths: ['MEMORY.md'] });
      expect((await send('GET', at(name, ''))).json().content).toBe(own);
    },
  );

  it('undo nothing that somebody changed since, and write nothing where projection is off', async () => {
    const name = await newDocuments();
    const url = `/v1/workspaces/${name}/projection`;
    const { id } = (await send('POST', url, { user: 'ana' })).json();
    await send('PUT', at(name, ''), { content: 'mine' });
    const undo = `/v1/workspaces/${name}/runs/${id}/undo`;
    expect(told(await send('POST', undo, { user: 'ana' }))).toEqual([409, 'CONFLICT']);
    expect(told(await send('POST', undo, { user: 'ben' }))).toEqual([404, 'unknown_run']);
    expect(told(await send('POST', undo, { tenant: 'other', user: 'ana' }))).toEqual([404, 'unknown_run']);
    expect((await send('GET', at(name, ''))).json().content).toBe('mine');
    await put(name, { projectionEnabled: false });
    expect(told(await send('POST', url, { user: 'ana' }))).toEqual([409, 'READ_ONLY']);
    expect(told(await send('GET', `${url}?user=ana`))).toEqual([409, 'READ_ONLY']);
  });

  it('are one user\u2019s, of one tenant', async () => {
    const name = await newDocuments();
    await send('PUT', at(name, ''), { content: CANARY });
    await send('PUT', `/v1/workspaces/${name}`, { tenant: 'other', user: 'ana' });
    await send('PUT', at(name, '', { tenant: 'other' }), { content: 'theirs' });
    expect((await send('GET', at(name, '', { tenant: 'other' }))).json().content).toBe('theirs');
    expect((await send('GET', at(name, ''))).json().content).toBe(CANARY);
    for (const [method, url] of [
      ['GET', at(name, '', { user: 'ben' })],
      ['GET', at(name, '', { tenant: 'third' })],
      ['GET', at(name, '/file', { user: 'ben', path: 'MEMORY.md' })],
      ['GET', at(name, '/files', { user: 'ben' })],
      ['GET', at(name, '/search', { user: 'ben', query: 'plum' })],
      ['GET', at(name, '/backend', { user: 'ben' })],
      ['GET', at(name, '/insights', { user: 'ben' })],
      ['GET', at(name, '/audit', { user: 'ben' })],
      ['GET', `/v1/workspaces/${name}/projection?user=ben`],
      ['PUT', at(name, '', { user: 'ben' })],
      ['PUT', at(name, '/file', { user: 'ben', path: 'MEMORY.md' })],
      ['POST', at(name, '/file', { user: 'ben', path: 'MEMORY.md' })],
      ['PUT', at(name, '/insights', { user: 'ben' })],
      ['GET', `/v1/workspaces/${name}?user=ben`],
      ['DELETE', `/v1/workspaces/${name}?user=ben&confirm=${name}`],
    ] as [Method, string][]) {
      const reply = await send(
        method,
        url,
        method === 'GET' || method === 'DELETE' ? undefined : { content: 'x' },
      );
      expect([url, ...told(reply)]).toEqual([url, 404, 'unknown_workspace']);
    }
    expect(told(await send('PUT', '/v1/workspaces/x', { user: 'nobody' }))).toEqual([404, 'unknown_user']);
    expect((await send('GET', at(name, ''))).json().content).toBe(CANARY);
  });

  it.each<[Method, string, object | undefined, string]>([
    ['PUT', '/v1/workspaces/x', { user: 'ana', backend: 'postgers' }, 'did you mean postgres?'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', backend: 'file' }, 'needs its folder'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', quotaBytes: 0 }, 'quotaBytes must be a whole number'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', insightsSchedule: 'daily' }, 'cron expression of five fields'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', insightsSchedule: '0 0 30 2 *' }, 'that comes'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', insightsTimezone: 'Mars/Olympus' }, 'IANA name'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', insightsDueAt: 1 }, 'not known here'],
    ['PUT', '/v1/workspaces/x', {}, 'user: expected text'],
    ['GET', '/api/memory?user=ana', undefined, 'workspace: expected text'],
    ['GET', '/api/memory/file?user=ana&workspace=x', undefined, 'path: expected text'],
    ['GET', '/api/memory/file?user=ana&workspace=x&path=a&path=b', undefined, 'path: expected text'],
    ['GET', '/api/memory/file?user=ana&workspace=x&path=a&lineCount=401', undefined, 'from 1 to 400'],
    ['GET', '/api/memory/search?user=ana&workspace=x&query=a&limit=21', undefined, 'from 1 to 20'],
    ['PUT', '/api/memory?user=ana&workspace=x', { text: 'a' }, 'content: expected text'],
    [
      'GET',
      '/v1/workspaces/x/runs?user=ana&work=dreams',
      undefined,
      'expected one of insights, import, projection',
    ],
  ])('refuse %s %s %j', async (method, url, payload, detail) => {
    const reply = await send(method, url, payload);
    expect(told(reply)).toEqual([400, 'invalid_request']);
    expect(reply.json().detail).toContain(detail);
  });

  it.each([
    ['GET', '/v1/workspaces?user=ana'],
    ['PUT', '/v1/workspaces/x'],
    ['DELETE', '/v1/workspaces/x?user=ana'],
    ['GET', '/v1/workspaces/x/runs?user=ana'],
    ['POST', '/v1/workspaces/x/projection'],
    ['POST', `/v1/workspaces/x/runs/${NOBODY}/undo`],
    ['POST', '/api/memory/extract?user=ana&workspace=x'],
    ['GET', '/api/memory/audit?user=ana&workspace=x'],
    ['GET', '/api/memory?user=ana&workspace=x'],
    ['PUT', '/api/memory?user=ana&workspace=x'],
    ['GET', '/api/memory/file?user=ana&workspace=x&path=MEMORY.md'],
    ['GET', '/api/memory/search?user=ana&workspace=x&query=a'],
  ] as [Method, string][])('are for the operator only: %s %s', async (method, url) => {
    expect((await send(method, url, undefined, {})).statusCode).toBe(401);
  });

  it('leave no text in the log', () => {
    expect(made.log.text()).not.toContain(CANARY);
    expect(made.log.text()).not.toContain(root);
    expect(made.log.lines()).toContainEqual(expect.objectContaining({ msg: 'a workspace was set' }));
  });
});
