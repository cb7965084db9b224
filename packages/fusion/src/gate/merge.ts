import { dayOf } from '../day.ts';
import type { Candidate } from '../memory.ts';
import type { Merge } from '../ports.ts';
import type { TwinPair } from './twins.ts';

/**
 * Which of two memories that say the same stands for both. Nothing may be lost with the one that goes: the same origin, visibility and
 * category, and no time of its own that the other has not; of two said on different days neither has such a time alone, and the later one
 * stays, so that what was said in between does not count as newer. Each memory has one part in a plan.
 *
 * @param duplicates pairs that hold each other whole, strongest first.
 * @param mayMerge says no to pairs that wait for somebody or were undone or rejected before.
 */
export function planMerges(
  candidates: readonly Candidate[],
  duplicates: readonly TwinPair[],
  mayMerge: (keep: Candidate, drop: Candidate) => boolean = () => true,
): Merge[] {
  const byId = new Map(candidates.map((candidate) => [candidate.id, candidate]));
  const taken = new Set<string>();
  const merges: Merge[] = [];
  for (const { a, b } of duplicates) {
    const [one, other] = [byId.get(a), byId.get(b)];
    if (!one || !other || one === other || taken.has(a) || taken.has(b)) continue;
    const merge = mergeOf(one, other) ?? mergeOf(other, one);
    if (!merge || !mayMerge(one, other)) continue;
    taken.add(a).add(b);
    merges.push(merge);
  }
  return merges;
}

/** The merge of two memories when the first of them is the better one and holds the times of the other; null otherwise. */
function mergeOf(keep: Candidate, drop: Candidate): Merge | null {
  if (keep.origin !== drop.origin || keep.visibility !== drop.visibility || keep.category !== drop.category)
    return null;
  if (!holdsTimes(keep, drop)) return null;
  const isOneDay = dayAt(keep) === dayAt(drop);
  if (!isOneDay && !holdsTimes(drop, keep)) return null; // guard: merge-times
  // Where only one of the two holds the other's times, it stays whatever its rank.
  if (holdsTimes(drop, keep) && (isOneDay ? compareRank : compareSaid)(keep, drop) > 0) return null;
  return { keepId: keep.id, dropId: drop.id };
}

const dayAt = ({ documentDay, documentDate }: Candidate): string | null => documentDay ?? dayOf(documentDate);

/** Of what was said on different days: more trusted first, then said later. */
function compareSaid(one: Candidate, other: Candidate): number {
  const [day, otherDay] = [dayAt(one) ?? '', dayAt(other) ?? ''];
  return other.trust - one.trust || other.documentDate - one.documentDate || (day > otherDay ? -1 : 1);
}

function holdsTimes(keep: Candidate, drop: Candidate): boolean {
  return (['eventDate', 'validFrom', 'validTo'] as const).every(
    (field) => drop[field] === null || drop[field] === keep[field],
  );
}

/** Better confirmed first, then more trusted, more important, said later, smaller id. */
function compareRank(one: Candidate, other: Candidate): number {
  return (
    other.confirmations - one.confirmations ||
    other.trust - one.trust ||
    other.importance - one.importance ||
    other.documentDate - one.documentDate ||
    (one.id < other.id ? -1 : 1)
  );
}
