import { setImmediate as turn } from 'node:timers/promises';
import {
  type BoundStore,
  createMemoryStore,
  dropBatched,
  expireReviews,
  type FusionScope,
  listBatchedFusions,
  loadFusions,
  type MergeResult,
  markStale,
  reportConflicts,
  staleLeftFusions,
} from '@slowwave/db';
import {
  type Cluster,
  type ClusterOutcome,
  countLanes,
  DEEP_WINDOW,
  type FusionReport,
  type LLMProvider,
  type PlanConfig,
  questionOf,
  type ReportedPair,
  runFusionStep,
} from '@slowwave/fusion';
import { QueueUnavailable } from '@slowwave/queue';
import { openClusterSpans } from '../cluster-spans.ts';
import { type Counts, idsOf, type Step, type StepContext } from '../context.ts';
import { JobFailure } from '../errors.ts';
import { fusionScope } from '../fusion-scope.ts';
import {
  EXPIRED_REVIEWS,
  LEFT_FAILURES,
  MISSING_EMBEDDINGS,
  OPEN_FUSIONS,
  UNCOMPARED,
} from '../questions.ts';
import { reachStore } from '../reach.ts';
import { admittedJudge, statementsOptions } from '../statements.ts';
import { judgeOf } from '../step-models.ts';
import { embedDerived } from './embed.ts';
import { isOpen, type ModelWork, openModelWork } from './model-work.ts';

const RATE_LIMIT_MS = 10_000;
const RATE_LIMIT_MAX_MS = 5 * 60_000;

/** Fading memories of one category, fused in the deep tier. */
export const fusion: Step = fusionStep('fusion', 'deep', DEEP_WINDOW);

/**
 * A step that fuses: plan, merge duplicates, then fuse, gate and commit cluster by cluster. Deep and sleep have one each, with a window
 * and limits of its own. In a preview it ends before each commit.
 */
export function fusionStep(name: 'fusion' | 'nrem', tier: 'deep' | 'sleep', window: PlanConfig): Step {
  return {
    name,
    previews: true,
    asks: [EXPIRED_REVIEWS, LEFT_FAILURES, OPEN_FUSIONS, MISSING_EMBEDDINGS, UNCOMPARED],
    async run(context) {
      // Fusions name their tier in the ledger and in their key.
      if (context.tier !== tier) return { status: 'skipped', reason: 'not_in_this_tier' };
      const expired = context.preview ? 0 : await expire(context);
      // What failed for good in a run that ended on the way here is not planned again: without this nobody would ever see it.
      const left = context.preview ? [] : await context.look.seen(LEFT_FAILURES);
      const wereOpen = !context.preview && (await context.look.seen(OPEN_FUSIONS));
      const work = openModelWork(context, name, ['auto', 'review']);
      if (!isOpen(work)) return work;
      const { report, merges, mergeKeys } = await fuse(context, work, { tier, window });
      if (report.outcomes.length + report.merges.length > 0) context.look.changed();
      const unqueued = await leaveForRetries(context, report, left);
      if (report.stopped === 'lease_lost') throw new JobFailure('lease_lost', { retryable: true });
      if (isStuck(report)) throw new JobFailure('deadline', { retryable: false }); // guard: step-stuck
      if (wereOpen) await closeLeft(context); // guard: left-closed
      const reported = await reportTwins(context, report);
      const embedded = report.counts.committed > 0 ? await embedDerived(context, name) : 0;
      return {
        status: 'done',
        counts: {
          ...countsOf(report, work),
          ...previewed(context, report, mergeKeys),
          expired,
          merges,
          reported,
          embedded,
          ...(unqueued > 0 ? { unqueued } : {}),
        },
      };
    },
  };
}

/** Proposals that nobody decided about in time are planned again, with the answers that were paid for. */
async function expire({ look, write, tenant, user, at }: StepContext): Promise<number> {
  if (!(await look.seen(EXPIRED_REVIEWS))) return 0;
  return write((tx) => expireReviews(tx, { tenant, user, at }));
}

type MergeCounts = Omit<MergeResult, 'keys'> & { planned: number };

