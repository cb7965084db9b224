import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childScript } from '../../../test/fixtures/child-script.ts';
import {
  type FolderLock,
  type FolderOwner,
  folderOwner,
  type LockOptions,
  lockFolder,
} from './folder-lock.ts';

const MODULE = JSON.stringify(path.join(import.meta.dirname, 'folder-lock.ts'));
/** Takes the folder in another process, says how that went, and tells for each line of input whether it still has it. */
const OTHER_PROCESS = await childScript(`
  import { lockFolder } from ${MODULE};
  const [folder, options] = process.argv.slice(1);
  const say = (answer) => console.log(JSON.stringify(answer));
  const refusal = (error) => ({ locked: false, code: error.code, message: error.message });
  let lock;
  await lockFolder(folder, JSON.parse(options)).then((taken) => (lock = taken), (error) => say(refusal(error)));
  if (lock) say({ locked: true });
  process.stdin.on('data', () => {
    try {
      lock.check();
      say({ locked: true });
    } catch (error) {
      say(refusal(error));
      void lock.release().then(() => process.exit(0));
    }
  });
`);
/** A heartbeat that ends sooner than that of the product. */
const timing = { beatMs: 40, quietMs: 600 };
const HOSTS = ['one', 'two'].map((host) => ({
  host,
  bootId: `boot of ${host}`,
  pidNamespace: 'pid:[1]',
  netNamespace: 'net:[1]',
}));

interface Answer {
  locked: boolean;
  code?: string;
  message?: string;
}

