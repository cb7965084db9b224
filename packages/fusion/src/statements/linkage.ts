import type { JoinRule, Link } from '../components.ts';
import type { Slices } from '../slices.ts';

/** Joins tried in one slice. */
const TRIED_AT_ONCE = 2_000;

/** Groups of nodes, found by node. */
export interface Groups {
  /** The node that stands for a node's group. */
  find(node: number): number;
  /** The nodes of the group that this node stands for. */
  membersOf(root: number): readonly number[];
}

/**
 * Joins nodes closest first, by average linkage: two groups are as close as the mean weight of all pairs between them, a pair without a link
 * counting 0. So what says the same is joined before anything is joined to one of its members, and no chain of neighbours cuts it apart.
 * A refused join stays refused, since groups only grow. Work is near-linear in the links while groups are small.
 *
 * @param links of any number for a pair; the strongest counts
 * @param minCloseness groups that are less close are not joined
 */
export function* joinClosest(
  size: number,
  links: readonly Link[],
  mayJoin: JoinRule,
  minCloseness = 0,
): Slices<Groups> {
  const parents = Array.from({ length: size }, (_, node) => node);
  const members: number[][] = parents.map((node) => [node]);
  const sums: Map<number, number>[] = parents.map(() => new Map());
  for (const { a, b, weight } of links) {
    if (a === b || weight <= (sums[a]!.get(b) ?? 0)) continue;
    sums[a]!.set(b, weight);
    sums[b]!.set(a, weight);
  }
  const closeness = (a: number, b: number): number =>
    sums[a]!.get(b)! / (members[a]!.length * members[b]!.length);
  const heap = createHeap();
  for (const [a, others] of sums.entries())
    for (const b of others.keys()) if (a < b) heap.push(closeness(a, b), a, b);
  const find = (node: number): number => {
    let root = node;
    while (parents[root] !== root) root = parents[root]!;
    return root;
  };
  for (
    let tried = 1, next = heap.pop();
    next !== null && next.weight >= minCloseness;
    tried += 1, next = heap.pop()
  ) {
    if (tried % TRIED_AT_ONCE === 0) yield;
    const { weight, a, b } = next;
    // Either group has grown since, or the pair was refused.
    if (parents[a] !== a || parents[b] !== b || !sums[a]!.has(b) || closeness(a, b) !== weight) continue;
    sums[a]!.delete(b);
    sums[b]!.delete(a);
    if (!mayJoin(members[a]!, members[b]!)) continue;
    const [kept, gone] = members[a]!.length >= members[b]!.length ? [a, b] : [b, a];
    for (const node of members[gone]!) members[kept]!.push(node);
    members[gone] = [];
    parents[gone] = kept;
    for (const [other, sum] of sums[gone]!) {
      sums[other]!.delete(gone);
      const both = (sums[kept]!.get(other) ?? 0) + sum;
      sums[kept]!.set(other, both);
      sums[other]!.set(kept, both);
    }
    sums[gone]!.clear();
    for (const other of sums[kept]!.keys())
      heap.push(closeness(kept, other), Math.min(kept, other), Math.max(kept, other));
  }
  return { find, membersOf: (root) => members[root]! };
}

interface Entry {
  weight: number;
  a: number;
  b: number;
}

/** A binary heap, the closest first; ties by the smaller nodes, so that the order never depends on the input's. */
function createHeap() {
  const entries: Entry[] = [];
  const isBefore = (one: Entry, other: Entry): boolean =>
    one.weight !== other.weight
      ? one.weight > other.weight
      : one.a !== other.a
        ? one.a < other.a
        : one.b < other.b;
  const swap = (i: number, j: number): void => {
    [entries[i], entries[j]] = [entries[j]!, entries[i]!];
  };
  return {
    push(weight: number, a: number, b: number): void {
      entries.push({ weight, a, b });
      for (let at = entries.length - 1; at > 0; ) {
        const above = (at - 1) >> 1;
        if (!isBefore(entries[at]!, entries[above]!)) break;
        swap(at, above);
        at = above;
      }
    },
    pop(): Entry | null {
      const first = entries[0];
      if (first === undefined) return null;
      const last = entries.pop()!;
      if (entries.length === 0) return first;
      entries[0] = last;
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        let best = at;
        if (left < entries.length && isBefore(entries[left]!, entries[best]!)) best = left;
        if (right < entries.length && isBefore(entries[right]!, entries[best]!)) best = right;
        if (best === at) return first;
        swap(at, best);
        at = best;
      }
    },
  };
}
