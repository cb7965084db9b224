/** A memory that a search has brought back, by what it was found. */
export interface RecallHit {
  id: string;
  /** Cosine to the question, -1 to 1; null when it was not found by vector. */
  similarity: number | null;
  /**
   * `ts_rank` (default weights, no normalisation) for any of the question's words; null when it was not found by text. It grows with the
   * share of the words that the memory has: 0.0608 when each is there once.
   */
  textRank: number | null;
  /** 0 to 1 */
  prominence: number;
}

export interface RankedHit extends RecallHit {
  /** 0 to 1, never 0. */
  score: number;
}

export interface RecallOptions {
  /** At most this many are returned. */
  limit: number;
  /** The embedder's: the cosine from which two texts count as related. */
  threshold: number;
}

/** `ts_rank` of a text in which every word of the question stands once, rounded down (6 / π² of the default weight 0.1 is 0.06079). */
const FULL_TEXT_RANK = 0.0607;
/** Relevance from which a hit answers: related by the embedder's measure, or half of the question's words. */
const STRONG_RELEVANCE = 0.5;
/** How much of what is left the weaker of the two searches may add. */
const AGREEMENT = 0.25;
/** What a memory that never comes to mind loses of its relevance. */
const PROMINENCE_WEIGHT = 0.3;

/**
 * Puts hits of the vector and the text search into one order, best first. Relevance is the better of the two findings and a little more
 * when both agree, so that either alone can win; prominence is worth at most three tenths of it, so that a faded memory that fits
 * beats a fresh one that does not. The score grows with each input, and the order does not depend on that of the hits.
 *
 * A memory that is given twice is taken with the better of each value; one that nothing speaks for is left out.
 */
export function rankRecall(hits: readonly RecallHit[], options: RecallOptions): RankedHit[] {
  const ranked: RankedHit[] = [];
  for (const hit of mergeById(hits)) {
    const score = scoreOf(hit, options.threshold);
    if (score > 0) ranked.push({ ...hit, score });
  }
  return ranked.sort(byScore).slice(0, Math.max(0, Math.floor(options.limit)));
}

/** Whether a hit answers at all, whatever its prominence: as similar as related texts are, or with half of the question's words. */
export function isStrong(hit: RecallHit, threshold: number): boolean {
  return (
    vectorRelevance(hit.similarity, threshold) >= STRONG_RELEVANCE ||
    textRelevance(hit.textRank) >= STRONG_RELEVANCE
  );
}

function scoreOf(hit: RecallHit, threshold: number): number {
  const vector = vectorRelevance(hit.similarity, threshold);
  const text = textRelevance(hit.textRank);
  const relevance = 1 - (1 - Math.max(vector, text)) * (1 - AGREEMENT * Math.min(vector, text));
  return relevance * (1 - PROMINENCE_WEIGHT * (1 - toShare(hit.prominence)));
}

/** 0 without similarity, 0.5 at the threshold, 1 at cosine 1; steep below the threshold, where most of all pairs are. */
function vectorRelevance(similarity: number | null, threshold: number): number {
  const cosine = toShare(similarity ?? 0);
  const limit = toShare(threshold);
  if (cosine === 0) return 0;
  if (cosine < limit) return STRONG_RELEVANCE * (cosine / limit) ** 3;
  if (limit === 1) return 1;
  return STRONG_RELEVANCE + (1 - STRONG_RELEVANCE) * ((cosine - limit) / (1 - limit));
}

function textRelevance(textRank: number | null): number {
  return toShare((textRank ?? 0) / FULL_TEXT_RANK);
}

/** Into 0 to 1; what is no number counts as nothing. */
function toShare(value: number): number {
  return value > 0 ? Math.min(1, value) : 0;
}

function mergeById(hits: readonly RecallHit[]): Iterable<RecallHit> {
  const merged = new Map<string, RecallHit>();
  for (const { id, ...found } of hits) {
    const known = merged.get(id);
    merged.set(id, {
      id,
      similarity: higher(known?.similarity ?? null, found.similarity),
      textRank: higher(known?.textRank ?? null, found.textRank),
      prominence: higher(known?.prominence ?? null, found.prominence) ?? 0,
    });
  }
  return merged.values();
}

/** The higher of two values; what is no number is nothing. */
function higher(one: number | null, other: number | null): number | null {
  const known = [one, other].filter((value) => value !== null && !Number.isNaN(value)) as number[];
  return known.length === 0 ? null : Math.max(...known);
}

function byScore(one: RankedHit, other: RankedHit): number {
  return (
    other.score - one.score ||
    compare(other.similarity, one.similarity) ||
    compare(other.textRank, one.textRank) ||
    (one.id < other.id ? -1 : 1)
  );
}

/** Null stands below every number. */
function compare(one: number | null, other: number | null): number {
  const [a, b] = [one ?? Number.NEGATIVE_INFINITY, other ?? Number.NEGATIVE_INFINITY];
  return a > b ? 1 : a < b ? -1 : 0;
}
