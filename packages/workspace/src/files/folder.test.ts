import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childScript } from '../../../../test/fixtures/child-script.ts';
import { FileMemoryBackend } from '../backend/file.ts';
import { createFolderFiles, textHash } from './folder.ts';

let base: string;
let root: string;
let folder: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'slowwave-folder-'));
  root = join(base, 'project');
  folder = join(root, '.fusion', 'memory');
  await mkdir(folder, { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);
const code = (expected: string) => expect.objectContaining({ name: 'MemoryBackendError', code: expected });
const by = { by: 'test' };

describe('writing', () => {
  it('CT-04 a crash between the temporary file and its place leaves what stood there', async () => {
    await writeFile(at('MEMORY.md'), 'old');
    const script = await childScript(`
      import { createFolderFiles } from ${JSON.stringify(join(import.meta.dirname, 'folder.ts'))};
      const files = createFolderFiles({ rootDir: ${JSON.stringify(root)}, onStep: (step) => {
        if (step === 'written') process.kill(process.pid, 'SIGKILL');
      } });
      await files.write('MEMORY.md', 'new', { by: 'test' });`);
    const child = spawnSync(process.execPath, script);
    expect(child.signal).toBe('SIGKILL');
    expect(await readFile(at('MEMORY.md'), 'utf8')).toBe('old');
    const left = (await readdir(folder)).filter((name) => name.endsWith('.tmp'));
    expect(left).toHaveLength(1);

    // The next writer takes over the dead one's lock; the leftover goes once it is old.
    const files = createFolderFiles({ rootDir: root });
    await files.write('MEMORY.md', 'next', by);
    expect(await readdir(folder)).toEqual([left[0], 'MEMORY.md']);
    await utimes(at(left[0]!), 1, 1);
    await files.write('MEMORY.md', 'last', by);
    expect(await readdir(folder)).toEqual(['MEMORY.md']);
    expect(await readFile(at('MEMORY.md'), 'utf8')).toBe('last');
  });

  it('sees a hand edit between reading and writing', async () => {
    await writeFile(at('MEMORY.md'), 'old');
    let edits = 0;
    const onStep = () => {
      if (edits++ === 0) execFileSync('sh', ['-c', 'printf edited > "$0"', at('MEMORY.md')]);
    };
    const files = createFolderFiles({ rootDir: root, onStep });
    const write = files.write('MEMORY.md', 'new', { ...by, expected: textHash('old') });
    await expect(write).rejects.toEqual(code('CONFLICT'));
    expect(await readFile(at('MEMORY.md'), 'utf8')).toBe('edited');
    edits = 0;
    // Whoever expects nothing is asked again, with what stands there now.
    await files.change('MEMORY.md', (content) => `${content} and added`, by);
    expect(await readFile(at('MEMORY.md'), 'utf8')).toBe('edited and added');
  });

  it('sees a file that appears where none was', async () => {
    const onStep = () => execFileSync('sh', ['-c', 'printf edited > "$0"', at('DREAMS.md')]);
    const files = createFolderFiles({ rootDir: root, onStep });
    const write = files.write('DREAMS.md', 'new', { ...by, expected: null });
    await expect(write).rejects.toEqual(code('CONFLICT'));
    expect(await readFile(at('DREAMS.md'), 'utf8')).toBe('edited');
  });

  it('keeps what stood before a run first changed it', async () => {
    await writeFile(at('MEMORY.md'), 'zero');
    const files = createFolderFiles({ rootDir: root });
    await files.write('MEMORY.md', 'one', { ...by, runId: 'run' });
    await files.write('MEMORY.md', 'two', { ...by, runId: 'run' });
    await files.write('DREAMS.md', 'dream', { ...by, runId: 'run' });
    expect(await files.before('run', 'MEMORY.md')).toEqual({ content: 'zero', sha256After: textHash('two') });
    expect(await files.before('run', 'DREAMS.md')).toEqual({ content: null, sha256After: textHash('dream') });
    expect(await files.before('other', 'MEMORY.md')).toBeNull();
  });

  it('keeps new files to their owner, and the permissions of files that are there', async () => {
    const files = createFolderFiles({ rootDir: root });
    await files.write('DREAMS.md', 'x', by);
    expect((await stat(at('DREAMS.md'))).mode & 0o777).toBe(0o600);
    await chmod(at('DREAMS.md'), 0o640);
    await files.write('DREAMS.md', 'y', by);
    expect((await stat(at('DREAMS.md'))).mode & 0o777).toBe(0o640);
  });

  it('does not write through a hard link', async () => {
    await writeFile(join(base, 'outside'), 'outside');
    await link(join(base, 'outside'), at('MEMORY.md'));
    await createFolderFiles({ rootDir: root }).write('MEMORY.md', 'inside', by);
    expect(await readFile(join(base, 'outside'), 'utf8')).toBe('outside');
  });

  it('creates the memory folder, but no project', async () => {
    await rm(join(root, '.fusion'), { recursive: true });
    await createFolderFiles({ rootDir: root }).write('MEMORY.md', 'x', by);
    expect((await stat(join(root, '.fusion', 'memory'))).mode & 0o777).toBe(0o700);
    const missing = createFolderFiles({ rootDir: join(base, 'nowhere') });
    await expect(missing.write('MEMORY.md', 'x', by)).rejects.toEqual(code('WRITE_FAILED'));
    expect(await missing.read('MEMORY.md')).toBeNull();
    expect(await readdir(base)).toEqual(['project']);
  });

  it('refuses more than 16 MiB', async () => {
    const files = createFolderFiles({ rootDir: root });
    const write = files.write('MEMORY.md', 'x'.repeat(16 * 1024 * 1024 + 1), by);
    await expect(write).rejects.toEqual(code('QUOTA_EXCEEDED'));
    expect(await readdir(folder)).toEqual([]);
  });

  it('CT-03 writers of several processes take turns', async () => {
    const script = await childScript(`
      import { FileMemoryBackend } from ${JSON.stringify(join(import.meta.dirname, '../backend/file.ts'))};
      const backend = new FileMemoryBackend();
      for (let i = 0; i < 20; i++) await backend.append(${JSON.stringify(root)}, 'MEMORY.md', process.pid + ' ' + i);`);
    const codes = await Promise.all(
      Array.from(
        { length: 3 },
        () =>
          new Promise((resolve) => {
            spawn(process.execPath, script, { stdio: 'ignore' }).on('exit', resolve);
          }),
      ),
    );
    expect(codes).toEqual([0, 0, 0]);
    const lines = (await readFile(at('MEMORY.md'), 'utf8')).trimEnd().split('\n');
    expect(new Set(lines).size).toBe(60);
    expect(lines).toHaveLength(60);
    expect(await readdir(folder)).toEqual(['MEMORY.md']);
  });

  it('does not take the lock of a writer who lives', async () => {
    const lock = { pid: process.pid, host: (await import('node:os')).hostname(), token: 'x' };
    await writeFile(at('.slowwave.lock'), JSON.stringify(lock));
    const { takeLock } = await import('./folder-lock.ts');
    expect(await takeLock(at('.slowwave.lock'), { waitMs: 30, staleMs: 0 })).toBeNull();
    await writeFile(at('.slowwave.lock'), JSON.stringify({ ...lock, host: 'elsewhere' }));
    expect(await takeLock(at('.slowwave.lock'), { waitMs: 30, staleMs: 60_000 })).toBeNull();
    await utimes(at('.slowwave.lock'), 1, 1);
    const release = await takeLock(at('.slowwave.lock'), { waitMs: 60_000, staleMs: 60_000 });
    expect(release).not.toBeNull();
    await release!();
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('reading', () => {
  it('CT-06 what is there and cannot be read is READ_FAILED', async () => {
    await mkdir(at('MEMORY.md'));
    await writeFile(at('DREAMS.md'), Buffer.from([0x61, 0xff, 0xfe]));
    await writeFile(at('2026-04-19.md'), '');
    await truncate(at('2026-04-19.md'), 16 * 1024 * 1024 + 1);
    const files = createFolderFiles({ rootDir: root });
    for (const name of ['MEMORY.md', 'DREAMS.md', '2026-04-19.md']) {
      const failure = await files.read(name).catch((error: unknown) => error);
      expect(failure).toEqual(code('READ_FAILED'));
      expect(String(failure)).toContain('Failed to read memory file');
    }
    // A writer who has not read it would destroy it.
    await expect(files.write('DREAMS.md', 'x', by)).rejects.toEqual(code('WRITE_FAILED'));
    await expect(files.write('MEMORY.md', 'x', by)).rejects.toEqual(code('WRITE_FAILED'));
    await writeFile(at('2026-04-20.md'), 'needle');
    const hits = await new FileMemoryBackend().search(root, { query: 'needle' });
    expect(hits.map((hit) => hit.path)).toEqual(['.fusion/memory/2026-04-20.md']);
  });

  it('refuses a pipe without waiting for its writer', async () => {
    execFileSync('mkfifo', [at('MEMORY.md')]);
    const files = createFolderFiles({ rootDir: root });
    await expect(files.read('MEMORY.md')).rejects.toEqual(code('UNSUPPORTED'));
    await expect(files.write('MEMORY.md', 'x', by)).rejects.toEqual(code('UNSUPPORTED'));
    expect(await files.list()).toEqual([]);
  });
});

describe('links', () => {
  const secret = () => join(base, 'secret.md');
  beforeEach(() => writeFile(secret(), 'secretword'));

  it('CT-08 a linked file is neither read, written, listed nor searched', async () => {
    await symlink(secret(), at('MEMORY.md'));
    await symlink(secret(), at('2026-04-19.md'));
    await symlink(join(base, 'created.md'), at('DREAMS.md'));
    const backend = new FileMemoryBackend();
    await expect(backend.read(root)).rejects.toEqual(code('UNSUPPORTED'));
    await expect(backend.write(root, 'x')).rejects.toEqual(code('UNSUPPORTED'));
    await expect(backend.exists(root)).rejects.toEqual(code('UNSUPPORTED'));
    await expect(backend.get(root, { path: '2026-04-19.md' })).rejects.toEqual(code('UNSUPPORTED'));
    await expect(backend.append(root, 'DREAMS.md', 'x')).rejects.toEqual(code('UNSUPPORTED'));
    await expect(backend.writeFile(root, 'DREAMS.md', 'x', { expectedVersion: null })).rejects.toEqual(
      code('UNSUPPORTED'),
    );
    expect(await backend.list(root)).toEqual([]);
    expect(await backend.search(root, { query: 'secretword' })).toEqual([]);
    expect(await readFile(secret(), 'utf8')).toBe('secretword');
    expect((await readdir(base)).sort()).toEqual(['project', 'secret.md']);
  });

  it.each(['.fusion/memory', '.fusion'])('CT-08 a linked folder %s is not followed', async (linked) => {
    await mkdir(join(base, 'elsewhere', 'memory'), { recursive: true });
    await writeFile(join(base, 'elsewhere', 'memory', 'MEMORY.md'), 'secretword');
    await rm(join(root, linked), { recursive: true });
    await symlink(join(base, 'elsewhere', ...(linked === '.fusion' ? [] : ['memory'])), join(root, linked));
    const backend = new FileMemoryBackend();
    await expect(backend.read(root)).rejects.toEqual(code('UNSUPPORTED'));
    await expect(backend.exists(root)).rejects.toEqual(code('UNSUPPORTED'));
    await expect(backend.write(root, 'x')).rejects.toEqual(code('UNSUPPORTED'));
    await expect(backend.search(root, { query: 'secretword' })).rejects.toEqual(code('UNSUPPORTED'));
    expect(await readdir(join(base, 'elsewhere', 'memory'))).toEqual(['MEMORY.md']);
  });

  it('CT-08 planted temporary names are not written through', async () => {
    await symlink(secret(), at('MEMORY.md.tmp'));
    await symlink(secret(), at('.slowwave-1.tmp'));
    const files = createFolderFiles({ rootDir: root, newId: () => '1' });
    await expect(files.write('MEMORY.md', 'x', by)).rejects.toEqual(code('WRITE_FAILED'));
    await createFolderFiles({ rootDir: root }).write('MEMORY.md', 'x', by);
    expect(await readFile(secret(), 'utf8')).toBe('secretword');
  });

  it('a project that is reached by a link is the same project', async () => {
    await symlink(root, join(base, 'alias'));
    await new FileMemoryBackend().write(join(base, 'alias'), 'x');
    expect(await readFile(at('MEMORY.md'), 'utf8')).toBe('x');
  });
});
