/**
 * The nouns of the product: a memory, a relation, an edge. All times are epoch milliseconds (UTC), all scores 0 to 1
 * unless a field says otherwise.
 */
export const CATEGORIES = ['preference', 'fact', 'event', 'relationship', 'insight'] as const;
export type MemoryCategory = (typeof CATEGORIES)[number];

export const MEMORY_TYPES = [
  'static_profile',
  'dynamic_profile',
  'regular',
  'derived',
  'superseded',
] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** Who said it. Never changes once stored; a derived memory inherits the one class its sources share. */
export const ORIGINS = ['user', 'assistant', 'tool', 'import'] as const;
export type Origin = (typeof ORIGINS)[number];

export const LEARNED_FROM = [
  'conversation',
  'correction',
  'inference',
  'consolidation',
  'nrem_consolidation',
  'rem_exploration',
  'self_reflection',
  'import',
] as const;
export type LearnedFrom = (typeof LEARNED_FROM)[number];

export const VISIBILITIES = ['private', 'shared'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export const TIERS = ['light', 'deep', 'sleep'] as const;
export type Tier = (typeof TIERS)[number];

/** Where a run stands. abandoned: put back, so that another run goes on with it. cancelled: ended because a person asked for that. */
export const RUN_STATUSES = [
  'requested',
  'running',
  'completed',
  'failed',
  'abandoned',
  'cancelled',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Where a fusion stands in the ledger. */
export const FUSION_STATUSES = [
  'planned',
  'generated',
  'review',
  'applied',
  'stale',
  'failed',
  'rejected',
  'expired',
  'undone',
  'forgotten',
  /** Asked and answered: what was accepted stands as statements, each a row of its own. */
  'closed',
] as const;
export type FusionStatus = (typeof FUSION_STATUSES)[number];

export const RELATION_TYPES = ['UPDATES', 'EXTENDS', 'DERIVES'] as const;
export type RelationType = (typeof RELATION_TYPES)[number];

/** How two memories relate that may disagree. */
export const CONFLICT_TYPES = ['compatible', 'contradictory', 'subsumes', 'ambiguous'] as const;
export type ConflictType = (typeof CONFLICT_TYPES)[number];

/** Prominence bands: active from 0.5, dormant from 0.1, archived below. */
export const PROMINENCE_THRESHOLDS = { ACTIVE: 0.5, DORMANT: 0.1, ARCHIVED: 0 } as const;

/** A memory as the pure functions over whole memories (clusters by relations, fusion of one cluster) see it. */
export interface MemoryEntry {
  id: string;
  userId: string;
  content: string;
  category: MemoryCategory;
  memoryType: MemoryType;
  /** 1 to 10 */
  importance: number;
  confidence: number;
  isLatest: boolean;
  /** When it was said. */
  documentDate: number;
  /** When it is true, if that was said. */
  eventDate: number | null;
  prominence: number;
  lastAccessed: number | null;
  accessCount: number;
  sourceChunk: string | null;
  embedding: number[] | null;
  metadata: Record<string, unknown> | null;
  createdAt: number;
  updatedAt: number;
  learnedFrom?: string;
  timesConfirmed?: number;
}

/** An older name of the same, kept for those who call the pure functions by it. */
export type ScallopMemoryEntry = MemoryEntry;

export interface MemoryRelation {
  id: string;
  sourceId: string;
  targetId: string;
  relationType: RelationType;
  confidence: number;
  createdAt: number;
}

/** A memory as the planner, the prompt and the gate of the tiers see it: already loaded, prominence taken at one instant. */
export interface Candidate {
  id: string;
  /** SHA-256 of the content, hex. */
  contentHash: string;
  version: number;
  content: string;
  /** The day on which it was said where the user lives, YYYY-MM-DD; the day in UTC when absent. */
  documentDay?: string;
  category: MemoryCategory;
  memoryType: MemoryType;
  origin: Origin;
  visibility: Visibility;
  importance: number;
  confidence: number;
  trust: number;
  prominence: number;
  confirmations: number;
  documentDate: number;
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  createdAt: number;
  /** It has faded below the window of the plan, or is archived: it joins a close memory that is inside, and no other. */
  isPartner?: boolean;
}

/**
 * An undirected link between two candidates. `weight` is a relation's confidence or a cosine; a neighbour is stored for its cosine alone,
 * what is close for words and cosine together.
 */
export interface Edge {
  a: string;
  b: string;
  weight: number;
  kind: 'relation' | 'neighbour' | 'close';
  /** Of what is close: symmetric BM25, 0 to 1. */
  words?: number;
  /** Set for relations only. */
  relationType?: RelationType;
}

/** Memories that one request asks about, in a stable order (document date, then id). */
export interface Cluster {
  members: Candidate[];
  /** To which group of close memories each member belongs, by number; absent: all are one. */
  groups?: number[];
  /** Relations inside the cluster, strongest first, at most three per member. */
  relations: Edge[];
  /** Each group is a statement and a note that may say it again: the judge alone is asked, and no statement is made. */
  restates?: boolean;
}
