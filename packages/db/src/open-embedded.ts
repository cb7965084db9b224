import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { createDatabase, type Database, type DrizzleLike, enteringOver } from './database.ts';
import { DatabaseError } from './errors.ts';
import { type FolderLock, type LockOptions, lockFolder } from './folder-lock.ts';
import { keepStatistics } from './statistics.ts';

/** The embedded database, and the lock on its folder (null in memory). */
export interface EmbeddedDatabase extends Database {
  lock: FolderLock | null;
}

/** Loaded only by who opens one: processes on a server would wait for it at every start. */
async function loadEngine() {
  const [{ PGlite }, { vector }, { drizzle }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite-pgvector'),
    import('drizzle-orm/pglite'),
  ]);
  return { PGlite, vector, drizzle };
}

/**
 * Opens the embedded database in a folder of its own, or in memory when no folder is given. One process owns a folder; a second
 * one gets `folder_in_use`.
 */
export async function openEmbedded(
  options: Pick<LockOptions, 'onLost' | 'onWait'> & {
    dataDir: string | null;
    /** A dump of an embedded database (`dumpDataDir`) to begin with instead of an empty one. */
    initial?: Blob;
  },
): Promise<EmbeddedDatabase> {
  const { PGlite, vector, drizzle } = await loadEngine();
  const lock = options.dataDir === null ? null : await prepareFolder(options.dataDir, options);
  let pglite: PGlite;
  try {
    const dataDir = options.dataDir === null ? 'memory://' : path.join(options.dataDir, 'database');
    pglite = await PGlite.create({
      dataDir,
      extensions: { vector },
      ...(options.initial ? { loadDataDir: options.initial } : {}),
    });
    // The queue's tables are found without a schema, ours always stand qualified; `public` holds the vector type.
    if (lock) checkStatements(pglite, lock);
    await pglite.exec('SET search_path = bullmq, public');
  } catch {
    await lock?.release();
    throw new DatabaseError(
      'unavailable',
      `the embedded database in ${options.dataDir ?? 'memory'} cannot be opened; if the folder is damaged, restore it from a copy or choose another with SLOWWAVE_DATA_DIR`,
    );
  }
  let closing: Promise<void> | null = null;
  const countRows = keepStatistics(pglite);
  const database = createDatabase({
    kind: 'embedded',
    inTransaction: enteringOver(drizzle(pglite) as unknown as DrizzleLike),
    pool: null,
    pglite,
    // The embedded database works in this thread and answers without leaving it: between transactions everything else gets its
    // turn, or a long series of them would keep timers, and with them leases and locks, from being renewed.
    async afterTransaction() {
      await countRows();
      await new Promise((resolve) => setImmediate(resolve));
    },
    close: () => {
      closing ??= closeOwn(pglite, lock).finally(() => lock?.release());
      return closing;
    },
  });
  return { ...database, lock };
}

/** Every way into the database leads through one method: nothing is written, and nothing acknowledged, in a folder that was lost. */
function checkStatements(pglite: PGlite, lock: FolderLock): void {
  const send = pglite.execProtocolRawSync.bind(pglite);
  pglite.execProtocolRawSync = (message) => {
    lock.check();
    const answer = send(message);
    lock.check();
    return answer;
  };
}

/** Closing writes a checkpoint: a folder that was lost is left as it is. */
async function closeOwn(pglite: PGlite, lock: FolderLock | null): Promise<void> {
  try {
    lock?.check();
  } catch {
    return;
  }
  await pglite.close();
}

async function prepareFolder(dataDir: string, options: LockOptions): Promise<FolderLock> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    return await lockFolder(dataDir, options);
  } catch (error) {
    if (error instanceof DatabaseError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseError(
      'unavailable',
      `the data folder ${dataDir} cannot be used (${code ?? 'unknown reason'}): it has to be a folder that this process may write; choose one with SLOWWAVE_DATA_DIR`,
    );
  }
}
