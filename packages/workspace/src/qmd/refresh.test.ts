import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeQmd, fakeQmd } from '../../../../test/fakes/qmd.ts';
import { childScript } from '../../../../test/fixtures/child-script.ts';
import {
  QMD_REFRESH_INTERVAL_MS,
  QmdMemoryBackend,
  refreshQmdAgentMemoryIndex,
  refreshQmdProjectMemoryIndex,
} from '../memory-backend.ts';
import { runQmd } from './executor.ts';

let base: string;
let root: string;
let fake: FakeQmd;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'slowwave-qmd-test-'));
  root = join(base, 'project');
  fake = await fakeQmd();
  await write(root, 'MEMORY.md', '# Memory\n\n- The queue runs on Valkey\n- Ports are above 7000\n');
});
afterEach(async () => {
  await fake.close();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

/** Writes a document as if it had stood there for long. */
async function write(project: string, name: string, content: string): Promise<void> {
  const folder = join(project, '.fusion', 'memory');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), content);
  await utimes(join(folder, name), 1, 1);
}

function backend(deadlineMs = 60_000, refreshes = false): QmdMemoryBackend {
  return new QmdMemoryBackend({ executor: fake.executor, command: fake.command, deadlineMs, refreshes });
}

async function commands(): Promise<string[]> {
  return (await fake.calls()).map((call) =>
    call.args.slice(0, call.args[0] === 'collection' ? 2 : 1).join(' '),
  );
}

describe('refresh', () => {
  const counted = () => {
    const runs: string[] = [];
    const execFileAsync = async (_: string, args: readonly string[]) => {
      runs.push(args[0]!);
      return { stdout: '', stderr: '' };
    };
    return { runs, execFileAsync };
  };

  it('QM-06 once per interval, failed or not, unless forced', async () => {
    const { runs, execFileAsync } = counted();
    let now = 1_000_000;
    const refresh = (force = false) =>
      refreshQmdProjectMemoryIndex(root, { force, execFileAsync, now: () => now });
    await refresh();
    expect(runs).toEqual(['collection', 'update', 'embed']);
    await refresh();
    now += QMD_REFRESH_INTERVAL_MS - 1;
    await refresh();
    expect(runs).toHaveLength(3);
    now += 2;
    await refresh();
    expect(runs).toHaveLength(6);
    await refresh(true);
    expect(runs).toHaveLength(9);
    // A clock that went back does not stop it for as long as it went back.
    now -= 10 * QMD_REFRESH_INTERVAL_MS;
    await refresh();
    expect(runs).toHaveLength(12);

    const broken = async () => {
      throw new Error('broken');
    };
    now += QMD_REFRESH_INTERVAL_MS + 1;
    const failing = { execFileAsync: broken, now: () => now };
    await expect(refreshQmdProjectMemoryIndex(root, failing)).rejects.toThrow('broken');
    await refreshQmdProjectMemoryIndex(root, failing);
    await refreshQmdAgentMemoryIndex(root, 'a', { execFileAsync, now: () => now });
    expect(runs).toHaveLength(15);
  });

  it('QM-06 one at a time, and those who come meanwhile share it', async () => {
    let active = 0;
    let most = 0;
    const runs: string[] = [];
    const execFileAsync = async (_: string, args: readonly string[]) => {
      most = Math.max(most, ++active);
      runs.push(args[0]!);
      await new Promise((resolve) => setTimeout(resolve, 5));
      active--;
      return { stdout: '', stderr: '' };
    };
    const refresh = (force: boolean) => refreshQmdProjectMemoryIndex(root, { force, execFileAsync });
    await Promise.all([refresh(false), refresh(false), refresh(true), refresh(false)]);
    expect(most).toBe(1);
    expect(runs).toHaveLength(6);
  });

  it('QM-06 single flight and throttle between processes', async () => {
    const script = await childScript(`
      import { refreshQmdProjectMemoryIndex } from ${JSON.stringify(join(import.meta.dirname, 'refresh.ts'))};
      // The run itself keeps no process alive.
      const alive = setInterval(() => {}, 1000);
      await refreshQmdProjectMemoryIndex(${JSON.stringify(root)}, { command: ${JSON.stringify(fake.command)} });
      clearInterval(alive);`);
    const codes = await Promise.all(
      Array.from(
        { length: 4 },
        () =>
          new Promise<number | null>((resolve) => {
            const child = spawn(process.execPath, script, { stdio: 'ignore' });
            child.on('exit', resolve);
          }),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(await commands()).toEqual(['collection add', 'update', 'embed']);
  });

  it('a write refreshes in the background, without computing vectors', async () => {
    await backend(60_000, true).write(root, 'new text');
    await vi.waitFor(async () => expect(await commands()).toEqual(['collection add', 'update']), {
      timeout: 60_000,
    });
    await refreshQmdProjectMemoryIndex(root, { execFileAsync: runQmd, command: fake.command });
    expect(await commands()).toEqual(['collection add', 'update']);
  });

  it('a failed background refresh does not fail the write', async () => {
    const options = { executor: () => Promise.reject(new Error('broken')) };
    const result = await new QmdMemoryBackend(options).write(root, 'x');
    expect(result).toMatchObject({ success: true, backend: 'qmd' });
  });

  it('tolerates that a collection is there, but not under another name', async () => {
    const failing = (stderr: string) => async (_: string, args: readonly string[]) => {
      if (args[0] === 'collection') throw Object.assign(new Error('exit 1'), { stderr });
      return { stdout: '', stderr: '' };
    };
    const refresh = (stderr: string) =>
      refreshQmdProjectMemoryIndex(root, { force: true, execFileAsync: failing(stderr) });
    await refresh("Collection 'x' already exists.");
    await expect(refresh('A collection already exists for this path and pattern')).rejects.toThrow();
    await expect(refresh('No such directory')).rejects.toThrow();
  });

  it('keeps the index out of version control', async () => {
    await backend().search(root, { query: 'valkey' });
    const { indexPath } = (await fake.calls())[0]!;
    expect(await readFile(join(indexPath!, '..', '.gitignore'), 'utf8')).toBe('*\n');
    expect((await stat(join(indexPath!, '..'))).mode & 0o077).toBe(0);
  });

  it('QM-02 where qmd is missing nothing is installed', async () => {
    const files: string[] = [];
    const executor = async (file: string) => {
      files.push(file);
      throw Object.assign(new Error('not found'), { code: 'ENOENT' });
    };
    const without = new QmdMemoryBackend({ executor });
    await without.write(root, 'Valkey');
    await without.append(root, 'DREAMS.md', 'Valkey');
    expect(await without.search(root, { query: 'valkey' })).toHaveLength(2);
    await refreshQmdProjectMemoryIndex(root, { force: true, execFileAsync: executor }).catch(() => undefined);
    expect(files.length).toBeGreaterThan(1);
    expect(new Set(files)).toEqual(new Set(['qmd']));
  });
});
