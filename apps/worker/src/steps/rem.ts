import {
  loadRemGraph,
  pairKey,
  type RemGraph,
  settleAnswer,
  storeRemGraph,
  storeVerdicts,
} from '@slowwave/db';
import {
  buildRemRequest,
  createRandom,
  judgeRem,
  planRem,
  REM_PROMPT_VERSION,
  type RemPlanCounts,
  type RemSeed,
} from '@slowwave/fusion';
import type { Step, StepContext } from '../context.ts';
import { askOnce, type PaidAnswer } from '../paid-answer.ts';
import { REM_STATE } from '../questions.ts';
import { isOpen, type ModelWork, openModelWork, type StopReason } from './model-work.ts';
import { count, type Tally } from './tally.ts';

/** Answers paid for one seed: a second one where the first cannot be used. */
const ANSWERS_PER_SEED = 2;

interface RemCounts {
  plan: RemPlanCounts;
  /** Seeds that were judged, and those that no answer could be used for: they are not asked about again. */
  seedsJudged: number;
  seedsGivenUp: number;
  /** Seeds judged with answers that an earlier run had paid for. */
  reused: number;
  /** Seeds whose verdicts wait in a batch. */
  batched: number;
  /** Pairs judged, and hypotheses made of them. */
  verdicts: number;
  hypotheses: number;
  /** Candidates without a verdict that can be used, and those that were accepted without a reason that can. */
  dropped: number;
  unexplained: number;
  rejected: Tally;
  failed: Tally;
  stopped: StopReason | null;
}

/** Looks for connections that nobody has drawn, and keeps the plausible ones as hypotheses. Only after something new came in. */
export const rem: Step = {
  name: 'rem',
  asks: [REM_STATE],
  async run(context) {
    const work = openModelWork(context, 'rem', ['auto', 'review']);
    if (!isOpen(work)) return work;
    // What these answers will change is what this step would ask about: asked now, it would be asked anew once they are there.
    // guard: batch-rem
    if (context.spending && context.spending.waiting() > 0)
      return { status: 'skipped', reason: 'waits_for_batch' };
    const { tenant, user, at } = context;
    const { graph, explored } = await context.look.seen(REM_STATE);
    if (graph === explored) return { status: 'skipped', reason: 'nothing_new' };
    const loaded = await load(context);
    const { seeds, counts: plan } = planSeeds(context, work, loaded);
    const counts: RemCounts = {
      plan,
      seedsJudged: 0,
      seedsGivenUp: 0,
      reused: 0,
      batched: 0,
      verdicts: 0,
      hypotheses: 0,
      dropped: 0,
      unexplained: 0,
      rejected: {},
      failed: {},
      stopped: null,
    };
    for (const seed of seeds) {
      counts.stopped = work.stopped() ?? (await explore(context, work, seed, counts));
      if (counts.stopped !== null) break;
    }
    // What was not reached, or failed in a way that passes, is for another night.
    const finished = counts.seedsJudged + counts.seedsGivenUp === seeds.length;
    if (finished)
      await context.writeOne(
        (tx, held) => storeRemGraph(tx, { tenant, user, graph: loaded.graph, at }, held),
        [REM_STATE],
      );
    return { status: 'done', counts: { ...counts, finished, usage: work.usage() } };
  },
};

function load({
  database,
  tenant,
  user,
  at,
  embedder,
}: StepContext): Promise<RemGraph & { judged: Set<string> }> {
  const { model: embeddingModel, threshold } = embedder;
  return database.withTenant(tenant, (tx) =>
    loadRemGraph(tx, { tenant, user, at, embeddingModel, threshold }),
  );
}

/** The same graph of the same user is explored from the same seeds, whichever worker does it. */
function planSeeds(
  { tenant, user }: StepContext,
  work: ModelWork,
  { nodes, edges, graph, threshold, judged }: RemGraph & { judged: Set<string> },
): ReturnType<typeof planRem> {
  return planRem(nodes, edges, {
    seeds: work.limits.items,
    edgeThreshold: threshold,
    random: createRandom(JSON.stringify([tenant, user, graph])),
    isJudged: (a, b) => judged.has(pairKey(a, b)),
  });
}

/** Has one seed judged and counts how it went. @returns why model work is over, or null */
async function explore(
  context: StepContext,
  work: ModelWork,
  seed: RemSeed,
  counts: RemCounts,
): Promise<StopReason | null> {
  const members = [seed.seed, ...seed.candidates.map(({ node }) => node)];
  for (;;) {
    const paid = await askOnce(context, {
      step: 'rem',
      promptVersion: REM_PROMPT_VERSION,
      model: work.model,
      provider: work.provider,
      parts: members.map(({ id, version }) => `${id}@${version}`),
      request: buildRemRequest(seed),
      memoryIds: members.map(({ id }) => id),
      sessionIds: [],
      maxAttempts: ANSWERS_PER_SEED,
    });
    if (paid.status === 'stopped') return work.reasonOf(paid.why);
    if (paid.status === 'answered') {
      if (await judge(context, seed, paid, counts)) return null;
      const stopped = work.stopped();
      if (stopped !== null) return stopped;
      continue;
    }
    if (paid.status === 'batched') {
      counts.batched += 1;
      return null;
    }
    if (paid.status === 'failed') count(counts.failed, paid.code);
    if (paid.status === 'exhausted' || !paid.transient) counts.seedsGivenUp += 1;
    return null;
  }
}

/** @returns whether the answer could be used */
async function judge(
  context: StepContext,
  seed: RemSeed,
  paid: Extract<PaidAnswer, { status: 'answered' }>,
  counts: RemCounts,
): Promise<boolean> {
  const { tenant, user, at, runId } = context;
  const { key, attempt, answer } = paid;
  const judgement = judgeRem(seed, answer);
  if (!judgement.ok) {
    count(counts.rejected, judgement.reason);
    await context.write((tx) => settleAnswer(tx, { tenant, user, key, attempt, state: 'rejected' }));
    return false;
  }
  const { verdicts } = judgement;
  const written = await context.write(async (tx) => {
    if (!(await settleAnswer(tx, { tenant, user, key, attempt, state: 'accepted' }))) return null;
    return storeVerdicts(tx, { tenant, user, at, runId, model: answer.model, seed: seed.seed, verdicts });
  });
  // Something in it was forgotten meanwhile: another night explores what is left.
  if (written === null) {
    count(counts.failed, 'stale');
    return true;
  }
  const { stored, accepted } = written;
  counts.seedsJudged += 1;
  if (paid.reused) counts.reused += 1;
  counts.verdicts += stored;
  counts.hypotheses += accepted;
  counts.dropped += judgement.counts.dropped;
  counts.unexplained += judgement.counts.unexplained;
  return true;
}
