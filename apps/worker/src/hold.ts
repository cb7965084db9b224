import {
  abandonRuns,
  acquireLease,
  type Begun,
  beginRun,
  keepLease,
  releaseLease,
  type StartInput,
} from '@slowwave/db';
import type { UserJobDeps } from './context.ts';
import { codeOf, JobFailure } from './errors.ts';

/** A user who is this job's, for as long as it lasts. */
export interface Hold {
  lease: { tenant: string; user: string; holder: string; fence: number };
  signal: AbortSignal;
  /** Whether the lease was lost because this process stood still: a job kept its thread for longer than the lease lasts. */
  wasBlocked(): boolean;
  /** The last start of one of the user's tiers never ended: it may have been this user who ended the process. */
  suspect: boolean;
  /** The run that began in the same breath; null: it has yet to begin. */
  run: Begun['run'];
  /** Gives the user back with a write that does so, which nothing is renewed behind. */
  releaseWith<T>(write: () => Promise<T>): Promise<T>;
  /** Gives the user back, unless that is done. */
  release(): Promise<void>;
}

/** Who takes whom, and the run that is to begin with it, if any. */
export interface Taking {
  tenant: string;
  user: string;
  holder: string;
  start?: Pick<StartInput, 'tier' | 'why' | 'runId' | 'at'>;
}

/** Takes the user, and begins the run where nothing has to be seen to before. */
async function acquire({ database, limits }: UserJobDeps, { start, ...who }: Taking): Promise<Begun> {
  const taking = { ...who, ttlMs: limits.leaseMs };
  if (start) return beginRun(database, { ...taking, ...start });
  return { acquired: await acquireLease(database, taking), run: null };
}

/**
 * Takes a user's lease and keeps it. The signal aborts when it is lost, or with the job's own.
 * @throws JobFailure `unknown_user`: the payload names nobody we know, whoever wrote it
 */
export async function takeUser(
  deps: UserJobDeps,
  taking: Taking,
  jobSignal: AbortSignal,
): Promise<Hold | 'busy'> {
  const { database, limits } = deps;
  const { tenant, user, holder } = taking;
  const { acquired, run } = await acquire(deps, taking);
  if (acquired.status === 'unknown_user') throw new JobFailure('unknown_user', { retryable: false });
  if (acquired.status === 'busy') return 'busy';
  const { fence } = acquired;
  const lease = { tenant, user, holder, fence };
  const lost = new AbortController();
  let blocked = false;
  const keeper = keepLease(database, lease, {
    ttlMs: limits.leaseMs,
    everyMs: limits.leaseMs / 3,
    onLost: (reason) => {
      blocked = reason === 'blocked';
      lost.abort(new JobFailure('lease_lost', { retryable: true })); // guard: lease-lost-abort
    },
  });
  let given = false;
  const hold: Hold = {
    lease,
    signal: AbortSignal.any([jobSignal, lost.signal]),
    wasBlocked: () => blocked,
    suspect: acquired.suspect,
    run,
    async releaseWith(write) {
      await keeper.stop();
      const result = await write();
      given = true;
      return result;
    },
    async release() {
      await keeper.stop();
      // A lease that cannot be given back runs out by itself.
      if (!given)
        await releaseLease(database, lease).catch((error) =>
          deps.logger.warn({ tenant, user, code: codeOf(error) }, 'lease not released'),
        );
      await deps.failpoints?.('after-release', { tenant, user });
    },
  };
  try {
    await deps.failpoints?.('after-lease', { tenant, user });
    if (!acquired.takenOver) return hold; // guard: takeover-abandons
    const at = deps.now();
    const left = await database.withTenant(tenant, (tx) => abandonRuns(tx, { tenant, user, fence, at }));
    if (left.length > 0)
      deps.logger.warn({ tenant, user, runs: left }, 'took over from a worker that ended without a word');
    return { ...hold, suspect: hold.suspect || left.length > 0 };
  } catch (error) {
    // Nobody would ever release it: it would be renewed for as long as this process lives.
    await hold.release();
    throw error;
  }
}
