import type { Link } from '../components.ts';
import { dayOf } from '../day.ts';
import type { Candidate } from '../memory.ts';
import { inOneGo, type Slices } from '../slices.ts';
import { compareTexts, type TwinDifference } from './same.ts';

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
  differs: TwinDifference[];
}

export interface TwinReading {
  conflictCandidates: TwinPair[];
  duplicates: TwinPair[];
  conflictCount: number;
  duplicateCount: number;
  /** Whether two nodes may never be in one cluster. */
  areEnemies(a: number, b: number): boolean;
}

/**
 * At most this many pairs are compared in one plan, the nearest ones; each takes milliseconds, and a user may have a hundred thousand. The
 * rest is kept apart unread, as if each pair disagreed.
 */
export const MAX_COMPARED_TWINS = 20_000;
/** Comparisons in one slice: each takes a fraction of a millisecond, of long texts several. */
const COMPARED_AT_ONCE = 4;

/**
 * @param links neighbour links of at least the threshold, strongest first.
 * @param mostCompared further pairs are kept apart unread.
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
  const reading: TwinReading = {
    conflictCandidates: [],
    duplicates: [],
    conflictCount: 0,
    duplicateCount: 0,
    areEnemies: (a, b) => enemies.get(Math.min(a, b))?.has(Math.max(a, b)) ?? false,
  };
  let compared = 0;
  for (const { a, b, weight } of links) {
    compared += 1;
    if (compared > mostCompared) {
      keepApart(enemies, a, b);
      continue;
    }
    if (compared % COMPARED_AT_ONCE === 0) yield;
    const [one, other] = [candidates[a]!, candidates[b]!];
    const { kind, differs } = compareTexts(saidBy(one), saidBy(other));
    if (kind === 'related') continue;
    const pair: TwinPair = { a: one.id, b: other.id, weight, differs };
    if (kind === 'duplicate') {
      reading.duplicateCount += 1;
      if (reading.duplicates.length < MAX_LISTED_TWINS) reading.duplicates.push(pair);
      continue;
    }
    keepApart(enemies, a, b);
    reading.conflictCount += 1;
    if (reading.conflictCandidates.length < MAX_LISTED_TWINS) reading.conflictCandidates.push(pair);
  }
  return reading;
}

function keepApart(enemies: Map<number, Set<number>>, a: number, b: number): void {
  const apart = enemies.get(a) ?? new Set();
  enemies.set(a, apart.add(b));
}

function saidBy({ content, documentDay, documentDate }: Candidate): { content: string; day: string | null } {
  return { content, day: documentDay ?? dayOf(documentDate) };
}

/** A text and the day on which it was said (YYYY-MM-DD), where that is known. */
export interface TwinText {
  content: string;
  documentDay?: string;
}

/** Whether two texts say the same and nothing more, in whatever words: only then may one of them be superseded by the other. */
export function isDuplicate(a: TwinText, b: TwinText): boolean {
  const kind = compareTexts(
    { content: a.content, day: a.documentDay ?? null },
    { content: b.content, day: b.documentDay ?? null },
  ).kind;
  return kind === 'duplicate';
}
