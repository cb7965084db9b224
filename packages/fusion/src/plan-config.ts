import { DAY_MS } from './decay.ts';
import type { TwinPair } from './gate/twins.ts';
import type { Candidate, Cluster } from './memory.ts';
import type { Merge, PlanWindow } from './ports.ts';

/** The bounds of one planning pass. */
export interface PlanConfig extends PlanWindow {
  minClusterSize: number;
  maxClusters: number;
  maxClusterSize: number;
  /** Size limit of a cluster of more than two categories. */
  mixedMaxSize: number;
  crossCategory: boolean;
  /** Neighbours below this cosine are no edge; explicit relations always are. Calibrated per embedding model. */
  edgeThreshold: number;
  /** Longer memories (in UTF-16 units) are left alone: their summary could not be checked within one answer. */
  maxContentChars: number;
}

export const DEEP_WINDOW: Readonly<PlanConfig> = {
  minProminence: 0.1,
  maxProminence: 0.5,
  minAgeMs: 0,
  minClusterSize: 3,
  maxClusters: 5,
  maxClusterSize: 8,
  mixedMaxSize: 5,
  crossCategory: false,
  edgeThreshold: 0.75,
  maxContentChars: 8_000,
};

export const SLEEP_WINDOW: Readonly<PlanConfig> = {
  ...DEEP_WINDOW,
  minProminence: 0.05,
  maxProminence: 0.8,
  minAgeMs: DAY_MS,
  maxClusters: 10,
  crossCategory: true,
};

export interface PlanOptions extends PlanConfig {
  /** The instant of the job, epoch milliseconds. */
  at: number;
  /** Whether this set of memories was fused, undone or rejected before. */
  isKnownSourceSet?: (members: Candidate[]) => boolean;
  /** Pairs that may never share a cluster: their disagreement is not settled. */
  apart?: { a: string; b: string }[];
  /** Pairs that were offered together before, under their present contents. */
  offered?: { a: string; b: string }[];
}

/** What went into and came out of each step of the plan. Memories unless the name says otherwise. */
export interface PlanCounts {
  considered: number;
  notEligible: number;
  outsideWindow: number;
  tooYoung: number;
  tooLong: number;
  eligible: number;
  edges: number;
  edgesUsed: number;
  /** Unions refused for size, and for a pair of twins that differ. */
  unionsTooLarge: number;
  unionsOfTwins: number;
  /** And for a pair whose disagreement is not settled. */
  unionsApart: number;
  singletons: number;
  /** Components, from here on. */
  tooSmall: number;
  knownSets: number;
  /** Too few members have a pair that was not offered before. */
  offeredBefore: number;
  capped: number;
  clusters: number;
  /** Memories in the planned clusters. */
  members: number;
  /** Pairs. */
  conflictCandidates: number;
  duplicates: number;
  merges: number;
}

export interface ClusterPlan {
  /** Largest first, then by total weight, then by first id. */
  clusters: Cluster[];
  /** Pairs of twins whose hard atoms differ; never in one cluster. */
  conflictCandidates: TwinPair[];
  /** Pairs that say the same in the same words. */
  duplicates: TwinPair[];
  /** Duplicates of which one shall stand for both; neither is in a cluster of this plan. */
  merges: Merge[];
  counts: PlanCounts;
}
