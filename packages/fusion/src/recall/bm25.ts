/**
 * BM25 (Robertson and Zaragoza, 2009) over the memories of one user: a word counts the more, the fewer memories have it, less with each
 * repetition, and less in a long memory than in a short one.
 */

/**
 * How soon a repeated word stops to count for more, and how much a memory longer than the average has to share its words: 0 not at all,
 * 1 in full.
 */
export const BM25 = { saturation: 1.2, lengthShare: 0.75 } as const;
/** What a word counts at most that stands only in the sources of a derived memory. */
const SOURCE_SHARE = 0.2;

/** What is known of all memories that a question is put to. */
export interface Collection {
  memories: number;
  /** Mean size, in the unit of `Matches.size`. */
  averageSize: number;
  /** For each word of the question: how many memories have it. */
  memoriesWith: readonly number[];
}

/** What one memory has of the question's words. Both lists are in the order of the question's words. */
export interface Matches {
  /** Bytes of its content; what only its sources said adds nothing. */
  size: number;
  /** How often its content has each word. */
  counts: readonly number[];
  /** Whether one of its sources has it; empty for a memory without sources. */
  inSources: readonly boolean[];
}

/** How much a word tells, above 0: about 0.69 × the number of halvings from all memories to those that have it. */
export function inverseFrequency(memories: number, memoriesWith: number): number {
  return Math.log(1 + (memories - memoriesWith + 0.5) / (memoriesWith + 0.5));
}

/**
 * How much of what the question's words tell is in a memory: 0 for none of them, 1 for each once in a memory of average size, up to 2.2
 * for many repetitions in a short one. A word that no memory has counts among what is asked for.
 */
export function wordShare(collection: Collection, matches: Matches): number {
  const { memories, averageSize, memoriesWith } = collection;
  const length = averageSize > 0 ? matches.size / averageSize : 1;
  const lengthFactor = BM25.saturation * (1 - BM25.lengthShare + BM25.lengthShare * length);
  let asked = 0;
  let had = 0;
  for (const [at, count] of memoriesWith.entries()) {
    const weight = inverseFrequency(memories, count);
    asked += weight;
    const times = matches.counts[at] ?? 0;
    if (times > 0) had += (weight * times * (BM25.saturation + 1)) / (times + lengthFactor);
    else if (matches.inSources[at])
      had += (SOURCE_SHARE * weight * (BM25.saturation + 1)) / (1 + lengthFactor);
  }
  return asked > 0 ? had / asked : 0;
}
