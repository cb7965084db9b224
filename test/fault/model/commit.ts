import { groupsOf } from './answers.ts';
import { type Ending, newFusion, type Steps, type Work } from './ledger.ts';
import { isAsPlanned, setOf, statementIdOf } from './memory.ts';
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

/** What is accepted of an answer, and where that is nothing, what most of it was refused for. */
function decide(
  members: readonly Member[],
  answer: Manner,
  known: ReadonlySet<string>,
): { accepted: Member[][]; reason: string | null } {
  const lanes = new Map<string, number>();
  const count = (lane: string, times: number) => times > 0 && lanes.set(lane, (lanes.get(lane) ?? 0) + times);
  const written = groupsOf(members, answer);
  const formed = written.filter(({ length }) => length >= 2);
  count('form', written.length - formed.length);
  const free = formed.filter((group) => !known.has(setOf(group)));
  count('known', formed.length - free.length);
  const accepted = answer === 'inventive' ? [] : free;
  count('floor', free.length - accepted.length);
  const [first] = [...lanes].sort(([, one], [, other]) => other - one);
  return { accepted, reason: accepted.length > 0 ? null : (first?.[0] ?? null) };
}

export function* commit(work: Work, id: string, members: Member[], answer: Manner): Steps<Ending> {
  const { model, user, fence } = work;
  const { accepted, reason } = decide(members, answer, work.known);
  yield 'before-transaction';
  const fusion = user.fusions.get(id)!;
  let ended = judgeLedger(work, fusion);
  if (ended === null) {
    yield 'after-ledger';
    // What no statement is about may be whatever it is.
    if (!accepted.flat().every((member) => isAsPlanned(user, member))) ended = { status: 'stale' };
  }
  if (ended === null) {
    yield* ['after-sources', 'after-marked'];
    // One that a person turned down or took back since stays so.
    const isOpen = (group: Member[]): boolean => {
      const status = statementOf(user, id, group)?.status;
      return status === undefined || status === 'expired' || status === 'stale';
    };
    if (!accepted.every(isOpen)) ended = { status: 'stale' };
  }
  if (ended === null) {
    if (accepted.length > 0)
      yield* work.mode === 'auto' ? ['after-derived', 'after-supersede'] : ['after-proposal'];
    yield 'after-applied';
    if (fusion.answer !== null) fusion.answerState = 'accepted';
    Object.assign(fusion, { status: 'closed', fence, runLabel: work.runLabel, errorCode: reason });
    fusion.live.clear();
    for (const group of accepted) writeStatement(work, id, group);
    ended = { status: accepted.length === 0 ? 'closed' : work.mode === 'review' ? 'proposed' : 'committed' };
    note(model, accepted.length === 0 ? `closed ${reason}` : ended.status);
    if (accepted.length > 1) note(model, `${ended.status} several`);
  } else note(model, `commit ${'code' in ended ? ended.code : ended.status}`);
  if (ended.status === 'stale') makeStale(fusion);
  yield 'after-commit';
  return ended;
}

/** What speaks against a commit before its sources are looked at. */
function judgeLedger({ user, fence }: Work, { status }: FusionModel): Ending | null {
  if (!holdsLease(user, fence)) return { status: 'deferred', code: 'lease_lost' };
  if (status === 'stale') return { status: 'stale' };
  if (status !== 'planned' && status !== 'generated')
    return { status: 'skipped', reason: skipReason(status) };
  return null;
}

const statementOf = (user: UserModel, request: string, group: readonly Member[]): FusionModel | undefined =>
  user.fusions.get(
    statementIdOf(
      request,
      group.map(({ name }) => name),
    ),
  );

/** A row of its own for each statement: applied at once, or put before a person. */
function writeStatement(
  { user, at, fence, tier, runLabel, mode }: Work,
  request: string,
  group: Member[],
): void {
  const id = statementIdOf(
    request,
    group.map(({ name }) => name),
  );
  const statement = user.fusions.get(id) ?? newFusion({ id, request, tier, set: setOf(group) });
  user.fusions.set(id, statement);
  Object.assign(statement, {
    members: group.map((member) => ({ ...member })),
    fence,
    runLabel,
    errorCode: null,
  });
  if (mode === 'auto') {
    apply(user, statement, runLabel);
    return;
  }
  Object.assign(statement, { status: 'review', reviewEnds: at + REVIEW_FOR });
  statement.live = new Set(group.map(({ name }) => name));
}

/** The derived memory stands for the sources of its statement, and for nothing else. */
export function apply(user: UserModel, statement: FusionModel, runLabel: string | null): void {
  Object.assign(statement, { status: 'applied', errorCode: null, reviewEnds: null });
  user.bare = true;
  statement.live.clear();
  const names = statement.members.map(({ name }) => name);
  for (const name of names) {
    const memory = user.memories.get(name)!;
    memory.by = statement.id;
    memory.version += 1;
    statement.superseded.add(name);
  }
  const facts = names.map((name) => user.memories.get(name)!.fact);
  statement.applied = { runLabel, covered: names, facts, undone: false };
}
