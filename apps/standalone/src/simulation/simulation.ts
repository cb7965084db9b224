import { type Database, upcoming } from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import { fillTier } from '@slowwave/producer';
import { type FusionJob, type JobView, jobContext, type TierJob } from '@slowwave/queue';
import { createFusionJob, createUserJob, DEFAULT_LIMITS, type UserJobDeps } from '@slowwave/worker';
import { createInbox } from './inbox.ts';

/** One wake-up that was carried out. */
export interface SimulatedRun {
  tenant: string;
  user: string;
  tier: Tier;
  /** Of the virtual clock, epoch ms. */
  at: number;
  /** completed, failed or closed (nothing was to be done). */
  outcome: string;
  runId: string | null;
}

export interface SimulationOptions
  extends Pick<UserJobDeps, 'provider' | 'embedder' | 'logger'>,
    Partial<Pick<UserJobDeps, 'providers' | 'statements' | 'limits' | 'budget' | 'onEvent' | 'tierSteps'>> {
  database: Database;
  /** Where the virtual clock starts, epoch ms. */
  start: number;
  /** How often each tier looks for who is due, ms; default 30 s. */
  tickMs?: number;
  /** Users at a time; default 1. */
  concurrency?: number;
  onRun?: (run: SimulatedRun) => void;
}

/** The schedules and the workers under a clock of their own: the same code, the same database, and nobody waits. */
export interface Simulation {
  /** Epoch ms. */
  now(): number;
  /** Carries out everything that falls due until then, tick by tick. */
  advance(until: number): Promise<void>;
  /** Moves the clock while nothing runs, as in an outage. */
  skip(until: number): void;
  /** Loses all wake-ups that wait. */
  wipe(): void;
}

const ROUNDS_MAX = 50;
/** No other process takes users here: a machine that is busy for long must not cost a run its lease. */
const LEASE_MS = 3_600_000;

export function createSimulation(options: SimulationOptions): Simulation {
  const { database, tickMs = 30_000, concurrency = 1 } = options;
  let clock = options.start;
  const now = () => clock;
  const inbox = createInbox();
  const { start: _start, tickMs: _tickMs, concurrency: _concurrency, onRun, ...given } = options;
  const deps: UserJobDeps = {
    limits: { ...DEFAULT_LIMITS, leaseMs: LEASE_MS },
    ...given,
    queues: inbox.queues,
    now,
    nowMs: () => performance.now(),
  };
  const userJob = createUserJob(deps, 'simulation');
  const fusionJob = createFusionJob(deps, 'simulation');
  let jobs = 0;

  async function carryOut(job: TierJob): Promise<void> {
    const result = await userJob(viewOf(job, job.tier, ++jobs), CONTEXT);
    if (result.outcome === 'postponed') throw new Error('nobody else holds a user in a simulation');
    const summary = result.outcome === 'completed' ? (result.summary ?? {}) : {};
    const { tenant, user, tier } = job;
    const runId = typeof summary.runId === 'string' ? summary.runId : null;
    onRun?.({ tenant, user, tier, at: clock, outcome: String(summary.outcome), runId });
  }

  /** One job at a time for each user, several users at a time. */
  async function drain(): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const tiers = inbox.takeTiers();
      const fusions = inbox.takeFusions();
      if (tiers.length + fusions.length === 0) return;
      const byUser = new Map<string, TierJob[]>();
      for (const job of tiers) {
        const key = JSON.stringify([job.tenant, job.user]);
        byUser.set(key, [...(byUser.get(key) ?? []), job]);
      }
      await inParallel([...byUser.values()], concurrency, async (own) => {
        for (const job of own) await carryOut(job);
      });
      for (const job of fusions) {
        // A cluster that fails for good is in the ledger; nobody reads the queue's own list here.
        await fusionJob(viewOf(job, 'fusions', ++jobs), CONTEXT).catch(() => {});
      }
    }
  }

  async function beat(tiers: readonly Tier[]): Promise<void> {
    for (const tier of tiers) {
      await fillTier(
        { database, queues: inbox.queues, logger: options.logger, now, queueCap: 100_000 },
        { tier, requeueAfterMs: 10 * 60_000 },
      );
    }
    await drain();
  }

  return {
    now,
    async advance(until) {
      for (;;) {
        const ahead = await database.asDispatcher(upcoming);
        const next = Math.min(...Object.values(ahead));
        const beatAt = Math.max(clock, Math.ceil(next / tickMs) * tickMs);
        if (!(beatAt <= until)) break;
        clock = beatAt;
        const due = TIERS.filter((tier) => (ahead[tier] ?? Number.POSITIVE_INFINITY) <= clock);
        await beat(due);
        // Whatever is still due now waits for the next beat.
        clock = Math.min(until, clock + 1);
      }
      clock = Math.max(clock, until);
    },
    skip(until) {
      clock = Math.max(clock, until);
    },
    wipe: () => inbox.wipe(),
  };
}

/** Nothing stops a job but its own end. */
const CONTEXT = jobContext();

function viewOf<T extends TierJob | FusionJob>(data: T, queue: JobView<T>['queue'], id: number): JobView<T> {
  return {
    id: `simulated-${id}`,
    queue,
    data,
    attempt: 1,
    attempts: 1,
    lastAttempt: true,
    starts: 2,
    postponed: 0,
    addedAt: 0,
  };
}

async function inParallel<T>(items: T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const hands = Array.from({ length: Math.min(limit, items.length) }, async () => {
    for (const item of rest) await work(item);
  });
  await Promise.all(hands);
}
