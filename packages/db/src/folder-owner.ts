import { open, readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where a process runs: a process id says nothing outside of its namespace, and a loopback address nothing outside of its network. */
export interface Place {
  host: string;
  /** Of the running system; null where it does not tell (no /proc). */
  bootId: string | null;
  pidNamespace: string | null;
  netNamespace: string | null;
}

/** Who owns a folder, as written in its lock file (readable by its user only). */
export interface FolderOwner extends Partial<Place> {
  pid: number;
  /** Distinguishes a reused process id; null where the system does not tell. */
  startedAt: string | null;
  /** Where the owner's HTTP API listens, once it does. */
  url: string | null;
  /** Token for that API. */
  token: string | null;
  /** Random, of one ownership. Files of earlier versions have neither this nor a place, nor a heartbeat. */
  id?: string;
  /** Of the lock file itself: a file with another one was copied. */
  inode?: string;
}

/** A lock file as it was seen. */
export interface Seen {
  text: string;
  /** Null when the text names none. */
  owner: FolderOwner | null;
  inode: string;
  /** Changes with every heartbeat, and with the file. */
  beat: string;
}

export interface Judged {
  seen: Seen | null;
  /** The living owner; null: the folder is free. */
  owner: FolderOwner | null;
  /** Since its heartbeat was seen; null where the process itself was found. */
  heartbeatMsAgo: number | null;
}

export interface JudgeOptions {
  place: Place;
  /** A heartbeat that does not change for so long has ended. */
  quietMs: number;
  pollMs: number;
  /** Called once when the owner can only be judged by its heartbeat, which takes time. */
  onWait?: ((owner: FolderOwner) => void) | undefined;
}

/** Its own clock, and not one that a test may move. */
const clock = process.hrtime.bigint.bind(process.hrtime);
export const nowMs = (): number => Number(clock() / 1_000_000n);

const orNull = (reading: Promise<string>): Promise<string | null> =>
  reading.then(
    (text) => text.trim(),
    () => null,
  );

export async function ownPlace(): Promise<Place> {
  const [bootId, pidNamespace, netNamespace] = await Promise.all([
    orNull(readFile('/proc/sys/kernel/random/boot_id', 'utf8')),
    orNull(readlink('/proc/self/ns/pid')),
    orNull(readlink('/proc/self/ns/net')),
  ]);
  return { host: hostname(), bootId, pidNamespace, netNamespace };
}

/** Start time of a process in clock ticks since boot (Linux); null elsewhere or when it is gone. */
export async function processStart(pid: number): Promise<string | null> {
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

export function ownerOf(text: string): FolderOwner | null {
  try {
    const owner = JSON.parse(text) as FolderOwner | null;
    return Number.isInteger(owner?.pid) ? owner : null;
  } catch {
    return null;
  }
}

/** The lock file as it is now; null when there is none. */
export async function see(file: string): Promise<Seen | null> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return null;
  try {
    const [text, { ino, mtimeNs }] = [await handle.readFile('utf8'), await handle.stat({ bigint: true })];
    return { text, owner: ownerOf(text), inode: String(ino), beat: `${ino} ${mtimeNs}` };
  } finally {
    await handle.close();
  }
}

/** Whether process ids of the owner mean the same here. Files of earlier versions do not say, and never did. */
function isHere(owner: FolderOwner, place: Place): boolean {
  if (owner.id === undefined) return true;
  if (owner.bootId === null || owner.pidNamespace === null) return false;
  return (
    owner.host === place.host && owner.bootId === place.bootId && owner.pidNamespace === place.pidNamespace
  );
}

/** Whether an address of the owner leads to the owner from here. */
export function isReachable(owner: FolderOwner, place: Place): boolean {
  if (owner.id === undefined) return true;
  return (
    owner.host === place.host && owner.bootId === place.bootId && owner.netNamespace === place.netNamespace
  );
}

/**
 * Judges whether the owner that a lock file names lives. In the same place its process decides at once. Elsewhere, and for a file that was
 * copied, its heartbeat does: by whether the file changes within a time of this process's own clock, since clocks of two hosts differ.
 */
export async function judge(file: string, options: JudgeOptions): Promise<Judged> {
  const seen = await see(file);
  const owner = seen?.owner ?? null;
  if (seen === null || owner === null) return { seen, owner: null, heartbeatMsAgo: null };
  if (isHere(owner, options.place)) {
    if (!(await isAlive(owner))) return { seen, owner: null, heartbeatMsAgo: null };
    if (owner.id === undefined || owner.inode === seen.inode) return { seen, owner, heartbeatMsAgo: null };
  }
  options.onWait?.(owner);
  return watch(file, seen, options);
}

async function watch(file: string, first: Seen, options: JudgeOptions): Promise<Judged> {
  const begin = nowMs();
  for (;;) {
    await sleep(options.pollMs);
    // Read before the file is: a process that was paused in between still looks once more after its time.
    const waitedMs = nowMs() - begin;
    const seen = await see(file);
    if (seen === null || seen.owner === null) return { seen, owner: null, heartbeatMsAgo: null };
    if (seen.beat !== first.beat) {
      if (seen.owner.id === first.owner?.id) return { seen, owner: seen.owner, heartbeatMsAgo: 0 };
      return judge(file, { ...options, onWait: undefined });
    }
    if (waitedMs >= options.quietMs) return { seen, owner: null, heartbeatMsAgo: null };
  }
}
