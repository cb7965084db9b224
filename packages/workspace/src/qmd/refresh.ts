import { join, resolve } from 'node:path';
import { takeLock } from '../files/folder-lock.ts';
import { agentTarget, projectTarget, QMD_COMMAND, type QmdTarget } from './commands.ts';
import { type QmdExecutor, runQmd } from './executor.ts';
import { addCollection, openIndex, readState, writeState } from './index-folder.ts';

export const QMD_REFRESH_INTERVAL_MS = 300_000;

/** Longer than all commands of a refresh together may take. */
const LOCK_STALE_MS = 300_000;
const LOCK_WAIT_MS = 180_000;
const ADD_TIMEOUT_MS = 4_000;
const UPDATE_TIMEOUT_MS = 30_000;
const EMBED_TIMEOUT_MS = 120_000;
const MAX_BUFFER = 1024 * 1024;

export interface QmdRefreshOptions {
  /** Also within the interval, and after whoever is refreshing now. */
  force?: boolean;
  execFileAsync?: QmdExecutor;
  /** Whether vectors are computed too (for which qmd loads models from the network at first); default true. */
  embed?: boolean;
  command?: string;
  /** Epoch milliseconds. */
  now?: () => number;
}

const running = new Map<string, Promise<void>>();

async function refreshOnce(target: QmdTarget, options: QmdRefreshOptions): Promise<void> {
  const { force = false, execFileAsync: execute = runQmd, command = QMD_COMMAND, now = Date.now } = options;
  const index = await openIndex(target);
  const lock = { waitMs: force ? LOCK_WAIT_MS : 0, staleMs: LOCK_STALE_MS };
  const release = await takeLock(join(index.path, 'refresh.lock'), lock);
  // Somebody else, maybe in another process, is at it.
  if (release === null) return;
  try {
    const at = now();
    const { startedAt } = await readState(index);
    const isRecent = startedAt !== null && at >= startedAt && at - startedAt < QMD_REFRESH_INTERVAL_MS;
    if (isRecent && !force) return;
    // Before the work: one that fails is not tried again at once either.
    await writeState(index, { startedAt: at });
    await addCollection(target, index, { execFileAsync: execute, command, timeout: ADD_TIMEOUT_MS });
    await execute(command, ['update'], { ...index.run, timeout: UPDATE_TIMEOUT_MS, maxBuffer: MAX_BUFFER });
    await writeState(index, { indexedAt: at });
    if (options.embed === false) return;
    await execute(command, ['embed'], { ...index.run, timeout: EMBED_TIMEOUT_MS, maxBuffer: MAX_BUFFER });
  } finally {
    await release();
  }
}

/** Brings an index up to date: one refresh at a time between all processes, at most one per interval unless forced. */
export async function refreshIndex(target: QmdTarget, options: QmdRefreshOptions = {}): Promise<void> {
  const key = JSON.stringify([resolve(target.rootDir), target.collection]);
  const current = running.get(key);
  if (current && !options.force) return current;
  const turn = current
    ? current.then(
        () => refreshOnce(target, options),
        () => refreshOnce(target, options),
      )
    : refreshOnce(target, options);
  running.set(key, turn);
  try {
    await turn;
  } finally {
    if (running.get(key) === turn) running.delete(key);
  }
}

export async function refreshQmdProjectMemoryIndex(
  rootDir: string,
  options?: QmdRefreshOptions,
): Promise<void> {
  return refreshIndex(projectTarget(rootDir), options);
}

export async function refreshQmdAgentMemoryIndex(
  rootDir: string,
  agentId: string,
  options?: QmdRefreshOptions,
): Promise<void> {
  return refreshIndex(agentTarget(rootDir, agentId), options);
}

/** Whether work in the background is left out: under a test runner, unless FUSION_ENABLE_QMD_REFRESH_IN_TESTS is 1. */
export function shouldSkipBackgroundQmdRefresh(): boolean {
  const { VITEST, NODE_ENV, FUSION_ENABLE_QMD_REFRESH_IN_TESTS } = process.env;
  return (VITEST === 'true' || NODE_ENV === 'test') && FUSION_ENABLE_QMD_REFRESH_IN_TESTS !== '1';
}

/** Refreshes in the background without vectors, which the search by words does not use. Failing has no consequence: qmd is optional. */
export function scheduleRefresh(target: QmdTarget, options: QmdRefreshOptions = {}): void {
  refreshIndex(target, { ...options, embed: false }).catch(() => undefined);
}

export function scheduleQmdProjectMemoryRefresh(rootDir: string): void {
  if (!shouldSkipBackgroundQmdRefresh()) scheduleRefresh(projectTarget(rootDir));
}

export function scheduleQmdAgentMemoryRefresh(rootDir: string, agentId: string): void {
  if (!shouldSkipBackgroundQmdRefresh()) scheduleRefresh(agentTarget(rootDir, agentId));
}
