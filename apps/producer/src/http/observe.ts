import { countOverdue, type TierLoad } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { errorFacts } from '@slowwave/queue';
import type { AppOptions } from './options.ts';

const CHECK_TIMEOUT_MS = 5_000;

/** What a look brought, or a class or code saying why it failed; no text. */
export type Attempt<T> = { ok: true; value: T } | { ok: false; reason: string };

/** How the parts of the service are right now. */
export interface Observation {
  /** Who waits, by tier. */
  load: Attempt<Record<Tier, TierLoad>>;
  ping: Attempt<unknown>;
  /** The tiers whose next beat is lost or overdue, or whose last one failed. */
  late: Attempt<Tier[]>;
  /** Null where no workers are inside this process. */
  workers: Attempt<{ ok: boolean; reasons: string[] }> | null;
}

/** Looks at the database, the queue, the ticks and the workers. However many ask at once, they are looked at once. */
export function createObserver(options: AppOptions): () => Promise<Observation> {
  let looking: Promise<Observation> | null = null;
  return () => {
    looking ??= observe(options).finally(() => {
      looking = null;
    });
    return looking;
  };
}

async function observe(options: AppOptions): Promise<Observation> {
  const { database, queues, ticker, now, overdueMs, workerHealth } = options;
  const [load, ping, late, workers] = await Promise.all([
    attempt(() => database.asDispatcher((tx) => countOverdue(tx, { at: now(), graceMs: overdueMs }))),
    attempt(() => queues.ping()),
    attempt(() => ticker.late()),
    workerHealth ? attempt(workerHealth) : null,
  ]);
  return { load, ping, late, workers };
}

/** Looks for so long and no longer. Never throws. */
export async function attempt<T>(look: () => Promise<T>): Promise<Attempt<T>> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Attempt<T>>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, reason: 'timeout' }), CHECK_TIMEOUT_MS);
  });
  const looked = look().then(
    (value): Attempt<T> => ({ ok: true, value }),
    (error: unknown): Attempt<T> => {
      const facts = errorFacts(error);
      return { ok: false, reason: facts.code ?? facts.error };
    },
  );
  try {
    return await Promise.race([looked, limit]);
  } finally {
    clearTimeout(timer);
  }
}
