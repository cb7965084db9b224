import {
  countForgets,
  type DueInsights,
  getWorkspace,
  newId,
  setInsightsDue,
  settleAnswer,
} from '@slowwave/db';
import {
  type AskInsights,
  extractClaimedInsights,
  INSIGHTS_PROMPT_VERSION,
  type InsightRun,
  InvalidInsightSchedule,
  nextInsightsAt,
  type WorkspaceFiles,
} from '@slowwave/workspace';
import type { Step, StepContext } from '../context.ts';
import { askOnce } from '../paid-answer.ts';
import { DUE_INSIGHTS } from '../questions.ts';
import { isOpen, type ModelWork, openModelWork, type StopReason } from './model-work.ts';
import { count, type Tally } from './tally.ts';

/** Answers paid for about one working memory: a second one where the first cannot be used. */
const ANSWERS = 2;

interface InsightStepCounts {
  /** Workspaces whose time has come, and those that were given a time. */
  due: number;
  planned: number;
  extracted: number;
  insights: number;
  duplicates: number;
  pruned: number;
  /** Out of answers that an earlier run had paid for. */
  reused: number;
  /** Taken up where an earlier run was broken off. */
  resumed: number;
  /** Workspaces that were passed over, by reason; prunings that were refused; answers that could not be used; runs that failed, by code. */
  skipped: Tally;
  unpruned: Tally;
  rejected: Tally;
  failed: Tally;
  stopped: StopReason | null;
}

/** What is worth keeping of the working memory of each workspace, when its schedule says so. */
export const insights: Step = {
  name: 'insights',
  asks: [DUE_INSIGHTS],
  async run(context) {
    const found = await context.look.seen(DUE_INSIGHTS);
    if (found.length === 0) return { status: 'skipped', reason: 'nothing_due' };
    const counts = emptyCounts();
    for (const workspace of found) if (workspace.dueAt === null) await plan(context, workspace, counts);
    const due = found.filter(({ dueAt }) => dueAt !== null);
    counts.due = due.length;
    if (due.length === 0) return { status: 'done', counts: { ...counts } };
    const work = openModelWork(context, 'insights', ['auto', 'review']);
    if (!isOpen(work)) return work;
    for (const workspace of due.slice(0, work.limits.items)) {
      counts.stopped = work.stopped();
      if (counts.stopped !== null) break;
      await noteInvalid(counts, () => extract(context, work, workspace, counts));
      if (counts.stopped !== null) break;
    }
    if (counts.skipped.no_folder === due.length) return { status: 'skipped', reason: 'no_folder' };
    return { status: 'done', counts: { ...counts, usage: work.usage() } };
  },
};

function emptyCounts(): InsightStepCounts {
  return {
    due: 0,
    planned: 0,
    extracted: 0,
    insights: 0,
    duplicates: 0,
    pruned: 0,
    reused: 0,
    resumed: 0,
    skipped: {},
    unpruned: {},
    rejected: {},
    failed: {},
    stopped: null,
  };
}

/** Gives a workspace its first due time. */
async function plan(context: StepContext, workspace: DueInsights, counts: InsightStepCounts): Promise<void> {
  const { schedule, timezone } = workspace;
  await noteInvalid(counts, async () => {
    const dueAt = nextInsightsAt(schedule, { timezone, after: context.at });
    await context.write((tx) => setInsightsDue(tx, workspace, { dueAt }));
    counts.planned += 1;
  });
}

/** A schedule that is none is in the report, and says nothing against the other workspaces. */
async function noteInvalid(counts: InsightStepCounts, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof InvalidInsightSchedule)) throw error;
    count(counts.failed, error.code);
  }
}

async function extract(
  context: StepContext,
  work: ModelWork,
  due: DueInsights,
  counts: InsightStepCounts,
): Promise<void> {
  const { database, tenant, user, at, mode, runId } = context;
  const { schedule, timezone } = due;
  const { settings, forgets } = await database.withTenant(tenant, async (tx) => ({
    // Counted before anything is read: what is forgotten from here on is noticed.
    forgets: await countForgets(tx, { tenant, user }),
    settings: await getWorkspace(tx, due),
  }));
  const files: WorkspaceFiles | null = (settings && context.workspaces?.(settings)) ?? null;
  if (files === null) {
    count(counts.skipped, 'no_folder');
    return;
  }
  const ended = await extractClaimedInsights({
    key: { tenant, user, workspace: due.workspace },
    files,
    ask: askPaid(context, work, { workspace: due.workspace, forgets, counts }),
    transact: (work) => context.write(work),
    schedule,
    timezone,
    at,
    newId: () => newId(at),
    tierRunId: runId,
    resume: true,
    // Who wants to see changes first is asked by nobody here: nothing of theirs goes.
    prune: mode === 'auto',
  });
  if (ended.status === 'refused') count(counts.skipped, ended.reason);
  else if (ended.status === 'failed') count(counts.failed, ended.code);
  else countRun(ended, counts);
}

function countRun({ run, resumed }: { run: InsightRun; resumed: boolean }, counts: InsightStepCounts): void {
  for (const [reason, times] of Object.entries(run.rejected)) {
    counts.rejected[reason] = (counts.rejected[reason] ?? 0) + times;
  }
  if (resumed) counts.resumed += 1;
  if (!run.success) {
    count(counts.failed, run.code ?? 'unknown');
    return;
  }
  counts.extracted += 1;
  counts.insights += run.counts.added;
  counts.duplicates += run.counts.duplicates;
  if (run.reused) counts.reused += 1;
  if (run.pruning.applied) counts.pruned += 1;
  if (run.pruning.refusal !== null) count(counts.unpruned, run.pruning.refusal);
}

/** Asks by way of the answers that are kept: each is stored before it is judged, and found again after a crash. */
function askPaid(
  context: StepContext,
  work: ModelWork,
  { workspace, forgets, counts }: { workspace: string; forgets: number; counts: InsightStepCounts },
): AskInsights {
  const { tenant, user } = context;
  return async (request, parts) => {
    const stopped = work.stopped();
    if (stopped !== null) {
      counts.stopped = stopped;
      return { status: 'stopped', code: stopped, transient: true };
    }
    const paid = await askOnce(context, {
      step: 'insights',
      promptVersion: INSIGHTS_PROMPT_VERSION,
      model: work.model,
      provider: work.provider,
      parts: [workspace, ...parts],
      request,
      memoryIds: [],
      sessionIds: [],
      forgets,
      maxAttempts: ANSWERS,
    });
    if (paid.status === 'stopped') {
      counts.stopped = work.reasonOf(paid.why);
      return { status: 'stopped', code: counts.stopped, transient: true };
    }
    if (paid.status === 'failed') return { status: 'failed', code: paid.code, transient: paid.transient };
    if (paid.status === 'batched') return { status: 'failed', code: 'batched', transient: true };
    if (paid.status === 'exhausted') return { status: 'failed', code: 'exhausted', transient: false };
    const { key, attempt, answer, reused } = paid;
    const settle = (state: 'accepted' | 'rejected') =>
      context.write((tx) => settleAnswer(tx, { tenant, user, key, attempt, state }));
    return {
      status: 'answered',
      answer,
      reused,
      accept: () => settle('accepted'),
      reject: async () => void (await settle('rejected')),
    };
  };
}
