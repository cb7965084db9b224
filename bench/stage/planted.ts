import type { Embedder } from '@slowwave/fusion';
import { seededRandom, seedOf } from '../random.ts';

/** How much of a member's direction is that of its subject: two members have a cosine of its square, 0.81, no twins. */
const COMMON = 0.9;

/** A direction that follows from a name, as numbers whose squares add up to 1. */
function directionOf(name: string, dimensions: number): number[] {
  const random = seededRandom(seedOf(1, name));
  const components = Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);
  const length = Math.hypot(...components);
  return components.map((component) => component / length);
}

/** An embedder under which texts with the same first word are alike and all others are not. */
export function plantedEmbedder(dimensions: number): Embedder {
  const vectorOf = (text: string): Float32Array => {
    const own = directionOf(text, dimensions);
    const subject = directionOf(text.startsWith('On page') ? text : text.split(' ', 1)[0]!, dimensions);
    return Float32Array.from(subject, (common, i) => COMMON * common + Math.sqrt(1 - COMMON ** 2) * own[i]!);
  };
  return {
    name: 'planted',
    model: `planted-${dimensions}`,
    dimensions,
    threshold: 0.75,
    embed: async (texts) => texts.map(vectorOf),
  };
}
