/** Clusters of vectors as they are written without a second thought: each pair's cosine over plain arrays, and union-find. */

function cosine(a: number[], b: number[]): number {
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let index = 0; index < a.length; index += 1) {
    dot += a[index]! * b[index]!;
    squareA += a[index]! * a[index]!;
    squareB += b[index]! * b[index]!;
  }
  const size = Math.sqrt(squareA) * Math.sqrt(squareB);
  return size === 0 ? 0 : dot / size;
}

/** @returns indexes of each cluster's vectors, single ones included, in the order of their first members */
export function plainClusters(vectors: number[][], threshold: number): number[][] {
  const parents = vectors.map((_, index) => index);
  const find = (index: number): number => {
    while (parents[index] !== index) {
      parents[index] = parents[parents[index]!]!;
      index = parents[index]!;
    }
    return index;
  };
  for (let one = 0; one < vectors.length; one += 1) {
    for (let other = one + 1; other < vectors.length; other += 1) {
      if (cosine(vectors[one]!, vectors[other]!) >= threshold) parents[find(other)] = find(one);
    }
  }
  const clusters = new Map<number, number[]>();
  for (let index = 0; index < vectors.length; index += 1) {
    const root = find(index);
    const cluster = clusters.get(root);
    if (cluster) cluster.push(index);
    else clusters.set(root, [index]);
  }
  return [...clusters.values()];
}
