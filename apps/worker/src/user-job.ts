import {
  finishRun,
  isBoundToNight,
  type RunEnd,
  type RunReport,
  type StartedRun,
  startRun,
  waitForNight,
} from '@slowwave/db';
import type { JobContext, JobResult, JobView, TierJob } from '@slowwave/queue';
import { watchCancel } from './cancel-watch.ts';
import { idsOf, type UserJobDeps } from './context.ts';
import { codeOf, JobFailure } from './errors.ts';
import { type Hold, type Taking, takeUser } from './hold.ts';
import { createLook } from './look.ts';
import { nextDue, questionsOfEnd } from './next-due.ts';
import { type RunSummary, runLine } from './run-line.ts';
import { spendingOf, spent } from './run-spending.ts';
import { type RunContext, runSteps, type StepReport, type StepsEnd } from './run-steps.ts';
import { TIER_STEPS } from './tiers.ts';
import { createTurn, TURN_MS, type Turn } from './turn.ts';

const BUSY_FIRST_MS = 500;
const BUSY_LONGEST_MS = 5_000;

/** When to look again at a user whom somebody else holds: soon at first, as most runs are short, then less and less often. */
export function busyDelayMs(postponed: number): number {
  return Math.min(BUSY_LONGEST_MS, BUSY_FIRST_MS * (postponed + 1));
}

/**
 * One tier for one user: take the user, run the steps, write the report, stamp, give the user back.
 *
 * @param turn that of the process. Users who were at work when a process ended are tried again, the culprit and those who were only there
 *   alike. Of all these one at a time runs in a process: if that one ends as well, those who were only there last time are not among those
 *   who count again.
 */
export function createUserJob(deps: UserJobDeps, holderName: string, turn: Turn = createTurn()) {
  return async (job: JobView<TierJob>, context: JobContext): Promise<JobResult> => {
    const { tenant, user, tier, why, runId } = job.data;
    const at = deps.now();
    const start = { tier, why, runId, at };
    const who = { tenant, user, holder: `${holderName}:${job.id}`, start };
    const taken = await takeKnownUser(deps, who, context.signal);
    if (taken === 'busy') return context.postpone(busyDelayMs(job.postponed));
    if (taken === 'unknown_user') return context.completed({ outcome: 'closed', reason: 'unknown_user' });
    const { suspect } = taken;
    // guard: one-suspect
    if (suspect && !(await turn.take(AbortSignal.any([taken.signal, context.stopping]), TURN_MS))) {
      await taken.release();
      return context.postpone(TURN_MS);
    }
    try {
      return await runTier(deps, { ...job.data, at }, taken, context);
    } finally {
      if (suspect) turn.giveBack(); // guard: turn-given-back
      await taken.release();
    }
  };
}

/** As takeUser; wake-ups of a user who was forgotten since, or whom somebody made up, have nothing to do and say so. */
async function takeKnownUser(
  deps: UserJobDeps,
  who: Taking,
  jobSignal: AbortSignal,
): Promise<Hold | 'busy' | 'unknown_user'> {
  try {
    return await takeUser(deps, who, jobSignal);
  } catch (error) {
    if (!(error instanceof JobFailure && error.code === 'unknown_user')) throw error;
    deps.logger.warn({ tenant: who.tenant, user: who.user }, 'a job names a user who is not there');
    return 'unknown_user';
  }
}

/** Begins the run of a hold that could not begin with it. Null: it waits for the next night. */
async function startLate(
  { database }: UserJobDeps,
  { tenant, user, tier, why, runId, at }: TierJob & { at: number },
  { lease: { fence } }: Hold,
): Promise<Hold['run']> {
  if (isBoundToNight({ tier, why })) {
    const night = await database.withTenant(tenant, (tx) => waitForNight(tx, { tenant, user, at }));
    if (night !== null) return null;
  }
  return database.withTenant(tenant, (tx) => startRun(tx, { tenant, user, tier, why, runId, fence, at }));
}

