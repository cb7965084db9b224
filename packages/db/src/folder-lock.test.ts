import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FolderOwner, folderOwner, lockFolder } from './folder-lock.ts';

/** Takes the folder in another process, says how that went, and stays until its input ends. */
const OTHER_PROCESS = `
  const [module, folder] = process.argv.slice(1);
  const { lockFolder } = await import(module);
  const answer = await lockFolder(folder).then(
    () => ({ locked: true }),
    (error) => ({ locked: false, code: error.code, message: error.message }),
  );
  console.log(JSON.stringify(answer));
  process.stdin.resume();
`;
const MODULE = new URL('./folder-lock.ts', import.meta.url).href;

interface Answer {
  locked: boolean;
  code?: string;
  message?: string;
}

describe('the lock on a folder', () => {
  let folder: string;
  let file: string;
  let others: ChildProcess[];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave-lock-'));
    file = path.join(folder, 'owner.json');
    others = [];
  });
  afterEach(async () => {
    await Promise.all(others.map(stop));
    await rm(folder, { recursive: true });
  });

  async function stop(other: ChildProcess): Promise<void> {
    if (other.exitCode !== null || other.signalCode !== null) return;
    other.kill('SIGKILL');
    await once(other, 'exit');
  }

  async function lockElsewhere(): Promise<{ other: ChildProcess; answer: Answer }> {
    const args = ['--import', 'tsx', '--input-type=module', '-e', OTHER_PROCESS, MODULE, folder];
    const other = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    others.push(other);
    const [line] = (await once(createInterface({ input: other.stdout! }), 'line')) as [string];
    return { other, answer: JSON.parse(line) as Answer };
  }

  const inFile = async (): Promise<FolderOwner> => JSON.parse(await readFile(file, 'utf8')) as FolderOwner;
  const leftBehind = (owner: object | string): Promise<void> =>
    writeFile(file, typeof owner === 'string' ? owner : JSON.stringify(owner));

  it('keeps a second process out and names the first', async () => {
    const lock = await lockFolder(folder);
    await lock.announce({ url: 'http://127.0.0.1:4123', token: 'secret' });
    const { answer } = await lockElsewhere();
    expect(answer).toMatchObject({ locked: false, code: 'folder_in_use' });
    expect(answer.message).toContain(`process ${process.pid}`);
    expect(answer.message).toContain('http://127.0.0.1:4123');
    expect(answer.message).not.toContain('secret');
    expect(await inFile()).toMatchObject({ pid: process.pid });
  });

  it('is seen from outside while its owner lives, and taken over when it died', async () => {
    const { other, answer } = await lockElsewhere();
    expect(answer).toEqual({ locked: true });
    expect(await folderOwner(folder)).toMatchObject({ pid: other.pid });
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'folder_in_use', retryable: false });
    await expect(lockFolder(folder)).rejects.toThrow(`process ${other.pid}`);

    await stop(other);
    expect(await folderOwner(folder)).toBeNull();
    await lockFolder(folder);
    expect(await inFile()).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual(['owner.json']);
  });

  it('is not fooled by a process id that was given to another process', async () => {
    const owner = { pid: process.pid, startedAt: 'long ago', url: null, token: null };
    await leftBehind(owner);
    expect(await folderOwner(folder)).toBeNull();
    const lock = await lockFolder(folder);
    expect((await inFile()).startedAt).not.toBe('long ago');
    await lock.release();
  });

  it('trusts the process id where the system tells no start times', async () => {
    await leftBehind({ pid: process.pid, startedAt: null, url: null, token: null });
    await expect(lockFolder(folder)).rejects.toMatchObject({ code: 'folder_in_use' });
  });

  it.each([
    ['nothing', ''],
    ['half a file', '{"pid": 12'],
    ['another type', '"owner"'],
    ['no process id', '{"pid": "12", "startedAt": null}'],
    ['null', 'null'],
  ])('is taken over from a file with %s in it', async (_what, text) => {
    await leftBehind(text);
    expect(await folderOwner(folder)).toBeNull();
    await lockFolder(folder);
    expect(await inFile()).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual(['owner.json']);
  });

  it('tells the way to its owner once that listens', async () => {
    const lock = await lockFolder(folder);
    expect(await folderOwner(folder)).toMatchObject({ pid: process.pid, url: null, token: null });
    const api = { url: 'http://127.0.0.1:4123', token: 'secret' };
    await lock.announce(api);
    expect(await folderOwner(folder)).toMatchObject({ pid: process.pid, ...api });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['owner.json']);
  });

  it('is free after release, which counts once', async () => {
    const lock = await lockFolder(folder);
    await lock.release();
    expect(await folderOwner(folder)).toBeNull();
    await lockFolder(folder);
    await lock.release();
    expect(await folderOwner(folder)).toMatchObject({ pid: process.pid });
  });

  it('goes to one of many who ask at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });
});
