import { type Database, isCancelRequested } from '@slowwave/db';

/** Whether somebody asked for the end of a run, as far as its worker knows. */
export interface CancelWatch {
  /** Aborted once it is known. */
  signal: AbortSignal;
  /** Looks now. Never throws: a database that cannot be read is found out about elsewhere. */
  look(): Promise<void>;
  /** Ends the watch; resolves when nothing of it is under way. */
  stop(): Promise<void>;
}

export interface WatchOptions {
  database: Pick<Database, 'withTenant'>;
  tenant: string;
  user: string;
  runId: string;
  nowMs: () => number;
  /** A younger run is not looked at, since hardly anybody knows of it; afterwards it is looked at this often by itself, ms. */
  everyMs: number;
}

/** Watches a run from now on. A look costs one row by its key. */
export function watchCancel({ database, nowMs, everyMs, ...run }: WatchOptions): CancelWatch {
  const asked = new AbortController();
  const startedMs = nowMs();
  let looking: Promise<void> | null = null;
  async function lookOnce(): Promise<void> {
    try {
      if (await database.withTenant(run.tenant, (tx) => isCancelRequested(tx, run))) asked.abort();
    } catch {
      // Seen at the next look, or not at all: then the run ends by itself.
    }
  }
  async function look(): Promise<void> {
    if (asked.signal.aborted || nowMs() - startedMs < everyMs) return;
    // What began before the question was asked does not know the answer.
    await looking;
    looking = lookOnce();
    await looking;
  }
  let due: Promise<void> = Promise.resolve();
  let waiting = false;
  const timer = setInterval(() => {
    if (waiting) return;
    waiting = true;
    due = look().finally(() => {
      waiting = false;
    });
  }, everyMs);
  timer.unref();
  return {
    signal: asked.signal,
    look,
    async stop() {
      clearInterval(timer);
      await due;
    },
  };
}
