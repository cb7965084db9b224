import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '@slowwave/config';
import { type Database, type FolderOwner, folderOwner, openEmbedded, openServer } from '@slowwave/db';
import { explain } from '../explain.ts';

/** The data that is looked at, and how it can be reached. */
export type Subject =
  | { kind: 'open'; database: Database; close(): Promise<void> }
  /** A running service owns the folder: it is asked. */
  | { kind: 'served'; url: string; token: string; pid: number | null }
  /** Another process has the folder, and cannot be asked. */
  | { kind: 'busy'; owner: FolderOwner }
  /** Nothing was stored yet. */
  | { kind: 'none'; dataDir: string }
  | { kind: 'failed'; cause: string };

/** Longest wait for a server that does not answer. */
const CONNECT_MS = 3_000;

async function openFolder(dataDir: string): Promise<Subject> {
  const owner = await folderOwner(dataDir);
  if (owner?.url && owner.token)
    return { kind: 'served', url: owner.url, token: owner.token, pid: owner.pid };
  if (owner) return { kind: 'busy', owner };
  // Opening would make it.
  const found = await stat(path.join(dataDir, 'database')).catch(() => null);
  if (!found) return { kind: 'none', dataDir };
  const database = await openEmbedded({ dataDir });
  return { kind: 'open', database, close: () => database.close() };
}

/** Opens the data as it is: nothing is made and nothing is migrated. */
export async function openSubject(config: Config): Promise<Subject> {
  try {
    if (config.database.kind === 'embedded') return await openFolder(config.database.dataDir);
    const connectTimeoutMs = Math.min(CONNECT_MS, config.connectTimeoutMs);
    const database = await openServer({ ...config.database, poolSize: 2, connectTimeoutMs });
    return { kind: 'open', database, close: () => database.close() };
  } catch (error) {
    return { kind: 'failed', cause: explain(error).message };
  }
}
