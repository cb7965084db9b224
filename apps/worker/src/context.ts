import type {
  CommitOptions,
  Database,
  HoldProof,
  Refusal,
  RunEnd,
  Transaction,
  UserMode,
} from '@slowwave/db';
import type { Embedder, FusionEvent, LLMProvider, Tier } from '@slowwave/fusion';
import type { Queues } from '@slowwave/queue';
import type { Logger } from 'pino';
import type { BatchingOptions } from './batches/options.ts';
import type { CancelWatch } from './cancel-watch.ts';
import type { Failpoints } from './failpoints.ts';
import type { Look, TierQuestion } from './look.ts';
import type { ModelRole, ModelStep } from './model-roles.ts';
import type { Pacing } from './pacing.ts';
import type { BudgetOptions, RunBudget } from './run-budget.ts';
import type { WorkspaceFilesOf } from './workspace-files.ts';

/** What a job is doing, for progress. Ids and counts only. */
export type WorkerEvent = { tenant: string; user: string; tier: Tier; runId: string } & (
  | { type: 'step_started' | 'step_ended'; step: string; index: number; steps: number }
  | { type: 'embedded'; count: number }
  | { type: 'fusion'; event: FusionEvent }
  | {
      type: 'run_ended';
      outcome: RunEnd['status'];
      errorCode: string | null;
      preview: boolean;
      durationMs: number;
      /** None when the run was broken off. */
      steps: readonly (StepResult & { step: string; durationMs: number })[];
      /** The budget that ended its model work; absent: none did. */
      refusal?: Refusal;
    }
  | { type: 'lease_lost' }
);

/** What every job of a process shares. */
export interface UserJobDeps {
  database: Database;
  /** Where a job leaves work for later. */
  queues: Pick<Queues, 'addFusion' | 'rateLimit'>;
  /** Null: steps that need a model are skipped and say so. */
  provider: LLMProvider | null;
  /** Steps that ask another model than the rest. */
  providers?: Partial<Record<ModelRole, LLMProvider>>;
  /** Absent: the model that writes statements judges them. */
  statements?: StatementsSettings;
  embedder: Embedder;
  logger: Logger;
  /** The instant of the domain, epoch ms; a virtual clock in simulations. */
  now: () => number;
  /** A clock for durations. */
  nowMs: () => number;
  limits: WorkerLimits;
  /** Without it nobody counts what models cost. */
  budget?: BudgetOptions;
  /** Without it nobody paces the calls of models. */
  pacing?: Pacing;
  /** Without it every question is asked directly. */
  batching?: BatchingOptions;
  /** Without it this worker has the files of no workspace. */
  workspaces?: WorkspaceFilesOf;
  onEvent?: (event: WorkerEvent) => void;
  /** The steps of each tier; tests put steps of their own here. */
  tierSteps?: Record<Tier, readonly Step[]>;
  /** Tests only: failpoints and guard switches of the commit. */
  commitOptions?: CommitOptions;
  /** Tests only: told wherever a job comes by one of FAILPOINTS. */
  failpoints?: Failpoints;
}

/** What a worker of a process needs besides. */
export interface WorkerDeps extends UserJobDeps {
  queues: Queues;
}

/** How statements are judged. */
export interface StatementsSettings {
  /** False: nobody judges, and only word-for-word repetitions are joined. */
  judge: boolean;
  /** Benches only: requests to the judge that are the same in every run. */
  judgeSecret?: string;
}

/** What one step of one run may spend. */
export interface StepLimits {
  /** No model call is begun after this many ms. */
  ms: number;
  /** No model call is begun once the step has used this many tokens, read and written. */
  tokens: number;
  /** Clusters (fusion, nrem), sessions (summaries), pairs (conflicts), seeds (rem), summaries read (reflection) or workspaces (insights). */
  items: number;
}