describe('the lock on a folder', () => {
  let folder: string;
  let file: string;
  let others: ChildProcess[];
  let locks: FolderLock[];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave-lock-'));
    file = path.join(folder, 'owner.json');
    others = [];
    locks = [];
  });
  afterEach(async () => {
    await Promise.all(locks.map((lock) => lock.release()));
    await Promise.all(others.map(stop));
    await rm(folder, { recursive: true });
  });

  async function take(dataDir: string, options?: LockOptions): Promise<FolderLock> {
    const lock = await lockFolder(dataDir, options);
    locks.push(lock);
    return lock;
  }

  async function stop(other: ChildProcess): Promise<void> {
    if (other.exitCode !== null || other.signalCode !== null) return;
    other.kill('SIGKILL');
    await once(other, 'exit');
  }

  async function lockElsewhere(options: LockOptions = {}) {
    const given = JSON.stringify(options);
    const other = spawn(process.execPath, [...OTHER_PROCESS, folder, given], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    others.push(other);
    const lines = createInterface({ input: other.stdout! });
    const next = async () => JSON.parse(((await once(lines, 'line')) as [string])[0]) as Answer;
    const answer = await next();
    const check = (): Promise<Answer> => {
      const told = next();
      other.stdin!.write('\n');
      return told;
    };
    return { other, answer, check };
  }

  const inFile = async (): Promise<FolderOwner> => JSON.parse(await readFile(file, 'utf8')) as FolderOwner;
  const leftBehind = (owner: object | string): Promise<void> =>
    writeFile(file, typeof owner === 'string' ? owner : JSON.stringify(owner));

  it('keeps a second process out and names the first', async () => {
    const lock = await take(folder);
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
    await expect(take(folder)).rejects.toMatchObject({ code: 'folder_in_use', retryable: false });
    await expect(take(folder)).rejects.toThrow(`process ${other.pid}`);

    await stop(other);
    expect(await folderOwner(folder)).toBeNull();
    await take(folder);
    expect(await inFile()).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual(['owner.json']);
  });

  it('is not fooled by a process id that was given to another process', async () => {
    const owner = { pid: process.pid, startedAt: 'long ago', url: null, token: null };
    await leftBehind(owner);
    expect(await folderOwner(folder)).toBeNull();
    const lock = await take(folder);
    expect((await inFile()).startedAt).not.toBe('long ago');
    await lock.release();
  });

  it('trusts the process id where the system tells no start times', async () => {
    await leftBehind({ pid: process.pid, startedAt: null, url: null, token: null });
    await expect(take(folder)).rejects.toMatchObject({ code: 'folder_in_use' });
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
    await take(folder);
    expect(await inFile()).toMatchObject({ pid: process.pid });
    expect(await readdir(folder)).toEqual(['owner.json']);
  });

  it('tells the way to its owner once that listens', async () => {
    const lock = await take(folder);
    expect(await folderOwner(folder)).toMatchObject({ pid: process.pid, url: null, token: null });
    const api = { url: 'http://127.0.0.1:4123', token: 'secret' };
    await lock.announce(api);
    expect(await folderOwner(folder)).toMatchObject({ pid: process.pid, ...api });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['owner.json']);
  });

  it('is free after release, which counts once', async () => {
    const lock = await take(folder);
    await lock.release();
    expect(await folderOwner(folder)).toBeNull();
    await take(folder);
    await lock.release();
    expect(await folderOwner(folder)).toMatchObject({ pid: process.pid });
  });

  it('goes to one of many who ask at once', async () => {
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => take(folder)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  describe('whose owner is on another host or in another namespace', () => {
    const [one, two] = HOSTS as [LockOptions['place'] & object, LockOptions['place'] & object];

    it('keeps a second process out while its heart beats, and says where the first is', async () => {
      const lock = await take(folder, { place: one, timing });
      await lock.announce({ url: 'http://127.0.0.1:4123', token: 'secret' });
      const waited: unknown[] = [];
      const onWait = (owner: FolderOwner) => waited.push(owner.host);
      const refused = take(folder, { place: two, timing, onWait });
      await expect(refused).rejects.toMatchObject({ code: 'folder_in_use', retryable: false });
      await expect(refused).rejects.toThrow(
        new RegExp(`process ${process.pid} on one .*heartbeat is 0 s old.*SLOWWAVE_DATA_DIR`),
      );
      expect(waited).toEqual(['one']);
      // Its loopback address is none of this network: no token is sent there.
      const seen = await folderOwner(folder, { place: two, timing });
      expect(seen).toMatchObject({ pid: process.pid, host: 'one', url: null, token: null });
      const near = { ...one, pidNamespace: 'pid:[2]' };
      const reached = await folderOwner(folder, { place: near, timing });
      expect(reached).toMatchObject({ url: 'http://127.0.0.1:4123', token: 'secret' });
      await lock.release();
      expect(await folderOwner(folder, { place: two, timing })).toBeNull();
    });

    it('is taken over after its heartbeat has ended, by one of many', async () => {
      const { other, answer } = await lockElsewhere({ place: one, timing });
      expect(answer).toEqual({ locked: true });
      await expect(take(folder, { place: two, timing })).rejects.toMatchObject({
        code: 'folder_in_use',
      });
      await stop(other);
      const results = await Promise.allSettled(
        Array.from({ length: 4 }, () => take(folder, { place: two, timing })),
      );
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      expect(await inFile()).toMatchObject({ pid: process.pid, host: 'two' });
    });

    it('is lost to an owner that was paused, which says so and leaves the file of the next one', async () => {
      const { other, check } = await lockElsewhere({ place: one, timing });
      expect(await check()).toEqual({ locked: true });
      other.kill('SIGSTOP');
      const lock = await take(folder, { place: two, timing });
      other.kill('SIGCONT');
      const told = await check();
      expect(told).toMatchObject({ locked: false, code: 'folder_lost' });
      expect(told.message).toContain('another process took over while this one was paused');
      await once(other, 'exit');
      expect(await inFile()).toMatchObject({ pid: process.pid, host: 'two' });
      lock.check();
    });
  });

  it('of a folder that was copied with its lock file does not lock the copy, nor lose the first', async () => {
    const lock = await take(folder, { timing });
    const copy = await mkdtemp(path.join(tmpdir(), 'slowwave-copy-'));
    try {
      await copyFile(file, path.join(copy, 'owner.json'));
      const second = await take(copy, { timing });
      await expect(take(folder, { timing })).rejects.toMatchObject({ code: 'folder_in_use' });
      await expect(take(copy, { timing })).rejects.toMatchObject({ code: 'folder_in_use' });
      await second.release();
      lock.check();
    } finally {
      await rm(copy, { recursive: true });
    }
  });

  it.each([
    ['removed', () => rm(file)],
    ['replaced', () => writeFile(file, JSON.stringify({ pid: process.pid, id: 'another' }))],
    ['emptied', () => writeFile(file, '')],
  ])('whose file is %s is found lost by the heartbeat, without a statement', async (_how, change) => {
    let tell = (_error: unknown): void => {};
    const told = new Promise<unknown>((resolve) => {
      tell = resolve;
    });
    const lock = await take(folder, { timing, onLost: tell });
    await change();
    expect(await told).toMatchObject({ code: 'folder_lost' });
    expect(() => lock.check()).toThrow('is no longer this process');
    await lock.release();
  });

  it('keeps no process alive that does nothing else', async () => {
    const script = await childScript(
      `import { lockFolder } from ${MODULE}; await lockFolder(process.argv[1]);`,
    );
    const other = spawn(process.execPath, [...script, folder], { stdio: 'inherit' });
    others.push(other);
    expect(await once(other, 'exit')).toEqual([0, null]);
  });
});
