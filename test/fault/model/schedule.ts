import { TIERS, type Tier } from '@slowwave/fusion';
import {
  FAULTS_MAX,
  HOUR,
  MINUTE,
  type Model,
  note,
  type RunModel,
  type TierModel,
  type UserModel,
  usersOf,
} from './state.ts';

/** Due times, wake-ups, holds and runs, as the model has them. */

const REQUEUE_AFTER = 10 * MINUTE;
const LOST_WHEN_EMPTY = 10_000;
const UNENDED_MAX = 3;

export function newTier(dueAt: number): TierModel {
  return {
    dueAt,
    nextAttemptAt: null,
    lastAttemptAt: null,
    lastSuccessAt: null,
    failures: 0,
    faults: 0,
    unended: 0,
    enqueuedAt: null,
    requestedRun: null,
    paused: false,
  };
}

/** The tick of one tier. @returns how many were asked for, and how many were due */
export function tick(model: Model, tier: Tier): { requested: number; enqueued: number } {
  const { line, at } = model;
  const jobs = (queue: Tier | 'adhoc'): number => line.count(queue, 'waiting') + line.count(queue, 'active');
  const isFree = ({ lease }: UserModel, { enqueuedAt }: TierModel, empty: boolean): boolean => {
    const patience = empty ? Math.min(REQUEUE_AFTER, LOST_WHEN_EMPTY) : REQUEUE_AFTER;
    return (enqueuedAt === null || enqueuedAt < at - patience) && lease.state !== 'held';
  };
  const noneAsked = jobs('adhoc') === 0;
  const asked = usersOf(model).filter((user) => {
    const state = user.tiers[tier];
    return state.requestedRun !== null && !user.quarantined && isFree(user, state, noneAsked);
  });
  for (const user of asked) {
    const run = user.tiers[tier].requestedRun;
    user.tiers[tier].enqueuedAt = at;
    line.add({ queue: 'adhoc', user: user.name, tier, run, fusion: null });
  }
  // What people ask for is counted before it is added.
  const noneWaits = jobs(tier) === 0 && noneAsked;
  const due = usersOf(model).filter((user) => {
    const state = user.tiers[tier];
    if (state.dueAt > at || (state.nextAttemptAt !== null && state.nextAttemptAt > at)) return false;
    if (state.paused || user.quarantined || model.pausedTiers.has(tier)) return false;
    return isFree(user, state, noneWaits);
  });
  for (const user of due) {
    user.tiers[tier].enqueuedAt = at;
    line.add({ queue: tier, user: user.name, tier, run: null, fusion: null });
  }
  return { requested: asked.length, enqueued: due.length };
}

/** @returns the fence, or null when somebody else holds the user */
export function takeLease(model: Model, user: UserModel): number | null {
  const { lease } = user;
  if (lease.state === 'held') return null;
  const takenOver = lease.state === 'expired';
  lease.fence += 1;
  lease.state = 'held';
  if (takenOver) note(model, 'taken over');
  return lease.fence;
}

export const holdsLease = ({ lease }: UserModel, fence: number): boolean =>
  lease.state === 'held' && lease.fence === fence;

export function releaseLease({ lease }: UserModel, fence: number): void {
  if (lease.fence === fence && lease.state !== 'free') lease.state = 'free';
}

/** Runs of earlier holders that never ended. */
export function abandonRuns(model: Model, user: UserModel, fence: number): void {
  let tooMany = false;
  for (const tier of TIERS) {
    const lost = user.runs.filter(
      (run) => run.tier === tier && run.status === 'running' && run.fence! < fence,
    );
    if (lost.length === 0) continue;
    const state = user.tiers[tier];
    for (const run of lost) run.status = 'abandoned';
    if (state.unended + lost.length >= 2) {
      state.nextAttemptAt = Math.max(
        state.nextAttemptAt ?? Number.NEGATIVE_INFINITY,
        retryAfter(model.at, state.failures),
      );
    }
    state.failures += lost.length;
    state.unended += lost.length;
    state.requestedRun ??= lost.find(({ why }) => why === 'adhoc')?.label ?? null;
    tooMany ||= state.unended >= UNENDED_MAX;
    note(model, 'abandoned');
  }
  if (tooMany) quarantine(model, user, 'never_ended');
}

