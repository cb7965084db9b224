import { type FuseOneOptions, fuseOne, type StatementsOptions } from './attempt.ts';
import type { FusionTier } from './derive.ts';
import type { TwinPair } from './gate/twins.ts';
import { runLimit } from './limits.ts';
import type { Candidate, Cluster } from './memory.ts';
import {
  type ClusterOutcome,
  type DeferCode,
  type Ending,
  type FusionEvent,
  notify,
  type Usage,
} from './outcome.ts';
import { planInSlices } from './plan.ts';
import { emptyPlan, type PlanConfig, type PlanCounts, type PlanOptions, windowOf } from './plan-config.ts';
import type { LLMProvider, LoadedCandidates, MemoryStore, Merge } from './ports.ts';
import { withPauses } from './slices.ts';
import { planRestatements } from './statements/restatements.ts';

export interface FusionStepOptions {
  store: MemoryStore;
  provider: LLMProvider;
  tier: FusionTier;
  /** DEEP_WINDOW or SLEEP_WINDOW, with the embedding model's own edge threshold. */
  window: PlanConfig;
  /** The instant of the job, epoch milliseconds. */
  at: number;
  /** A clock, for durations and the deadline only. */
  nowMs: () => number;
  /** No cluster is begun at or after this instant of `nowMs`. */
  deadlineMs?: number;
  signal?: AbortSignal;
  /** Lets others have their turn; awaited between slices of the plan and between statements at the gate. Absent: both are done in one go. */
  pause?: () => Promise<void>;
  /** How many memories the run has superseded before this step. */
  alreadySuperseded?: number;
  /** Repair requests per cluster; 1 when absent. */
  maxRepairs?: number;
  isKnownSourceSet?: (members: Candidate[]) => boolean;
  /** See FuseOneOptions. */
  statements: StatementsOptions;
  /** Clusters that an earlier run has asked about and that wait for their answers: they come before the plan. */
  waiting?: readonly Cluster[];
  /** Lets one of two duplicates stand for both, before the first cluster; absent: duplicates are left alone. */
  merge?: (merges: Merge[]) => Promise<{ merged: number; proposed: number }>;
  onEvent?: (event: FusionEvent) => void;
}

/** What a step did. Ids, codes and numbers only: it may be stored and logged. */
export interface FusionReport {
  plan: PlanCounts;
  conflictCandidates: TwinPair[];
  duplicates: TwinPair[];
  /** Merges that were planned, and how many came to pass. */
  merges: Merge[];
  merged: number;
  /** One per cluster: those that waited, those about restatements, then the planned ones in the plan's order. */
  outcomes: ClusterOutcome[];
  counts: Record<Ending['status'], number>;
  superseded: number;
  usage: Usage;
  /** Why model work ended before its time, or null. */
  stopped: DeferCode | null;
  /** The deadline ended the plan, or the checks of a cluster: a later run begins them again. */
  cutShort: boolean;
  /** What a rate-limited provider asked for. */
  retryAfterMs: number | null;
  loadMs: number;
  planMs: number;
  durationMs: number;
}

/** After one of these no further cluster is begun; after a rate limit the rest is still claimed, so that it has keys. */
const STOPS: ReadonlySet<DeferCode> = new Set([
  'rate_limited',
  'auth',
  'budget',
  'unavailable',
  'aborted',
  'deadline',
  'lease_lost',
]);

/**
 * The fusion step of one user: load, plan, then cluster by cluster. One cluster's failure never stops the rest; a rate limit, a refused
 * key, a budget, an abort, the deadline or a lost lease end model work, and what was not reached is reported as deferred. A plan that the
 * deadline ends has no clusters.
 *
 * @throws whatever loading the candidates throws: then the step as a whole has failed. The reason of the signal when it is aborted in a
 *   pause of the plan.
 */
export async function runFusionStep(options: FusionStepOptions): Promise<FusionReport> {
  const startedMs = options.nowMs();
  const load = () => options.store.loadCandidates(windowOf(options.window));
  let loaded = await load();
  const { latestCount } = loaded;
  let done = await fuseAll(options.waiting ?? [], latestCount, NOTHING, options);
  // What waited and is done now is no candidate any more.
  if (haveEnded(done.outcomes)) loaded = await load();
  const restatements = planRestatements(loaded.candidates, loaded.restating, planOptions(loaded, options));
  const asked = withoutWaiting(restatements, done);
  const waited = done.outcomes.length;
  done = await fuseAll(asked, latestCount, done, options);
  if (haveEnded(done.outcomes.slice(waited))) loaded = await load();
  const loadedMs = options.nowMs();
  const planning = planInSlices(loaded.candidates, loaded.edges, {
    ...planOptions(loaded, options),
    maxClusters: Math.max(0, options.window.maxClusters - asked.length),
  });
  const planned = await withPauses(planning, options);
  const plan = planned ?? emptyPlan(loaded.candidates.length, loaded.edges.length);
  if (planned === null) done = { ...done, stop: done.stop ?? { code: 'deadline', retryAfterMs: null } };
  const plannedMs = options.nowMs();
  const { clusters, members, considered } = plan.counts;
  notify(options, { type: 'planned', clusters, members, considered });
  const { merged, proposed } = await mergeAll(
    plan.merges,
    latestCount,
    done.superseded + done.promised,
    options,
  );
  done = { ...done, promised: done.promised + merged + proposed };
  const clustersLeft = withoutWaiting(plan.clusters, done);
  const { promised: _promised, stop, ...work } = await fuseAll(clustersLeft, latestCount, done, options);
  return {
    plan: plan.counts,
    conflictCandidates: plan.conflictCandidates,
    duplicates: plan.duplicates,
    merges: plan.merges,
    merged,
    ...work,
    stopped: stop?.code ?? null,
    cutShort: planned === null || work.outcomes.some(isCutShort),
    retryAfterMs: stop?.retryAfterMs ?? null,
    superseded: merged + work.superseded,
    counts: countOutcomes(work.outcomes),
    usage: sumUsage(work.outcomes),
    loadMs: Math.max(0, loadedMs - startedMs),
    planMs: Math.max(0, plannedMs - loadedMs),
    durationMs: Math.max(0, options.nowMs() - startedMs),
  };
}

