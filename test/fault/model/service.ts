import { type Database, ForgetRefused, forget } from '@slowwave/db';
import { type FusionJob, type JobView, jobContext, type TierJob } from '@slowwave/queue';
import {
  createFusionJob,
  createLogger,
  createUserJob,
  DEFAULT_LIMITS,
  type Failpoints,
  type UserJobDeps,
} from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { reachJob, reachSteps } from '../../../apps/worker/src/reach.ts';
import { judge, type Verdict } from '../../../packages/queue/src/outcome.ts';
import { Crashed, mortal } from '../../fixtures/crash.ts';
import { createLine, type Entry, type Ticket } from './line.ts';
import { APART, providerOf, stepsOf } from './stand-ins.ts';
import { FAULTS_MAX, type Manner, NOW, REVIEW_FOR, type Trouble } from './state.ts';

/** Where a delivery ends early: the process dies there, or stops and goes on later. */
export interface End {
  how: 'dies' | 'stalls';
  point: string;
  /** From 1: the how-manieth time it comes by. */
  nth: number;
}

/** A job stopped in the middle. */
interface Stalled {
  resume(): Promise<void>;
  /** Its process is gone before it could go on. */
  drop(): Promise<void>;
}

export type Service = ReturnType<typeof createService>;

/** Nothing of the wall clock plays a part: leases end when a command says so. */
const LONG_MS = 3_600_000;

/** The product over a database, without processes: its jobs, its ticks' queue, a clock and a language model that do as they are told. */
export function createService(given: Database) {
  const told = { at: NOW, manner: 'good' as Manner, trouble: 'none' as Trouble, calls: 0, database: given };
  const line = createLine();
  const stalled = new Map<number, Stalled>();
  let log = '';
  let holders = 0;

  const deps = (): UserJobDeps => ({
    database: told.database,
    queues: {
      async addFusion({ user, tier, runId, key }) {
        line.add({ queue: 'fusions', user, tier, run: runId, fusion: key });
        return 'added';
      },
      async rateLimit() {},
    },
    provider: providerOf(told),
    // What repeats its sources needs no judge.
    statements: { judge: false },
    embedder: APART,
    logger: createLogger('warn', { write: (text) => (log += text) }),
    now: () => told.at,
    nowMs: () => performance.now(),
    limits: {
      ...DEFAULT_LIMITS,
      leaseMs: LONG_MS,
      cancelLookMs: LONG_MS,
      reviewMs: REVIEW_FOR,
      quarantineAfter: FAULTS_MAX,
    },
    tierSteps: stepsOf(told),
  });

  /** A process of its own that takes one job, and where it ends. */
  async function deliver(
    entry: Entry,
    number: number,
    end: End | null,
  ): Promise<'ended' | 'died' | 'stalled'> {
    const process = mortal(told.database, null);
    const start = entry.starts;
    let passed = 0;
    let goOn = (): void => {};
    let stop = (): void => {};
    const stopped = new Promise<'stalled'>((resolve) => {
      stop = () => resolve('stalled');
    });
    const failpoints: Failpoints = async (name) => {
      if (process.isDead()) throw new Crashed();
      if (name !== end?.point || ++passed !== end.nth) return;
      if (end.how === 'dies') process.die();
      await new Promise<void>((resolve) => {
        goOn = resolve;
        stop();
      });
      if (process.isDead()) throw new Crashed();
    };
    const inner = deps();
    const addFusion: typeof inner.queues.addFusion = async (job) => {
      if (process.isDead()) throw new Crashed();
      return inner.queues.addFusion(job);
    };
    const own = {
      ...inner,
      failpoints,
      database: process.database,
      queues: { ...inner.queues, addFusion },
      tierSteps: reachSteps(failpoints, inner.tierSteps!),
    };
    holders += 1;
    const turn = handle(
      own,
      { entry, tenant: tenantOf(entry.ticket.user), holder: `worker-${holders}` },
      failpoints,
    ).then((verdict) => {
      if (process.isDead()) return 'died' as const;
      line.settle(entry, start, verdict);
      return 'ended' as const;
    });
    const first = await Promise.race([turn, stopped]);
    if (first !== 'stalled') return first;
    const settled = turn.then(() => {});
    stalled.set(number, {
      async resume() {
        goOn();
        await settled;
      },
      async drop() {
        try {
          process.die();
        } catch {
          // It is gone from here on.
        }
        goOn();
        await settled;
      },
    });
    return 'stalled';
  }

  return {
    told,
    line,
    stalled,
    deliver,
    log: () => log,
    /** What a producer fills. */
    producing: {
      counts: async (queue: string) => ({
        waiting: line.count(queue as Ticket['queue'], 'waiting'),
        active: line.count(queue as Ticket['queue'], 'active'),
        delayed: 0,
        failed: 0,
        completed: 0,
      }),
      async addBulk(jobs: readonly TierJob[]) {
        for (const { tier, user } of jobs) line.add({ queue: tier, user, tier, run: null, fusion: null });
      },
      addAdhoc: async ({ user, tier, runId }: TierJob) =>
        line.add({ queue: 'adhoc', user, tier, run: runId ?? null, fusion: null }),
    },
    logger: deps().logger,
  };
}

async function handle(
  deps: UserJobDeps,
  { entry, tenant, holder }: { entry: Entry; tenant: string; holder: string },
  failpoints: Failpoints,
): Promise<Verdict> {
  const { attemptsMade, attempts, postponed, ticket } = entry;
  const { queue, user, tier, run, fusion } = ticket;
  const view: Omit<JobView<never>, 'data'> = {
    id: `j${entry.serial}`,
    queue,
    attempt: attemptsMade + 1,
    attempts,
    lastAttempt: attemptsMade + 1 >= attempts,
    starts: entry.starts,
    postponed,
    addedAt: deps.now(),
  };
  const ended = await (fusion === null
    ? reachJob<TierJob>(failpoints, createUserJob(deps, holder))(
        {
          ...view,
          data: {
            v: 1,
            tenant,
            user,
            tier,
            why: queue === 'adhoc' ? 'adhoc' : 'schedule',
            ...(run === null ? {} : { runId: run }),
          },
        },
        jobContext(),
      )
    : reachJob<FusionJob>(failpoints, createFusionJob(deps, holder))(
        { ...view, data: { v: 1, tenant, user, tier, key: fusion, runId: run! } },
        jobContext(),
      )
  ).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  return judge({ ended, aborted: null, attemptsMade, attempts, postponed, maxPostpones: 60, ids: {} });
}

const USERS = ['u0', 'u1', 'u2'];
/** Every third user belongs to somebody else. */
export const tenantOf = (user: string): string => (user === USERS[2] ? 'elsewhere' : 'here');

/** Nothing of one life is there in the next, not even of one that failed; everybody has the same names in each. */
export async function leave(database: Database): Promise<void> {
  await database.asOwner((tx) => tx.rows(sql`delete from slowwave.tier_pauses`));
  for (const user of USERS) {
    const target = { user: true } as const;
    await forget(database, { tenant: tenantOf(user), user, target, at: NOW, actor: null }).catch(
      (error: unknown) => {
        if (!(error instanceof ForgetRefused && error.code === 'unknown_user')) throw error;
      },
    );
  }
}
