import type { Tier } from '@slowwave/fusion';
import type { JobResult } from '@slowwave/queue';
import { type Ended, failNow, fuse, type Work } from './ledger.ts';
import type { Entry } from './line.ts';
import { isAsPlanned, planOf, takenBack } from './memory.ts';
import { areOver, expireReviews } from './reviews.ts';
import { abandonRuns, deepDueAfter, finishRun, releaseLease, startRun, takeLease } from './schedule.ts';
import {
  type FusionModel,
  fusionsOf,
  HOUR,
  type Model,
  makeStale,
  note,
  type RunModel,
  type UserModel,
} from './state.ts';

/** Whole jobs as the model has them, in steps between failpoints. What a job that dies has done up to there stays done. */

export type JobSteps = Generator<string, JobResult>;

/** How late a sleep may begin without a look at the night. */
const SLEEP_GRACE = HOUR;

/** A failure as the queue may know it. */
export function failure(code: string, retryable: boolean): Error {
  return Object.assign(new Error(code), { code, retryable });
}

const done: JobResult = { outcome: 'completed' };
const later: JobResult = { outcome: 'postponed', delayMs: 1_000 };

/** From the moment the queue hands it over to the moment before the queue is told. */
export function* jobOf(model: Model, entry: Entry): JobSteps {
  const user = model.users.get(entry.ticket.user)!;
  yield 'after-claim';
  try {
    const work = entry.ticket.queue === 'fusions' ? fusionJob : userJob;
    return yield* work(model, user, entry);
  } finally {
    yield 'before-ack';
  }
}

/** @param atOnce what begins with the hold, where nobody has left anything behind that has to be seen to before */
function* hold(
  model: Model,
  user: UserModel,
  atOnce: (fence: number) => void = () => {},
): Generator<string, number | null> {
  const takenOver = user.lease.state === 'expired';
  const fence = takeLease(model, user);
  if (fence === null) return null;
  if (!takenOver) atOnce(fence);
  yield 'after-lease';
  if (takenOver) abandonRuns(model, user, fence);
  return fence;
}

function* letGo(user: UserModel, fence: number): Generator<string, void> {
  releaseLease(user, fence);
  yield 'after-release';
}

function* userJob(model: Model, user: UserModel, { ticket }: Entry): JobSteps {
  const { tier, run: named } = ticket;
  const { at } = model;
  // A run goes on in the mode in which it began.
  let { mode } = user;
  const start = (of: number) => {
    mode = user.mode;
    return startRun(model, user, { tier, run: named, fence: of, at });
  };
  const isSuspect = Object.values(user.tiers).some(({ unended }) => unended > 0);
  // A sleep that comes so late may have to wait for its night: that is looked at between the hold and the run.
  const isLate = tier === 'sleep' && named === null && user.tiers.sleep.dueAt < at - SLEEP_GRACE;
  let run: ReturnType<typeof start> | null = null;
  const fence = yield* hold(model, user, (of) => {
    if (!isSuspect && !isLate) run = start(of);
  });
  if (fence === null) return later;
  run ??= start(fence);
  if (typeof run === 'string') {
    note(model, `closed ${run}`);
    yield* letGo(user, fence);
    return done;
  }
  const dueBefore = user.tiers[tier].dueAt;
  yield 'after-run-start';
  const ended = yield* steps(model, user, { run, fence, at, mode });
  if (ended.lost) finishRun(model, user, run, { status: 'abandoned', fence, at });
  else if (ended.failed) finishRun(model, user, run, { status: 'failed', ...ended.failed, fence, at });
  else finishRun(model, user, run, { status: 'completed', dueAt: nextDue(tier, dueBefore, at), fence, at });
  // A run ends and its user is given back in one step.
  releaseLease(user, fence);
  yield 'after-run-end';
  yield* letGo(user, fence);
  if (ended.lost) throw failure('lease_lost', true);
  return done;
}

/** Light and sleep say themselves when they are due again: taken from the real one, and held against its promise. */
const nextDue = (tier: Tier, due: number, at: number): number =>
  tier === 'deep' ? deepDueAfter(due, at) : Number.NaN;

interface StepsEnd {
  lost: boolean;
  failed: { code: string; transient: boolean } | null;
}

/** Of the steps the first one fails when told so, one fuses, and the others matter only in that some of them must hold the user. */
export const STEP_NAMES: Record<Tier, readonly string[]> = {
  light: ['trouble', 'embed', 'expire'],
  deep: ['trouble', 'embed', 'fusion', 'audit', 'relations'],
  sleep: ['trouble', 'embed', 'nrem', 'health'],
};

