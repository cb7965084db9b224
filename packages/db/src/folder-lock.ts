import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
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

/** The process that owns a folder now, or null when none does (a dead owner's file is ignored). */
export async function folderOwner(dataDir: string): Promise<FolderOwner | null> {
  let owner: FolderOwner;
  try {
    owner = JSON.parse(await readFile(path.join(dataDir, LOCK_FILE), 'utf8')) as FolderOwner;
  } catch {
    return null;
  }
  return Number.isInteger(owner.pid) && (await isAlive(owner)) ? owner : null;
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
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await createExclusively(file, self)) return lockOver(file, self);
    const owner = await folderOwner(dataDir);
    if (owner) throw inUse(dataDir, owner);
    // A dead owner's file is moved aside under a name of our own: of two processes that see it, one succeeds.
    const aside = `${file}.${process.pid}.${attempt}.stale`;
    await rename(file, aside).catch(() => undefined);
    await rm(aside, { force: true });
  }
  throw new DatabaseError(
    'folder_in_use',
    `the data folder ${dataDir} is being opened by another process; try again`,
    {
      retryable: true,
    },
  );
}

async function createExclusively(file: string, owner: FolderOwner): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(JSON.stringify(owner));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
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
      const next = `${file}.next`;
      await writeFile(next, JSON.stringify({ ...self, ...api }), { mode: 0o600 });
      await rename(next, file);
    },
    async release() {
      if (released) return;
      released = true;
      await rm(file, { force: true });
    },
  };
}
