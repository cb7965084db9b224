/** Seeded embeddings with clusters in them, as a person's memories have. */

/** Cosine of two vectors that have nothing to do with each other: those of embedding models all lean the same way. */
const UNRELATED = 0.2;
/** Cosine of a member with the middle of its cluster; two members are at about its square. */
const MEMBERS = 0.93;
/** Members of a cluster, at most; half of all vectors are in none. */
const MOST_MEMBERS = 12;

/** @returns vectors of length 1 that stand in no order, about `count` / 13 clusters of 2 to 12 among them */
export function clusteredVectors(random: () => number, count: number, dimensions: number): Float32Array[] {
  const leaning = direction(random, dimensions);
  const vectors: Float64Array[] = [];
  while (vectors.length < count / 2) {
    const middle = mix(leaning, direction(random, dimensions), UNRELATED);
    const members = 2 + Math.floor(random() * (MOST_MEMBERS - 1));
    for (let member = 0; member < members; member += 1)
      vectors.push(mix(middle, direction(random, dimensions), MEMBERS ** 2));
  }
  while (vectors.length < count) vectors.push(mix(leaning, direction(random, dimensions), UNRELATED));
  for (let last = count - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [vectors[last], vectors[other]] = [vectors[other]!, vectors[last]!];
  }
  return vectors.slice(0, count).map((vector) => Float32Array.from(vector));
}

/** A vector of length 1 whose cosine with the first is about the root of the share. */
function mix(one: Float64Array, other: Float64Array, share: number): Float64Array {
  const [ofOne, ofOther] = [Math.sqrt(share), Math.sqrt(1 - share)];
  return scaled(one.map((component, index) => ofOne * component + ofOther * other[index]!));
}

function direction(random: () => number, dimensions: number): Float64Array {
  // The sum of a few even chances is near enough to a normal one.
  return scaled(Float64Array.from({ length: dimensions }, () => random() + random() + random() - 1.5));
}

function scaled(vector: Float64Array): Float64Array {
  let square = 0;
  for (const component of vector) square += component * component;
  const length = Math.sqrt(square);
  return vector.map((component) => component / length);
}
