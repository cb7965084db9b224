import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, parse, relative, resolve, sep } from 'node:path';
import type { RestoredFolder } from '@slowwave/db';
import { MemoryBackendError } from '@slowwave/workspace';

/** Below which folders this process may work: real, absolute paths, or anywhere. */
export type AllowedFolders = readonly string[] | 'anywhere';

/** What the system says of a path that leads nowhere. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR']);
/** Folders of the system that hold no files of people. */
const OF_THE_SYSTEM = ['/dev', '/proc', '/sys'];

function refused(message: string): MemoryBackendError {
  return new MemoryBackendError('UNSUPPORTED', message, 'file');
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function realOf(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (ABSENT.has(codeOf(error))) return null;
    throw refused('the folder of a workspace cannot be opened');
  }
}

async function isAllowed(path: string, allowed: AllowedFolders): Promise<boolean> {
  if (allowed === 'anywhere') return true;
  for (const folder of allowed) {
    const real = await realOf(resolve(folder));
    if (real !== null && isBelow(path, real)) return true;
  }
  return false;
}

/**
 * The real path of a folder that is to be a workspace. Links in what was asked for are followed once, here; what is kept has none.
 * @throws MemoryBackendError NOT_FOUND when nothing is there; UNSUPPORTED when it is no folder, the root of a file system, a folder of the
 *   system, or not below one that this process was given
 */
export async function realFolder(asked: string, allowed: AllowedFolders): Promise<string> {
  if (asked.includes('\0') || !isAbsolute(asked)) {
    throw refused('the folder of a workspace must be an absolute path');
  }
  const real = await realOf(asked);
  if (real === null) throw new MemoryBackendError('NOT_FOUND', 'there is no such folder', 'file');
  const found = await stat(real).catch(() => null);
  if (!found?.isDirectory()) throw refused('a workspace is a folder, and this is something else');
  if (parse(real).root === real || OF_THE_SYSTEM.some((folder) => isBelow(real, folder))) {
    throw refused('a folder of the system cannot be a workspace');
  }
  if (!(await isAllowed(real, allowed))) {
    throw refused(
      'the folder is not below one that this service was given: SLOWWAVE_WORKSPACE_ROOTS names them',
    );
  }
  return real;
}

/**
 * Whether a kept folder can be worked in from here, now.
 * @throws MemoryBackendError BACKEND_UNAVAILABLE when it is elsewhere or gone, or when a link took the place of a part of its path
 */
export async function requireFolder(rootDir: string, allowed: AllowedFolders): Promise<void> {
  const real = await realFolder(rootDir, allowed).catch((error: unknown) => {
    if (error instanceof MemoryBackendError) return null;
    throw error;
  });
  if (real === rootDir) return;
  throw new MemoryBackendError(
    'BACKEND_UNAVAILABLE',
    'the folder of the workspace cannot be reached from this service',
    'file',
  );
}

/** The folder of a restored workspace, under the rules of one that is named now. @param allowed null: the caller may name no folders */
export async function restoredFolder(asked: string, allowed: AllowedFolders | null): Promise<RestoredFolder> {
  if (allowed === null) return { refused: 'only the operator may name folders of the machine' };
  try {
    return { folder: await realFolder(asked, allowed) };
  } catch (error) {
    if (error instanceof MemoryBackendError) return { refused: error.message };
    throw error;
  }
}
