import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MemoryBackendError, systemCode } from '../backend/errors.ts';

/** Of one file that is read; a longer one is refused. In bytes. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return null;
    throw error;
  }
}

/** Where a folder of a project is, with every step on the way looked at. */
export interface Place {
  /** Real path of the project; null when it does not exist. */
  root: string | null;
  /** The folder; null when it does not exist. */
  folder: string | null;
}

/**
 * Finds a folder below a project. The project itself may be reached through symbolic links; below it none is followed, since what it points
 * to is not the project's. @throws MemoryBackendError UNSUPPORTED for a link or a file in place of a folder
 */
export async function findPlace(rootDir: string, folder: string, backend: string): Promise<Place> {
  let root: string;
  try {
    root = await realpath(resolve(rootDir));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return { root: null, folder: null };
    throw error;
  }
  let path = root;
  for (const part of folder.split('/')) {
    path = join(path, part);
    const found = await statOf(path);
    if (found === null) return { root, folder: null };
    if (!found.isDirectory()) {
      throw new MemoryBackendError('UNSUPPORTED', 'The memory folder is a link or no folder', backend);
    }
  }
  return { root, folder: path };
}

/** As `findPlace`, and creates what is missing below the project (0700). @throws MemoryBackendError WRITE_FAILED without a project */
export async function makePlace(rootDir: string, folder: string, backend: string): Promise<string> {
  const { root } = await findPlace(rootDir, folder, backend);
  if (root === null) {
    throw new MemoryBackendError('WRITE_FAILED', 'The project folder does not exist', backend);
  }
  let path = root;
  for (const part of folder.split('/')) {
    path = join(path, part);
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  }
  // Looked at again: between the first look and now somebody may have put a link there.
  const made = (await findPlace(rootDir, folder, backend)).folder;
  if (made === null) throw new MemoryBackendError('WRITE_FAILED', 'The memory folder is gone', backend);
  return made;
}

/** What stands at a path that is to be read or replaced. @throws MemoryBackendError UNSUPPORTED for links, devices and the like */
export async function regularFile(path: string, backend: string): Promise<Stats | null> {
  const found = await statOf(path);
  if (found && !found.isFile() && !found.isDirectory()) {
    throw new MemoryBackendError('UNSUPPORTED', 'The memory file is a link or a special file', backend);
  }
  return found;
}

/** Whether two looks at a path saw the same bytes of the same file. */
export function isSame(a: Stats | null, b: Stats | null): boolean {
  if (a === null || b === null) return a === b;
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
}

export interface ReadFile {
  content: string;
  stats: Stats;
}

/**
 * Reads a regular file whole, without following a link and without waiting for a pipe's writer. Null when there is none.
 * @throws MemoryBackendError UNSUPPORTED, READ_FAILED (too large, not UTF-8); otherwise what the system says
 */
export async function readRegular(path: string, backend: string): Promise<ReadFile | null> {
  const before = await regularFile(path, backend);
  if (before === null) return null;
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    if (!stats.isFile()) {
      throw new MemoryBackendError('UNSUPPORTED', 'The memory file is a special file', backend);
    }
    if (stats.size > MAX_FILE_BYTES) {
      throw new MemoryBackendError('READ_FAILED', 'Failed to read memory file: larger than 16 MiB', backend);
    }
    return { content: decoded(await handle.readFile(), backend), stats };
  } finally {
    await handle.close();
  }
}

function decoded(bytes: Uint8Array, backend: string): string {
  try {
    return decoder.decode(bytes);
  } catch {
    // Read with replacement characters, it would be written back with them.
    throw new MemoryBackendError('READ_FAILED', 'Failed to read memory file: not UTF-8', backend);
  }
}
