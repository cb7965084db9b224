import {
  type Database,
  endFileChange,
  endWorkspaceRun,
  type FileChange,
  type FileCommand,
  listDocuments,
  listWithin,
  lockWorkspace,
  makeFolders,
  moveWithin,
  readDocument,
  removeDocument,
  removeWithin,
  requireCount,
  startFileChange,
  type Transaction,
  versionsOfRun,
  type WorkspaceKey,
  writeDocument,
} from '@slowwave/db';
import { MemoryBackendError } from '../backend/errors.ts';
import { createDocumentTransactions } from './documents.ts';
import { checkFileName } from './paths.ts';
import { entriesBelow, type FileTree, isFolderName, restorationsOf, type TreeChange } from './tree.ts';

const BACKEND = 'postgres';
const absent = () => new MemoryBackendError('NOT_FOUND', 'There is no such memory file', BACKEND);

/** The files of a workspace whose documents are in the database. Each change is one transaction. */
export function createDocumentTree(options: {
  database: Database;
  key: WorkspaceKey;
  /** Epoch ms. */
  now: () => number;
}): FileTree {
  const { database, key, now } = options;
  const { reading, writing } = createDocumentTransactions({ database, key, backend: BACKEND });

  /** Does one change as a run of its own; one that changes nothing leaves none. */
  function changing<T extends { documents: number }>(
    command: FileCommand,
    by: string,
    work: (tx: Transaction, change: FileChange) => Promise<T>,
  ): Promise<T & TreeChange> {
    return writing(async (tx) => {
      await lockWorkspace(tx, key);
      const at = now();
      const runId = await startFileChange(tx, key, at);
      const done = await work(tx, { runId, by, at });
      await endFileChange(tx, key, { id: runId, command, documents: done.documents, at });
      return { ...done, runId };
    });
  }

  return {
    async look(name) {
      return reading(async (tx) => {
        const found = await listWithin(tx, key, name);
        const entries = found.map(({ path, bytes }) => ({ path, size: bytes }));
        if (name === '' || entries.some(({ path }) => path !== name)) {
          return { kind: 'folder', entries: entriesBelow(name, entries) };
        }
        if (entries.length > 0) return { kind: 'file', entries };
        const parts = name.split('/');
        const above = new Set(parts.map((_, i) => parts.slice(0, i).join('/')));
        const isBelow = (await listDocuments(tx, key)).some(({ path }) => above.has(path));
        return { kind: isBelow ? 'below_file' : 'none', entries: [] };
      });
    },
    async read(name) {
      if (isFolderName(name)) return null;
      const found = await reading((tx) => readDocument(tx, key, name));
      return found && { content: found.content, sha256: found.sha256 };
    },
    async write(name, content, { by, expected }) {
      if (isFolderName(name) && (name === '' || content !== '')) {
        throw new MemoryBackendError('UNSUPPORTED', 'A memory folder has no text', BACKEND);
      }
      const stands = await reading((tx) => readDocument(tx, key, name));
      const isSame = stands?.content === content && (expected === undefined || expected === stands.sha256);
      if (isSame) return { runId: null, documents: 0, sha256: stands.sha256 };
      return changing('write', by, async (tx, { runId, at }) => {
        const write = { path: name, content, by, at, runId, expectedSha256: expected };
        const { sha256 } = await writeDocument(tx, key, write);
        const folders = await makeFolders(tx, key, name, { runId, by, at });
        await requireCount(tx, key, name);
        return { sha256, documents: 1 + folders };
      });
    },
    async remove(name, { by }) {
      if (name === '') throw absent();
      return changing('delete', by, async (tx, change) => {
        const documents = await removeWithin(tx, key, name, change);
        if (documents === 0) throw absent();
        return { documents };
      });
    },
    async rename(from, to, { by }) {
      if (from === '' || to.startsWith(`${from}/`)) {
        throw new MemoryBackendError('UNSUPPORTED', 'A memory folder cannot be moved into itself', BACKEND);
      }
      return changing('rename', by, async (tx, change) => {
        const moved = await listWithin(tx, key, from);
        if (moved.some(({ path }) => path !== from)) checkFileName(`${to}/`, BACKEND);
        const documents = await moveWithin(tx, key, { from, to }, change);
        if (documents === 0) throw absent();
        await requireCount(tx, key, to);
        return { documents };
      });
    },
    async undo(runId, { by, documents }) {
      return writing(async (tx) => {
        await lockWorkspace(tx, key);
        const at = now();
        const standing = new Map((await listDocuments(tx, key)).map(({ path, sha256 }) => [path, sha256]));
        const open = restorationsOf(await versionsOfRun(tx, key, runId), standing, documents);
        for (const { path, content } of open) {
          if (content === null) await removeDocument(tx, key, { path, by, at });
          else await writeDocument(tx, key, { path, content, by, at });
        }
        await endWorkspaceRun(tx, key, { id: runId, status: 'undone', at });
        return open.map(({ path }) => path);
      });
    },
  };
}
