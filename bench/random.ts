/** Chance that is the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A seed of its own for each name (FNV-1a over its characters), so that one row's chance does not depend on the rows before it. */
export function seedOf(seed: number, name: string): number {
  let hash = (2_166_136_261 ^ seed) >>> 0;
  for (const character of name) hash = Math.imul(hash ^ character.codePointAt(0)!, 16_777_619) >>> 0;
  return hash;
}
