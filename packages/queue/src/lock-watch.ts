import type { AbortCause } from './outcome.ts';

/** One running job as its worker watches it. */
export interface WatchedJob {
  signal: AbortSignal;
  /** Why the signal was aborted, or null. */
  cause(): AbortCause | null;
  release(): void;
}

export interface LockWatch {
  watch(jobId: string): WatchedJob;
  /** The datastore confirmed these locks. */
  renewed(jobIds: readonly string[]): void;
  /** The datastore refused these: somebody else holds the jobs, or nobody. */
  lost(jobIds: readonly string[]): void;
  abortAll(cause: AbortCause): void;
  size(): number;
  /** Resolves once no job is watched any more. */
  idle(): Promise<void>;
}

interface Entry {
  controller: AbortController;
  cause: AbortCause | null;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Aborts jobs whose lock is gone. The event of a refused renewal is not enough: when the datastore cannot be reached no
 * renewal is refused, yet the lock runs out and another worker starts the job. So each confirmation also winds up a timer
 * that ends a little before the lock does.
 */
export function createLockWatch(lockDurationMs: number): LockWatch {
  const entries = new Map<string, Set<Entry>>();
  const waiting = new Set<() => void>();
  const limitMs = Math.max(1, lockDurationMs - Math.min(1_000, lockDurationMs * 0.1));

  function all(): Entry[] {
    return [...entries.values()].flatMap((set) => [...set]);
  }

  function abort(entry: Entry, cause: AbortCause): void {
    if (entry.cause !== null) return;
    entry.cause = cause;
    clearTimeout(entry.timer);
    const reason = new Error(cause);
    reason.name = 'AbortError';
    entry.controller.abort(reason);
  }

  function arm(entry: Entry): void {
    clearTimeout(entry.timer);
    entry.timer = setTimeout(
      () => abort(entry, 'lock_lost'), // guard: lock-unconfirmed
      limitMs,
    );
    entry.timer.unref();
  }

  function release(jobId: string, entry: Entry): void {
    clearTimeout(entry.timer);
    const set = entries.get(jobId);
    set?.delete(entry);
    if (set?.size === 0) entries.delete(jobId);
    if (entries.size > 0) return;
    for (const wake of waiting) wake();
    waiting.clear();
  }

  return {
    watch(jobId) {
      const entry: Entry = { controller: new AbortController(), cause: null, timer: undefined };
      arm(entry);
      // A worker can hold one job twice: it lost the lock, took the job again, and the first handler still runs.
      entries.set(jobId, (entries.get(jobId) ?? new Set()).add(entry));
      return {
        signal: entry.controller.signal,
        cause: () => entry.cause,
        release: () => release(jobId, entry),
      };
    },
    renewed(jobIds) {
      for (const jobId of jobIds) {
        for (const entry of entries.get(jobId) ?? []) if (entry.cause === null) arm(entry);
      }
    },
    lost(jobIds) {
      // guard: lock-refused
      for (const jobId of jobIds) for (const entry of entries.get(jobId) ?? []) abort(entry, 'lock_lost');
    },
    abortAll(cause) {
      for (const entry of all()) abort(entry, cause);
    },
    size: () => all().length,
    idle: () => (entries.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.add(resolve))),
  };
}
