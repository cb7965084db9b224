import { readFile, rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARY } from '../harness.ts';
import { openWorkspaceStage, told, type WorkspaceStage } from '../workspace-stage.ts';

describe('documents of workspaces over HTTP', () => {
  let open: WorkspaceStage;
  beforeAll(async () => {
    open = await openWorkspaceStage();
  });
  afterAll(() => open?.close());

  const send: WorkspaceStage['send'] = (...given) => open.send(...given);
  const at: WorkspaceStage['at'] = (...given) => open.at(...given);
  const newDocuments: WorkspaceStage['newDocuments'] = (more) => open.newDocuments(more);
  const newFolder: WorkspaceStage['newFolder'] = (more) => open.newFolder(more);
  const root = () => open.root;
  const log = () => open.log;

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
    const { types, ...backend } = (await send('GET', at(name, '/backend'))).json();
    expect(backend).toMatchObject({
      type: 'postgres',
      capabilities: { writable: true, supportsAtomicWrite: true },
    });
    // Behind these stand the types that other tests registered for the process.
    expect(types.slice(0, 4)).toEqual(['postgres', 'file', 'readonly', 'qmd']);
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

  it('leave no text in the log', () => {
    expect(log().text()).not.toContain(CANARY);
    expect(log().text()).not.toContain(root());
    expect(log().lines()).toContainEqual(expect.objectContaining({ msg: 'a workspace was set' }));
  });
});
