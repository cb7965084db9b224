import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../database.ts';
import { newId } from '../ids.ts';
import { acquireLease, type Lease, releaseLease } from './leases.ts';
import { abandonRuns } from './run-ends.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** Longer than one transaction may take; nobody renews it. */
const TTL_MS = 30_000;

export interface HoldInput {
  tenant: string;
  user: string;
  /** Epoch ms, of the domain. */
  at: number;
  /** What holds the user, for people who look at leases. */
  purpose: string;
  /** How long to wait for whoever holds the user, ms. */
  waitMs: number;
}

/**
 * Takes a user for the length of one short piece of work, as a run does, so that no run changes anything meanwhile. Waits a while for
 * whoever is at work.
 * @param work its transactions prove themselves with the lease it gets
 * @returns 'busy' and 'unknown_user' without having begun
 */
export async function whileHolding<T>(
  database: Database,
  { tenant, user, at, purpose, waitMs }: HoldInput,
  work: (lease: Lease) => Promise<T>,
): Promise<T | 'busy' | 'unknown_user'> {
  const holder = `${purpose}:${newId(at)}`;
  const ends = performance.now() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    const acquired = await acquireLease(database, { tenant, user, holder, ttlMs: TTL_MS });
    if (acquired.status === 'unknown_user') return 'unknown_user';
    if (acquired.status === 'held') {
      const lease = { tenant, user, holder, fence: acquired.fence };
      try {
        // Whoever takes over says what became of the runs before: nobody after us would see that they were lost.
        if (acquired.takenOver) {
          await database.withTenant(tenant, (tx) =>
            abandonRuns(tx, { tenant, user, fence: lease.fence, at }),
          );
        }
        return await work(lease);
      } finally {
        // One that cannot be given back runs out by itself, and says nothing about the work.
        await releaseLease(database, lease).catch(() => false);
      }
    }
    const leftMs = ends - performance.now();
    if (leftMs <= 0) return 'busy';
    await sleep(Math.min(pauseMs, leftMs));
  }
}
