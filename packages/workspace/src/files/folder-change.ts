import { createHash, randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { MemoryBackendError, systemCode } from '../backend/errors.ts';
import { inOrder, takeLock } from './folder-lock.ts';
import { MAX_FILE_BYTES, makePlace, readRegular } from './folder-place.ts';
import { checkText, replaceFile, sweepTemporary, type WriteStep } from './folder-write.ts';
import type { DocumentHistory } from './history.ts';
import { checkFileName, isWorkspaceName, MEMORY_WORKSPACE_PATH } from './paths.ts';
import type { StoredFile, WriteOptions } from './port.ts';

export interface FolderFilesOptions {
  rootDir: string;
  /** The folder with the documents, relative to the project; default .fusion/memory. */
  folder?: string;
  /** Default: kept as long as this process lives. */
  history?: DocumentHistory;
  /** Named in errors; default `file`. */
  backend?: string;
  /** Epoch milliseconds. */
  now?: () => number;
  /** Unique names of temporary files, of [0-9a-f-]. */
  newId?: () => string;
  onStep?: (step: WriteStep) => void;
}

const LOCK = { waitMs: 10_000, staleMs: 30_000 };
const ATTEMPTS = 3;

/** SHA-256 of a text in UTF-8, hex. */
export function textHash(content: string): string {
  return createHash('sha256').update(content, 'utf8').digest('hex');
}

/** What a failed write is called in the contract. */
export function writeError(error: unknown, backend: string): MemoryBackendError {
  if (error instanceof MemoryBackendError && error.code !== 'READ_FAILED') return error;
  const code = error instanceof MemoryBackendError ? 'it cannot be read' : systemCode(error);
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
  return new MemoryBackendError(
    isFull ? 'QUOTA_EXCEEDED' : 'WRITE_FAILED',
    `Failed to write memory file: ${code}`,
    backend,
  );
}

/** Changes a document by what stands there (null when nothing does), with no other writer of ours in between. */
export type FolderChange = (
  path: string,
  make: (content: string | null) => string,
  write: WriteOptions,
) => Promise<StoredFile>;

/** Does one work at a time in a memory folder, among all processes. @param at the folder */
export async function locked<T>(at: string, backend: string, work: () => Promise<T>): Promise<T> {
  return inOrder(at, async () => {
    const release = await takeLock(join(at, '.slowwave.lock'), LOCK);
    if (release === null)
      throw new MemoryBackendError('CONFLICT', 'The memory folder is being written', backend);
    try {
      return await work();
    } finally {
      await release();
    }
  });
}

/** Writers of one folder: they take turns, and see what somebody edits by hand meanwhile. */
export function createFolderChange(options: FolderFilesOptions & { history: DocumentHistory }): FolderChange {
  const { rootDir, folder = MEMORY_WORKSPACE_PATH, backend = 'file', history } = options;
  const { now = Date.now, newId = randomUUID } = options;

  async function replace(
    memory: string,
    path: string,
    make: (content: string | null) => string,
    write: WriteOptions,
  ) {
    const below = dirname(path);
    const at = below === '.' ? memory : await makePlace(rootDir, `${folder}/${below}`, backend);
    const name = basename(path);
    const current = await readRegular(join(at, name), backend);
    const hash = current === null ? null : textHash(current.content);
    if (write.expected !== undefined && write.expected !== hash) {
      throw new MemoryBackendError('CONFLICT', 'The memory file was changed by somebody else', backend);
    }
    const content = make(current?.content ?? null);
    checkText(content, backend);
    if (Buffer.byteLength(content, 'utf8') > MAX_FILE_BYTES) {
      throw new MemoryBackendError('QUOTA_EXCEEDED', 'A memory file holds at most 16 MiB', backend);
    }
    const sha256 = textHash(content);
    const { runId = null, by } = write;
    await history.keep({ path, runId, content: current?.content ?? null, sha256After: sha256, by });
    const seen = current?.stats ?? null;
    await replaceFile({ folder: at, name, content, seen, newId, backend, onStep: options.onStep });
    return { content, sha256 };
  }

  /** Somebody who edits by hand may come in between; a writer who did not say what it expects looks again. */
  async function replaceAgain(
    at: string,
    path: string,
    make: (content: string | null) => string,
    write: WriteOptions,
  ): Promise<StoredFile> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await replace(at, path, make, write);
      } catch (error) {
        const again = error instanceof MemoryBackendError && error.code === 'CONFLICT';
        if (!again || write.expected !== undefined || attempt === ATTEMPTS) throw error;
      }
    }
  }

  return async (path, make, write) => {
    if (!isWorkspaceName(path)) checkFileName(path, backend);
    try {
      const at = await makePlace(rootDir, folder, backend);
      return await locked(at, backend, async () => {
        await sweepTemporary(at, now());
        return replaceAgain(at, path, make, write);
      });
    } catch (error) {
      throw writeError(error, backend);
    }
  };
}
