import { createHash, randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseError } from './errors.ts';

/** Who owns a folder, as written in its lock file (readable by its user only). */
export interface FolderOwner {
  pid: number;
  /** Distinguishes a reused process id; null where the system does not tell. */
  startedAt: string | null;
  /** Where the owner's HTTP API listens, once it does. */
  url: string | null;
  /** Token for that API. */
  token: string | null;
}

export interface FolderLock {
  /** Tells other processes of this machine where the running owner can be reached. */
  announce(api: { url: string; token: string }): Promise<void>;
  release(): Promise<void>;
}

const LOCK_FILE = 'owner.json';
const ATTEMPTS = 20;
const PAUSE_MS = 25;

/** Start time of a process in clock ticks since boot (Linux); null elsewhere or when it is gone. */
async function processStart(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command name may hold spaces and parentheses: fields are counted after the last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

async function isAlive(owner: FolderOwner): Promise<boolean> {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return owner.startedAt === null || (await processStart(owner.pid)) === owner.startedAt;
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return null;
  }
}

/** The living process that a lock file's text names, or null. */
async function livingOwner(text: string | null): Promise<FolderOwner | null> {
  let owner: FolderOwner | null;
  try {
    owner = JSON.parse(text ?? 'null') as FolderOwner | null;
  } catch {
    return null;
  }
  return Number.isInteger(owner?.pid) && (await isAlive(owner!)) ? owner : null;
}

/** The process that owns a folder now, or null when none does (a dead owner's file is ignored). */
export async function folderOwner(dataDir: string): Promise<FolderOwner | null> {
  return livingOwner(await textOf(path.join(dataDir, LOCK_FILE)));
}

/** Takes a folder for this process. @throws DatabaseError `folder_in_use`, naming the owner's process id */
export async function lockFolder(dataDir: string): Promise<FolderLock> {
  const file = path.join(dataDir, LOCK_FILE);
  const self: FolderOwner = {
    pid: process.pid,
    startedAt: await processStart(process.pid),
    url: null,
    token: null,
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await createWhole(file, self)) return lockOver(file, self);
    const text = await textOf(file);
    const owner = await livingOwner(text);
    if (owner) throw inUse(dataDir, owner);
    if (text !== null && (await takeOver(file, text, self))) return lockOver(file, self);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new DatabaseError(
    'folder_in_use',
    `the data folder ${dataDir} is being opened by another process; try again`,
    { retryable: true },
  );
}

async function writeAside(file: string, owner: FolderOwner): Promise<string> {
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  await writeFile(aside, JSON.stringify(owner), { mode: 0o600, flag: 'wx' });
  return aside;
}

/** Creates a file that is never seen half written: linking fails when the name is taken. */
async function createWhole(file: string, owner: FolderOwner): Promise<boolean> {
  const aside = await writeAside(file, owner);
  try {
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
 * Replaces a dead owner's file. A marker named after its text lets one process in at a time, and that one looks again: a process
 * that judged the old file may be late, and must not remove what somebody else has put there since.
 */
async function takeOver(file: string, deadText: string, self: FolderOwner): Promise<boolean> {
  const marker = `${file}.${createHash('sha256').update(deadText).digest('hex').slice(0, 12)}.taking`;
  if (!(await createWhole(marker, self))) {
    // Left behind by a process that died just here.
    if (!(await livingOwner(await textOf(marker)))) await rm(marker, { force: true });
    return false;
  }
  try {
    if ((await textOf(file)) !== deadText) return false;
    await rename(await writeAside(file, self), file);
    return true;
  } finally {
    await rm(marker, { force: true });
  }
}

function inUse(dataDir: string, owner: FolderOwner): DatabaseError {
  const reach = owner.url ? ` It answers at ${owner.url}.` : '';
  return new DatabaseError(
    'folder_in_use',
    `the data folder ${dataDir} is in use by process ${owner.pid}.${reach} Stop it, or choose another folder with SLOWWAVE_DATA_DIR.`,
  );
}

function lockOver(file: string, self: FolderOwner): FolderLock {
  let released = false;
  return {
    async announce(api) {
      if (released) return;
      await rename(await writeAside(file, { ...self, ...api }), file);
    },
    async release() {
      if (released) return;
      released = true;
      await rm(file, { force: true });
    },
  };
}