function* steps(
  model: Model,
  user: UserModel,
  { run, fence, at, mode }: { run: RunModel; fence: number; at: number; mode: UserModel['mode'] },
): Generator<string, StepsEnd> {
  const end: StepsEnd = { lost: false, failed: null };
  const { tier } = run;
  const isHeld = () => user.lease.state === 'held' && user.lease.fence === fence;
  const before = { wereOpen: false, left: [] as string[] };
  const lookAround = () => {
    before.wereOpen = fusionsOf(user).some(isOpen);
    before.left = leftFailures(user, tier);
  };
  for (const step of STEP_NAMES[tier]) {
    yield 'before-step';
    // The first step to ask anything asks for all of them.
    if (step === 'embed') {
      lookAround();
      if (user.bare && !isHeld()) return { ...end, lost: true };
      user.bare = false;
    }
    if (step === 'trouble' && model.trouble !== 'none') {
      end.failed = { code: `trouble_${model.trouble}`, transient: model.trouble === 'outage' };
      continue;
    }
    if ((step === 'fusion' || step === 'nrem') && tier !== 'light') {
      if (areOver(user, at)) {
        if (!isHeld()) return { ...end, lost: true };
        expireReviews(model, user, at);
        lookAround();
      }
      if (mode !== 'off') {
        const known = takenBack(user);
        const work = { model, user, fence, runLabel: run.label, tier, at, mode, known };
        const lost = yield* fusionStep(work, before);
        if (lost) return { ...end, lost: true };
      }
    }
    yield 'after-step';
  }
  return end;
}

const isOpen = ({ status }: FusionModel): boolean => status === 'planned' || status === 'generated';

/** Those that failed for good in a run that never completed: whoever was to put them before the operator may have been gone by then. */
function leftFailures(user: UserModel, tier: Tier): string[] {
  const since = user.tiers[tier].lastSuccessAt ?? 0;
  const completed = new Set(
    user.runs.filter(({ status }) => status === 'completed').map(({ label }) => label),
  );
  return fusionsOf(user)
    .filter((one) => one.status === 'failed' && one.tier === tier && one.failedAt! > since)
    .filter(({ runLabel }) => runLabel !== null && !completed.has(runLabel))
    .map(({ id }) => id);
}

/**
 * @param before what stood there when the run looked around
 * @returns whether the user was lost on the way
 */
function* fusionStep(
  work: Work,
  { wereOpen, left }: { wereOpen: boolean; left: readonly string[] },
): Generator<string, boolean> {
  const { model, user, tier, runLabel } = work;
  const plan = planOf(user, tier);
  yield 'after-read';
  const ended: Ended[] = [];
  let stop: 'rate_limited' | null = null;
  let lost = false;
  // Nothing is asked for a user who is somebody else's.
  if (plan.length > 0 && !(user.lease.state === 'held' && user.lease.fence === work.fence)) return true;
  for (const members of plan) {
    const one: Ended = yield* fuse(work, members, { stop });
    ended.push(one);
    if (one.status !== 'deferred') continue;
    if (one.code === 'lease_lost') {
      lost = true;
      break;
    }
    stop = one.code;
  }
  const again = ended.filter(
    (one) => one.status === 'failed' || (one.status === 'deferred' && one.code === 'rate_limited'),
  );
  for (const id of new Set([...left, ...again.map((one) => (one as { id: string }).id)]))
    model.line.add({ queue: 'fusions', user: user.name, tier, run: runLabel, fusion: id });
  const held = user.lease.state === 'held' && user.lease.fence === work.fence;
  if (lost || (!held && wereOpen)) return true;
  // What earlier holders left behind, and nobody can finish, is closed.
  for (const fusion of wereOpen ? fusionsOf(user) : []) {
    const isLeft = isOpen(fusion) && fusion.fence < work.fence;
    if (isLeft && !fusion.members.every((member) => isAsPlanned(user, member))) makeStale(fusion);
  }
  // What was derived gets its vector at once, and that is written, unless somebody else has seen to it.
  if (!ended.some(({ status }) => status === 'committed') || !user.bare) return false;
  if (held) user.bare = false;
  return !held;
}

function* fusionJob(model: Model, user: UserModel, entry: Entry): JobSteps {
  const { tier, run: runLabel, fusion: id } = entry.ticket;
  const fusion = user.fusions.get(id!);
  const { at } = model;
  if (!fusion || tier === 'light') throw failure('unknown_fusion', false);
  if (fusion.status === 'failed' && entry.starts <= 1) throw failure(fusion.errorCode ?? 'failed', false);
  if (!['planned', 'generated', 'failed', 'stale', 'expired'].includes(fusion.status)) return done;
  if (user.quarantined) return later;
  const { mode } = user;
  if (mode === 'off') return done;
  const fence = yield* hold(model, user);
  if (fence === null) return later;
  let ended: Ended | null = null;
  if (!fusion.members.every((member) => isAsPlanned(user, member)) || fusion.members.length === 0) {
    makeStale(fusion, { evenFailed: true });
  } else {
    const members = fusion.members.map((member) => ({ ...member }));
    yield 'after-read';
    const known = takenBack(user);
    ended = yield* fuse({ model, user, fence, runLabel, tier, at, mode, known }, members, { retry: true });
    note(model, `retried ${ended.status}`);
  }
  try {
    return judge(fusion, entry, { ended, at });
  } finally {
    yield* letGo(user, fence);
  }
}

function judge(
  fusion: FusionModel,
  entry: Entry,
  { ended, at }: { ended: Ended | null; at: number },
): JobResult {
  if (ended?.status === 'deferred') {
    return ended.code === 'rate_limited' ? { outcome: 'rate_limited', delayMs: 1_000 } : later;
  }
  if (ended?.status !== 'failed') return done;
  if (ended.retryable && entry.attemptsMade + 1 < entry.attempts) throw failure(ended.word, true);
  failNow(fusion, ended.word, { final: true, reject: false, at });
  throw failure(ended.word, false);
}
