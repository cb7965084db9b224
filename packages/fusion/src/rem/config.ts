import type { MemoryCategory } from '../memory.ts';

/** A memory as the exploration sees it: prominence taken at one instant. */
export interface RemNode {
  id: string;
  version: number;
  content: string;
  category: MemoryCategory;
  /** 1 to 10 */
  importance: number;
  prominence: number;
  /** When it was said, epoch milliseconds. */
  documentDate: number;
}

/** The bounds of one exploration. */
export interface RemConfig {
  /** Memories to start from, and how many of them may share a category. */
  seeds: number;
  maxSeedsPerCategory: number;
  /** Memories shown with each seed. */
  candidatesPerSeed: number;
  /** Steps that activation goes out from a seed. */
  maxHops: number;
  /** What is left of activation after one step, beside the weight of the edge. */
  hopDecay: number;
  /** Weaker activation reaches nothing and goes no further. */
  minActivation: number;
  /** Neighbours below this cosine are no edge. */
  minNeighbour: number;
  /** Neighbours at or above this cosine are linked already: never candidates, and no edge. Calibrated per embedding model. */
  edgeThreshold: number;
}

export const DEFAULT_REM_CONFIG: Readonly<RemConfig> = {
  seeds: 6,
  maxSeedsPerCategory: 2,
  candidatesPerSeed: 8,
  maxHops: 3,
  hopDecay: 0.6,
  minActivation: 0.01,
  minNeighbour: 0.4,
  edgeThreshold: 0.75,
};

/** A memory and those that one call asks about it. */
export interface RemSeed {
  seed: RemNode;
  /** Strongest activation first. */
  candidates: { node: RemNode; activation: number }[];
}

/** What went into and came out of each gate of the plan. reached = linked + judged + repeated + capped + candidates. */
export interface RemPlanCounts {
  nodes: number;
  /** Distinct memories with text and weight. */
  eligible: number;
  edges: number;
  /** Pairs of eligible memories that carry activation. */
  edgesUsed: number;
  /** Eligible memories with such a pair: the others can neither send nor be reached. */
  connected: number;
  seeds: number;
  /** Memories that were tried as a seed and brought no candidate. */
  barren: number;
  /** Memories that activation came to, added up over all that were tried as a seed; so are the counts below. */
  reached: number;
  /** Of these: linked to the seed already. */
  linked: number;
  /** Judged before in these versions. */
  judged: number;
  /** In a pair that an earlier seed of this plan has. */
  repeated: number;
  /** Weaker than those that the seed has room for. */
  capped: number;
  candidates: number;
}
