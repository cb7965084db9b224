import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MemoryBackendError, readError, systemCode } from '../backend/errors.ts';
import { createFolderChange, type FolderChange, type FolderFilesOptions, textHash } from './folder-change.ts';
import { findPlace, type ReadFile, readRegular } from './folder-place.ts';
import { checkText } from './folder-write.ts';
import { createProcessHistory } from './history.ts';
import { checkWorkspaceName, isWorkspaceName, MEMORY_WORKSPACE_PATH } from './paths.ts';
import type { FileEntry, WorkspaceFiles } from './port.ts';

export { type FolderFilesOptions, textHash } from './folder-change.ts';

/** The documents of a folder, with what the contract's backends need beyond the port. */
export interface FolderFiles extends WorkspaceFiles {
  change: FolderChange;
  /** Whether anything stands there, readable or not. */
  exists(path: string): Promise<boolean>;
}

/**
 * The documents of one folder on disk. No link below the project is followed, special files are refused, a write is there whole or not at
 * all, and writers of this service, also in other processes, take turns. A hand edit at any other moment is seen and answered with CONFLICT
 * where `expected` is given.
 */
export function createFolderFiles(options: FolderFilesOptions): FolderFiles {
  const { rootDir, folder = MEMORY_WORKSPACE_PATH, backend = 'file' } = options;
  const history = options.history ?? createProcessHistory();

  async function standing(path: string): Promise<ReadFile | null> {
    const place = await findPlace(rootDir, folder, backend);
    return place.folder === null ? null : readRegular(join(place.folder, path), backend);
  }

  const change = createFolderChange({ ...options, history });

  return {
    change,
    async read(path) {
      checkWorkspaceName(path, backend);
      try {
        const found = await standing(path);
        return found && { content: found.content, sha256: textHash(found.content) };
      } catch (error) {
        throw readError(error, backend);
      }
    },
    async write(path, content, write) {
      checkWorkspaceName(path, backend);
      checkText(content, backend);
      return change(path, () => content, write);
    },
    async list() {
      try {
        const place = await findPlace(rootDir, folder, backend);
        return place.folder === null ? [] : await entriesOf(place.folder);
      } catch (error) {
        throw readError(error, backend);
      }
    },
    async exists(path) {
      checkWorkspaceName(path, backend);
      try {
        const place = await findPlace(rootDir, folder, backend);
        if (place.folder === null) return false;
        const found = await lstat(join(place.folder, path));
        if (!found.isSymbolicLink()) return true;
      } catch (error) {
        if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return false;
        throw readError(error, backend);
      }
      throw new MemoryBackendError('UNSUPPORTED', 'The memory file is a link', backend);
    },
    before: (runId, path) => history.before(runId, path),
  };
}

/** Regular files of a workspace's names; links and special files are passed over. */
async function entriesOf(folder: string): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  for (const path of (await readdir(folder)).filter(isWorkspaceName).sort()) {
    const found = await lstat(join(folder, path)).catch(() => null);
    if (found?.isFile()) entries.push({ path, size: found.size, updatedAt: Math.floor(found.mtimeMs) });
  }
  return entries;
}
