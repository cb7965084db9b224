import { constants, type Stats } from 'node:fs';
import { type FileHandle, link, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryBackendError, systemCode } from '../backend/errors.ts';
import { isSame, regularFile } from './folder-place.ts';

const TEMPORARY = /^\.slowwave-[0-9a-f-]+\.tmp$/;
/** A temporary file as old as this is what a crash left. Milliseconds. */
const TEMPORARY_AGE_MS = 3_600_000;

/** Steps of a write at which a test stops it, as a crash would. */
export type WriteStep = 'written' | 'renamed';

export interface Replacement {
  folder: string;
  name: string;
  content: string;
  /** What the writer saw there; anything else is refused with CONFLICT. */
  seen: Stats | null;
  newId: () => string;
  backend: string;
  onStep?: (step: WriteStep) => void;
}

/** Text that can be stored and read back as it is: no NUL, no half of a character. @throws MemoryBackendError UNSUPPORTED */
export function checkText(content: string, backend: string): void {
  if (content.includes('\0') || /\p{Surrogate}/u.test(content)) {
    throw new MemoryBackendError('UNSUPPORTED', 'The text holds a NUL or half of a character', backend);
  }
}

async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, constants.O_RDONLY);
    await handle.sync();
  } catch (error) {
    // Some systems cannot sync a folder; the file itself was.
    if (!['EISDIR', 'EINVAL', 'EPERM', 'ENOTSUP', 'EACCES'].includes(systemCode(error))) throw error;
  } finally {
    await handle?.close();
  }
}

async function writeTemporary(path: string, content: string, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(path, flags, 0o600);
  try {
    await handle.writeFile(content, 'utf8');
    if (mode !== 0o600) await handle.chmod(mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function conflict(backend: string): MemoryBackendError {
  return new MemoryBackendError('CONFLICT', 'The memory file was changed by somebody else', backend);
}

/** Puts a file where nothing may stand yet. */
async function putNew(temporary: string, target: string, backend: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw conflict(backend);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK'].includes(systemCode(error))) throw error;
    // No hard links here: the look just before is all that is left.
    if ((await regularFile(target, backend)) !== null) throw conflict(backend);
    await rename(temporary, target);
  }
}

/**
 * Writes a file whole or not at all: into a temporary one of its own beside it, synced, then put in its place. An existing file's permissions
 * stay; a new one is for its owner alone (0600). @throws MemoryBackendError CONFLICT, UNSUPPORTED; otherwise what the system says
 */
export async function replaceFile(write: Replacement): Promise<Stats> {
  const target = join(write.folder, write.name);
  const temporary = join(write.folder, `.slowwave-${write.newId()}.tmp`);
  try {
    await writeTemporary(temporary, write.content, (write.seen?.mode ?? 0o600) & 0o777);
    write.onStep?.('written');
    const standing = await regularFile(target, write.backend);
    if (!isSame(standing, write.seen)) throw conflict(write.backend);
    if (write.seen === null) await putNew(temporary, target, write.backend);
    else await rename(temporary, target);
    write.onStep?.('renamed');
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(write.folder);
  return lstat(target);
}

/** Removes temporary files that a crash left an hour ago or earlier. */
export async function sweepTemporary(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!TEMPORARY.test(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isFile() && now - found.mtimeMs > TEMPORARY_AGE_MS) await rm(path, { force: true });
  }
}
