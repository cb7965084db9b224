/** What a cosine at the threshold of its model is worth beside shared words, of at most 1. */
const AT_THRESHOLD = 0.4;

/**
 * By how much a cosine loses for what it lacks to 1, so that one at the model's threshold is worth the same whatever the model.
 * @param threshold cosine from which on two texts are related, by the model
 */
export function cosineSlope(threshold: number): number {
  return (1 - AT_THRESHOLD) / Math.max(0.01, 1 - threshold);
}

/**
 * How close two memories are, 0 to 2.
 * @param words symmetric BM25, 0 to 1: the score of one as a question for the other over its score for itself, mean of both ways
 */
export function closenessOf(words: number, cosine: number, threshold: number): number {
  return words + Math.max(0, 1 - (1 - cosine) * cosineSlope(threshold));
}
