import type { UserMode } from '@slowwave/db';
import { commit, skipReason } from './commit.ts';
import { fusionIdOf, setOf } from './memory.ts';
import { type FusionModel, type Manner, type Member, type Model, note, type UserModel } from './state.ts';

/** One fusion from its claim to its commit, as the model has it. Every name that is yielded is a failpoint that the real one comes by. */

/** What a job works under. */
export interface Work {
  model: Model;
  user: UserModel;
  fence: number;
  runLabel: string | null;
  tier: 'deep' | 'sleep';
  at: number;
  mode: Exclude<UserMode, 'off'>;
  /** Sets of sources that were taken back or turned down when it looked. */
  known: ReadonlySet<string>;
}

export type Ending =
  | { status: 'committed' | 'proposed' | 'closed' | 'stale' }
  | { status: 'skipped'; reason: string }
  | { status: 'failed'; code: string; word: string; retryable: boolean }
  | { status: 'deferred'; code: 'rate_limited' | 'lease_lost' };

/** An ending, and the fusion that it is the ending of. */
export type Ended = Ending & { id: string };

export type Steps<T> = Generator<string, T>;

/** @param stop no model may be called any more, though answers that were paid for are still used */
export function* fuse(
  work: Work,
  members: Member[],
  { retry = false, stop = null as 'rate_limited' | null } = {},
): Steps<Ended> {
  const { model, user } = work;
  const id = fusionIdOf(work.tier, members);
  const refused = yield* claim(work, id, members, retry);
  if (refused === 'stale') return { status: 'stale', id };
  if (refused !== null) return { status: 'skipped', reason: refused, id };
  const fusion = user.fusions.get(id)!;
  const { attempt } = fusion;
  let answer = fusion.answer;
  if (answer === null) {
    if (stop) {
      yield* fail(fusion, stop, { final: false, reject: false, at: work.at });
      return { status: 'deferred', code: stop, id };
    }
    yield 'before-model';
    model.calls += 1;
    const given = model.manner;
    const ended = yield* breakdown(fusion, given, work.at);
    if (ended) return { ...ended, id };
    yield 'after-model';
    store(fusion, attempt, given, members, user);
    yield 'after-memo';
    answer = given;
  }
  if (answer !== 'refusing') return { ...(yield* commit(work, id, members, answer)), id };
  const code = 'refused';
  yield* fail(fusion, code, { final: true, reject: true, at: work.at });
  note(model, `fusion ${code}`);
  return { status: 'failed', code, word: code, retryable: false, id };
}

/** Without an answer. @returns null where there is one */
function* breakdown(fusion: FusionModel, manner: Manner, at: number): Steps<Ending | null> {
  if (manner === 'limited') {
    yield* fail(fusion, 'rate_limited', { final: false, reject: false, at });
    return { status: 'deferred', code: 'rate_limited' };
  }
  if (manner !== 'overloaded') return null;
  const word = 'provider_error_overloaded';
  yield* fail(fusion, word, { final: false, reject: false, at });
  return { status: 'failed', code: 'provider_error', word, retryable: true };
}

/** @returns why the fusion is left alone, or null */
function* claim(work: Work, id: string, members: Member[], retry: boolean): Steps<string | null> {
  const { user, tier, fence, runLabel } = work;
  const found = user.fusions.get(id);
  const opens = !found || ['planned', 'generated', 'stale', 'expired'].includes(found.status);
  if (!opens && !(retry && found.status === 'failed')) return skipReason(found.status);
  if (found && found.fence > fence) return skipReason(found.status);
  yield 'after-opened';
  const others = [...user.fusions.values()].filter((fusion) => fusion !== found);
  const lapse = others.filter(
    ({ status, fence: of }) => (status === 'planned' || status === 'generated') && of < fence,
  );
  yield 'after-lapsed';
  if (members.some(({ name }) => !user.memories.has(name))) return 'stale';
  const taken = others.some(
    (fusion) => !lapse.includes(fusion) && members.some(({ name }) => fusion.live.has(name)),
  );
  if (taken) return 'claimed';
  yield 'after-members';
  for (const fusion of lapse) for (const { name } of members) fusion.live.delete(name);
  const fusion = found ?? newFusion({ id, request: null, tier, set: setOf(members) });
  if (found) {
    const rejected = found.answerState === 'rejected';
    if (rejected || ['stale', 'failed', 'expired'].includes(found.status)) found.attempt += 1;
    if (rejected) Object.assign(found, { answer: null, answerState: 'none' });
  }
  user.fusions.set(id, fusion);
  Object.assign(fusion, {
    members,
    fence,
    runLabel,
    errorCode: null,
    status: fusion.answer === null ? 'planned' : 'generated',
    live: new Set(members.map(({ name }) => name)),
  });
  return null;
}

export function newFusion(of: Pick<FusionModel, 'id' | 'request' | 'tier' | 'set'>): FusionModel {
  return {
    ...of,
    members: [],
    status: 'planned',
    live: new Set(),
    superseded: new Set(),
    fence: 0,
    attempt: 1,
    answer: null,
    answerState: 'none',
    errorCode: null,
    runLabel: null,
    reviewEnds: null,
    failedAt: null,
    applied: null,
  };
}

/** A paid answer is kept under its attempt, whoever holds the user by now. */
function store(
  fusion: FusionModel,
  attempt: number,
  manner: Manner,
  members: Member[],
  user: UserModel,
): void {
  if (fusion.attempt !== attempt) return;
  if (fusion.status !== 'planned' && fusion.status !== 'generated') return;
  const complete = members.every(({ name }) => user.memories.has(name));
  if (complete) Object.assign(fusion, { answer: manner, answerState: 'unjudged', status: 'generated' });
  else Object.assign(fusion, { answer: null, answerState: 'none', status: 'stale' });
}

export function* fail(
  fusion: FusionModel,
  code: string,
  { final, reject, at }: { final: boolean; reject: boolean; at: number },
): Steps<void> {
  yield 'after-failed';
  failNow(fusion, code, { final, reject, at });
}

export function failNow(
  fusion: FusionModel,
  code: string,
  { final, reject, at }: { final: boolean; reject: boolean; at: number },
): void {
  if (fusion.status !== 'planned' && fusion.status !== 'generated') return;
  fusion.errorCode = code;
  if (reject && fusion.answer !== null) fusion.answerState = 'rejected';
  if (!final) return;
  Object.assign(fusion, { status: 'failed', failedAt: at });
  fusion.live.clear();
}
