/**
 * Cosine of the angle between two vectors, -1 to 1; 0 when one of them is empty or zero, or when their dimensions differ.
 */
export function cosineSimilarity(a: Float32Array | number[], b: Float32Array | number[]): number {
  if (a.length !== b.length || a.length === 0) return 0;
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let index = 0; index < a.length; index += 1) {
    const [one, other] = [a[index]!, b[index]!];
    dot += one * other;
    squareA += one * one;
    squareB += other * other;
  }
  const size = Math.sqrt(squareA) * Math.sqrt(squareB);
  return size === 0 || !Number.isFinite(size) ? 0 : dot / size;
}
