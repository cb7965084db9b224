import type { UserMode } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import type { Fact } from '../../fixtures/facts/sentences.ts';
import { NOW } from '../../fixtures/memories.ts';

export { NOW };
export const BEGAN = NOW;

import { createLine, type Line } from './line.ts';

/** What the small model of the service knows. No SQL, no clock of its own, no ids but names. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A proposal waits this long for a person. */
export const REVIEW_FOR = 48 * HOUR;
/** Failures in a row, no outage, after which a user goes into quarantine. */
export const FAULTS_MAX = 3;

/** How the language model answers just now. */
export const MANNERS = ['good', 'forgetful', 'inventive', 'refusing', 'overloaded', 'limited'] as const;
export type Manner = (typeof MANNERS)[number];
/** What happens in the first step of every tier just now. */
export const TROUBLES = ['none', 'fault', 'outage'] as const;
export type Trouble = (typeof TROUBLES)[number];

export interface TierModel {
  dueAt: number;
  nextAttemptAt: number | null;
  lastAttemptAt: number | null;
  lastSuccessAt: number | null;
  failures: number;
  faults: number;
  unended: number;
  enqueuedAt: number | null;
  /** Label of a run. */
  requestedRun: string | null;
  paused: boolean;
}

export interface RunModel {
  label: string;
  tier: Tier;
  why: 'schedule' | 'adhoc';
  status: 'requested' | 'running' | 'completed' | 'failed' | 'abandoned';
  fence: number | null;
  errorCode: string | null;
}

export interface MemoryModel {
  name: string;
  group: number;
  fact: Fact;
  version: number;
  /** The fusion whose derived memory stands for it; null: it is latest. */
  by: string | null;
}

/** A source as it was when somebody planned with it. */
export interface Member {
  name: string;
  token: string;
  version: number;
}

export type FusionStatus =
  | 'planned'
  | 'generated'
  /** Its answer was used. */
  | 'closed'
  | 'review'
  | 'applied'
  | 'stale'
  | 'failed'
  | 'rejected'
  | 'expired'
  | 'undone'
  | 'forgotten';

/** What a cluster was asked for, or one statement of the answer. */
export interface FusionModel {
  /** Tier, names and tokens; of a statement its request and names: what the real key is made of. */
  id: string;
  /** Of a statement the request that it answers. */
  request: string | null;
  tier: 'deep' | 'sleep';
  members: Member[];
  /** What the members were when it was begun, whatever is left of them. */
  set: string;
  status: FusionStatus;
  live: Set<string>;
  superseded: Set<string>;
  fence: number;
  attempt: number;
  /** The answer that was paid for and may be used again; null: none. */
  answer: Manner | null;
  answerState: 'none' | 'unjudged' | 'accepted' | 'rejected';
  errorCode: string | null;
  runLabel: string | null;
  reviewEnds: number | null;
  /** When it failed for good, last. */
  failedAt: number | null;
  /** Of a statement that was applied once: under which run, what the derived memory says, and whether it was taken back. */
  applied: { runLabel: string | null; covered: string[]; facts: Fact[]; undone: boolean } | null;
}

export interface UserModel {
  tenant: string;
  name: string;
  mode: UserMode;
  lease: { fence: number; state: 'none' | 'free' | 'held' | 'expired' };
  quarantined: boolean;
  quarantineCode: string | null;
  tiers: Record<Tier, TierModel>;
  runs: RunModel[];
  memories: Map<string, MemoryModel>;
  /** Whether one has no vector of what it says: taken from the real one. */
  bare: boolean;
  /** Memories that somebody asked to forget. */
  forgotten: Set<string>;
  groups: number;
  serial: number;
  fusions: Map<string, FusionModel>;
}

export interface Model {
  at: number;
  manner: Manner;
  trouble: Trouble;
  /** Calls that reached the language model. */
  calls: number;
  users: Map<string, UserModel>;
  pausedTiers: Set<Tier>;
  line: Line;
  /** Tokens are never used twice. */
  tokens: number;
  /** Jobs stopped in the middle, by the number of their delivery. */
  stalled: number[];
  deliveries: number;
  /** What happened, and how often. */
  seen: Map<string, number>;
}

export function newModel(): Model {
  return {
    at: NOW,
    manner: 'good',
    trouble: 'none',
    calls: 0,
    users: new Map(),
    pausedTiers: new Set(),
    line: createLine(),
    tokens: 0,
    stalled: [],
    deliveries: 0,
    seen: new Map(),
  };
}

export function note(model: Model, what: string): void {
  model.seen.set(what, (model.seen.get(what) ?? 0) + 1);
}

export const usersOf = (model: Model): UserModel[] => [...model.users.values()];
export const memoriesOf = (user: UserModel): MemoryModel[] => [...user.memories.values()];
export const fusionsOf = (user: UserModel): FusionModel[] => [...user.fusions.values()];

/** What came of a request. */
export const statementsOf = (user: UserModel, request: string): FusionModel[] =>
  fusionsOf(user).filter((fusion) => fusion.request === request);

export function pickOf<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % Math.max(1, items.length)];
}

export const OPEN: readonly FusionStatus[] = ['planned', 'generated', 'review'];

/** Fusions that are open and count on one of these memories begin anew. */
export function staleOver(user: UserModel, names: readonly string[]): void {
  for (const fusion of fusionsOf(user)) {
    if (OPEN.includes(fusion.status) && names.some((name) => fusion.live.has(name))) makeStale(fusion);
  }
}

export function makeStale(fusion: FusionModel, { evenFailed = false } = {}): void {
  if (!OPEN.includes(fusion.status) && !(evenFailed && fusion.status === 'failed')) return;
  Object.assign(fusion, { status: 'stale', errorCode: null, reviewEnds: null });
  fusion.live.clear();
}
