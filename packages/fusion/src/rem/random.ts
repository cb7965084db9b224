/**
 * Numbers that look random and are the same for the same seed on every machine and version of the runtime: a small fast counter
 * generator (sfc32) whose state is mixed from the seed's characters.
 *
 * @returns a function that gives the next number, from 0 up to but not 1.
 */
export function createRandom(seed: string): () => number {
  let a = mix(seed, 0x9e3779b9);
  let b = mix(seed, 0x243f6a88);
  let c = mix(seed, 0xb7e15162);
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 0x1_0000_0000;
  };
  // The first numbers of similar seeds resemble each other.
  for (let round = 0; round < 16; round += 1) next();
  return next;
}

/** 32 bits of a text, every bit of which hangs on every character. */
function mix(text: string, salt: number): number {
  let state = salt ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0xcc9e2d51);
    state = (state << 13) | (state >>> 19);
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return state ^ (state >>> 16);
}
