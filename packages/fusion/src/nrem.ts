import { findFusionClusters, isFusionCandidate } from './cluster.ts';
import type { Link } from './components.ts';
import { DAY_MS } from './decay.ts';
import { type FuseReading, type FusionResult, fuseMemoryClusterWithReason } from './fuse.ts';
import type { MemoryEntry, MemoryRelation } from './memory.ts';
import { buildNremFusionPrompt, buildRelationContext } from './nrem-prompt.ts';
import { splitGroup } from './nrem-split.ts';
import type { LLMProvider } from './ports.ts';

/** Bounds of the night's fusion across categories. */
export interface NremConfig {
  /** Inclusive lower end of the prominence window. */
  minProminence: number;
  /** Exclusive upper end of the prominence window. */
  maxProminence: number;
  /** At most this many clusters are fused, the largest ones. */
  maxClusters: number;
  /** Smaller groups are no cluster. */
  minClusterSize: number;
  /** Relations shown to the model per memory. */
  maxRelationsPerMemory: number;
}

export const DEFAULT_NREM_CONFIG: NremConfig = {
  minProminence: 0.05,
  maxProminence: 0.8,
  maxClusters: 10,
  minClusterSize: 3,
  maxRelationsPerMemory: 3,
};

/** Larger groups are split: a model cannot keep more memories apart in one summary. */
export const NREM_MAX_CLUSTER_SIZE = 8;
/** The same for groups of more than two categories. */
export const NREM_MIXED_MAX_SIZE = 5;
export const NREM_COOLDOWN_MS = DAY_MS;
export const NREM_TIME_LIMIT_MS = 5 * 60_000;

export interface NremOptions extends Partial<NremConfig> {
  /** The instant of the night, epoch milliseconds. Without it memories of any age are fused. */
  now?: number;
  /** Younger memories are left alone when `now` is given; a day when absent. */
  cooldownMs?: number;
  /** A clock for the deadline. Without it there is none. */
  nowMs?: () => number;
  /** No cluster is begun at or after this instant of `nowMs`; five minutes after the call when absent. */
  deadlineMs?: number;
  /** Ends the call under way; no further one is made. */
  signal?: AbortSignal;
}

export interface NremFusionResult extends FusionResult {
  learnedFrom: 'nrem_consolidation';
  /** The memories that the summary was made from, in the order of the request. */
  sourceMemoryIds: string[];
}

export type NremFailure = Extract<FuseReading, { ok: false }>['reason'] | 'unexpected_error';

export interface NremResult {
  /** Clusters whose fusion was tried to its end: those fused and `failures`. */
  clustersProcessed: number;
  fusionResults: NremFusionResult[];
  failures: number;
  /** Failures by what went wrong. */
  failureReasons: Partial<Record<NremFailure, number>>;
  /** Memories in the clusters that were fused. */
  memoriesConsolidated: number;
  /** Memories that only their age kept out. */
  skippedYoung: number;
  /** Memories of a group too large that found no place when it was split. */
  leftOut: number;
  /** Clusters beyond the largest `maxClusters`. */
  capped: number;
  /** Clusters not done because the time was over or the signal aborted. */
  timedOut: number;
  /** Memories whose relations could not be read. */
  relationFailures: number;
}

type RelationReader = (memoryId: string) => MemoryRelation[];

/**
 * Fuses clusters of related memories across categories, one call to the model per cluster, one cluster after another. Stores and
 * supersedes nothing: that is the caller's, once the summary stands. Never throws; a cluster that fails is counted and the next one is
 * taken. The summary is checked for its length alone, not for lost facts: the tiers write statements, which are judged.
 *
 * @param getRelations the relations of one memory, in either direction; asked once per memory of the window
 */
export async function nremConsolidate(
  memories: MemoryEntry[],
  getRelations: RelationReader,
  provider: LLMProvider,
  options: NremOptions = {},
): Promise<NremResult> {
  const result = emptyResult();
  const config = configOf(options);
  const isOver = createTimeLimit(options);
  const relationsOf = createRelationReader(getRelations, result);
  const clusters = selectClusters(memories, relationsOf, config, options, result);
  for (const cluster of clusters) {
    if (isOver()) {
      result.timedOut += 1;
      continue;
    }
    const reading = await fuseOne(cluster, relationsOf, provider, config, options);
    if (reading.ok) addFusion(result, cluster, reading.result);
    else if (reading.reason === 'provider_error' && options.signal?.aborted) result.timedOut += 1;
    else addFailure(result, reading.reason);
  }
  return result;
}

async function fuseOne(
  cluster: MemoryEntry[],
  relationsOf: RelationReader,
  provider: LLMProvider,
  config: NremConfig,
  options: NremOptions,
): Promise<FuseReading | { ok: false; reason: 'unexpected_error' }> {
  try {
    return await fuseMemoryClusterWithReason(cluster, provider, {
      relationContext: buildRelationContext(cluster, relationsOf, config.maxRelationsPerMemory),
      buildPrompt: buildNremFusionPrompt,
      crossCategory: true,
      ...(options.signal ? { signal: options.signal } : {}),
    });
  } catch {
    // A memory that is not what its type says. It is this cluster's problem alone.
    return { ok: false, reason: 'unexpected_error' };
  }
}