const retryAfter = (at: number, failures: number): number =>
  at + Math.min(6 * HOUR, 5 * MINUTE * 2 ** Math.min(failures, 10));

function quarantine(model: Model, user: UserModel, code: string): void {
  if (user.quarantined) return;
  user.quarantined = true;
  user.quarantineCode = code;
  note(model, `quarantined ${code}`);
}

export function release(user: UserModel): void {
  if (!user.quarantined) return;
  user.quarantined = false;
  user.quarantineCode = null;
  for (const tier of TIERS) {
    Object.assign(user.tiers[tier], {
      unended: 0,
      faults: 0,
      failures: 0,
      nextAttemptAt: null,
      enqueuedAt: null,
    });
  }
}

/** @returns the label of the run, or null when the user is in quarantine */
export function requestRun(model: Model, user: UserModel, tier: Tier): string | null {
  const state = user.tiers[tier];
  if (user.quarantined) return null;
  if (state.requestedRun === null) {
    const run = newRun(user, tier, 'adhoc', 'requested', null);
    state.requestedRun = run.label;
    state.enqueuedAt = null;
  }
  model.line.add({ queue: 'adhoc', user: user.name, tier, run: state.requestedRun, fusion: null });
  return state.requestedRun;
}

function newRun(
  user: UserModel,
  tier: Tier,
  why: RunModel['why'],
  status: RunModel['status'],
  fence: number | null,
): RunModel {
  const run = {
    label: `${user.name} run ${user.runs.length + 1}`,
    tier,
    why,
    status,
    fence,
    errorCode: null,
  };
  user.runs.push(run);
  return run;
}

/** @returns the run that begins, or why none does */
export function startRun(
  model: Model,
  user: UserModel,
  input: { tier: Tier; run: string | null; fence: number; at: number },
): RunModel | string {
  const { tier, fence, at } = input;
  const state = user.tiers[tier];
  state.enqueuedAt = null;
  // Nothing begins under a hold that was overtaken.
  if (user.lease.fence > fence) return 'ended';
  if (user.quarantined) return 'quarantined';
  let run: RunModel | undefined;
  if (input.run === null) {
    if (state.paused || model.pausedTiers.has(tier)) return 'paused';
    if (state.nextAttemptAt !== null && state.nextAttemptAt > at) return 'backing_off';
    if (state.dueAt > at) return 'not_due';
    run = newRun(user, tier, 'schedule', 'running', fence);
  } else {
    run = user.runs.find(({ label }) => label === input.run);
    const open = run?.status === 'requested' || run?.status === 'running' || run?.status === 'abandoned';
    if (!run || !open || (run.fence !== null && run.fence > fence)) return 'ended';
    Object.assign(run, { status: 'running', fence, errorCode: null });
  }
  state.lastAttemptAt = at;
  if (state.requestedRun === run.label) state.requestedRun = null;
  return run;
}

export type EndModel =
  | { status: 'completed'; dueAt: number }
  | { status: 'failed'; code: string; transient: boolean }
  | { status: 'abandoned' };

/** Writes nothing when the run is not running or somebody took the user over since. */
export function finishRun(
  model: Model,
  user: UserModel,
  run: RunModel,
  input: EndModel & { fence: number; at: number },
): void {
  if (run.status !== 'running' || run.fence !== input.fence || user.lease.fence > input.fence) return;
  const { at } = input;
  const state = user.tiers[run.tier];
  run.status = input.status;
  state.unended = 0;
  note(model, `${run.tier} ${input.status}`);
  if (input.status === 'completed') {
    state.lastSuccessAt = at;
    state.failures = 0;
    state.faults = 0;
    state.nextAttemptAt = run.tier === 'light' ? at + 5 * MINUTE : null;
    state.dueAt = input.dueAt;
  } else if (input.status === 'failed') {
    run.errorCode = input.code;
    state.nextAttemptAt = retryAfter(at, state.failures);
    state.failures += 1;
    if (!input.transient) state.faults += 1;
    if (!input.transient && state.faults >= FAULTS_MAX) quarantine(model, user, input.code);
  } else if (run.why === 'adhoc') {
    state.requestedRun ??= run.label;
  }
}

/** The first point of the six-hour grid after `at`. */
export function deepDueAfter(dueAt: number, at: number): number {
  let due = dueAt;
  while (due <= at) due += 6 * HOUR;
  return due;
}
