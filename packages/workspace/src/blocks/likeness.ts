const CHARS_COMPARED = 500;

/** What is compared of a text: pairs of neighbouring characters. Knows no language. */
export interface Profile {
  pairs: Map<string, number>;
  size: number;
}

export function profileOf(text: string): Profile {
  const chars = [...text.toLowerCase().replace(/\s+/g, ' ').slice(0, CHARS_COMPARED)];
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < chars.length; at++) {
    const pair = `${chars[at]}${chars[at + 1]}`;
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return { pairs, size: Math.max(0, chars.length - 1) };
}

/** How alike two texts are, 0 to 1: twice the pairs that they share, of all that they have. */
export function likeness(a: Profile, b: Profile): number {
  const all = a.size + b.size;
  if (all === 0) return 0;
  let shared = 0;
  for (const [pair, count] of a.pairs) shared += Math.min(count, b.pairs.get(pair) ?? 0);
  return (2 * shared) / all;
}
