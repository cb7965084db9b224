import type { Candidate, ConflictType, Origin } from '../memory.ts';

/** One of two memories that may disagree, as the code that decides about them sees it. Times in epoch ms. */
export interface ConflictSide
  extends Pick<
    Candidate,
    | 'id'
    | 'contentHash'
    | 'version'
    | 'content'
    | 'documentDay'
    | 'memoryType'
    | 'origin'
    | 'visibility'
    | 'trust'
    | 'documentDate'
    | 'eventDate'
    | 'validFrom'
    | 'validTo'
  > {
  workspace: string | null;
  archived: boolean;
}

/** Two memories of one user that may disagree; `a` has the smaller id. */
export interface ConflictPair {
  /** Of the conflict. */
  id: string;
  a: ConflictSide;
  b: ConflictSide;
}

/** Names one of the two. */
export type SideName = 'a' | 'b';

/** What a model says of a pair. The words are its own: they are shown to people and never logged. */
export interface PairLabel {
  type: ConflictType;
  /** For subsumes: which one says everything that the other says, and more. */
  wider: SideName | null;
  /** The question that both answer, such as "home city"; '' for none. */
  slot: string;
  description: string;
  /** 0 to 1; 0 when it did not say. */
  confidence: number;
}

/** How much a word counts by who said it: a person's own, then what was read somewhere, then what an assistant thinks. */
const RANKS: Readonly<Record<Origin, number>> = { user: 3, tool: 2, import: 2, assistant: 1 };

export function originRank(origin: Origin): number {
  return RANKS[origin];
}

/** How far a memory is to be believed. */
export type Standing = Pick<ConflictSide, 'id' | 'trust' | 'origin'>;

/** At least as trusted, and of an origin at least as high: only such a memory may take another one's place. */
export function mayAccuse(one: Standing, other: Standing): boolean {
  return one.trust >= other.trust && originRank(one.origin) >= originRank(other.origin);
}

/**
 * The side that alone stays out of fusion while a conflict is open: the one that is less trusted, or of lower origin, so that nobody can
 * freeze what a person said by contradicting it. Null, both stay out, when neither is clearly the lesser.
 */
export function accuserOf({ a, b }: { a: Standing; b: Standing }): string | null {
  const [first, second] = [mayAccuse(a, b), mayAccuse(b, a)];
  if (first === second) return null;
  return first ? b.id : a.id;
}

/** From this confidence of the label on, a policy may act on it. */
export const POLICY_MIN_CONFIDENCE = 0.7;

/**
 * Who wins under the policy `newest_wins`: what was said later, when both answer one question, and when it is neither less trusted nor of a
 * lower origin than what it replaces. Null when a person has to look.
 */
export function newestWins(
  { a, b }: Pick<ConflictPair, 'a' | 'b'>,
  label: Pick<PairLabel, 'type' | 'slot' | 'confidence'>,
): SideName | null {
  if (label.type !== 'contradictory' || label.slot === '') return null;
  if (label.confidence < POLICY_MIN_CONFIDENCE || a.documentDate === b.documentDate) return null;
  const name: SideName = a.documentDate > b.documentDate ? 'a' : 'b';
  const [winner, loser] = name === 'a' ? [a, b] : [b, a];
  if (winner.memoryType === 'static_profile' || loser.memoryType === 'static_profile') return null;
  return mayAccuse(winner, loser) && sharesPlace(winner, loser) && !winner.archived ? name : null;
}

/** Seen by the same people in the same place: nobody loses sight of a fact because another one replaces it. */
export function sharesPlace(one: ConflictSide, other: ConflictSide): boolean {
  return one.visibility === other.visibility && one.workspace === other.workspace;
}

/**
 * Until when the loser of a contradiction counts as true: until the winner's began, or was said; never before its own beginning, and never
 * longer than it was known to hold.
 */
export function validToOf(loser: ConflictSide, winner: ConflictSide): number {
  const end = winner.validFrom ?? winner.eventDate ?? winner.documentDate;
  return Math.max(loser.validFrom ?? Number.NEGATIVE_INFINITY, Math.min(loser.validTo ?? end, end));
}
