import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../files/folder-lock.ts';
import { makePlace } from '../files/folder-place.ts';
import { collectionAddArgs, type QmdTarget } from './commands.ts';
import { type QmdExecutor, QmdFailure, type QmdRunOptions } from './executor.ts';

/** What is known of an index, in epoch milliseconds; null: not yet. */
export interface IndexState {
  /** When its refresh was last begun, whether or not it came to an end. */
  startedAt: number | null;
  /** When its content was last taken from the files. */
  indexedAt: number | null;
}

/** The index of one workspace alone, beside its memory: its database, its configuration, its lock. */
export interface IndexFolder {
  path: string;
  /** For every run of qmd on this index. */
  run: Pick<QmdRunOptions, 'cwd' | 'env'>;
}

const STATE_FILE = 'state.json';

/** Opens the index folder of a workspace and the folder that it indexes, creating what is missing. */
export async function openIndex(target: QmdTarget): Promise<IndexFolder> {
  await makePlace(target.rootDir, target.folder, 'qmd');
  // Named after the collection, which is named after the path: a project that moved begins a new index.
  const path = await makePlace(target.rootDir, `.fusion/qmd/${target.collection}`, 'qmd');
  await makeFolder(join(path, 'config'));
  // An index is no part of a project's history.
  await writeFile(join(path, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(() => undefined);
  const env = {
    // The child inherits the surroundings of this process, as any child does, with its state redirected.
    ...process.env,
    INDEX_PATH: join(path, 'index.sqlite'),
    QMD_CONFIG_DIR: join(path, 'config'),
    NO_COLOR: '1',
  };
  return { path, run: { cwd: target.rootDir, env } };
}

function instant(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export async function readState(index: IndexFolder): Promise<IndexState> {
  try {
    const state = JSON.parse(await readFile(join(index.path, STATE_FILE), 'utf8')) as Partial<IndexState>;
    return { startedAt: instant(state.startedAt), indexedAt: instant(state.indexedAt) };
  } catch {
    return { startedAt: null, indexedAt: null };
  }
}

let writes = 0;

export async function writeState(index: IndexFolder, change: Partial<IndexState>): Promise<void> {
  const state = { ...(await readState(index)), ...change };
  const aside = join(index.path, `${STATE_FILE}.${process.pid}.${writes++}`);
  await writeFile(aside, JSON.stringify(state), { mode: 0o600 });
  await rename(aside, join(index.path, STATE_FILE));
}

/** Forgets that the collection was added: qmd does not know it (any longer). */
export async function forgetState(index: IndexFolder): Promise<void> {
  await rm(join(index.path, STATE_FILE), { force: true });
}

/** Whether a failed `collection add` says that this very collection is there already. */
function isThere(error: unknown): boolean {
  const { message, stderr } = (error ?? {}) as { message?: unknown; stderr?: unknown };
  const text = `${String(message ?? '')}\n${String(stderr ?? '')}`;
  // "already exists for this path" is another collection of another name over the same folder.
  return /already exists/i.test(text) && !/exists for this path/i.test(text);
}

/** Adds the workspace to its index; adding it again is no failure. */
export async function addCollection(
  target: QmdTarget,
  index: IndexFolder,
  options: { execFileAsync: QmdExecutor; command: string; timeout: number; signal?: AbortSignal },
): Promise<void> {
  const { execFileAsync: execute, command, timeout, signal } = options;
  try {
    const run = { ...index.run, timeout, signal, maxBuffer: 512 * 1024 };
    await execute(command, collectionAddArgs(target), run);
  } catch (error) {
    if (!isThere(error)) throw error;
  }
}

/** Why a run failed, as a code. */
export function reasonOf(error: unknown): QmdFailure['reason'] {
  if (error instanceof QmdFailure) return error.reason;
  return (error as { code?: unknown } | null)?.code === 'ENOENT' ? 'missing' : 'index';
}
