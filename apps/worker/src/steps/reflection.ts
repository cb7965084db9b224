import {
  contentHashOf,
  countForgets,
  getUserProfile,
  listUnreflected,
  settleAnswer,
  storeReflection,
} from '@slowwave/db';
import {
  buildReflectionRequest,
  judgeReflection,
  REFLECTION_PROMPT_VERSION,
  type ReflectionInput,
} from '@slowwave/fusion';
import type { Step, StepContext, StepResult } from '../context.ts';
import { askOnce, type PaidAnswer } from '../paid-answer.ts';
import { lookBackFrom, UNREFLECTED } from '../questions.ts';
import { embedDerived } from './embed.ts';
import { isOpen, type ModelWork, openModelWork, type StopReason } from './model-work.ts';
import { count, type Tally } from './tally.ts';

/** Answers paid for one reflection: a second one where the first cannot be used. */
const ANSWERS = 2;
/** How sure the assistant is of its own observations: less than of what somebody said. */
const INSIGHT_CONFIDENCE = 0.6;
const INSIGHT_TRUST = 0.5;

interface ReflectionStepCounts {
  summaries: number;
  insights: number;
  /** Whether a new profile was distilled. */
  profile: boolean;
  /** What the judge did with the insights that were offered. */
  offered: object | null;
  reused: boolean;
  /** Whether the answer waits in a batch. */
  batched: boolean;
  rejected: Tally;
  failed: Tally;
  stopped: StopReason | null;
}

/** Looks back on what the last sessions were about: a few insights of the assistant's own, and one profile of how the user behaves. */
export const reflection: Step = {
  name: 'reflection',
  asks: [UNREFLECTED],
  async run(context) {
    const work = openModelWork(context, 'reflection', ['auto', 'review']);
    if (!isOpen(work)) return work;
    if (!(await context.look.seen(UNREFLECTED))) return { status: 'skipped', reason: 'no_summaries' };
    const { input, forgets } = await load(context, work.limits.items);
    if (input.summaries.length === 0) return { status: 'skipped', reason: 'no_summaries' };
    return reflect(context, work, input, forgets);
  },
};

/** What there is to reflect on, and how often something was forgotten before it was read. */
function load(context: StepContext, limit: number): Promise<{ input: ReflectionInput; forgets: number }> {
  const { database, tenant, user, at } = context;
  return database.withTenant(tenant, async (tx) => {
    const since = lookBackFrom(context);
    const forgets = await countForgets(tx, { tenant, user });
    const summaries = await listUnreflected(tx, { tenant, user, since, at, limit });
    const known = summaries.length === 0 ? null : await getUserProfile(tx, { tenant, user });
    return { input: { summaries, profile: known?.profile ?? null }, forgets };
  });
}

async function reflect(
  context: StepContext,
  work: ModelWork,
  input: ReflectionInput,
  forgets: number,
): Promise<StepResult> {
  const counts: ReflectionStepCounts = {
    summaries: input.summaries.length,
    insights: 0,
    profile: false,
    offered: null,
    reused: false,
    batched: false,
    rejected: {},
    failed: {},
    stopped: null,
  };
  for (;;) {
    counts.stopped = work.stopped();
    if (counts.stopped !== null) break;
    const paid = await askOnce(context, {
      step: 'reflection',
      promptVersion: REFLECTION_PROMPT_VERSION,
      model: work.model,
      provider: work.provider,
      parts: [contentHashOf(JSON.stringify(input))],
      request: buildReflectionRequest(input),
      memoryIds: [],
      sessionIds: input.summaries.map(({ sessionId }) => sessionId),
      forgets,
      maxAttempts: ANSWERS,
    });
    if (paid.status === 'answered') {
      if (await judge(context, input, paid, counts)) break;
      continue;
    }
    if (paid.status === 'stopped') counts.stopped = work.reasonOf(paid.why);
    else if (paid.status === 'batched') counts.batched = true;
    else count(counts.failed, paid.status === 'failed' ? paid.code : 'exhausted');
    break;
  }
  const embedded = counts.insights > 0 ? await embedDerived(context, 'reflection') : 0;
  return { status: 'done', counts: { ...counts, embedded, usage: work.usage() } };
}

/** @returns whether the answer could be used */
async function judge(
  context: StepContext,
  input: ReflectionInput,
  paid: Extract<PaidAnswer, { status: 'answered' }>,
  counts: ReflectionStepCounts,
): Promise<boolean> {
  const { tenant, user, at, runId } = context;
  const { key, attempt, answer } = paid;
  const verdict = judgeReflection(input, answer);
  if (!verdict.ok) {
    count(counts.rejected, verdict.reason);
    await context.write((tx) => settleAnswer(tx, { tenant, user, key, attempt, state: 'rejected' }));
    return false;
  }
  const { insights, profile } = verdict;
  const written = await context.write(async (tx) => {
    // What it was made of was forgotten meanwhile: the night after reflects on what is left.
    if (!(await settleAnswer(tx, { tenant, user, key, attempt, state: 'accepted' }))) return null;
    return storeReflection(tx, {
      tenant,
      user,
      runId,
      at,
      profile,
      insights,
      sessionIds: input.summaries.map(({ sessionId }) => sessionId),
      confidence: INSIGHT_CONFIDENCE,
      trust: INSIGHT_TRUST,
    });
  });
  if (written === null) {
    count(counts.failed, 'stale');
    return true;
  }
  counts.insights = written.insights;
  counts.profile = profile !== null;
  counts.offered = verdict.counts;
  counts.reused = paid.reused;
  return true;
}
