import {
  type Database,
  DatabaseError,
  documentBefore,
  listDocuments,
  lockWorkspace,
  readDocument,
  readDocuments,
  type Transaction,
  type WorkspaceKey,
  writeDocument,
} from '@slowwave/db';
import { memoryErrorOf } from '../backend/database-errors.ts';
import { checkWorkspaceName, isDocumentName, isWorkspaceName } from './paths.ts';
import type { FileEntry, StoredFile, WorkspaceFiles, WriteOptions } from './port.ts';
import type { SearchedDocument } from './search.ts';

export interface DocumentFilesOptions {
  database: Database;
  /** The workspace, which must be there for whoever writes. */
  key: WorkspaceKey;
  /** Epoch ms. */
  now: () => number;
  /** Ids of earlier contents that writers without a run replace; drawn by the database's own rule without one. */
  newId?: () => string;
  /** Named in errors; default `postgres`. */
  backend?: string;
}

/** The documents of one workspace in the database, with what the backend needs beyond the port. */
export interface DocumentFiles extends WorkspaceFiles {
  /** Changes a document by what stands there (null when nothing does), with no other writer in between. */
  change(
    path: string,
    change: (content: string | null) => string,
    options: Omit<WriteOptions, 'expected'>,
  ): Promise<StoredFile>;
  /** The texts of all documents of the contract. */
  searched(): Promise<SearchedDocument[]>;
}

/** How often somebody else may be let go first. */
const ATTEMPTS = 3;

/** Transactions on one workspace whose errors are those of the port. */
export function createDocumentTransactions({
  database,
  key,
  backend,
}: Required<Pick<DocumentFilesOptions, 'database' | 'key' | 'backend'>>) {
  async function reading<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await database.withTenant(key.tenant, work);
    } catch (error) {
      throw memoryErrorOf(error, 'read', backend);
    }
  }

  async function writing<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.withTenant(key.tenant, work);
      } catch (error) {
        const again = error instanceof DatabaseError && error.code === 'serialization';
        if (again && attempt < ATTEMPTS) continue;
        throw memoryErrorOf(error, 'write', backend);
      }
    }
  }

  return { reading, writing };
}

/** Documents in the database, byte for byte. Each call is one transaction; the errors are those of the port. */
export function createDocumentFiles(options: DocumentFilesOptions): DocumentFiles {
  const { database, key, now, backend = 'postgres' } = options;

  const { reading, writing } = createDocumentTransactions({ database, key, backend });

  async function put(
    tx: Transaction,
    path: string,
    content: string,
    { expected, by, runId }: WriteOptions,
  ): Promise<StoredFile> {
    const versionId = options.newId?.();
    const written = await writeDocument(tx, key, {
      path,
      content,
      by,
      runId,
      versionId,
      at: now(),
      expectedSha256: expected,
    });
    return { content, sha256: written.sha256 };
  }

  return {
    async read(path) {
      checkWorkspaceName(path, backend);
      const found = await reading((tx) => readDocument(tx, key, path));
      return found && { content: found.content, sha256: found.sha256 };
    },
    async write(path, content, write) {
      checkWorkspaceName(path, backend);
      return writing((tx) => put(tx, path, content, write));
    },
    async change(path, change, write) {
      checkWorkspaceName(path, backend);
      return writing(async (tx) => {
        await lockWorkspace(tx, key);
        const stands = await readDocument(tx, key, path);
        return put(tx, path, change(stands?.content ?? null), write);
      });
    },
    async list(): Promise<FileEntry[]> {
      const found = await reading((tx) => listDocuments(tx, key));
      return found
        .filter(({ path }) => isWorkspaceName(path))
        .map(({ path, bytes, updatedAt }) => ({ path, size: bytes, updatedAt }));
    },
    async searched() {
      const found = await reading((tx) => readDocuments(tx, key));
      return found.flatMap(({ path, content }) => (isDocumentName(path) ? [{ name: path, content }] : []));
    },
    async before(runId, path) {
      checkWorkspaceName(path, backend);
      return reading((tx) => documentBefore(tx, key, { runId, path }));
    },
  };
}