/** Bounds of one job. */
export interface WorkerLimits {
  leaseMs: number;
  /** A step that has not ended by itself after this many ms has failed; the next one runs. Above every `ms` of a model step. */
  stepMs: number;
  steps: Record<ModelStep, StepLimits>;
  /** Texts per call of the embedder, and calls per step. */
  embedBatch: number;
  embedBatches: number;
  /** Superseded and archived memories older than this move to the cold table; null: never. */
  retentionMs: number | null;
  /** How long a proposal waits for a person, ms. */
  reviewMs: number;
  /** The journal keeps the images of a change set this long, ms; null: for ever. */
  journalRetentionMs: number | null;
  /** Records of ended runs are kept this long, ms. */
  runRetentionMs: number;
  /** Failures in a row that no outage explains, after which a user goes into quarantine. */
  quarantineAfter: number;
  /** How often a run that lasts longer looks whether somebody cancelled it, ms. */
  cancelLookMs: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const DEFAULT_LIMITS: WorkerLimits = {
  leaseMs: 10_000,
  stepMs: 10 * MINUTE_MS,
  steps: {
    fusion: { ms: 5 * MINUTE_MS, tokens: 100_000, items: 5 },
    summaries: { ms: 5 * MINUTE_MS, tokens: 200_000, items: 20 },
    conflicts: { ms: 5 * MINUTE_MS, tokens: 100_000, items: 48 },
    nrem: { ms: 5 * MINUTE_MS, tokens: 200_000, items: 10 },
    rem: { ms: 5 * MINUTE_MS, tokens: 100_000, items: 6 },
    reflection: { ms: 5 * MINUTE_MS, tokens: 50_000, items: 40 },
    insights: { ms: 5 * MINUTE_MS, tokens: 200_000, items: 10 },
  },
  embedBatch: 256,
  embedBatches: 200,
  retentionMs: null,
  reviewMs: 14 * DAY_MS,
  journalRetentionMs: 90 * DAY_MS,
  runRetentionMs: 90 * DAY_MS,
  quarantineAfter: 5,
  cancelLookMs: 1_000,
};

/** One tier for one user, once: what its steps work with. */
export interface StepContext extends UserJobDeps {
  tenant: string;
  user: string;
  tier: Tier;
  /** Read once per job, epoch ms. */
  at: number;
  lastSuccessAt: number | null;
  mode: UserMode;
  /** What this run may still spend, and has spent; absent where nobody counts. */
  spending?: RunBudget;
  /** The user's zone, an IANA name. */
  timezone: string;
  runId: string;
  /** Only steps that say so run, up to their commit, and nothing is written but paid answers. */
  preview: boolean;
  lease: { holder: string; fence: number };
  /** What there is to do, read once for all steps. */
  look: Look;
  /**
   * A transaction that writes: it begins with proof that this job still holds the user, and fails with `lease_lost` without it.
   * @param changes answers of the look that are others afterwards; absent: any
   */
  write<T>(work: (tx: Transaction) => Promise<T>, changes?: readonly TierQuestion<unknown>[]): Promise<T>;
  /**
   * As write, for one statement that proves the hold itself: it is given the proof as a condition, without which it writes nothing, and
   * says whether it was true.
   */
  writeOne(
    statement: (tx: Transaction, held: HoldProof) => Promise<boolean>,
    changes?: readonly TierQuestion<unknown>[],
  ): Promise<void>;
  /** Aborted when the lock or the lease is lost, when the step's time is over, and at the end of the grace time: stop at once, write nothing. */
  signal: AbortSignal;
  /** Aborted when the process is about to stop, or somebody cancelled this run: finish the current cluster. */
  stopping: AbortSignal;
  /** Whether somebody cancelled this run; absent where nobody can. */
  cancel?: Pick<CancelWatch, 'signal' | 'look'>;
}

/** The names of a job that go with every event and log line. */
export function idsOf({
  tenant,
  user,
  tier,
  runId,
}: Pick<StepContext, 'tenant' | 'user' | 'tier' | 'runId'>): {
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
  /** What it asks of its look. */
  asks?: readonly TierQuestion<unknown>[];
  /** Knows how to run without writing anything; all others are left out of a preview. */
  previews?: boolean;
  run(context: StepContext): Promise<StepResult>;
}
