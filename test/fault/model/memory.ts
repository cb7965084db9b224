import type { FusionModel, FusionStatus, Member, MemoryModel, Model, UserModel } from './state.ts';
import { fusionsOf, memoriesOf, note, staleOver, statementsOf } from './state.ts';

/** Smaller clusters are left alone. */
const CLUSTER_MIN = 3;
/** Where a statement is, its words are kept somewhere. */
const SAYING: readonly FusionStatus[] = ['applied', 'undone', 'review'];

/** Memories as sets of facts: what people write, edit, forget, and what is taken back. */

export const isLatest = (memory: MemoryModel | undefined): memory is MemoryModel => memory?.by === null;

/** The real one stores a key that says as much. */
export const fusionIdOf = (tier: string, members: readonly Pick<Member, 'name' | 'token'>[]): string =>
  `${tier} ${members
    .map(({ name, token }) => `${name}=${token}`)
    .sort()
    .join(' ')}`;

/** A statement is one of its request, however it is worded. */
export const statementIdOf = (request: string, names: readonly string[]): string =>
  `${request} / ${[...names].sort().join(' ')}`;

/** What is fused, whoever asks for it. */
export const setOf = (members: readonly Pick<Member, 'name' | 'token'>[]): string =>
  fusionIdOf('set', members);

/**
 * What a run may ask about now, the largest first: groups are chains, and a chain falls apart where a link of it is gone or away. Enough of
 * its members need a link to one with which they were never offered.
 * @returns members in the order in which they were said
 */
export function planOf(user: UserModel, tier: 'deep' | 'sleep'): Member[][] {
  const waiting = new Set(
    fusionsOf(user).flatMap(({ status, live }) => (status === 'review' ? [...live] : [])),
  );
  const parts: MemoryModel[][] = [];
  for (let group = 0; group < user.groups; group++) {
    let part: MemoryModel[] = [];
    for (const memory of chainOf(user, group)) {
      if (memory && isLatest(memory) && !waiting.has(memory.name)) part.push(memory);
      else {
        parts.push(part);
        part = [];
      }
    }
    parts.push(part);
  }
  const known = takenBack(user);
  for (const { status, tier: of, set } of fusionsOf(user))
    if (status === 'failed' && of === tier) known.add(set);
  const offered = offeredPairs(user);
  const isNew = (one: Member, other: Member | undefined) => other && !offered.has(pairOf(one, other));
  return parts
    .filter((part) => part.length >= CLUSTER_MIN)
    .map((part) => part.map(({ name, fact, version }): Member => ({ name, token: fact.token, version })))
    .filter((part) => {
      const fresh = part.filter((member, at) => isNew(member, part[at - 1]) || isNew(member, part[at + 1]));
      return fresh.length >= CLUSTER_MIN;
    })
    .filter((members) => !known.has(setOf(members)))
    .sort((one, other) => other.length - one.length);
}

/** The memories of a group, in their order; undefined where one was forgotten. */
function chainOf(user: UserModel, group: number): (MemoryModel | undefined)[] {
  const members = [...memoriesOf(user)].filter((memory) => memory.group === group);
  const all = [
    ...members.map(({ name }) => name),
    ...[...user.forgotten].filter((name) => groupOf(name) === group),
  ];
  return all.sort((one, other) => serialOf(one) - serialOf(other)).map((name) => user.memories.get(name));
}

/** Names are `g<group>m<serial>`. */
export const groupOf = (name: string): number => Number(name.slice(1, name.indexOf('m')));
export const serialOf = (name: string): number => Number(name.slice(name.indexOf('m') + 1));

/** Sets that stay apart: taken back, turned down, forgotten, or before a person. */
export function takenBack(user: UserModel): Set<string> {
  const known = fusionsOf(user).filter(({ status }) =>
    ['undone', 'rejected', 'forgotten', 'review'].includes(status),
  );
  return new Set(known.map(({ set }) => set));
}

const pairOf = (...pair: [Member, Member]): string => setOf(pair);

/** Pairs that somebody was asked about, as they were then. */
function offeredPairs(user: UserModel): Set<string> {
  const closed = fusionsOf(user).filter(({ status }) => status === 'closed');
  return new Set(
    closed.flatMap(({ members }) =>
      members.flatMap((one, at) => members.slice(at + 1).map((other) => pairOf(one, other))),
    ),
  );
}

/** Whether a memory is still what somebody planned with. */
export function isAsPlanned(user: UserModel, member: Member): boolean {
  const memory = user.memories.get(member.name);
  return isLatest(memory) && memory.version === member.version && memory.fact.token === member.token;
}

export function edit(user: UserModel, memory: MemoryModel, token: string): void {
  memory.fact = { ...memory.fact, token };
  memory.version += 1;
  staleOver(user, [memory.name]);
}

/**
 * With all that was made of it; what that stood for stands for itself again. So it is with other statements of an answer that had read it and
 * may have its words: all memories here have some words in common.
 */
export function forget(model: Model, user: UserModel, name: string): void {
  const fusions = fusionsOf(user);
  const made = fusions.filter(({ members }) => members.some((member) => member.name === name));
  const beside = made
    .flatMap(({ id }) => statementsOf(user, id))
    .filter((statement) => !made.includes(statement) && SAYING.includes(statement.status));
  for (const { status } of beside) note(model, `${status} beside what is forgotten`);
  for (const fusion of [...made, ...beside]) {
    const stood = fusion.status === 'applied';
    Object.assign(fusion, {
      status: 'forgotten',
      errorCode: null,
      reviewEnds: null,
      failedAt: null,
      answer: null,
      answerState: 'none',
    });
    fusion.live.clear();
    fusion.superseded.clear();
    if (stood) {
      for (const memory of memoriesOf(user)) if (memory.by === fusion.id) reopen(memory);
      note(model, 'derived forgotten');
    }
  }
  user.memories.delete(name);
  user.forgotten.add(name);
  for (const fusion of fusionsOf(user)) {
    fusion.members = fusion.members.filter((member) => member.name !== name);
  }
}

function reopen(memory: MemoryModel): void {
  memory.by = null;
  memory.version += 1;
}

export const mayUndo = ({ status, applied }: FusionModel): boolean =>
  status === 'applied' && applied !== null;

export function undo(user: UserModel, fusion: FusionModel): void {
  const { covered } = fusion.applied!;
  fusion.applied!.undone = true;
  fusion.status = 'undone';
  fusion.errorCode = null;
  fusion.superseded.clear();
  for (const name of covered) reopen(user.memories.get(name)!);
  staleOver(user, covered);
}

/** What was undone may stand again as long as its sources say what they said, and stand for themselves. */
export function mayRedo(user: UserModel, { status, applied, members }: FusionModel): boolean {
  if (status !== 'undone' || applied === null) return false;
  return applied.covered.every((name) => {
    const memory = user.memories.get(name);
    return (
      isLatest(memory) && members.some((member) => member.name === name && member.token === memory.fact.token)
    );
  });
}

export function redo(user: UserModel, fusion: FusionModel): void {
  const { covered } = fusion.applied!;
  staleOver(user, covered);
  fusion.applied!.undone = false;
  fusion.status = 'applied';
  fusion.errorCode = null;
  for (const name of covered) {
    const memory = user.memories.get(name)!;
    memory.by = fusion.id;
    memory.version += 1;
    fusion.superseded.add(name);
  }
}
