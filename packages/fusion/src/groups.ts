import { createComponents, type JoinRule, type Link } from './components.ts';
import type { Slices } from './slices.ts';
import { joinClosest } from './statements/linkage.ts';

/** Memories that may say the same, by their nodes. */
export interface Group {
  nodes: number[];
  /** Mean closeness of its pairs; a pair without a link counts 0. */
  closeness: number;
  /** Worth a request; else it fills one that has room. */
  opens: boolean;
}

export interface GroupRules {
  /** Links of memories that are close, and of those that are related; weights are closeness. */
  close: readonly Link[];
  related: readonly Link[];
  /** Whether two groups may be one: size, categories, and what must stay apart. */
  mayJoin: JoinRule;
  /** Whether a pair was in one group of a request before. */
  wasOffered: (a: number, b: number) => boolean;
  /** Whether a node is inside the window of the plan: a group has one at least. */
  isInside: (node: number) => boolean;
  /** Size limit of what closeness joins, and of a component of relations that is a group as it stands. */
  maxGroupSize: number;
  maxComponentSize: number;
  /** Mean closeness of a group that is worth a request, and of one that fills one. */
  minCloseness: number;
  fillCloseness: number;
}

/**
 * Puts memories into groups of which none is in two, and keeps those that are not of partners alone and have a pair that was never offered. A component of relations of three
 * memories or more is a group where it is not too large; of the rest the closest are joined first. What was offered is joined as before, so
 * that a group which came to nothing does not come apart into ever less close ones.
 */
export function* findGroups(size: number, rules: GroupRules): Slices<Group[]> {
  const { close, related, mayJoin, wasOffered, isInside, maxGroupSize, minCloseness, fillCloseness } = rules;
  const components = relatedGroups(size, rules);
  const taken = new Set(components.flat());
  const small: JoinRule = (one, other) => one.length + other.length <= maxGroupSize && mayJoin(one, other);
  const groups = components.map((nodes) => ({ nodes, opens: true }));
  for (const least of [minCloseness, fillCloseness]) {
    const free = [...close, ...related].filter(({ a, b }) => !taken.has(a) && !taken.has(b));
    const joined = yield* joinClosest(size, free, small, least);
    for (let node = 0; node < size; node += 1) {
      const nodes = joined.membersOf(node);
      if (joined.find(node) === node && nodes.length > 1)
        groups.push({ nodes: [...nodes], opens: least === minCloseness });
    }
    for (const { nodes } of groups) for (const node of nodes) taken.add(node);
  }
  const fresh = groups.filter(({ nodes }) => {
    if (isOffered(nodes, wasOffered)) return false; // guard: plan-offered
    if (!nodes.some(isInside)) return false; // guard: plan-inside
    return true;
  });
  return weighed(size, fresh, [...close, ...related]);
}

/** Whether each pair of a group was offered. */
const isOffered = (nodes: readonly number[], wasOffered: GroupRules['wasOffered']): boolean =>
  nodes.every((a, at) => nodes.slice(at + 1).every((b) => wasOffered(a, b)));

function relatedGroups(size: number, { related, mayJoin, maxComponentSize }: GroupRules): number[][] {
  const whole = createComponents(size);
  for (const { a, b } of related) whole.join(a, b, () => true);
  const parts = createComponents(size);
  for (const { a, b } of related)
    if (whole.membersOf(whole.find(a)).length <= maxComponentSize) parts.join(a, b, mayJoin);
  const groups: number[][] = [];
  for (const node of new Set(related.map(({ a }) => parts.find(a)))) {
    const nodes = parts.membersOf(node);
    if (nodes.length >= 3) groups.push([...nodes]);
  }
  return groups;
}

function weighed(size: number, groups: readonly Omit<Group, 'closeness'>[], links: readonly Link[]): Group[] {
  const groupOf = new Map(groups.flatMap((group) => group.nodes.map((node) => [node, group] as const)));
  const strongest = new Map(groups.map((group) => [group, new Map<number, number>()]));
  for (const { a, b, weight } of links) {
    const group = groupOf.get(a);
    if (group === undefined || group !== groupOf.get(b)) continue;
    const pairs = strongest.get(group)!;
    pairs.set(a * size + b, Math.max(weight, pairs.get(a * size + b) ?? 0));
  }
  return groups.map((group) => {
    const { nodes, opens } = group;
    const pairs = (nodes.length * (nodes.length - 1)) / 2;
    // Sorted: the sum is the same in whatever order the links came.
    const weights = [...strongest.get(group)!.values()].sort((one, other) => one - other);
    const closeness = weights.reduce((sum, weight) => sum + weight, 0) / pairs;
    return { nodes: nodes.toSorted((a, b) => a - b), closeness, opens };
  });
}
