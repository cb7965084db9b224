import type { JoinRule, Link } from './components.ts';
import { planMerges } from './gate/merge.ts';
import { sameWordings } from './gate/same-wording.ts';
import { readTwinsInSlices, type TwinReading } from './gate/twins.ts';
import { pickRelations, selectLinks, selectNodes, selectTwinLinks } from './links.ts';
import type { Candidate, Edge, MemoryCategory } from './memory.ts';
import type { ClusterPlan, PlanCounts, PlanOptions } from './plan-config.ts';
import { inOneGo, type Slices } from './slices.ts';
import { type Groups, joinClosest } from './statements/linkage.ts';

/** Plans the clusters of one user. The order of the input does not matter; the work is near-linear in the edges. */
export function planClusters(candidates: Candidate[], edges: Edge[], options: PlanOptions): ClusterPlan {
  return inOneGo(planInSlices(candidates, edges, options));
}

/** As planClusters, in slices: the plan of a large user takes longer than others can wait. */
export function* planInSlices(
  candidates: Candidate[],
  edges: Edge[],
  options: PlanOptions,
): Slices<ClusterPlan> {
  const counts = emptyCounts(candidates.length, edges.length);
  const nodes = selectNodes(candidates, options, counts);
  counts.eligible = nodes.length;
  const { links, relations } = selectLinks(nodes, edges, options);
  counts.edgesUsed = links.length;
  yield;
  const twinLinks = selectTwinLinks(nodes, edges);
  const twins = yield* readTwinsInSlices(nodes, twinLinks);
  const { duplicates, duplicateCount } = sameWordings(nodes);
  counts.conflictCandidates = twins.conflictCount;
  counts.duplicates = duplicateCount;
  const merges = planMerges(nodes, duplicates, (one, other) => mayMerge(one, other, options));
  counts.merges = merges.length;
  const merging = new Set(merges.flatMap(({ keepId, dropId }) => [keepId, dropId]));

  const apart = readPairs(nodes, options.apart ?? []);
  const mayJoin = createJoinRule(nodes, twins, apart, options, counts);
  const staying = links.filter(({ a, b }) => !merging.has(nodes[a]!.id) && !merging.has(nodes[b]!.id));
  const components = yield* joinClosest(nodes.length, staying, mayJoin);
  const drafts = selectDrafts(nodes, components, links, options, counts);
  const byRoot = groupByRoot(relations, components);
  return {
    clusters: drafts.map(({ members, root }) => ({
      members,
      relations: pickRelations(byRoot.get(root) ?? []),
    })),
    conflictCandidates: twins.conflictCandidates,
    duplicates,
    merges,
    counts,
  };
}

/** A pair is left alone whose disagreement waits to be settled, and one whose merge waits, was undone or was rejected. */
function mayMerge(one: Candidate, other: Candidate, { apart = [], isKnownSourceSet }: PlanOptions): boolean {
  const pair = pairKey(one.id, other.id);
  return !apart.some(({ a, b }) => pairKey(a, b) === pair) && isKnownSourceSet?.([one, other]) !== true;
}

function createJoinRule(
  nodes: Candidate[],
  twins: TwinReading,
  apart: (a: number, b: number) => boolean,
  options: PlanOptions,
  counts: PlanCounts,
): JoinRule {
  return (one, other) => {
    const size = one.length + other.length;
    // Sizes first: a full component is met by many more edges, and this check costs nothing.
    if (size > options.maxClusterSize || size > sizeLimit([...one, ...other], nodes, options)) {
      counts.unionsTooLarge += 1;
      return false;
    }
    if (one.some((a) => other.some((b) => twins.areEnemies(a, b)))) {
      counts.unionsOfTwins += 1;
      return false;
    }
    if (one.some((a) => other.some((b) => apart(a, b)))) {
      counts.unionsApart += 1;
      return false;
    }
    return true;
  };
}

/** Whether two nodes are one of these pairs. */
function readPairs(nodes: Candidate[], pairs: { a: string; b: string }[]): (a: number, b: number) => boolean {
  const keys = new Set(pairs.map(({ a, b }) => pairKey(a, b)));
  return (a, b) => keys.size > 0 && keys.has(pairKey(nodes[a]!.id, nodes[b]!.id));
}