async function fuse(
  context: StepContext,
  work: ModelWork,
  of: { tier: 'deep' | 'sleep'; window: PlanConfig },
): Promise<{ report: FusionReport; merges: MergeCounts; mergeKeys: string[] }> {
  const { judge, isExamined } = await admittedJudge(context, judgeProviderOf(context, work));
  const scope = fusionScope(context, work.provider, judge);
  const spans = openClusterSpans();
  const inner = reachStore(
    context.failpoints,
    context,
    createMemoryStore(context.database, scope, context.commitOptions),
  );
  const store = lookingBetween(heldFirst(spans.store(inner), context), context);
  const waiting = await waitingClusters(context, scope);
  const writer = untilStopping(spans.provider(work.provider), context.stopping);
  let merged: MergeResult = { merged: 0, proposed: 0, stale: 0, skipped: 0, keys: [] };
  const report = await runFusionStep({
    store,
    provider: writer,
    tier: of.tier,
    window: {
      ...of.window,
      maxClusters: work.limits.items,
      edgeThreshold: context.embedder.threshold,
    },
    ...(waiting.length > 0 ? { waiting } : {}),
    statements: {
      ...statementsOptions(
        context,
        scope,
        { writer, judge: judge && spans.provider(judge), isExamined },
        context.signal,
      ),
      isKnown: store.isTakenBack,
    },
    at: context.at,
    nowMs: context.nowMs,
    deadlineMs: work.deadlineMs,
    signal: context.signal,
    pause: () => turn(),
    isKnownSourceSet: store.isKnownSourceSet,
    merge: async (merges) => {
      merged = await store.merge(merges, context.signal);
      return merged;
    },
    onEvent: (event) => {
      spans.event(event);
      context.logger.debug({ ...idsOf(context), event }, 'fusion');
      context.onEvent?.({ ...idsOf(context), type: 'fusion', event });
    },
  });
  const { keys: mergeKeys, ...counts } = merged;
  return { report, mergeKeys, merges: { planned: report.merges.length, ...counts } };
}

/**
 * What an earlier run asked about in a batch goes on as it was asked about, whatever would be planned now: the answer is paid for. Where a
 * source has changed since, it is planned anew, and the answer is not kept.
 */
async function waitingClusters(context: StepContext, scope: FusionScope): Promise<Cluster[]> {
  const { database, batching, tenant, user, at } = context;
  if (!batching || !context.spending) return [];
  const keys = await database.withTenant(tenant, (tx) => listBatchedFusions(tx, scope));
  if (keys.length === 0) return [];
  const fusions = await database.withTenant(tenant, (tx) => loadFusions(tx, { tenant, user, keys, at }));
  const clusters: Cluster[] = [];
  for (const { key, attempt, cluster } of fusions) {
    if (cluster) clusters.push(cluster);
    else if (!context.preview) {
      await markStale(database, scope, key);
      await database.withTenant(tenant, (tx) =>
        dropBatched(tx, { tenant, user, question: questionOf(key, attempt) }),
      );
    }
  }
  return clusters;
}

/** Before the first answer is asked for the hold is proved: nothing is paid for a user who is somebody else's. */
function heldFirst(store: BoundStore, { write, preview }: StepContext): BoundStore {
  let isProved = preview;
  return {
    ...store,
    async claimFusion(...given) {
      if (!isProved) await write(async () => undefined); // guard: held-first
      isProved = true;
      return store.claimFusion(...given);
    },
  };
}

/** Whoever cancels the run is heard between a cluster's last word and the next cluster, or before an answer is asked for again. */
function lookingBetween(store: BoundStore, { cancel }: StepContext): BoundStore {
  if (!cancel) return store;
  return {
    ...store,
    async commitStatements(...given) {
      const result = await store.commitStatements(...given);
      await cancel.look();
      return result;
    },
    async failFusion(...given) {
      await store.failFusion(...given);
      await cancel.look();
    },
  };
}

/** The judge's own model within the same bounds, or the one that writes. */
function judgeProviderOf(context: StepContext, work: ModelWork): LLMProvider {
  const own = judgeOf(context, context.tier);
  return own ? work.also(own) : work.provider;
}

/** A stopping process finishes the cluster in hand, down to its commit, and asks for no further answer. */
function untilStopping(provider: LLMProvider, stopping: AbortSignal): LLMProvider {
  return { ...provider, isAvailable: () => !stopping.aborted && provider.isAvailable() };
}

/**
 * All the time went to our own checks and plans, and nothing came of it: the next run would begin the same. A failure is tried less and less
 * often, and puts the user in quarantine in the end.
 */
