import type { Link } from './components.ts';

export interface SplitBounds {
  /** Smaller parts are none. */
  minSize: number;
  maxSize: number;
}

export interface Split {
  /** Nodes of each part, ascending; parts by their first node. */
  parts: number[][];
  /** Nodes for which no part was found, ascending. */
  leftOut: number[];
}

interface Work extends SplitBounds {
  /** For each node the nodes that it is linked to, strongest link first. */
  near: number[][];
  /** Part of each node; null while it has none. */
  partOf: (number | null)[];
  parts: number[][];
}

/**
 * Cuts a group that is too large into parts within bounds, of similar size, leaving out as little as it can. First along its links, so
 * that each part is connected by itself; what remains joins a part beside it that has room; what then remains is put together where it is
 * linked to one and the same node. Near-linear in nodes and links.
 *
 * @param size number of nodes, from 0
 */
export function splitGroup(size: number, links: readonly Link[], bounds: SplitBounds): Split {
  const work: Work = {
    ...bounds,
    near: neighboursOf(size, links),
    partOf: Array.from({ length: size }, () => null),
    parts: [],
  };
  if (bounds.minSize <= bounds.maxSize) {
    while (cutComponents(work)) {
      // Each round cuts at least one part; what fell off its edges may hang together.
    }
    while (joinParts(work)) {
      // A node that found room may bring the next one along.
    }
    groupSiblings(work);
  }
  const parts = work.parts.map((part) => part.sort(ascending)).sort((one, other) => one[0]! - other[0]!);
  return { parts, leftOut: freeNodes(work) };
}

function neighboursOf(size: number, links: readonly Link[]): number[][] {
  const weights = Array.from({ length: size }, () => new Map<number, number>());
  for (const { a, b, weight } of links) {
    if (a === b) continue;
    const known = weights[a]!.get(b) ?? Number.NEGATIVE_INFINITY;
    weights[a]!.set(b, Math.max(known, weight));
    weights[b]!.set(a, Math.max(known, weight));
  }
  return weights.map((near) =>
    [...near].sort((one, other) => other[1] - one[1] || one[0] - other[0]).map(([node]) => node),
  );
}

/** Cuts every component of nodes without a part; whether that gave any part. */
function cutComponents(work: Work): boolean {
  const before = work.parts.length;
  const seen = new Set<number>();
  for (const start of freeNodes(work)) {
    if (seen.has(start)) continue;
    seen.add(start);
    const component = [start];
    for (const node of component) {
      for (const next of work.near[node]!) {
        if (seen.has(next) || work.partOf[next] !== null) continue;
        seen.add(next);
        component.push(next);
      }
    }
    if (component.length < work.minSize) continue;
    if (component.length <= work.maxSize) addPart(work, component);
    else cutTree(work, component.at(-1)!, component.length);
  }
  return work.parts.length > before;
}

/**
 * Walks the component depth first and collects nodes from the leaves upwards into bags; a bag that its parent's has no room for becomes a
 * part. Depth first from a node at the rim makes long branches, which can be cut almost anywhere.
 */
function cutTree(work: Work, root: number, size: number): void {
  const { near, partOf, minSize, maxSize } = work;
  const target = Math.max(minSize, Math.floor(size / Math.ceil(size / maxSize)));
  const bags = new Map([[root, [root]]]);
  const finished: number[][] = [];
  const path = [{ node: root, next: 0 }];
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const next = near[top.node]![top.next];
    top.next += 1;
    if (next !== undefined) {
      if (bags.has(next) || partOf[next] !== null) continue;
      bags.set(next, [next]);
      path.push({ node: next, next: 0 });
      continue;
    }
    path.pop();
    const bag = bags.get(top.node)!;
    const parent = path.at(-1);
    const above = parent && bags.get(parent.node)!;
    // A small bag could be no part of its own, so it may fill its parent's up to the limit.
    if (above && above.length + bag.length <= (bag.length < minSize ? maxSize : target)) above.push(...bag);
    else finished.push(bag);
  }
  for (const bag of finished) {
    if (bag.length >= minSize) addPart(work, bag);
  }
}

/** One pass over the nodes without a part: each joins the part of its strongest neighbour that has room. Whether one did. */
function joinParts(work: Work): boolean {
  let joined = false;
  for (const node of freeNodes(work)) {
    for (const next of work.near[node]!) {
      const part = work.partOf[next] ?? null;
      if (part === null || work.parts[part]!.length >= work.maxSize) continue;
      work.parts[part]!.push(node);
      work.partOf[node] = part;
      joined = true;
      break;
    }
  }
  return joined;
}

/** Parts of nodes that have nothing but a neighbour in common, such as the rays of a star whose centre is taken. */
function groupSiblings(work: Work): void {
  for (const near of work.near) {
    const free = near.filter((node) => work.partOf[node] === null);
    const count = Math.min(Math.ceil(free.length / work.maxSize), Math.floor(free.length / work.minSize));
    for (let part = 0; part < count; part += 1) {
      const size = Math.min(work.maxSize, Math.ceil(free.length / (count - part)));
      addPart(work, free.splice(0, size));
    }
  }
}

function addPart(work: Work, nodes: number[]): void {
  const part = work.parts.push(nodes) - 1;
  for (const node of nodes) work.partOf[node] = part;
}

function freeNodes({ partOf }: Work): number[] {
  const free: number[] = [];
  for (const [node, part] of partOf.entries()) if (part === null) free.push(node);
  return free;
}

function ascending(one: number, other: number): number {
  return one - other;
}
