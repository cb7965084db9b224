import type { CommitOptions, Database, UserMode } from '@slowwave/db';
import type { Embedder, FusionEvent, LLMProvider, Tier } from '@slowwave/fusion';
import type { Queues } from '@slowwave/queue';
import type { Logger } from 'pino';

/** What a job is doing, for progress. Ids and counts only. */
export type WorkerEvent = { tenant: string; user: string; tier: Tier; runId: string } & (
  | { type: 'step_started' | 'step_ended'; step: string; index: number; steps: number }
  | { type: 'embedded'; count: number }
  | { type: 'fusion'; event: FusionEvent }
);

/** What every job of a process shares. */
export interface WorkerDeps {
  database: Database;
  queues: Queues;
  /** Null: steps that need a model are skipped and say so. */
  provider: LLMProvider | null;
  embedder: Embedder;
  logger: Logger;
  /** The instant of the domain, epoch ms; a virtual clock in simulations. */
  now: () => number;
  /** A clock for durations. */
  nowMs: () => number;
  limits: WorkerLimits;
  onEvent?: (event: WorkerEvent) => void;
  /** Tests only: failpoints and guard switches of the commit. */
  commitOptions?: CommitOptions;
}

/** Bounds of one job. */
export interface WorkerLimits {
  leaseMs: number;
  /** No cluster is begun after this many ms of a fusion step. */
  fusionStepMs: number;
  /** Texts per call of the embedder, and calls per step. */
  embedBatch: number;
  embedBatches: number;
}

export const DEFAULT_LIMITS: WorkerLimits = {
  leaseMs: 30_000,
  fusionStepMs: 5 * 60_000,
  embedBatch: 256,
  embedBatches: 200,
};

/** One tier for one user, once: what its steps work with. */
export interface StepContext extends WorkerDeps {
  tenant: string;
  user: string;
  tier: Tier;
  /** Read once per job, epoch ms. */
  at: number;
  lastSuccessAt: number | null;
  mode: UserMode;
  runId: string;
  lease: { holder: string; fence: number };
  /** Aborted when the lock or the lease is lost, and at the end of the grace time: stop at once, write nothing. */
  signal: AbortSignal;
  /** Aborted when the process is about to stop: finish the current cluster. */
  stopping: AbortSignal;
}

/** The names of a job that go with every event and log line. */
export function idsOf({ tenant, user, tier, runId }: StepContext): {
  tenant: string;
  user: string;
  tier: Tier;
  runId: string;
} {
  return { tenant, user, tier, runId };
}

export type Counts = Record<string, unknown>;

/** How one step of a tier ended. Counts and codes only. */
export type StepResult =
  | { status: 'done'; counts: Counts }
  | { status: 'skipped'; reason: string }
  | { status: 'failed'; code: string };

export interface Step {
  name: string;
  run(context: StepContext): Promise<StepResult>;
}