const isStuck = ({ cutShort, usage, merged, outcomes }: FusionReport): boolean =>
  cutShort && usage.calls === 0 && merged === 0 && outcomes.every(({ status }) => status === 'deferred');

/** Clusters that go on in the fusions queue: those that failed, and those whose provider asked for patience. */
function isForRetryQueue(outcome: ClusterOutcome): outcome is ClusterOutcome & { key: string } {
  if (outcome.key === null) return false;
  return outcome.status === 'failed' || (outcome.status === 'deferred' && outcome.code === 'rate_limited');
}

/**
 * Hands clusters on to the fusions queue. What was committed stands, whether the queue takes them or not: those that it did not take are found
 * in the ledger by the next run, which comes soon, since this one does not count as a success.
 * @returns how many it did not take
 */
async function leaveForRetries(
  context: StepContext,
  report: FusionReport,
  left: readonly string[],
): Promise<number> {
  // What goes on in the queue is also committed.
  if (context.preview) return 0;
  const keys = new Set([...left, ...report.outcomes.filter(isForRetryQueue).map(({ key }) => key)]);
  try {
    await handOn(context, report, keys);
  } catch (error) {
    if (!(error instanceof QueueUnavailable)) throw error;
    const told = { ...idsOf(context), unqueued: keys.size, detail: error.message };
    context.logger.warn(told, 'clusters that failed wait for the next run: the queue did not take them');
  }
  return keys.size;
}

/** Removes from the keys those that the queue has taken. @throws QueueUnavailable */
async function handOn(context: StepContext, report: FusionReport, keys: Set<string>): Promise<void> {
  const { queues, tenant, user, tier, runId } = context;
  if (report.stopped === 'rate_limited' && !context.pacing) {
    // The whole queue is as patient as the provider asked for. Where calls are paced its jobs know that by themselves, and runs that come
    // one after the other do not keep it waiting.
    await queues.rateLimit('fusions', Math.min(report.retryAfterMs ?? RATE_LIMIT_MS, RATE_LIMIT_MAX_MS));
  }
  for (const key of [...keys]) {
    await queues.addFusion({ v: 1, tenant, user, key, tier, runId });
    keys.delete(key);
  }
}

/** What earlier runs had begun and nobody can finish since the memories went other ways. */
async function closeLeft({ write, tenant, user, at, lease }: StepContext): Promise<void> {
  await write((tx) => staleLeftFusions(tx, { tenant, user, at, fence: lease.fence }));
}

/** Near-twins that differ in a fact wait for somebody to say which holds. @returns how many pairs are new */
async function reportTwins(context: StepContext, report: FusionReport): Promise<number> {
  const { tenant, user, runId, at, preview } = context;
  if (preview || report.conflictCandidates.length === 0) return 0;
  const pairs = report.conflictCandidates.map(
    ({ a, b }): ReportedPair => ({ a, b, kind: 'contradictory', slot: '' }),
  );
  return context.write((tx) => reportConflicts(tx, { tenant, user, runId, at, source: 'twins', pairs }));
}

/** Of a preview: the keys by which it can be shown, in the order of the work. */
function previewed({ preview }: StepContext, report: FusionReport, mergeKeys: string[]): Counts {
  if (!preview) return {};
  return { keys: [...mergeKeys, ...report.outcomes.flatMap(({ key }) => key ?? [])] };
}

/** How many statements went which way, over all clusters. */
const lanesOf = ({ outcomes }: FusionReport): Counts =>
  countLanes(outcomes.flatMap((outcome) => ('decided' in outcome ? outcome.decided : [])));

function countsOf(report: FusionReport, work: ModelWork): Counts {
  const failures = report.outcomes.flatMap((outcome) =>
    outcome.status === 'failed'
      ? [{ key: outcome.key, code: outcome.code, modelCode: outcome.modelCode }]
      : [],
  );
  const { stopped } = report;
  const known =
    stopped === 'rate_limited' || stopped === 'auth' || stopped === 'budget' || stopped === 'unavailable';
  return {
    plan: report.plan,
    clusters: report.counts,
    lanes: lanesOf(report),
    superseded: report.superseded,
    usage: work.usage(),
    stopped: known ? work.reasonOf(stopped) : stopped,
    failures,
    conflictCandidates: report.conflictCandidates.length,
    duplicates: report.duplicates.length,
    durationMs: Math.round(report.durationMs),
  };
}
