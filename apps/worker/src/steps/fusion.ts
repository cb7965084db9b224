import { createMemoryStore } from '@slowwave/db';
import {
  type ClusterOutcome,
  DEEP_WINDOW,
  type FusionReport,
  type LLMProvider,
  type PlanConfig,
  runFusionStep,
} from '@slowwave/fusion';
import { type Counts, idsOf, type Step, type StepContext } from '../context.ts';
import { JobFailure } from '../errors.ts';
import { fusionScope } from '../fusion-scope.ts';
import { embedDerived } from './embed.ts';
import { isOpen, type ModelWork, openModelWork } from './model-work.ts';

const RATE_LIMIT_MS = 10_000;
const RATE_LIMIT_MAX_MS = 5 * 60_000;

/** Fading memories of one category, fused in the deep tier. */
export const fusion: Step = fusionStep('fusion', 'deep', DEEP_WINDOW);

/** A step that fuses: plan, fuse, gate, commit, cluster by cluster. Deep and sleep have one each, with a window and limits of its own. */
export function fusionStep(name: 'fusion' | 'nrem', tier: 'deep' | 'sleep', window: PlanConfig): Step {
  return {
    name,
    async run(context) {
      // Fusions name their tier in the ledger and in their key.
      if (context.tier !== tier) return { status: 'skipped', reason: 'not_in_this_tier' };
      const work = openModelWork(context, name, ['auto']);
      if (!isOpen(work)) return work;
      const report = await fuse(context, work, { tier, window });
      await leaveForRetries(context, report);
      if (report.stopped === 'lease_lost') throw new JobFailure('lease_lost', { retryable: true });
      const embedded = report.counts.committed > 0 ? await embedDerived(context, name) : 0;
      return { status: 'done', counts: countsOf(report, work, embedded) };
    },
  };
}

function fuse(
  context: StepContext,
  work: ModelWork,
  of: { tier: 'deep' | 'sleep'; window: PlanConfig },
): Promise<FusionReport> {
  const scope = fusionScope(context, work.provider);
  const store = createMemoryStore(context.database, scope, context.commitOptions);
  return runFusionStep({
    store,
    provider: untilStopping(work.provider, context.stopping),
    tier: of.tier,
    window: {
      ...of.window,
      maxClusters: work.limits.items,
      edgeThreshold: context.embedder.threshold,
    },
    at: context.at,
    nowMs: context.nowMs,
    deadlineMs: work.deadlineMs,
    signal: context.signal,
    isKnownSourceSet: store.isKnownSourceSet,
    onEvent: (event) => {
      context.logger.debug({ ...idsOf(context), event }, 'fusion');
      context.onEvent?.({ ...idsOf(context), type: 'fusion', event });
    },
  });
}

/** A stopping process finishes the cluster in hand, down to its commit, and asks for no further answer. */
function untilStopping(provider: LLMProvider, stopping: AbortSignal): LLMProvider {
  return { ...provider, isAvailable: () => !stopping.aborted && provider.isAvailable() };
}

/** Clusters that go on in the fusions queue: those that failed, and those whose provider asked for patience. */
function isForRetryQueue(outcome: ClusterOutcome): outcome is ClusterOutcome & { key: string } {
  if (outcome.key === null) return false;
  return outcome.status === 'failed' || (outcome.status === 'deferred' && outcome.code === 'rate_limited');
}

async function leaveForRetries(context: StepContext, report: FusionReport): Promise<void> {
  const { queues, tenant, user, runId } = context;
  if (report.stopped === 'rate_limited') {
    // The whole queue is as patient as the provider asked for.
    await queues.rateLimit('fusions', Math.min(report.retryAfterMs ?? RATE_LIMIT_MS, RATE_LIMIT_MAX_MS));
  }
  for (const { key } of report.outcomes.filter(isForRetryQueue)) {
    await queues.addFusion({ v: 1, tenant, user, key, tier: context.tier, runId });
  }
}

function countsOf(report: FusionReport, work: ModelWork, embedded: number): Counts {
  const failures = report.outcomes.flatMap((outcome) =>
    outcome.status === 'failed'
      ? [{ key: outcome.key, code: outcome.code, modelCode: outcome.modelCode }]
      : [],
  );
  const { stopped } = report;
  const known = stopped === 'rate_limited' || stopped === 'auth' || stopped === 'unavailable';
  return {
    plan: report.plan,
    clusters: report.counts,
    superseded: report.superseded,
    usage: work.usage(),
    stopped: known ? work.reasonOf(stopped) : stopped,
    failures,
    conflictCandidates: report.conflictCandidates.length,
    duplicates: report.duplicates.length,
    embedded,
    durationMs: Math.round(report.durationMs),
  };
}
