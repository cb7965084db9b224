import type { JoinRule, Link } from './components.ts';
import { planMerges } from './gate/merge.ts';
import { sameWordings } from './gate/same-wording.ts';
import { readTwinsInSlices, type TwinReading } from './gate/twins.ts';
import { findGroups, type Group } from './groups.ts';
import { pickRelations, selectLinks, selectNodes, selectTwinLinks } from './links.ts';
import type { Candidate, Cluster, Edge, MemoryCategory } from './memory.ts';
import {
  byDate,
  type ClusterPlan,
  emptyCounts,
  type PlanCounts,
  type PlanOptions,
  pairKey,
} from './plan-config.ts';
import type { OfferedPair } from './ports.ts';
import { type Packed, packGroups } from './requests.ts';
import { inOneGo, type Slices } from './slices.ts';

/** Plans the requests of one user. The order of the input does not matter; the work is near-linear in the edges. */
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
  const { close, relations } = selectLinks(nodes, edges, options);
  yield;
  const twinLinks = selectTwinLinks(nodes, edges);
  const twins = yield* readTwinsInSlices(nodes, twinLinks);
  // Without a model only what is inside the window is joined, or put before a person.
  const partners = new Set(nodes.flatMap(({ id, isPartner }) => (isPartner ? id : [])));
  const { duplicates, duplicateCount } = yield* sameWordings(nodes.filter(({ id }) => !partners.has(id)));
  const conflictCandidates = twins.conflictCandidates.filter(
    ({ a, b }) => !partners.has(a) && !partners.has(b),
  );
  counts.conflictCandidates =
    twins.conflictCount - twins.conflictCandidates.length + conflictCandidates.length;
  counts.duplicates = duplicateCount;
  const apartIds = new Set((options.apart ?? []).map(({ a, b }) => pairKey(a, b)));
  // A pair is left alone whose disagreement waits to be settled, and one whose merge waits, was undone or was rejected.
  const mayMerge = (one: Candidate, other: Candidate): boolean =>
    !apartIds.has(pairKey(one.id, other.id)) && options.isKnownSourceSet?.([one, other]) !== true;
  const merges = planMerges(nodes, duplicates, mayMerge);
  counts.merges = merges.length;
  const merging = new Set(merges.flatMap(({ keepId, dropId }) => [keepId, dropId]));

  const apart = readPairs(nodes, options.apart ?? []);
  const mustStayApart = (one: readonly number[], other: readonly number[]): boolean =>
    one.some((a) => other.some((b) => twins.areEnemies(a, b) || apart(a, b)));
  const staying = ({ a, b }: Link): boolean => !merging.has(nodes[a]!.id) && !merging.has(nodes[b]!.id);
  const wasOffered = readPairs(nodes, offeredPairs(options, false));
  const rules = {
    close: close.filter(staying),
    related: relations.map(({ link }) => link).filter(staying),
    wasOffered,
    isInside: (node: number) => !partners.has(nodes[node]!.id),
    mayJoin: createJoinRule(nodes, twins, apart, options, counts),
    maxGroupSize: options.maxGroupSize,
    maxComponentSize: options.maxClusterSize,
    minCloseness: options.minCloseness,
    fillCloseness: options.fillCloseness,
  };
  const links = [...rules.close, ...rules.related];
  counts.edgesUsed = links.length;
  counts.offeredBefore = links.filter(({ a, b }) => wasOffered(a, b)).length;
  const groups = yield* findGroups(nodes.length, rules);
  counts.groups = groups.length;
  counts.singletons = nodes.length - groups.reduce((sum, group) => sum + group.nodes.length, 0);
  const requests = selectRequests(nodes, groups, mustStayApart, options, counts);
  return {
    clusters: clustersOf(requests, nodes, relations),
    conflictCandidates,
    duplicates,
    merges,
    counts,
  };
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

function sizeLimit(members: number[], nodes: Candidate[], options: PlanOptions): number {
  const categories = new Set<MemoryCategory>();
  for (const node of members) categories.add(nodes[node]!.category);
  return categories.size > 2
    ? Math.min(options.mixedMaxSize, options.maxClusterSize)
    : options.maxClusterSize;
}

/** Requests of groups that are not known. One that is known as a whole is asked about group by group, and so is what failed before. */
function selectRequests(
  nodes: Candidate[],
  groups: Group[],
  mustStayApart: (one: readonly number[], other: readonly number[]) => boolean,
  options: PlanOptions,
  counts: PlanCounts,
): Packed[] {
  const { maxClusters, crossCategory, isKnownSourceSet = () => false } = options;
  const isKnown = (set: readonly Group[]): boolean =>
    isKnownSourceSet(set.flatMap((group) => group.nodes.map((node) => nodes[node]!)).sort(byDate));
  const unknown = groups.filter((group) => !isKnown([group]));
  counts.knownSets = groups.length - unknown.length;
  const failed = readPairs(nodes, offeredPairs(options, true));
  const alone = new Set(
    unknown.filter(({ nodes: set }) => set.some((a, at) => set.slice(at + 1).some((b) => failed(a, b)))),
  );
  for (;;) {
    const { requests, left } = packGroups(unknown, {
      maxSize: options.maxClusterSize,
      maxRequests: maxClusters,
      kindOf: (group) => {
        const { origin, category } = nodes[group.nodes[0]!]!;
        return crossCategory ? origin : `${origin} ${category}`;
      },
      areApart: (one, other) => mustStayApart(one.nodes, other.nodes),
      isAlone: (group) => alone.has(group),
    });
    const known = requests.filter((request) => request.groups.length > 1 && isKnown(request.groups));
    if (known.length === 0) {
      counts.capped = left;
      counts.clusters = requests.length;
      counts.members = requests.reduce((sum, { size }) => sum + size, 0);
      return requests;
    }
    for (const group of known.flatMap((request) => request.groups)) alone.add(group);
  }
}

/** The requests as clusters, each with the relations inside of its groups. */
function clustersOf(
  requests: readonly Packed[],
  nodes: Candidate[],
  relations: { edge: Edge; link: Link }[],
): Cluster[] {
  const groupOf = new Map<number, Group>();
  for (const group of requests.flatMap(({ groups }) => groups))
    for (const node of group.nodes) groupOf.set(node, group);
  const inside = new Map<Group, Edge[]>();
  for (const { edge, link } of relations) {
    const group = groupOf.get(link.a);
    if (group === undefined || group !== groupOf.get(link.b)) continue;
    const edges = inside.get(group);
    if (edges) edges.push(edge);
    else inside.set(group, [edge]);
  }
  return requests.map(({ groups }) => {
    const placed = groups.flatMap((group, at) => group.nodes.map((node) => ({ member: nodes[node]!, at })));
    placed.sort((one, other) => byDate(one.member, other.member));
    return {
      members: placed.map(({ member }) => member),
      ...(groups.length > 1 ? { groups: placed.map(({ at }) => at) } : {}),
      relations: groups.flatMap((group) => pickRelations(inside.get(group) ?? [])),
    };
  });
}

/** Of requests that were answered, or of those that failed. */
const offeredPairs = ({ offered = [] }: PlanOptions, failed: boolean): OfferedPair[] =>
  offered.filter((pair) => pair.failed === failed);