/** The clusters to fuse, largest first; what was kept out is counted. */
function selectClusters(
  memories: MemoryEntry[],
  relationsOf: RelationReader,
  config: NremConfig,
  options: NremOptions,
  result: NremResult,
): MemoryEntry[][] {
  const grown = memories.filter((memory) => {
    if (!isYoung(memory, options)) return true;
    if (isFusionCandidate(memory, config)) result.skippedYoung += 1;
    return false;
  });
  // All of them first: a group may fall into several clusters, or into none.
  const groups = findFusionClusters(grown, relationsOf, {
    minClusterSize: config.minClusterSize,
    minProminence: config.minProminence,
    maxProminence: config.maxProminence,
    maxClusters: Number.POSITIVE_INFINITY,
    crossCategory: true,
  });
  const clusters = groups
    .flatMap((group) => splitLarge(group, relationsOf, config.minClusterSize, result))
    .sort((one, other) => other.length - one.length);
  const kept = clusters.slice(0, Math.max(0, config.maxClusters));
  result.capped = clusters.length - kept.length;
  return kept;
}

function splitLarge(
  group: MemoryEntry[],
  relationsOf: RelationReader,
  minSize: number,
  result: NremResult,
): MemoryEntry[][] {
  const categories = new Set(group.map(({ category }) => category));
  const maxSize = categories.size > 2 ? NREM_MIXED_MAX_SIZE : NREM_MAX_CLUSTER_SIZE;
  if (group.length <= maxSize) return [group];
  const indexes = new Map(group.map(({ id }, index) => [id, index]));
  const links: Link[] = [];
  for (const { id } of group) {
    for (const { sourceId, targetId, confidence } of relationsOf(id)) {
      const [a, b] = [indexes.get(sourceId), indexes.get(targetId)];
      if (a === undefined || b === undefined) continue;
      links.push({ a, b, weight: Number.isFinite(confidence) ? confidence : 0 });
    }
  }
  const { parts, leftOut } = splitGroup(group.length, links, { minSize, maxSize });
  result.leftOut += leftOut.length;
  return parts.map((part) => part.map((index) => group[index]!));
}

/** Whether a memory is too young to be sure that it fades; one of unknown age is. */
function isYoung(memory: MemoryEntry, { now, cooldownMs = NREM_COOLDOWN_MS }: NremOptions): boolean {
  return now !== undefined && !(now - memory.createdAt >= cooldownMs);
}

function createTimeLimit({ nowMs, deadlineMs, signal }: NremOptions): () => boolean {
  const deadline = deadlineMs ?? (nowMs ? nowMs() + NREM_TIME_LIMIT_MS : Number.POSITIVE_INFINITY);
  return () => signal?.aborted === true || (nowMs !== undefined && nowMs() >= deadline);
}

/** Asks once per memory. A memory whose relations cannot be read has none; its neighbours may still name it. */
function createRelationReader(getRelations: RelationReader, result: NremResult): RelationReader {
  const known = new Map<string, MemoryRelation[]>();
  return (memoryId) => {
    let relations = known.get(memoryId);
    if (!relations) {
      try {
        relations = getRelations(memoryId);
      } catch {
        relations = [];
        result.relationFailures += 1;
      }
      known.set(memoryId, relations);
    }
    return relations;
  };
}

/** An option that is undefined is absent. */
function configOf(options: NremOptions): NremConfig {
  return {
    minProminence: options.minProminence ?? DEFAULT_NREM_CONFIG.minProminence,
    maxProminence: options.maxProminence ?? DEFAULT_NREM_CONFIG.maxProminence,
    maxClusters: options.maxClusters ?? DEFAULT_NREM_CONFIG.maxClusters,
    minClusterSize: options.minClusterSize ?? DEFAULT_NREM_CONFIG.minClusterSize,
    maxRelationsPerMemory: options.maxRelationsPerMemory ?? DEFAULT_NREM_CONFIG.maxRelationsPerMemory,
  };
}

function addFusion(result: NremResult, cluster: MemoryEntry[], fusion: FusionResult): void {
  result.clustersProcessed += 1;
  result.memoriesConsolidated += cluster.length;
  result.fusionResults.push({
    ...fusion,
    learnedFrom: 'nrem_consolidation',
    sourceMemoryIds: cluster.map(({ id }) => id),
  });
}

function addFailure(result: NremResult, reason: NremFailure): void {
  result.clustersProcessed += 1;
  result.failures += 1;
  result.failureReasons[reason] = (result.failureReasons[reason] ?? 0) + 1;
}

function emptyResult(): NremResult {
  return {
    clustersProcessed: 0,
    fusionResults: [],
    failures: 0,
    failureReasons: {},
    memoriesConsolidated: 0,
    skippedYoung: 0,
    leftOut: 0,
    capped: 0,
    timedOut: 0,
    relationFailures: 0,
  };
}