async function runTier(
  deps: UserJobDeps,
  job: TierJob & { at: number },
  hold: Hold,
  context: JobContext,
): Promise<JobResult> {
  const { database } = deps;
  const { tenant, user, tier, at } = job;
  const { holder, fence } = hold.lease;
  const run = hold.run ?? (await startLate(deps, job, hold));
  if (run === null) return context.completed({ outcome: 'closed', reason: 'not_night' });
  // Not due after all, held back, or ended by somebody else: a wake-up too many costs one look.
  if (run.status === 'closed') return context.completed({ outcome: 'closed', reason: run.reason });
  await deps.failpoints?.('after-run-start', { tenant, user });
  const { nowMs, limits } = deps;
  const watched = { database, tenant, user, runId: run.runId };
  const cancel = watchCancel({ ...watched, nowMs, everyMs: limits.cancelLookMs });
  const startedMs = deps.nowMs();
  const { runId } = run;
  const steps = (deps.tierSteps ?? TIER_STEPS)[tier];
  const { lastSuccessAt } = run;
  const asking = { ...deps, tenant, user, tier, at, lastSuccessAt };
  const look = createLook(database, asking, [...steps.map(({ asks = [] }) => asks), questionsOfEnd(tier)]);
  const shared: RunContext = {
    ...deps,
    ...(await spendingOf(deps, { tenant, user, tier, runId, timezone: run.timezone, at }, run)),
    tenant,
    user,
    tier,
    at,
    lastSuccessAt,
    look,
    mode: run.mode,
    timezone: run.timezone,
    runId,
    preview: run.preview,
    lease: { holder, fence },
    signal: hold.signal,
    stopping: AbortSignal.any([context.stopping, cancel.signal]),
    cancel,
  };
  let ended: StepsEnd;
  try {
    ended = await runSteps(steps, shared);
  } catch (error) {
    const lost = codeOf(hold.signal.reason) === 'lease_lost';
    if (lost) deps.onEvent?.({ ...idsOf(shared), type: 'lease_lost' });
    const durationMs = Math.round(deps.nowMs() - startedMs);
    const put = { status: 'abandoned', report: null } as const;
    const summary = { why: job.why, steps: [], durationMs };
    // A run that blocked its worker gets no end, as if the process had ended with it. The next holder of the user counts it, so that a user
    // whose runs do this again and again is put in quarantine.
    // guard: blocked-unended
    if (hold.wasBlocked()) tellEnd(deps, shared, put, summary);
    else await end(deps, hold, shared, put, summary);
    if (hold.signal.aborted && !context.signal.aborted) return context.postpone(BUSY_FIRST_MS);
    throw error;
  } finally {
    await cancel.stop();
  }
  const report = { steps: ended.reports, durationMs: Math.round(deps.nowMs() - startedMs), ...spent(shared) };
  const how = await endOf(shared, run, { ...ended, report });
  await end(deps, hold, shared, how, { why: job.why, ...report });
  if (how.status === 'abandoned') return context.moveBack();
  return context.completed({ outcome: how.status, runId: run.runId });
}

/** How a run ends whose steps have ended. */
async function endOf(
  shared: RunContext,
  run: StartedRun,
  { reports, transient, report }: StepsEnd & { report: RunReport },
): Promise<RunEnd> {
  if (shared.stopping.aborted && reports.some(isUnfinished)) {
    return { status: shared.cancel?.signal.aborted ? 'cancelled' : 'abandoned', report };
  }
  const failed = reports.find((result) => result.status === 'failed');
  if (failed?.status === 'failed') {
    // The tier is due again after its backoff, from the database: the queue's own attempts are for work that never began.
    const { quarantineAfter } = shared.limits;
    return { status: 'failed', errorCode: failed.code, report, transient, quarantineAfter };
  }
  // Not a success, or what the queue did not take would never be looked for again; and nothing against this user.
  if (reports.some(isUnqueued)) {
    const { quarantineAfter } = shared.limits;
    return { status: 'failed', errorCode: 'queue_unavailable', report, transient: true, quarantineAfter };
  }
  // A preview is nothing that the next due time could count from, nor is what goes on with a night that was.
  const nextDueAt = run.preview || run.why === 'batch' ? run.dueAt : await nextDue(shared, run);
  return { status: 'completed', nextDueAt, report };
}

const isUnqueued = (result: StepReport): boolean =>
  result.status === 'done' && Number(result.counts.unqueued ?? 0) > 0;

/** Stopped before its end: a step that did not begin, or one that left work for later. */
function isUnfinished(result: StepReport): boolean {
  if (result.status === 'skipped') return result.reason === 'stopping' || result.reason === 'cancelled';
  if (result.status !== 'done') return false;
  return result.counts.stopped === 'unavailable' || result.counts.stopped === 'stopping';
}

/** Ends the run and gives the user back, in one breath. */
async function end(
  deps: UserJobDeps,
  hold: Hold,
  run: RunContext,
  how: RunEnd,
  summary: RunSummary,
): Promise<void> {
  const { tenant, user, tier, runId, at, lease } = run;
  const { quarantined } = await hold.releaseWith(() =>
    deps.database.withTenant(tenant, (tx) => finishRun(tx, { tenant, user, runId, ...lease, at, ...how })),
  );
  await deps.failpoints?.('after-run-end', { tenant, user });
  tellEnd(deps, run, how, summary);
  if (quarantined)
    deps.logger.error(
      { tenant, user, tier, runId },
      'user put in quarantine: nothing runs until it is released',
    );
}

/** Tells observers and the log how a run has ended. */
function tellEnd(deps: UserJobDeps, run: RunContext, how: RunEnd, summary: RunSummary): void {
  const { preview } = run;
  const { steps, durationMs } = summary;
  const errorCode = how.status === 'failed' ? how.errorCode : null;
  const outcome = how.status;
  const refusal = run.spending?.refusal();
  deps.onEvent?.({
    ...idsOf(run),
    type: 'run_ended',
    outcome,
    errorCode,
    preview,
    durationMs,
    steps,
    ...(refusal ? { refusal } : {}),
  });
  deps.logger.info(runLine(run, how, summary), outcome === 'abandoned' ? 'run put back' : 'run finished');
}
