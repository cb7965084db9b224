import type { Link } from '../components.ts';
import { dayOf } from '../day.ts';
import type { Candidate } from '../memory.ts';
import type { AtomKind } from '../reading/atoms.ts';
import { inOneGo, type Slices } from '../slices.ts';
import { isHeld } from './floor.ts';
import { type HardFacts, readHardFacts } from './hard-facts.ts';

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
  /** The kinds of hard facts that differ; empty for duplicates. */
  differs: AtomKind[];
}

export interface TwinReading {
  conflictCandidates: TwinPair[];
  conflictCount: number;
  /** Whether two nodes may never be in one cluster. */
  areEnemies(a: number, b: number): boolean;
}

/**
 * At most this many pairs are compared in one plan, the nearest ones: a user may have a hundred thousand. The rest is kept apart unread, as if
 * each pair disagreed.
 */
export const MAX_COMPARED_TWINS = 20_000;
/** Comparisons in one slice: each takes a fraction of a millisecond, of long texts several. */
const COMPARED_AT_ONCE = 4;

/**
 * Near-twins said on one day that differ in a hard fact of one kind, or of which one denies something: they wait for a person, and share no
 * cluster. What was said on a later day takes the place of what was said before, and is no contradiction.
 *
 * @param links neighbour links of at least the threshold, strongest first
 * @param mostCompared further pairs are kept apart unread
 */
export function readTwins(
  candidates: readonly Candidate[],
  links: Iterable<Link>,
  mostCompared: number = MAX_COMPARED_TWINS,
): TwinReading {
  return inOneGo(readTwinsInSlices(candidates, links, mostCompared));
}

/** As readTwins, in slices. */
export function* readTwinsInSlices(
  candidates: readonly Candidate[],
  links: Iterable<Link>,
  mostCompared: number = MAX_COMPARED_TWINS,
): Slices<TwinReading> {
  const enemies = new Map<number, Set<number>>();
  const facts = new Map<number, HardFacts>();
  const factsOf = (node: number): HardFacts => {
    const known =
      facts.get(node) ?? readHardFacts([{ content: candidates[node]!.content, day: dayAt(node) }])[0]!;
    facts.set(node, known);
    return known;
  };
  const dayAt = (node: number): string | null =>
    candidates[node]!.documentDay ?? dayOf(candidates[node]!.documentDate);
  const reading: TwinReading = {
    conflictCandidates: [],
    conflictCount: 0,
    areEnemies: (a, b) => enemies.get(Math.min(a, b))?.has(Math.max(a, b)) ?? false,
  };
  let compared = 0;
  for (const { a, b, weight } of links) {
    if (dayAt(a) !== dayAt(b)) continue; // guard: plan-one-day
    compared += 1;
    if (compared > mostCompared) {
      keepApart(enemies, a, b);
      continue;
    }
    if (compared % COMPARED_AT_ONCE === 0) yield;
    const differs = differencesOf(factsOf(a), factsOf(b));
    if (differs.length === 0) continue;
    keepApart(enemies, a, b);
    reading.conflictCount += 1;
    if (reading.conflictCandidates.length < MAX_LISTED_TWINS)
      reading.conflictCandidates.push({ a: candidates[a]!.id, b: candidates[b]!.id, weight, differs });
  }
  return reading;
}

function keepApart(enemies: Map<number, Set<number>>, a: number, b: number): void {
  const apart = enemies.get(a) ?? new Set();
  enemies.set(a, apart.add(b));
}

/** Kinds of which each has something that the other lacks: one that merely says more contradicts nothing. */
function differencesOf(one: HardFacts, other: HardFacts): AtomKind[] {
  const [mine, theirs] = [lacking(one, other), lacking(other, one)];
  const differs = [...mine].filter((kind) => theirs.has(kind));
  if (one.denies !== other.denies) differs.push('negation');
  return differs.sort();
}

function lacking(of: HardFacts, within: HardFacts): Set<AtomKind> {
  const kinds = new Set<AtomKind>();
  for (const fact of of.facts) if (!isHeld(fact, within)) kinds.add(fact.kind);
  const names = [...of.names, ...of.likelyNames];
  if (names.some((name) => !name.split(' ').every((word) => within.words.has(word)))) kinds.add('name');
  return kinds;
}
