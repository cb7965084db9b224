import { randomUUID } from 'node:crypto';
import { databaseClockSkewMs } from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import type { OutcomeEvent, QueueWorker } from '@slowwave/queue';
import type { Breaker, BreakerState } from './breaker.ts';
import type { WorkerDeps } from './context.ts';
import { codeOf } from './errors.ts';
import { createFusionJob, failStalledOut } from './fusion-job.ts';
import type { WorkerMetrics } from './metrics.ts';
import { watchModels } from './model-calls.ts';
import type { ModelRate } from './pacing.ts';
import { reachJob, reachSteps } from './reach.ts';
import { traceSteps, traceUserJob } from './run-spans.ts';
import { guardModels, wrapModels } from './step-models.ts';
import { TIER_STEPS } from './tiers.ts';
import { createTurn } from './turn.ts';
import { createUserJob } from './user-job.ts';

/** Kept for what people ask for. One long run does not hold up everybody else who asks. */
const ADHOC_SLOTS = 2;
/** Above this the clocks disagree too much to judge other workers by. */
const MAX_SKEW_MS = 2_000;

export interface Worker {
  /** Resolves when every queue is listened to. */
  ready(): Promise<void>;
  /** Whether this process does what it should, and why not. */
  health(): Promise<WorkerHealth>;
  /** Stops within the grace time: current clusters are finished, unfinished jobs put back without using an attempt. */
  close(graceMs: number): Promise<void>;
}

export interface WorkerHealth {
  ok: boolean;
  reasons: string[];
  active: number;
  clockSkewMs: number | null;
  model: BreakerState | null;
  /** How fast models may be asked, by all workers together. A limit is nothing that this process could heal: it stays ready. */
  rates: ModelRate[];
}

export interface WorkerSettings {
  /** Users at a time, per tier. */
  concurrency: number;
  onOutcome?: (event: OutcomeEvent) => void;
  metrics?: WorkerMetrics;
}

/**
 * The workers of one process: one per tier, slots kept for what people ask for, and one for fusions that are tried again.
 * On the embedded database they share one connection and one thread, so one user at a time is taken there.
 */
export async function createWorker(given: WorkerDeps, settings: WorkerSettings): Promise<Worker> {
  const name = `worker-${randomUUID()}`;
  const { metrics } = settings;
  const watched = watchModels(given, (call) => metrics?.modelCalled(call));
  const { pacing } = given;
  // What the breaker holds back takes no permit, and what waits for a permit says nothing about the key.
  const paced = pacing ? wrapModels(watched, pacing.pace) : watched;
  const { breaker, ...models } = guardModels(paced, given.nowMs);
  const deps: WorkerDeps = {
    ...given,
    ...models,
    tierSteps: traceSteps(reachSteps(given.failpoints, given.tierSteps ?? TIER_STEPS)),
    onEvent: (event) => {
      metrics?.event(event);
      given.onEvent?.(event);
    },
  };
  const skewMs = await databaseClockSkewMs(deps.database);
  const trusted = Math.abs(skewMs) <= MAX_SKEW_MS;
  if (!trusted)
    deps.logger.warn(
      { skewMs: Math.round(skewMs) },
      "this machine's clock and the database's differ: no stalled check here",
    );

  const concurrency = deps.database.kind === 'embedded' ? 1 : settings.concurrency;
  const options = {
    stalledCheck: trusted,
    onOutcome: (event: OutcomeEvent) => {
      const level = event.outcome === 'failed' ? 'warn' : 'debug';
      deps.logger[level]({ ...event, durationMs: Math.round(event.durationMs) }, 'job ended');
      metrics?.jobEnded(event);
      settings.onOutcome?.(event);
    },
  };
  const { queues, failpoints } = deps;
  const turn = createTurn();
  const userJob = reachJob(failpoints, traceUserJob(createUserJob(deps, name, turn)));
  const fusionJob = reachJob(failpoints, createFusionJob(deps, name, turn));
  const workers: QueueWorker[] = [
    ...TIERS.map((tier) => queues.createWorker(tier, userJob, { ...options, concurrency })),
    queues.createWorker('adhoc', userJob, { ...options, concurrency: Math.min(ADHOC_SLOTS, concurrency) }),
    queues.createWorker('fusions', fusionJob, {
      ...options,
      concurrency,
      onStalledOut: (data) => failStalledOut(deps, data),
    }),
  ];

  const worker: Worker = {
    async ready() {
      await Promise.all(workers.map((one) => one.ready()));
      deps.logger.info({ worker: name, concurrency }, 'worker takes jobs');
    },
    health: () => healthOf(deps, workers, breaker),
    async close(graceMs) {
      await Promise.all(workers.map((one) => one.drain(graceMs)));
    },
  };
  metrics?.watch(worker);
  return worker;
}

async function healthOf(
  deps: WorkerDeps,
  workers: QueueWorker[],
  breaker: Breaker | null,
): Promise<WorkerHealth> {
  const reasons: string[] = [];
  let clockSkewMs: number | null = null;
  try {
    clockSkewMs = Math.round(await databaseClockSkewMs(deps.database));
    if (Math.abs(clockSkewMs) > MAX_SKEW_MS)
      reasons.push(`clock differs from the database's by ${clockSkewMs} ms`);
  } catch (error) {
    reasons.push(`database: ${codeOf(error)}`);
  }
  try {
    await deps.queues.ping();
  } catch (error) {
    reasons.push(`queue: ${codeOf(error)}`);
  }
  const model = breaker?.state() ?? null;
  if (model?.open) reasons.push('model work is paused: the provider refused the key or the account');
  const rates = (await deps.pacing?.rates()) ?? [];
  const active = workers.reduce((sum, worker) => sum + worker.active(), 0);
  return { ok: reasons.length === 0, reasons, active, clockSkewMs, model, rates };
}
