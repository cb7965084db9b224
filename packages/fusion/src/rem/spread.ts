import type { Edge } from '../memory.ts';
import type { RemConfig, RemNode } from './config.ts';

/** What links the nodes of a plan, by their numbers from 0. */
export interface RemGraphLinks {
  /** For each node: where activation goes from it and how much of it, by number. */
  carriers: { to: number; weight: number }[][];
  /** For each node: those it may not be paired with, as they are linked. */
  linked: Set<number>[];
  /** Pairs that carry activation. */
  pairs: number;
}

/**
 * Relations carry activation and link. Neighbours carry it from `minNeighbour` up to `edgeThreshold`, and link from there on. Of several
 * edges of one pair the strongest carries.
 */
export function linkNodes(
  nodes: readonly RemNode[],
  edges: readonly Edge[],
  config: RemConfig,
): RemGraphLinks {
  const indexes = new Map(nodes.map(({ id }, index) => [id, index]));
  const linked = nodes.map(() => new Set<number>());
  const weights = nodes.map(() => new Map<number, number>());
  let pairs = 0;
  for (const { a, b, weight, kind } of edges) {
    const [one, other] = [indexes.get(a), indexes.get(b)];
    if (one === undefined || other === undefined || one === other) continue;
    if (kind === 'relation' || weight >= config.edgeThreshold) {
      linked[one]!.add(other);
      linked[other]!.add(one);
    }
    const carries = kind === 'relation' ? weight > 0 : inBand(weight, config);
    const known = weights[one]!.get(other);
    if (!carries || (known !== undefined && known >= weight)) continue;
    if (known === undefined) pairs += 1;
    weights[one]!.set(other, Math.min(1, weight));
    weights[other]!.set(one, Math.min(1, weight));
  }
  // In one order, so that what is added up has the same last digit whatever order the edges came in.
  const carriers = weights.map((targets) =>
    [...targets].map(([to, weight]) => ({ to, weight })).sort((one, other) => one.to - other.to),
  );
  return { carriers, linked, pairs };
}

function inBand(weight: number, { minNeighbour, edgeThreshold }: RemConfig): boolean {
  return weight >= minNeighbour && weight < edgeThreshold;
}

/**
 * Activation that goes out from a node, in waves: what a wave reaches for the first time sends the next one, weaker by the edge and by
 * `hopDecay`. What comes to one node on several ways adds up, never beyond 1; nothing goes back to an earlier wave, so that no echo counts.
 *
 * @returns activation from `minActivation` up to 1 by node, without the node itself.
 */
export function spreadActivation(
  from: number,
  { carriers }: RemGraphLinks,
  { maxHops, hopDecay, minActivation }: RemConfig,
): Map<number, number> {
  const activation = new Map<number, number>();
  const waveOf = new Map([[from, 0]]);
  let senders = [{ node: from, strength: 1 }];
  for (let wave = 1; wave <= maxHops && senders.length > 0; wave += 1) {
    const reached: number[] = [];
    for (const { node, strength } of senders) {
      for (const { to, weight } of carriers[node]!) {
        const arriving = strength * weight * hopDecay;
        const known = waveOf.get(to);
        // From one sender to another is no echo: what these have came to them from elsewhere.
        if (arriving < minActivation || (known !== undefined && known < wave - 1)) continue;
        if (known === undefined) {
          waveOf.set(to, wave);
          reached.push(to);
        }
        const before = activation.get(to) ?? 0;
        activation.set(to, 1 - (1 - before) * (1 - arriving));
      }
    }
    senders = reached.map((node) => ({ node, strength: activation.get(node)! }));
  }
  return activation;
}
