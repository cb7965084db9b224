import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from './errors.ts';
import { startHeartbeat } from './folder-heartbeat.ts';
import {
  type FolderOwner,
  isReachable,
  type Judged,
  type JudgeOptions,
  judge,
  nowMs,
  ownerOf,
  ownPlace,
  type Place,
  processStart,
  see,
} from './folder-owner.ts';

export type { FolderOwner };

export interface FolderLock {
  /** Tells other processes of this machine where the running owner can be reached. */
  announce(api: { url: string; token: string }): Promise<void>;
  /**
   * Looks whether the folder is still this process's, at most once in 50 ms. Called before and after every statement: what a process that
   * was paused writes after another one took over is neither begun nor acknowledged.
   * @throws DatabaseError `folder_lost`, from then on always
   */
  check(): void;
  release(): Promise<void>;
}

export interface LockOptions {
  /** Called once when the folder is lost: nothing may be written any more. */
  onLost?: ((error: DatabaseError) => void) | undefined;
  /** Called when the owner is elsewhere, and its heartbeat has to be watched for up to 15 s. */
  onWait?: ((owner: FolderOwner) => void) | undefined;
  /** For tests. */
  timing?: { beatMs: number; quietMs: number };
  place?: Place;
}

const LOCK_FILE = 'owner.json';
const ATTEMPTS = 20;
const PAUSE_MS = 25;
const CHECK_MS = 50;
const TIMING = { beatMs: 2_000, quietMs: 15_000 };

async function judgeOptions({ place, timing = TIMING, onWait }: LockOptions): Promise<JudgeOptions> {
  const { quietMs } = timing;
  return { place: place ?? (await ownPlace()), quietMs, pollMs: quietMs / 60, onWait };
}

/** The process that owns a folder now, or null when none does. Its address stands there only if it leads to the owner from here. */
export async function folderOwner(dataDir: string, options: LockOptions = {}): Promise<FolderOwner | null> {
  const judging = await judgeOptions(options);
  const { owner } = await judge(path.join(dataDir, LOCK_FILE), judging);
  return owner === null || isReachable(owner, judging.place) ? owner : { ...owner, url: null, token: null };
}

/** Takes a folder for this process. @throws DatabaseError `folder_in_use`, naming the owner */
export async function lockFolder(dataDir: string, options: LockOptions = {}): Promise<FolderLock> {
  const file = path.join(dataDir, LOCK_FILE);
  const judging = await judgeOptions(options);
  const self: FolderOwner = {
    pid: process.pid,
    startedAt: await processStart(process.pid),
    ...judging.place,
    id: randomUUID(),
    url: null,
    token: null,
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await createWhole(file, self)) return holdFolder(dataDir, file, self, options);
    const judged = await judge(file, judging);
    if (judged.owner) throw inUse(dataDir, judged);
    if (judged.seen && (await takeOver(file, judged.seen, self, judging)))
      return holdFolder(dataDir, file, self, options);
    await sleep(PAUSE_MS);
  }
  throw new DatabaseError(
    'folder_in_use',
    `the data folder ${dataDir} is being opened by another process; try again`,
    { retryable: true },
  );
}

async function writeAside(file: string, owner: FolderOwner): Promise<string> {
  const aside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const handle = await open(aside, 'wx', 0o600);
  try {
    const { ino } = await handle.stat({ bigint: true });
    await handle.writeFile(JSON.stringify({ ...owner, inode: String(ino) }));
  } finally {
    await handle.close();
  }
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
 * that judged the old file may be late, and must not remove what another one has put there since.
 */
async function takeOver(
  file: string,
  dead: NonNullable<Judged['seen']>,
  self: FolderOwner,
  judging: JudgeOptions,
): Promise<boolean> {
  const marker = `${file}.${createHash('sha256').update(dead.text).digest('hex').slice(0, 12)}.taking`;
  if (!(await createWhole(marker, self))) {
    // Left behind by a process that died just here.
    if ((await judge(marker, judging)).owner === null) await rm(marker, { force: true });
    return false;
  }
  try {
    const seen = await see(file);
    if (seen?.text !== dead.text || seen.beat !== dead.beat) return false;
    await rename(await writeAside(file, self), file);
    return true;
  } finally {
    await rm(marker, { force: true });
  }
}

function inUse(dataDir: string, { owner, heartbeatMsAgo }: Judged): DatabaseError {
  const { pid, host, url } = owner!;
  const elsewhere =
    heartbeatMsAgo === null
      ? ''
      : ` on ${host ?? 'another host'} (in another container or PID namespace, or on another machine), whose heartbeat is ${Math.round(heartbeatMsAgo / 1_000)} s old`;
  const reach = url ? ` It answers at ${url}.` : '';
  return new DatabaseError(
    'folder_in_use',
    `the data folder ${dataDir} is in use by process ${pid}${elsewhere}.${reach} Stop it, or choose another folder with SLOWWAVE_DATA_DIR.`,
  );
}

/** Which file this is: no other one has the same, not even one that got its inode. */
function stampOf(file: string): string {
  const { ino, birthtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return `${ino} ${birthtimeNs || ctimeNs}`;
}

function holdFolder(dataDir: string, file: string, self: FolderOwner, options: LockOptions): FolderLock {
  const { onLost, timing = TIMING } = options;
  const message = `the data folder ${dataDir} is no longer this process's: its lock file was removed, or another process took over while this one was paused; nothing more is written. Start it again once no other process has the folder.`;
  let stamp = '';
  let released = false;
  let lost: DatabaseError | null = null;
  let checkedAt = nowMs();

  function isOwn(): boolean {
    try {
      const now = stampOf(file);
      if (now === stamp) return true;
      // Some file systems tell another inode each time.
      if (ownerOf(readFileSync(file, 'utf8'))?.id !== self.id) return false;
      stamp = now;
      return true;
    } catch {
      return false;
    }
  }

  function look(): void {
    if (released || lost || isOwn()) return;
    lost = new DatabaseError('folder_lost', message, { retryable: true });
    onLost?.(lost);
  }

  const heartbeat = startHeartbeat({
    file,
    id: self.id!,
    beatMs: timing.beatMs,
    message,
    // It has read the file, which may hold another owner's text although it is the same file.
    onLost() {
      stamp = '';
      look();
    },
  });
  return {
    async announce(api) {
      if (released) return;
      const aside = await writeAside(file, { ...self, ...api });
      look();
      if (released || lost) return rm(aside, { force: true });
      renameSync(aside, file);
    },
    check() {
      const now = nowMs();
      if (now - checkedAt >= CHECK_MS) {
        look();
        checkedAt = now;
      }
      if (lost) throw lost;
    },
    async release() {
      if (released) return;
      await heartbeat.stop();
      const isMine = lost === null && isOwn();
      released = true;
      if (isMine) await rm(file, { force: true });
    },
  };
}