function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

function sizeLimit(members: number[], nodes: Candidate[], options: PlanOptions): number {
  const categories = new Set<MemoryCategory>();
  for (const node of members) categories.add(nodes[node]!.category);
  return categories.size > 2
    ? Math.min(options.mixedMaxSize, options.maxClusterSize)
    : options.maxClusterSize;
}

interface Draft {
  root: number;
  members: Candidate[];
  weight: number;
}

function selectDrafts(
  nodes: Candidate[],
  components: Groups,
  links: Link[],
  options: PlanOptions,
  counts: PlanCounts,
): Draft[] {
  const weights = totalWeights(components, links, nodes.length);
  const fresh = freshMembers(components, links, nodes, options);
  const drafts: Draft[] = [];
  for (let node = 0; node < nodes.length; node += 1) {
    if (components.find(node) !== node) continue;
    const members = components.membersOf(node).map((member) => nodes[member]!);
    if (members.length === 1) counts.singletons += 1;
    else if (members.length < options.minClusterSize) counts.tooSmall += 1;
    if (members.length < Math.max(2, options.minClusterSize)) continue;
    if ((fresh.get(node)?.size ?? 0) < options.minClusterSize) {
      counts.offeredBefore += 1;
      continue;
    }
    members.sort((one, other) => one.documentDate - other.documentDate || compareText(one.id, other.id));
    if (options.isKnownSourceSet?.(members)) counts.knownSets += 1;
    else drafts.push({ root: node, members, weight: weights.get(node) ?? 0 });
  }
  drafts.sort(
    (one, other) =>
      other.members.length - one.members.length ||
      other.weight - one.weight ||
      compareText(one.members[0]!.id, other.members[0]!.id),
  );
  const kept = drafts.slice(0, options.maxClusters);
  counts.capped = drafts.length - kept.length;
  counts.clusters = kept.length;
  counts.members = kept.reduce((sum, { members }) => sum + members.length, 0);
  return kept;
}

/** Members of each component that have a link to another one with which they were never offered, by root. */
function freshMembers(
  components: Groups,
  links: readonly Link[],
  nodes: Candidate[],
  { offered = [] }: PlanOptions,
): Map<number, Set<number>> {
  const wasOffered = readPairs(nodes, offered);
  const fresh = new Map<number, Set<number>>();
  for (const { a, b } of links) {
    const root = components.find(a);
    if (root !== components.find(b)) continue;
    if (wasOffered(a, b)) continue; // guard: plan-offered
    fresh.set(root, (fresh.get(root) ?? new Set()).add(a).add(b));
  }
  return fresh;
}

/** Sum of the strongest link of each pair inside a component; links come strongest first. */
function totalWeights(components: Groups, links: Link[], size: number): Map<number, number> {
  const weights = new Map<number, number>();
  const seen = new Set<number>();
  for (const { a, b, weight } of links) {
    const root = components.find(a);
    const pair = a * size + b;
    if (root !== components.find(b) || seen.has(pair)) continue;
    seen.add(pair);
    weights.set(root, (weights.get(root) ?? 0) + weight);
  }
  return weights;
}

function groupByRoot(relations: { edge: Edge; link: Link }[], components: Groups): Map<number, Edge[]> {
  const byRoot = new Map<number, Edge[]>();
  for (const { edge, link } of relations) {
    const root = components.find(link.a);
    if (root !== components.find(link.b)) continue;
    const same = byRoot.get(root);
    if (same) same.push(edge);
    else byRoot.set(root, [edge]);
  }
  return byRoot;
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function emptyCounts(considered: number, edges: number): PlanCounts {
  return {
    considered,
    notEligible: 0,
    outsideWindow: 0,
    tooYoung: 0,
    tooLong: 0,
    eligible: 0,
    edges,
    edgesUsed: 0,
    unionsTooLarge: 0,
    unionsOfTwins: 0,
    unionsApart: 0,
    singletons: 0,
    tooSmall: 0,
    knownSets: 0,
    offeredBefore: 0,
    capped: 0,
    clusters: 0,
    members: 0,
    conflictCandidates: 0,
    duplicates: 0,
    merges: 0,
  };
}
