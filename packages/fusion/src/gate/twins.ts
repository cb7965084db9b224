import type { Link } from '../components.ts';
import { dayOf } from '../day.ts';
import type { Candidate } from '../memory.ts';
import type { AtomKind } from '../reading/atoms.ts';
import { inOneGo, type Slices } from '../slices.ts';
import { type HardFact, type HardFacts, readHardFactsInSlices } from './hard-facts.ts';
import { isHeld } from './held.ts';

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
/** Comparisons in one slice, and characters of the texts that are compared in it: it takes a few milliseconds. */
const COMPARED_AT_ONCE = 4;
const CHARS_AT_ONCE = 2_000;
/**
 * Two facts that are not spelled alike may still say the same ("3 May", "2024-05-03"), so each that one text lacks is compared with all of the
 * other's. Two texts with more pairs of facts than this are kept apart unread.
 */
export const MAX_FACT_PAIRS = 50_000;
/** Of these in one slice. */
const FACT_PAIRS_AT_ONCE = 5_000;

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
  const dayAt = (node: number): string | null =>
    candidates[node]!.documentDay ?? dayOf(candidates[node]!.documentDate);
  const reading: TwinReading = {
    conflictCandidates: [],
    conflictCount: 0,
    areEnemies: (a, b) => enemies.get(Math.min(a, b))?.has(Math.max(a, b)) ?? false,
  };
  let compared = 0;
  let slice = { pairs: 0, chars: 0 };
  for (const { a, b, weight } of links) {
    if (dayAt(a) !== dayAt(b)) continue; // guard: plan-one-day
    compared += 1;
    if (compared > mostCompared) {
      keepApart(enemies, a, b);
      continue;
    }
    slice.pairs += 1;
    for (const node of [a, b]) {
      if (!facts.has(node)) {
        const said = { content: candidates[node]!.content, day: dayAt(node) };
        const [read] = yield* readHardFactsInSlices([said]);
        facts.set(node, read!);
      }
      slice.chars += candidates[node]!.content.length;
      if (slice.pairs < COMPARED_AT_ONCE && slice.chars < CHARS_AT_ONCE) continue;
      yield;
      slice = { pairs: 0, chars: 0 };
    }
    const differs = yield* differencesOf(facts.get(a)!, facts.get(b)!);
    if (differs?.length === 0) continue;
    keepApart(enemies, a, b);
    if (differs === null) continue;
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

/**
 * Kinds of which each has something that the other lacks: one that merely says more contradicts nothing. Null for texts with more pairs of
 * facts than are compared.
 */
function* differencesOf(one: HardFacts, other: HardFacts): Slices<AtomKind[] | null> {
  const [mine, theirs] = [unmatched(one, other), unmatched(other, one)];
  // guard: plan-fact-pairs
  if (mine.length * other.offered.length + theirs.length * one.offered.length > MAX_FACT_PAIRS) return null;
  const lacked = yield* lackedKinds(mine, one, other);
  const lacking = yield* lackedKinds(theirs, other, one);
  const differs = [...lacked].filter((kind) => lacking.has(kind));
  if (one.denies !== other.denies) differs.push('negation');
  return differs.sort();
}

/** The facts of a text, each once, of which the other text has none of the same kind and value. */
function unmatched({ facts }: HardFacts, { offered }: HardFacts): HardFact[] {
  const keyOf = ({ kind, value }: HardFact): string => `${kind} ${value}`;
  const known = new Set(offered.map(keyOf));
  const distinct = new Map<string, HardFact>();
  for (const fact of facts) {
    // Alike but for their figures, they may say the same as different facts of the other text.
    if (!known.has(keyOf(fact))) distinct.set(`${keyOf(fact)}\n${fact.figures}`, fact);
  }
  return [...distinct.values()];
}

/** @param facts those of the text that are not spelled alike in the other */
function* lackedKinds(facts: readonly HardFact[], of: HardFacts, within: HardFacts): Slices<Set<AtomKind>> {
  const kinds = new Set<AtomKind>();
  let pairs = 0;
  for (const fact of facts) {
    if (kinds.has(fact.kind)) continue;
    if (!isHeld(fact, within)) kinds.add(fact.kind);
    pairs += within.offered.length;
    if (pairs < FACT_PAIRS_AT_ONCE) continue;
    yield;
    pairs = 0;
  }
  const names = [...of.names, ...of.likelyNames];
  if (names.some((name) => !name.split(' ').every((word) => within.words.has(word)))) kinds.add('name');
  return kinds;
}
