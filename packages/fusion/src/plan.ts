import { type Components, createComponents, type JoinRule, type Link } from './components.ts';
import { pickRelations, selectLinks, selectNodes, selectTwinLinks } from './links.ts';
import type { Candidate, Edge, MemoryCategory } from './memory.ts';
import type { ClusterPlan, PlanCounts, PlanOptions } from './plan-config.ts';
import { readTwins, type TwinReading } from './twins.ts';

/** Plans the clusters of one user. The order of the input does not matter; the work is near-linear in the edges. */
export function planClusters(candidates: Candidate[], edges: Edge[], options: PlanOptions): ClusterPlan {
  const counts = emptyCounts(candidates.length, edges.length);
  const nodes = selectNodes(candidates, options, counts);
  counts.eligible = nodes.length;
  const { links, relations } = selectLinks(nodes, edges, options);
  counts.edgesUsed = links.length;
  const twins = readTwins(nodes, selectTwinLinks(nodes, edges));
  counts.conflictCandidates = twins.conflictCount;
  counts.duplicates = twins.duplicateCount;

  const components = createComponents(nodes.length);
  const mayJoin = createJoinRule(nodes, twins, options, counts);
  for (const link of links) components.join(link.a, link.b, mayJoin);
  const drafts = selectDrafts(nodes, components, links, options, counts);
  const byRoot = groupByRoot(relations, components);
  return {
    clusters: drafts.map(({ members, root }) => ({
      members,
      relations: pickRelations(byRoot.get(root) ?? []),
    })),
    conflictCandidates: twins.conflictCandidates,
    duplicates: twins.duplicates,
    counts,
  };
}

function createJoinRule(
  nodes: Candidate[],
  twins: TwinReading,
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
    return true;
  };
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
  components: Components,
  links: Link[],
  options: PlanOptions,
  counts: PlanCounts,
): Draft[] {
  const weights = totalWeights(components, links, nodes.length);
  const drafts: Draft[] = [];
  for (let node = 0; node < nodes.length; node += 1) {
    if (components.find(node) !== node) continue;
    const members = components.membersOf(node).map((member) => nodes[member]!);
    if (members.length === 1) counts.singletons += 1;
    else if (members.length < options.minClusterSize) counts.tooSmall += 1;
    if (members.length < Math.max(2, options.minClusterSize)) continue;
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

/** Sum of the strongest link of each pair inside a component; links come strongest first. */
function totalWeights(components: Components, links: Link[], size: number): Map<number, number> {
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

function groupByRoot(relations: { edge: Edge; link: Link }[], components: Components): Map<number, Edge[]> {
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
    singletons: 0,
    tooSmall: 0,
    knownSets: 0,
    capped: 0,
    clusters: 0,
    members: 0,
    conflictCandidates: 0,
    duplicates: 0,
  };
}
