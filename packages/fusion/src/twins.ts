import type { AtomKind } from './atoms.ts';
import { compareTwins } from './compare.ts';
import type { Link } from './components.ts';
import type { Candidate } from './memory.ts';
import { type Profile, readProfile } from './profile.ts';

/** Cosine from which two memories are taken to say nearly the same. */
export const TWIN_THRESHOLD = 0.9;
/** At most this many pairs of each sort are listed; all of them are counted and all conflicts are kept apart. */
export const MAX_LISTED_TWINS = 1_000;

/** Two memories of nearly the same meaning; `a` is the smaller id. */
export interface TwinPair {
  a: string;
  b: string;
  /** Their cosine. */
  weight: number;
  /** The kinds of hard atoms that differ; empty for duplicates. */
  differs: AtomKind[];
}

export interface TwinReading {
  conflictCandidates: TwinPair[];
  duplicates: TwinPair[];
  conflictCount: number;
  duplicateCount: number;
  /** Whether two nodes may never be in one cluster. */
  areEnemies(a: number, b: number): boolean;
}

/** @param links neighbour links of at least the threshold, strongest first. */
export function readTwins(candidates: readonly Candidate[], links: Iterable<Link>): TwinReading {
  const profiles = new Map<number, Profile>();
  const profileOf = (node: number): Profile => {
    const known = profiles.get(node);
    if (known) return known;
    const profile = readProfile(candidates[node]!.content);
    profiles.set(node, profile);
    return profile;
  };
  const enemies = new Map<number, Set<number>>();
  const reading: TwinReading = {
    conflictCandidates: [],
    duplicates: [],
    conflictCount: 0,
    duplicateCount: 0,
    areEnemies: (a, b) => enemies.get(Math.min(a, b))?.has(Math.max(a, b)) ?? false,
  };
  for (const { a, b, weight } of links) {
    const { kind, differs } = compareTwins(profileOf(a), profileOf(b));
    if (kind === 'related') continue;
    const pair: TwinPair = { a: candidates[a]!.id, b: candidates[b]!.id, weight, differs };
    if (kind === 'duplicate') {
      reading.duplicateCount += 1;
      if (reading.duplicates.length < MAX_LISTED_TWINS) reading.duplicates.push(pair);
      continue;
    }
    const apart = enemies.get(a) ?? new Set();
    enemies.set(a, apart.add(b));
    reading.conflictCount += 1;
    if (reading.conflictCandidates.length < MAX_LISTED_TWINS) reading.conflictCandidates.push(pair);
  }
  return reading;
}
