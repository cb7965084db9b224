import { rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Database,
  endFileChange,
  endWorkspaceRun,
  type FileCommand,
  foldersAbove,
  NOTHING_STANDS,
  startFileChange,
  type Transaction,
  versionsOfRun,
  type WorkspaceKey,
} from '@slowwave/db';
import { memoryErrorOf } from '../backend/database-errors.ts';
import { MemoryBackendError, readError, systemCode } from '../backend/errors.ts';
import { createFolderChange, locked, textHash, writeError } from './folder-change.ts';
import { isSame, makePlace, readRegular, regularFile } from './folder-place.ts';
import { changedMeanwhile, createFolderWalk, type Found } from './folder-walk.ts';
import { checkText } from './folder-write.ts';
import type { DocumentHistory } from './history.ts';
import { checkFileName, MEMORY_WORKSPACE_PATH } from './paths.ts';
import { type FileTree, isFolderName, restorationsOf, TREE_LEVELS, type TreeChange } from './tree.ts';

export interface FolderTreeOptions {
  rootDir: string;
  database: Database;
  key: WorkspaceKey;
  /** What keeps what stood in the files before. */
  history: DocumentHistory;
  /** Named in errors. */
  backend: string;
  /** Epoch ms. */
  now: () => number;
}

type Keep = (path: string, content: string | null, sha256After: string) => Promise<void>;

/**
 * The files of a workspace with a folder on disk. No link is followed and none is removed, writers of the service take turns, and what stood
 * before a change is in the database before the change is made.
 */
