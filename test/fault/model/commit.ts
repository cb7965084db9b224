import type { Ending, Steps, Work } from './ledger.ts';
import { isAsPlanned } from './memory.ts';
import { holdsLease } from './schedule.ts';
import {
  type FusionModel,
  type Manner,
  type Member,
  makeStale,
  note,
  REVIEW_FOR,
  type UserModel,
} from './state.ts';

/** The end of a fusion as the model has it: who may write, from what, and what is written then. */

export function skipReason(status: string): string {
  if (status === 'failed') return 'failed_before';
  return ['planned', 'generated', 'expired', 'review'].includes(status) ? 'claimed' : status;
}

/** All sources, or all but the last where the answer left its fact out. */
export const coveredBy = (members: readonly Member[], answer: Manner): Member[] =>
  answer === 'forgetful' ? members.slice(0, -1) : [...members];

const PROPOSING = ['after-proposal', 'after-applied'];
const APPLYING = ['after-derived', 'after-supersede', 'after-marked', 'after-applied'];

export function* commit(work: Work, id: string, members: Member[], answer: Manner): Steps<Ending> {
  const { model, user, at, fence } = work;
  yield 'before-transaction';
  const fusion = user.fusions.get(id)!;
  let ended = judgeLedger(work, fusion);
  if (ended === null) {
    yield 'after-ledger';
    if (!members.every((member) => isAsPlanned(user, member))) ended = { status: 'stale' };
  }
  if (ended === null) {
    yield 'after-sources';
    yield* work.mode === 'review' ? PROPOSING : APPLYING;
    if (fusion.answer !== null) fusion.answerState = 'accepted';
    Object.assign(fusion, { fence, runLabel: work.runLabel, errorCode: null });
    if (work.mode === 'review') {
      Object.assign(fusion, { status: 'review', reviewEnds: at + REVIEW_FOR });
      ended = { status: 'proposed' };
    } else {
      apply(user, fusion, coveredBy(members, answer), work.runLabel);
      ended = { status: 'committed' };
    }
    note(model, ended.status);
  } else if (ended.status !== 'committed')
    note(model, `commit ${'code' in ended ? ended.code : ended.status}`);
  if (ended.status === 'stale') makeStale(fusion);
  yield 'after-commit';
  return ended;
}

/** What speaks against a commit before its sources are looked at. */
function judgeLedger({ user, fence, mode }: Work, { status }: FusionModel): Ending | null {
  if (status === 'applied') return { status: 'committed' };
  if (status === 'review' && mode === 'review') return { status: 'proposed' };
  if (!holdsLease(user, fence)) return { status: 'deferred', code: 'lease_lost' };
  if (status === 'stale') return { status: 'stale' };
  if (status !== 'planned' && status !== 'generated')
    return { status: 'skipped', reason: skipReason(status) };
  return null;
}

/** The derived memory stands for what it covers, and for nothing else. */
export function apply(
  user: UserModel,
  fusion: FusionModel,
  covered: readonly Member[],
  runLabel: string | null,
): void {
  Object.assign(fusion, { status: 'applied', errorCode: null, reviewEnds: null });
  user.bare = true;
  fusion.live.clear();
  for (const { name } of covered) {
    const memory = user.memories.get(name)!;
    memory.by = fusion.id;
    memory.version += 1;
    fusion.superseded.add(name);
  }
  const names = covered.map(({ name }) => name);
  fusion.applied = { runLabel, covered: names, facts: names.map((name) => user.memories.get(name)!.fact) };
}
