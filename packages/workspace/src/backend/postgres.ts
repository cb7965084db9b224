import { type Database, readMemoryHomes, type WorkspaceKey } from '@slowwave/db';
import { createDocumentFiles, type DocumentFiles } from '../files/documents.ts';
import { displayPath, documentName, MEMORY_LONG_TERM_FILENAME } from '../files/paths.ts';
import { windowResult } from '../files/window.ts';
import { appended } from './append.ts';
import { memoryErrorOf } from './database-errors.ts';
import { MemoryBackendError } from './errors.ts';
import { type RecalledMemory, searchHomes } from './home-search.ts';
import { fileInfos } from './layers.ts';
import type { MemoryBackend, MemoryFileContent, MemoryWriteOptions, MemoryWriteResult } from './types.ts';

const TYPE = 'postgres';

export interface PostgresBackendOptions {
  database: Database;
  /** The workspace that a root folder stands for; null when it stands for none: then nothing is read or written. */
  resolve: (rootDir: string) => WorkspaceKey | null | Promise<WorkspaceKey | null>;
  /** Epoch ms. */
  now: () => number;
  newId?: () => string;
  /** Who writes, in the history of a document; default `backend`. */
  by?: string;
  /** Memories by meaning, for a search; those that stand on a line of a document are among the hits. */
  recall?: (key: WorkspaceKey, options: { query: string; limit: number }) => Promise<RecalledMemory[]>;
}

/** The methods that the contract leaves open are all there. */
export type PostgresMemoryBackend = MemoryBackend &
  Required<
    Pick<
      MemoryBackend,
      'get' | 'search' | 'exists' | 'list' | 'readFile' | 'writeFile' | 'append' | 'pathHint'
    >
  >;

const RECALLED = 20;

/**
 * Memory as documents in the database: each root folder is one workspace of one user, and a folder that is none's is unavailable. The
 * `version` of documents is their SHA-256, as everywhere.
 */
export function createPostgresMemoryBackend(options: PostgresBackendOptions): PostgresMemoryBackend {
  const { database, now, by = 'backend' } = options;

  async function keyOf(rootDir: string, deed: 'read' | 'write'): Promise<WorkspaceKey> {
    let key: WorkspaceKey | null;
    try {
      key = await options.resolve(rootDir);
    } catch (error) {
      throw memoryErrorOf(error, deed, TYPE);
    }
    if (key) return key;
    throw new MemoryBackendError('BACKEND_UNAVAILABLE', 'The folder belongs to no workspace', TYPE);
  }

  async function filesOf(rootDir: string, deed: 'read' | 'write'): Promise<DocumentFiles> {
    const key = await keyOf(rootDir, deed);
    const { newId } = options;
    return createDocumentFiles({ database, key, now, backend: TYPE, ...(newId ? { newId } : {}) });
  }

  async function readFile(rootDir: string, path: string): Promise<MemoryFileContent> {
    const name = documentName(path);
    const found = await (await filesOf(rootDir, 'read')).read(name);
    if (found) return { path: displayPath(name), content: found.content, version: found.sha256 };
    throw new MemoryBackendError('NOT_FOUND', `There is no memory file ${displayPath(name)}`, TYPE);
  }

  async function writeFile(
    rootDir: string,
    path: string,
    content: string,
    write?: MemoryWriteOptions,
  ): Promise<MemoryWriteResult> {
    const name = documentName(path);
    const files = await filesOf(rootDir, 'write');
    const expected = write?.expectedVersion;
    const written = await files.write(name, content, {
      by,
      ...(expected === undefined ? {} : { expected }),
    });
    return { success: true, backend: TYPE, version: written.sha256 };
  }

  return {
    type: TYPE,
    name: 'PostgreSQL (documents in the database)',
    pathHint: null,
    capabilities: {
      readable: true,
      writable: true,
      supportsAtomicWrite: true,
      hasConflictResolution: false,
      persistent: true,
    },
    async read(rootDir) {
      const found = await (await filesOf(rootDir, 'read')).read(MEMORY_LONG_TERM_FILENAME);
      if (!found) return { content: '', exists: false, backend: TYPE };
      return { content: found.content, exists: true, backend: TYPE, version: found.sha256 };
    },
    write: (rootDir, content, write) => writeFile(rootDir, MEMORY_LONG_TERM_FILENAME, content, write),
    async exists(rootDir) {
      return (await (await filesOf(rootDir, 'read')).read(MEMORY_LONG_TERM_FILENAME)) !== null;
    },
    async get(rootDir, get) {
      const name = documentName(get.path);
      const { content } = await readFile(rootDir, name);
      return windowResult(name, content, get, TYPE);
    },
    async search(rootDir, search) {
      const key = await keyOf(rootDir, 'read');
      const documents = await (await filesOf(rootDir, 'read')).searched();
      try {
        const homes = await database.withTenant(key.tenant, (tx) => readMemoryHomes(tx, key, now()));
        const recalled = (await options.recall?.(key, { query: search.query, limit: RECALLED })) ?? [];
        return searchHomes(documents, homes, recalled, search, TYPE);
      } catch (error) {
        throw memoryErrorOf(error, 'read', TYPE);
      }
    },
    async list(rootDir) {
      return fileInfos(await (await filesOf(rootDir, 'read')).list());
    },
    readFile,
    writeFile,
    async append(rootDir, path, content) {
      const name = documentName(path);
      const files = await filesOf(rootDir, 'write');
      const written = await files.change(name, (stands) => appended(stands, content), { by });
      return { success: true, backend: TYPE, version: written.sha256 };
    },
  };
}