export function createFolderTree(options: FolderTreeOptions): FileTree {
  const { rootDir, history, backend, database, key, now } = options;
  const { standingAt, shownBelow, allOf, textOf } = createFolderWalk({ rootDir, backend });
  const refused = (code: 'NOT_FOUND' | 'CONFLICT' | 'UNSUPPORTED', message: string) =>
    new MemoryBackendError(code, message, backend);
  const taken = () => refused('CONFLICT', 'Something else stands there');
  const absent = () => refused('NOT_FOUND', 'There is no such memory file');

  async function recording<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await database.withTenant(key.tenant, work);
    } catch (error) {
      throw memoryErrorOf(error, 'write', backend);
    }
  }

  /** Does one change. Its run begins with the first content that is kept: a change that is refused or changes nothing has none. */
  async function changing(
    command: FileCommand,
    by: string,
    work: (keep: Keep) => Promise<void>,
  ): Promise<TreeChange> {
    let runId: string | null = null;
    let documents = 0;
    const end = async (reason?: string): Promise<void> => {
      const id = runId;
      if (id === null) return;
      const ended = { id, command, documents, at: now(), ...(reason === undefined ? {} : { reason }) };
      await recording((tx) => endFileChange(tx, key, ended));
    };
    const keep: Keep = async (path, content, sha256After) => {
      runId ??= await recording((tx) => startFileChange(tx, key, now()));
      await history.keep({ path, runId, content, sha256After, by });
      documents++;
    };
    try {
      await work(keep);
    } catch (error) {
      const told = writeError(error, backend);
      await end(told.code);
      throw told;
    }
    await end();
    return { runId, documents };
  }

  async function readHash({ real }: Found): Promise<string | null> {
    try {
      const file = await readRegular(real, backend);
      return file && textHash(file.content);
    } catch (error) {
      throw writeError(error, backend);
    }
  }

  /** Keeps that the folders above a name were not there, where they are not. */
  async function keepFolders(name: string, keep: Keep): Promise<void> {
    for (const path of foldersAbove(name)) {
      const { kind } = await standingAt(path);
      if (kind === 'below_file' || kind === 'file') throw taken();
      if (kind === 'none') await keep(path, null, textHash(''));
    }
  }

  const inLock = async (work: () => Promise<void>): Promise<void> => {
    const at = await makePlace(rootDir, MEMORY_WORKSPACE_PATH, backend);
    await locked(at, backend, work);
  };
  const makeFolder = (name: string) =>
    makePlace(rootDir, `${MEMORY_WORKSPACE_PATH}/${name}`.replace(/\/$/, ''), backend);
  const putWith = (keep?: Keep) =>
    createFolderChange({
      rootDir,
      backend,
      now,
      history: {
        ...history,
        keep: async ({ path, content, sha256After }) => keep?.(path, content, sha256After),
      },
    });

  async function removeAll(all: readonly Found[]): Promise<void> {
    for (const { path, real, stats } of [...all].reverse()) {
      if (isFolderName(path)) await rmdir(real);
      else if (isSame(await regularFile(real, backend), stats)) await rm(real);
      else throw changedMeanwhile(backend);
    }
  }

  /** Puts one path back as it stood. @param current the hash of what stands there, '' for nothing */
  async function putBack(path: string, content: string | null, current: string, by: string): Promise<void> {
    if (content !== null && isFolderName(path)) await makeFolder(path);
    else if (content !== null) await putWith()(path, () => content, { by, expected: current || null });
    else {
      await inLock(async () => {
        const { found } = await standingAt(path);
        if (found === null || textHash(await textOf(found)) !== current) throw changedMeanwhile(backend);
        // A folder in which something was put since stays.
        await (isFolderName(path) ? rmdir(found.real) : rm(found.real)).catch((error: unknown) => {
          if (!['ENOTEMPTY', 'EEXIST'].includes(systemCode(error))) throw error;
        });
      });
    }
  }

  return {
    async look(name) {
      try {
        const { kind, found } = await standingAt(name);
        if (kind !== 'folder') {
          const isRoot = name === '' && found === null;
          return {
            kind: isRoot ? 'folder' : kind,
            entries: found === null ? [] : [{ path: name, size: found.size }],
          };
        }
        return { kind, entries: await shownBelow(found.real, name, TREE_LEVELS) };
      } catch (error) {
        throw readError(error, backend);
      }
    },
    async read(name) {
      try {
        const { kind, found } = await standingAt(name);
        if (kind !== 'file' || isFolderName(name)) return null;
        const file = await readRegular(found.real, backend);
        return file && { content: file.content, sha256: textHash(file.content) };
      } catch (error) {
        throw readError(error, backend);
      }
    },
    async write(name, content, { by, expected }) {
      const sha256 = textHash(content);
      if (isFolderName(name) && (name === '' || content !== '')) {
        throw refused('UNSUPPORTED', 'A memory folder has no text');
      }
      checkText(content, backend);
      const stands = await standingAt(name).catch((error: unknown) => {
        throw writeError(error, backend);
      });
      const isTaken = stands.kind === 'below_file' || (stands.kind === 'folder') !== isFolderName(name);
      if (stands.kind !== 'none' && isTaken) throw taken();
      if (stands.kind === 'folder') return { runId: null, documents: 0, sha256 };
      const isSameText = stands.kind === 'file' && (await readHash(stands.found)) === sha256;
      if (isSameText && (expected === undefined || expected === sha256))
        return { runId: null, documents: 0, sha256 };
      const change = await changing('write', by, async (keep) => {
        if (stands.kind === 'none' && typeof expected === 'string') throw taken();
        await keepFolders(name, keep);
        if (!isFolderName(name)) {
          await putWith(keep)(name, () => content, { by, ...(expected === undefined ? {} : { expected }) });
        } else {
          await keep(name, null, sha256);
          await makeFolder(name);
        }
      });
      return { ...change, sha256 };
    },
    remove: async (name, { by }) =>
      changing('delete', by, (keep) =>
        inLock(async () => {
          const { found } = await standingAt(name);
          if (found === null || name === '') throw absent();
          const all = await allOf(found);
          for (const each of all) await keep(each.path, await textOf(each), NOTHING_STANDS);
          await removeAll(all);
        }),
      ),
    rename: async (from, to, { by }) =>
      changing('rename', by, (keep) =>
        inLock(async () => {
          if (from === '' || to.startsWith(`${from}/`)) {
            throw refused('UNSUPPORTED', 'A memory folder cannot be moved into itself');
          }
          const { found } = await standingAt(from);
          if ((await standingAt(to)).kind !== 'none') throw taken();
          if (found === null) throw absent();
          if (isFolderName(found.path)) checkFileName(`${to}/`, backend);
          const all = await allOf(found);
          await keepFolders(to, keep);
          for (const each of all) {
            const content = await textOf(each);
            await keep(each.path, content, NOTHING_STANDS);
            await keep(`${to}${each.path.slice(from.length)}`, null, textHash(content));
          }
          const above = dirname(to);
          const place = await makeFolder(above === '.' ? '' : above);
          await rename(found.real, join(place, to.slice(above === '.' ? 0 : above.length + 1)));
        }),
      ),
    async undo(runId, { by, documents }) {
      try {
        const versions = await recording((tx) => versionsOfRun(tx, key, runId));
        const current = new Map<string, string>();
        for (const { path } of versions) {
          const { found, kind } = await standingAt(path);
          if (found !== null) current.set(path, textHash(await textOf(found)));
          if (kind === 'below_file' || (found !== null && found.path !== path)) throw taken();
        }
        const open = restorationsOf(versions, current, documents);
        for (const { path, content } of open) await putBack(path, content, current.get(path) ?? '', by);
        await recording((tx) => endWorkspaceRun(tx, key, { id: runId, status: 'undone', at: now() }));
        return open.map(({ path }) => path);
      } catch (error) {
        throw writeError(error, backend);
      }
    },
  };
}
