import { DAY_MS } from './decay.ts';
import type { TwinPair } from './gate/twins.ts';
import type { Candidate, Cluster } from './memory.ts';
import type { Merge, OfferedPair, PlanWindow } from './ports.ts';

/** The bounds of one planning pass. */
export interface PlanConfig extends PlanWindow {
  /** Most requests. */
  maxClusters: number;
  /** Size limit of a request, and of a group of related memories. */
  maxClusterSize: number;
  /** Size limit of a group of more than two categories. */
  mixedMaxSize: number;
  /** Size limit of a group that closeness alone joins. */
  maxGroupSize: number;
  /** Groups whose pairs are less close, in the mean, are no reason for a request; down to the other bound they fill one that has room. */
  minCloseness: number;
  fillCloseness: number;
  crossCategory: boolean;
  /** Cosine from which two memories count as related under their embedding model: what a cosine is worth hangs on it. */
  edgeThreshold: number;
  /** Longer memories (in UTF-16 units) are left alone: their summary could not be checked within one answer. */
  maxContentChars: number;
}

export const DEEP_WINDOW: Readonly<PlanConfig> = {
  minProminence: 0.1,
  maxProminence: 0.5,
  minAgeMs: 0,
  maxClusters: 5,
  maxClusterSize: 8,
  mixedMaxSize: 5,
  maxGroupSize: 5,
  minCloseness: 0.5,
  fillCloseness: 0.3,
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

/** What a plan of these bounds has to be given. */
export function windowOf({ minProminence, maxProminence, minAgeMs, ...bounds }: PlanConfig): PlanWindow {
  const { minCloseness, edgeThreshold } = bounds;
  return { minProminence, maxProminence, minAgeMs, partners: { minCloseness, edgeThreshold } };
}

export interface PlanOptions extends PlanConfig {
  /** The instant of the job, epoch milliseconds. */
  at: number;
  /** Whether this set of memories was fused, undone or rejected before. */
  isKnownSourceSet?: (members: Candidate[]) => boolean;
  /** Pairs that may never share a request: their disagreement is not settled. */
  apart?: { a: string; b: string }[];
  /** Pairs that were in one group of a request before, under their present contents; those of a request that failed are asked about alone. */
  offered?: OfferedPair[];
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
  /** Groups, from here on. */
  groups: number;
  knownSets: number;
  capped: number;
  /** Links of pairs that were offered before. */
  offeredBefore: number;
  /** Requests. */
  clusters: number;
  /** Memories in the planned requests. */
  members: number;
  /** Pairs. */
  conflictCandidates: number;
  duplicates: number;
  merges: number;
}

export interface ClusterPlan {
  /** One per request; the one that may save most first. */
  clusters: Cluster[];
  /** Pairs of twins whose hard atoms differ; never in one cluster. */
  conflictCandidates: TwinPair[];
  /** Pairs that say the same in the same words. */
  duplicates: TwinPair[];
  /** Duplicates of which one shall stand for both; neither is in a cluster of this plan. */
  merges: Merge[];
  counts: PlanCounts;
}

export function emptyCounts(considered: number, edges: number): PlanCounts {
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
    groups: 0,
    knownSets: 0,
    capped: 0,
    offeredBefore: 0,
    clusters: 0,
    members: 0,
    conflictCandidates: 0,
    duplicates: 0,
    merges: 0,
  };
}

/** Of a plan that was not made. */
export const emptyPlan = (considered: number, edges: number): ClusterPlan => ({
  clusters: [],
  conflictCandidates: [],
  duplicates: [],
  merges: [],
  counts: emptyCounts(considered, edges),
});

/** The same for a pair whichever of its memories comes first. */
export function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}

/** The order of a request's members. */
export function byDate(one: Candidate, other: Candidate): number {
  return one.documentDate - other.documentDate || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);
}
