import type { FusionModel, Member, MemoryModel, Model, UserModel } from './state.ts';
import { fusionsOf, memoriesOf, note, staleOver } from './state.ts';

/** Memories as sets of facts: what people write, edit, forget, and what is taken back. */

export const isLatest = (memory: MemoryModel | undefined): memory is MemoryModel => memory?.by === null;

/** The real one stores a key that says as much. */
export const fusionIdOf = (tier: string, members: readonly Pick<Member, 'name' | 'token'>[]): string =>
  `${tier} ${members
    .map(({ name, token }) => `${name}=${token}`)
    .sort()
    .join(' ')}`;

const setOf = (id: string): string => id.slice(id.indexOf(' ') + 1);

/**
 * What a run may fuse now, the largest first: groups are chains, and a chain falls apart where a link of it is gone or away.
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
  const known = knownSets(user, tier);
  return parts
    .filter((part) => part.length >= 3)
    .map((part) => part.map(({ name, fact, version }): Member => ({ name, token: fact.token, version })))
    .filter((members) => !known.has(setOf(fusionIdOf(tier, members))))
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

function knownSets(user: UserModel, tier: 'deep' | 'sleep'): Set<string> {
  const known = fusionsOf(user).filter(
    ({ status, tier: of }) =>
      ['undone', 'rejected', 'forgotten', 'review'].includes(status) || (status === 'failed' && of === tier),
  );
  return new Set(known.map(({ id }) => setOf(id)));
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

/** With all that was made of it; what that stood for stands for itself again. */
export function forget(model: Model, user: UserModel, name: string): void {
  const concerned = fusionsOf(user).filter(({ members }) => members.some((member) => member.name === name));
  for (const fusion of concerned) {
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
  fusion.status = 'applied';
  fusion.errorCode = null;
  for (const name of covered) {
    const memory = user.memories.get(name)!;
    memory.by = fusion.id;
    memory.version += 1;
    fusion.superseded.add(name);
  }
}