/** What both plans of a run go by. */
function planOptions(loaded: LoadedCandidates, options: FusionStepOptions): PlanOptions {
  return {
    ...options.window,
    at: options.at,
    ...(options.isKnownSourceSet ? { isKnownSourceSet: options.isKnownSourceSet } : {}),
    ...(loaded.apart ? { apart: loaded.apart } : {}),
    offered: loaded.offered ?? [],
  };
}

/** Begun, and not only put off. */
const isCutShort = (outcome: ClusterOutcome): boolean =>
  outcome.status === 'deferred' && outcome.code === 'deadline' && outcome.key !== null;

const haveEnded = (outcomes: readonly ClusterOutcome[]): boolean =>
  outcomes.some(({ status }) => status !== 'deferred' && status !== 'previewed');

/** Without the clusters whose members wait for an answer, or would have been fused already. */
function withoutWaiting(clusters: readonly Cluster[], { outcomes }: Fused): Cluster[] {
  const waiting = new Set(
    outcomes.flatMap(({ status, memberIds }) =>
      status === 'deferred' || status === 'previewed' ? memberIds : [],
    ),
  );
  return clusters.filter(({ members }) => !members.some(({ id }) => waiting.has(id)));
}

/** Merges count towards what one run may supersede, proposed ones too; what is above that is left for the next run. */
async function mergeAll(
  merges: Merge[],
  latestCount: number,
  taken: number,
  options: FusionStepOptions,
): Promise<{ merged: number; proposed: number }> {
  const room = Math.max(0, runLimit(latestCount) - (options.alreadySuperseded ?? 0) - taken);
  const chosen = merges.slice(0, room);
  if (!options.merge || chosen.length === 0 || options.signal?.aborted) return { merged: 0, proposed: 0 };
  return options.merge(chosen);
}

/** What clusters have come to so far. */
interface Fused {
  outcomes: ClusterOutcome[];
  superseded: number;
  /** What waits for a person, was merged, or would have been done: it takes up the run's share as well. */
  promised: number;
  stop: FuseOneOptions['callsStopped'];
}

const NOTHING: Fused = { outcomes: [], superseded: 0, promised: 0, stop: undefined };

/** @param before what the run has done before these clusters: they go on from there */
async function fuseAll(
  clusters: readonly Cluster[],
  latestCount: number,
  before: Fused,
  options: FusionStepOptions,
): Promise<Fused> {
  const outcomes = [...before.outcomes];
  let { superseded, promised, stop } = before;
  for (const cluster of clusters) {
    const index = outcomes.length;
    notify(options, { type: 'cluster_started', index, members: cluster.members.length });
    const outcome = await fuseOne(cluster, {
      ...options,
      latestCount,
      alreadySuperseded: (options.alreadySuperseded ?? 0) + superseded + promised,
      ...(stop ? { callsStopped: stop } : {}),
    });
    outcomes.push(outcome);
    notify(options, { type: 'cluster_ended', index, outcome });
    if (outcome.status === 'committed') superseded += outcome.superseded;
    if (outcome.status === 'proposed' || outcome.status === 'previewed') promised += outcome.counts.covered;
    // The first reason stays, except that a harder one (an abort, a lost lease) follows a rate limit.
    if (outcome.status === 'deferred' && STOPS.has(outcome.code) && (!stop || stop.code === 'rate_limited')) {
      stop = { code: outcome.code, retryAfterMs: outcome.retryAfterMs };
    }
  }
  return { outcomes, superseded, promised, stop };
}

function countOutcomes(outcomes: ClusterOutcome[]): FusionReport['counts'] {
  const counts = {
    committed: 0,
    proposed: 0,
    previewed: 0,
    closed: 0,
    skipped: 0,
    stale: 0,
    failed: 0,
    deferred: 0,
  };
  for (const { status } of outcomes) counts[status] += 1;
  return counts;
}

function sumUsage(outcomes: ClusterOutcome[]): Usage {
  const sum: Usage = { calls: 0, inputTokens: 0, outputTokens: 0 };
  for (const { usage } of outcomes) {
    sum.calls += usage.calls;
    sum.inputTokens += usage.inputTokens;
    sum.outputTokens += usage.outputTokens;
  }
  return sum;
}
