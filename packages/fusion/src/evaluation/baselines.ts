import { stemOf } from '../reading/words.ts';

/** What our recall is measured against. Each gives the places of the texts, best first. */

const WORDS = /[\p{L}\p{N}]+/gu;
const [K1, B] = [1.2, 0.75];

/** Plain BM25 with English stems, and nothing else: no function words left out, no vectors, no priors. */
export function createBm25(texts: readonly string[]): (question: string) => number[] {
  const wordsOf = (text: string) => (text.toLowerCase().match(WORDS) ?? []).map(stemOf);
  const memories = texts.map((text) => {
    const counts = new Map<string, number>();
    const words = wordsOf(text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { counts, length: words.length };
  });
  const having = new Map<string, number>();
  for (const word of memories.flatMap(({ counts }) => [...counts.keys()]))
    having.set(word, (having.get(word) ?? 0) + 1);
  const average = memories.reduce((sum, { length }) => sum + length, 0) / Math.max(1, memories.length);
  return (question) => {
    const asked = new Set(wordsOf(question));
    const scores = memories.map(({ counts, length }) => {
      let score = 0;
      for (const word of asked) {
        const count = counts.get(word) ?? 0;
        const had = having.get(word) ?? 0;
        const rarity = Math.log(1 + (memories.length - had + 0.5) / (had + 0.5));
        score += (rarity * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / average));
      }
      return score;
    });
    return placesBy(scores).filter((place) => scores[place]! > 0);
  };
}

/** By cosine alone, over unit vectors. */
export function byCosine(vectors: readonly Float32Array[], question: Float32Array): number[] {
  return placesBy(vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * question[at]!, 0)));
}

/** Places in the order of falling scores; equal ones in their own order. */
export function placesBy(scores: readonly number[]): number[] {
  return scores.map((_, place) => place).sort((a, b) => scores[b]! - scores[a]! || a - b);
}
