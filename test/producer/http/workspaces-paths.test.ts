import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsers, BEARER, openStage, type Stage } from '../harness.ts';

const SECRET = 'outside-and-not-for-you';
const DAY = '2026-05-01.md';

/** Everything below a folder with its text, links and special files by name only. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    found[path.relative(folder, full)] = entry.isFile() ? await readFile(full, 'utf8') : '';
  }
  return found;
}

describe('paths that lead elsewhere, over real HTTP', () => {
  let stage: Stage;
  let url: string;
  let root: string;
  let outside: string;
  let before: Record<string, string>;
  let serial = 0;
  beforeAll(async () => {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), 'slowwave paths ')));
    root = path.join(base, 'given');
    outside = path.join(base, 'outside');
    for (const folder of [root, path.join(outside, '.fusion/memory')])
      await mkdir(folder, { recursive: true });
    for (const name of ['MEMORY.md', DAY, 'secret.md']) {
      await writeFile(path.join(outside, '.fusion/memory', name), SECRET);
    }
    before = await contentsOf(outside);
    stage = await openStage();
    const { producer } = stage.newProducer({ folders: [root] });
    ({ url } = await producer.listen());
    await addUsers(stage.database, 'default', ['ana']);
  });
  afterAll(async () => {
    await stage.dispose();
    await rm(path.dirname(root), { recursive: true, force: true });
  });

  async function ask(method: string, route: string, body?: object) {
    const reply = await fetch(`${url}${route}`, {
      method,
      headers: { ...BEARER, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await reply.text();
    return { status: reply.status, type: reply.headers.get('content-type'), text, body: JSON.parse(text) };
  }
  const file = (workspace: string, name: string) =>
    `/api/memory/file?${new URLSearchParams({ user: 'ana', workspace, path: name })}`;
  const memory = (workspace: string, route = '', more = {}) =>
    `/api/memory${route}?${new URLSearchParams({ user: 'ana', workspace, ...more })}`;
  const put = (name: string, rootDir: string | null) =>
    ask('PUT', `/v1/workspaces/${name}`, { user: 'ana', rootDir });
  async function newFolder(): Promise<{ name: string; folder: string; memory: string }> {
    const name = `p${++serial}`;
    const folder = path.join(root, name);
    const inside = path.join(folder, '.fusion/memory');
    await mkdir(inside, { recursive: true });
    expect((await put(name, folder)).status).toBe(201);
    return { name, folder, memory: inside };
  }

  const REFUSED = [
    '/etc/passwd',
    '../MEMORY.md',
    '../../outside/.fusion/memory/MEMORY.md',
    '.fusion/memory/../memory/MEMORY.md',
    '..\\MEMORY.md',
    'C:\\x\\MEMORY.md',
    'C:MEMORY.md',
    '\\\\server\\share\\MEMORY.md',
    'memory.md',
    'Memory.md',
    '.FUSION/memory/MEMORY.md',
    '.fusion/memory.md',
    'memory-insights.md',
    'memory-audit-state.json',
    'notes.txt',
    'memory/sub/2026-05-01.md',
    '.fusion/memory/sub/MEMORY.md',
    'MEMORY.md/',
    'MEMORY.md\u0000.png',
    '\u0000',
    '2026-13-99.md',
    '2026-02-30.md',
    '2025-02-29.md',
    '0000-00-00.md',
    '2026-5-1.md',
    '2026-05-01-extra.md',
    '2026-05-01.md.tmp',
    '%2e%2e/MEMORY.md',
    '/dev/zero',
    '.slowwave.lock',
    'constructor',
    `${'a'.repeat(4_096)}.md`,
    `${'../'.repeat(1_300)}etc/passwd`,
  ];
  it.each(['folder', 'documents'])('are refused as they are asked for: %s', async (kind) => {
    const { name, folder } = kind === 'folder' ? await newFolder() : { name: 'docs', folder: root };
    if (kind === 'documents') expect((await put(name, null)).status).toBe(201);
    const standing = await contentsOf(folder);
    for (const asked of REFUSED) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { content: 'x' }],
        ['POST', { content: 'x' }],
      ] as const) {
        const reply = await ask(method, file(name, asked), body);
        expect([method, asked, reply.status, reply.body.code]).toEqual([method, asked, 400, 'UNSUPPORTED']);
        expect(reply.type).toContain('application/problem+json');
        expect(reply.text.length).toBeLessThan(1_000);
      }
    }
    for (const blank of ['', ' ']) {
      expect((await ask('GET', file(name, blank))).body.code).toBe('NOT_FOUND');
    }
    expect(await contentsOf(folder)).toEqual(standing);
  });

  it('by a link in place of a document, or of the folder, are not followed', async () => {
    const one = await newFolder();
    await symlink(path.join(outside, '.fusion/memory/MEMORY.md'), path.join(one.memory, 'MEMORY.md'));
    await symlink(path.join(outside, '.fusion/memory', DAY), path.join(one.memory, DAY));
    const two = await newFolder();
    await rm(two.memory, { recursive: true });
    await symlink(path.join(outside, '.fusion/memory'), two.memory);
    const three = await newFolder();
    await rm(path.join(three.folder, '.fusion'), { recursive: true });
    await symlink(path.join(outside, '.fusion'), path.join(three.folder, '.fusion'));
    for (const { name } of [one, two, three]) {
      for (const [method, route, body] of [
        ['GET', memory(name), undefined],
        ['PUT', memory(name), { content: 'x' }],
        ['GET', file(name, DAY), undefined],
        ['PUT', file(name, DAY), { content: 'x' }],
        ['POST', file(name, DAY), { content: 'x' }],
      ] as const) {
        const reply = await ask(method, route, body);
        expect([route, method, reply.status, reply.body.code]).toEqual([route, method, 400, 'UNSUPPORTED']);
      }
      const found = await ask('GET', memory(name, '/search', { query: SECRET }));
      const listed = await ask('GET', memory(name, '/files'));
      for (const reply of [found, listed]) expect(reply.text).not.toContain(SECRET);
      if (listed.status === 200) expect(listed.body.files).toEqual([]);
    }
    expect(await contentsOf(outside)).toEqual(before);
  });

  it('by a device or a pipe in place of a document end at once', async () => {
    const { name, memory: inside } = await newFolder();
    await promisify(execFile)('mkfifo', [path.join(inside, DAY)]);
    await symlink('/dev/zero', path.join(inside, 'MEMORY.md'));
    for (const route of [memory(name), file(name, DAY), file(name, 'MEMORY.md')]) {
      for (const [method, body] of [
        ['GET', undefined],
        ['PUT', { content: 'x' }],
      ] as const) {
        const reply = await ask(method, route, body);
        expect([route, method, reply.status, reply.body.code]).toEqual([route, method, 400, 'UNSUPPORTED']);
      }
    }
    expect((await ask('GET', memory(name, '/search', { query: 'x' }))).body.hits).toEqual([]);
    expect((await ask('GET', memory(name, '/files'))).body.files).toEqual([]);
  });

  it('make no workspace', async () => {
    const plain = path.join(root, 'plain');
    await writeFile(plain, '');
    const pipe = path.join(root, 'pipe');
    await promisify(execFile)('mkfifo', [pipe]);
    const link = path.join(root, 'link');
    await symlink(outside, link);
    const loop = path.join(root, 'loop');
    await symlink(loop, loop);
    for (const [asked, status, code] of [
      ['/dev/zero', 400, 'UNSUPPORTED'],
      ['/dev', 400, 'UNSUPPORTED'],
      ['/proc/self/root', 400, 'UNSUPPORTED'],
      ['/proc/self/cwd', 400, 'UNSUPPORTED'],
      ['/', 400, 'UNSUPPORTED'],
      [plain, 400, 'UNSUPPORTED'],
      [pipe, 400, 'UNSUPPORTED'],
      [loop, 400, 'UNSUPPORTED'],
      [link, 400, 'UNSUPPORTED'],
      [outside, 400, 'UNSUPPORTED'],
      [`${root}/../outside`, 400, 'UNSUPPORTED'],
      [`${root}-beside`, 404, 'NOT_FOUND'],
      [path.dirname(root), 400, 'UNSUPPORTED'],
      ['relative', 400, 'UNSUPPORTED'],
      ['', 400, 'UNSUPPORTED'],
      [`${root}\u0000`, 400, 'UNSUPPORTED'],
      [`${root}/${'a'.repeat(4_096)}`, 400, 'UNSUPPORTED'],
      [path.join(root, 'nothing'), 404, 'NOT_FOUND'],
      [path.join(plain, 'below'), 404, 'NOT_FOUND'],
    ] as const) {
      const reply = await put('never', asked);
      expect([asked, reply.status, reply.body.code]).toEqual([asked, status, code]);
      expect(reply.text).not.toContain(root);
    }
    expect((await ask('GET', '/v1/workspaces/never?user=ana')).status).toBe(404);
    expect(await contentsOf(outside)).toEqual(before);
  });

  it('in names of workspaces and runs are names only', async () => {
    for (const name of ['..', '../..', '/etc', 'a/b', `${'\u{1f415}'.repeat(200)}`]) {
      const made = await ask('PUT', `/v1/workspaces/${encodeURIComponent(name)}`, { user: 'ana' });
      // `..` as a part of the address never reaches the service as one.
      if (made.body.code === 'unknown_route') continue;
      expect([name, made.status, made.body.workspace?.workspace]).toEqual([name, 201, name]);
    }
    const long = await ask('PUT', `/v1/workspaces/${'a'.repeat(201)}`, { user: 'ana' });
    expect([long.status, long.body.code]).toEqual([400, 'invalid_request']);
    const nul = await ask('PUT', '/v1/workspaces/%00', { user: 'ana' });
    expect([nul.status, nul.body.code]).toEqual([400, 'invalid_request']);
  });

  it.each(['folder', 'documents'])(
    'or texts with a NUL are refused, and what stood stays: %s',
    async (kind) => {
      const { name } = kind === 'folder' ? await newFolder() : { name: `n${++serial}` };
      if (kind === 'documents') await put(name, null);
      await ask('PUT', memory(name), { content: 'mine' });
      const reply = await ask('PUT', memory(name), { content: 'a\u0000b' });
      expect([reply.status, reply.body.code]).toEqual([400, 'UNSUPPORTED']);
      expect((await ask('GET', memory(name))).body.content).toBe('mine');
    },
  );
});
