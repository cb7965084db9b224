import type { Edge, MemoryCategory } from '../memory.ts';
import {
  DEFAULT_REM_CONFIG,
  type RemConfig,
  type RemNode,
  type RemPlanCounts,
  type RemSeed,
} from './config.ts';
import { linkNodes, type RemGraphLinks, spreadActivation } from './spread.ts';

export interface RemOptions extends Partial<RemConfig> {
  /** From 0 up to but not 1; see `createRandom`. Asked once for each eligible memory, in the order of the ids. */
  random: () => number;
  /** Whether this pair was judged before, in these versions, whichever of the two comes first. */
  isJudged: (a: RemNode, b: RemNode) => boolean;
}

/** Memories tried for each seed wanted, so that a large graph with nothing new in it ends soon. */
const TRIES_PER_SEED = 10;

/**
 * Plans one exploration: which memories to start from and which ones to hold against each of them. The plan hangs on the content of
 * the input and on `random` alone, not on its order. A memory that brings no candidate is no seed: the next one takes its place.
 *
 * @param edges relations (weight: confidence) and neighbours (weight: cosine); those between other memories are passed over.
 */
export function planRem(
  nodes: readonly RemNode[],
  edges: readonly Edge[],
  options: RemOptions,
): { seeds: RemSeed[]; counts: RemPlanCounts } {
  const { random, isJudged, ...bounds } = options;
  const config: RemConfig = { ...DEFAULT_REM_CONFIG, ...given(bounds) };
  const eligible = selectNodes(nodes);
  const links = linkNodes(eligible, edges, config);
  const counts = emptyCounts(nodes.length, eligible.length, edges.length);
  counts.edgesUsed = links.pairs;
  counts.connected = links.carriers.filter((targets) => targets.length > 0).length;
  const seeds: RemSeed[] = [];
  const perCategory = new Map<MemoryCategory, number>();
  const paired = new Set<number>();
  let tries = config.seeds * TRIES_PER_SEED;
  for (const index of rankNodes(eligible, random)) {
    if (seeds.length >= config.seeds || tries <= 0) break;
    const seed = eligible[index]!;
    const taken = perCategory.get(seed.category) ?? 0;
    if (taken >= config.maxSeedsPerCategory || links.carriers[index]!.length === 0) continue;
    tries -= 1;
    const candidates = selectCandidates(index, { eligible, links, config, counts, paired, isJudged });
    if (candidates.length === 0) {
      counts.barren += 1;
      continue;
    }
    perCategory.set(seed.category, taken + 1);
    seeds.push({ seed, candidates });
  }
  counts.seeds = seeds.length;
  return { seeds, counts };
}

interface Planning {
  eligible: RemNode[];
  links: RemGraphLinks;
  config: RemConfig;
  counts: RemPlanCounts;
  /** The pairs of this plan so far, lower number × size + higher number. */
  paired: Set<number>;
  isJudged: RemOptions['isJudged'];
}

function selectCandidates(index: number, planning: Planning): RemSeed['candidates'] {
  const { eligible, links, config, counts, paired, isJudged } = planning;
  const seed = eligible[index]!;
  const pairOf = (other: number): number => Math.min(index, other) * eligible.length + Math.max(index, other);
  const open: { other: number; activation: number }[] = [];
  for (const [other, activation] of spreadActivation(index, links, config)) {
    counts.reached += 1;
    if (links.linked[index]!.has(other)) counts.linked += 1;
    else if (paired.has(pairOf(other))) counts.repeated += 1;
    else if (isJudged(seed, eligible[other]!)) counts.judged += 1;
    else open.push({ other, activation });
  }
  open.sort((one, two) => two.activation - one.activation || one.other - two.other);
  const kept = open.slice(0, config.candidatesPerSeed);
  counts.capped += open.length - kept.length;
  counts.candidates += kept.length;
  for (const { other } of kept) paired.add(pairOf(other));
  return kept.map(({ other, activation }) => ({ node: eligible[other]!, activation }));
}

/** Distinct memories with text and weight, by id; of several versions the latest. */
function selectNodes(nodes: readonly RemNode[]): RemNode[] {
  const byId = new Map<string, RemNode>();
  for (const node of nodes) {
    const weight = node.importance * node.prominence;
    if (!(weight > 0 && weight < Infinity) || node.content.trim() === '') continue;
    const same = byId.get(node.id);
    if (!same || node.version > same.version) byId.set(node.id, node);
  }
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * The nodes by importance × prominence × noise. With the inverse of an exponential variable as noise this is a draw without putting
 * back in which a memory twice as heavy comes first twice as often: the heavy ones come often, and every one has its night.
 */
function rankNodes(nodes: readonly RemNode[], random: () => number): number[] {
  const weighed = nodes.map(({ importance, prominence }, index) => {
    const chance = Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, random()));
    return { index, weight: (importance * prominence) / -Math.log(chance) };
  });
  weighed.sort((one, other) => other.weight - one.weight || one.index - other.index);
  return weighed.map(({ index }) => index);
}

/** An option that is there but undefined is not given. */
function given(bounds: Partial<RemConfig>): Partial<RemConfig> {
  return Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined));
}

function emptyCounts(nodes: number, eligible: number, edges: number): RemPlanCounts {
  return {
    nodes,
    eligible,
    edges,
    edgesUsed: 0,
    connected: 0,
    seeds: 0,
    barren: 0,
    reached: 0,
    linked: 0,
    judged: 0,
    repeated: 0,
    capped: 0,
    candidates: 0,
  };
}
