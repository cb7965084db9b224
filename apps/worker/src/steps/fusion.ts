import { createMemoryStore } from '@slowwave/db';
import {
  type ClusterOutcome,
  DEEP_WINDOW,
  type FusionReport,
  type LLMProvider,
  runFusionStep,
  SLEEP_WINDOW,
} from '@slowwave/fusion';
import { type Counts, idsOf, type Step } from '../context.ts';
import { JobFailure } from '../errors.ts';
import { fusionScope } from '../fusion-scope.ts';

const RATE_LIMIT_MS = 10_000;
const RATE_LIMIT_MAX_MS = 5 * 60_000;

/** Clusters that go on in the fusions queue: those that failed, and those whose provider asked for patience. */
function isForRetryQueue(outcome: ClusterOutcome): outcome is ClusterOutcome & { key: string } {
  if (outcome.key === null) return false;
  return outcome.status === 'failed' || (outcome.status === 'deferred' && outcome.code === 'rate_limited');
}

/** The fusion step of deep or sleep: plan, fuse, gate, commit, cluster by cluster. */
export const fusion: Step = {
  name: 'fusion',
  async run(context) {
    const { provider, tenant, user, runId, tier } = context;
    if (tier === 'light') return { status: 'skipped', reason: 'not_in_this_tier' };
    if (provider === null) return { status: 'skipped', reason: 'no_model_provider' };
    if (context.mode !== 'auto') return { status: 'skipped', reason: `mode_${context.mode}` };
    if (!provider.isAvailable()) return { status: 'skipped', reason: 'model_paused' };

    const store = createMemoryStore(context.database, fusionScope(context, provider), context.commitOptions);
    const base = tier === 'deep' ? DEEP_WINDOW : SLEEP_WINDOW;
    const report = await runFusionStep({
      store,
      provider: untilStopping(provider, context.stopping),
      tier,
      window: { ...base, edgeThreshold: context.embedder.threshold },
      at: context.at,
      nowMs: context.nowMs,
      deadlineMs: context.nowMs() + context.limits.fusionStepMs,
      signal: context.signal,
      isKnownSourceSet: store.isKnownSourceSet,
      onEvent: (event) => {
        context.logger.debug({ ...idsOf(context), event }, 'fusion');
        context.onEvent?.({ ...idsOf(context), type: 'fusion', event });
      },
    });
    if (report.stopped === 'rate_limited') {
      // The whole queue is as patient as the provider asked for.
      await context.queues.rateLimit(
        'fusions',
        Math.min(report.retryAfterMs ?? RATE_LIMIT_MS, RATE_LIMIT_MAX_MS),
      );
    }
    for (const outcome of report.outcomes.filter(isForRetryQueue)) {
      await context.queues.addFusion({ v: 1, tenant, user, key: outcome.key, tier, runId });
    }
    if (report.stopped === 'lease_lost') throw new JobFailure('lease_lost', { retryable: true });
    return { status: 'done', counts: countsOf(report) };
  },
};

/** A stopping process finishes the cluster in hand, down to its commit, and asks for no further answer. */
function untilStopping(provider: LLMProvider, stopping: AbortSignal): LLMProvider {
  return { ...provider, isAvailable: () => !stopping.aborted && provider.isAvailable() };
}

function countsOf(report: FusionReport): Counts {
  const failures = report.outcomes.flatMap((outcome) =>
    outcome.status === 'failed'
      ? [{ key: outcome.key, code: outcome.code, modelCode: outcome.modelCode }]
      : [],
  );
  return {
    plan: report.plan,
    clusters: report.counts,
    superseded: report.superseded,
    usage: report.usage,
    stopped: report.stopped,
    failures,
    conflictCandidates: report.conflictCandidates.length,
    duplicates: report.duplicates.length,
    durationMs: Math.round(report.durationMs),
  };
}
