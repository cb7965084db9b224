import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';

interface LockOwner {
  pid: number;
  host: string;
  /** Distinguishes this hold from any other. */
  token: string;
}

export interface LockOptions {
  /** How long to wait for the one who holds it; 0: not at all. Milliseconds. */
  waitMs: number;
  /** After this long a lock whose owner cannot be asked (another machine) is taken over. Milliseconds. */
  staleMs: number;
}

const PAUSE_MS = 10;

/** A name of its own beside the lock, of the kind that is swept when a crash leaves it. */
function asideOf(file: string): string {
  return join(dirname(file), `.slowwave-${randomBytes(8).toString('hex')}.tmp`);
}

function ownerOf(text: string): LockOwner | null {
  try {
    const owner = JSON.parse(text) as LockOwner | null;
    return owner && Number.isInteger(owner.pid) && typeof owner.host === 'string' ? owner : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function isAbandoned(file: string, text: string, staleMs: number): Promise<boolean> {
  const owner = ownerOf(text);
  if (owner && owner.host === hostname()) return !isAlive(owner.pid);
  try {
    return Date.now() - (await stat(file)).mtimeMs > staleMs;
  } catch {
    return false;
  }
}

/** Removes an abandoned lock, only as long as it still is the one that was judged. */
async function removeAbandoned(file: string, judged: string): Promise<void> {
  const aside = asideOf(file);
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  try {
    // Somebody else was faster, and what was moved is the lock of a new owner: it goes back, unless a newer one stands there.
    if ((await textOf(aside)) !== judged) await link(aside, file).catch(() => undefined);
  } finally {
    await rm(aside, { force: true });
  }
}

async function create(file: string, text: string): Promise<boolean> {
  const aside = asideOf(file);
  const handle = await open(aside, 'wx', 0o600);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  try {
    // A lock is never seen half written: linking fails when the name is taken.
    await link(aside, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Takes a lock between processes, a file with its owner's process id. Null when somebody else holds it for longer than the wait. The folder
 * must exist. A lock whose process is gone is taken over.
 */
export async function takeLock(file: string, options: LockOptions): Promise<(() => Promise<void>) | null> {
  const owner: LockOwner = { pid: process.pid, host: hostname(), token: randomBytes(12).toString('hex') };
  const text = JSON.stringify(owner);
  const end = performance.now() + options.waitMs;
  while (!(await create(file, text))) {
    const held = await textOf(file);
    if (held !== null && (await isAbandoned(file, held, options.staleMs))) await removeAbandoned(file, held);
    else if (held !== null && performance.now() >= end) return null;
    else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return async () => {
    if ((await textOf(file)) === text) await rm(file, { force: true });
  };
}

const queues = new Map<string, Promise<unknown>>();

/** Runs one work at a time per key in this process, in order. */
export async function inOrder<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(key) ?? Promise.resolve();
  const turn = before.then(work, work);
  const settled = turn.catch(() => undefined);
  queues.set(key, settled);
  try {
    return await turn;
  } finally {
    if (queues.get(key) === settled) queues.delete(key);
  }
}

/** Creates a folder of our own (0700) with its parents. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
