import type { MemoryCategory, MemoryEntry, MemoryRelation } from './memory.ts';
import { PROMINENCE_THRESHOLDS } from './memory.ts';

/** Bounds of the pure cluster search over explicit relations. */
export interface FusionConfig {
  /** Smaller groups are no cluster. */
  minClusterSize: number;
  /** At most this many clusters are returned, the largest ones. */
  maxClusters: number;
  /** Inclusive lower end of the prominence window. */
  minProminence: number;
  /** Exclusive upper end of the prominence window. */
  maxProminence: number;
  /** Leave connected groups whole instead of splitting them by category. */
  crossCategory?: boolean;
}

export const DEFAULT_FUSION_CONFIG: FusionConfig = {
  minClusterSize: 3,
  maxClusters: 5,
  minProminence: PROMINENCE_THRESHOLDS.DORMANT,
  maxProminence: PROMINENCE_THRESHOLDS.ACTIVE,
  crossCategory: false,
};

/**
 * Groups of related fading memories, largest first. Only latest memories inside the window take part; static_profile, derived and
 * superseded ones never do.
 *
 * @param getRelations the relations of one memory, in either direction; it is asked once per eligible memory. A relation counts
 *   for both ends even when only one end reports it.
 */
export function findFusionClusters(
  memories: MemoryEntry[],
  getRelations: (memoryId: string) => MemoryRelation[],
  options: Partial<FusionConfig> = {},
): MemoryEntry[][] {
  const minClusterSize = options.minClusterSize ?? DEFAULT_FUSION_CONFIG.minClusterSize;
  const maxClusters = options.maxClusters ?? DEFAULT_FUSION_CONFIG.maxClusters;
  const eligible = new Map<string, MemoryEntry>();
  for (const memory of memories) {
    if (isFusionCandidate(memory, options)) eligible.set(memory.id, memory);
  }
  const groups = options.crossCategory
    ? connectedGroups(eligible, getRelations)
    : connectedGroups(eligible, getRelations).flatMap(splitByCategory);
  return groups
    .filter((group) => group.length >= minClusterSize)
    .sort((one, other) => other.length - one.length)
    .slice(0, maxClusters);
}

/** Whether a memory may be fused at all: latest, of a type that is no one's result or anchor, inside the window. */
export function isFusionCandidate(memory: MemoryEntry, options: Partial<FusionConfig> = {}): boolean {
  return (
    memory.isLatest &&
    (memory.memoryType === 'regular' || memory.memoryType === 'dynamic_profile') &&
    memory.prominence >= (options.minProminence ?? DEFAULT_FUSION_CONFIG.minProminence) &&
    memory.prominence < (options.maxProminence ?? DEFAULT_FUSION_CONFIG.maxProminence)
  );
}

/** Breadth first over links collected beforehand, so that the result does not hang on which end reports a relation. */
function connectedGroups(
  eligible: Map<string, MemoryEntry>,
  getRelations: (memoryId: string) => MemoryRelation[],
): MemoryEntry[][] {
  const links = new Map<string, string[]>();
  for (const id of eligible.keys()) links.set(id, []);
  for (const id of eligible.keys()) {
    for (const { sourceId, targetId } of getRelations(id)) {
      links.get(sourceId)?.push(targetId);
      links.get(targetId)?.push(sourceId);
    }
  }
  const visited = new Set<string>();
  const groups: MemoryEntry[][] = [];
  for (const start of eligible.keys()) {
    if (visited.has(start)) continue;
    visited.add(start);
    const queue = [start];
    for (const id of queue) {
      for (const next of links.get(id) ?? []) {
        if (!eligible.has(next) || visited.has(next)) continue;
        visited.add(next);
        queue.push(next);
      }
    }
    groups.push(queue.map((id) => eligible.get(id)!));
  }
  return groups;
}

function splitByCategory(group: MemoryEntry[]): MemoryEntry[][] {
  const byCategory = new Map<MemoryCategory, MemoryEntry[]>();
  for (const memory of group) {
    const same = byCategory.get(memory.category);
    if (same) same.push(memory);
    else byCategory.set(memory.category, [memory]);
  }
  return [...byCategory.values()];
}
