import type { Components } from '../components.ts';
import { inOneGo } from '../slices.ts';
import { cosineOf } from '../vectors/cosine.ts';
import { createKernel } from '../vectors/create-kernel.ts';
import type { Kernel } from '../vectors/kernel.ts';
import { fitsRoom } from '../vectors/layout.ts';
import { integerBounds } from '../vectors/margin.ts';
import { scanPairs } from '../vectors/scan.ts';
import { writeRows } from '../vectors/write.ts';
import type { Note } from './notes.ts';

/** Multiplications from which preparing a kernel costs less than it saves. */
const WORTH_PRODUCTS = 1_000_000;

/**
 * Joins the notes whose cosine reaches the threshold, by whole numbers: only where these are too near to the threshold to say it, the
 * cosine itself is taken. The components are those of taking all of them.
 * @returns false, and joins nothing, where the kernel does not pay or cannot be used: few notes, embeddings of several lengths, or of
 *   something that is not finite
 */
export function joinByKernel(
  notes: readonly Note[],
  threshold: number,
  components: Components,
  kernel: Kernel | undefined,
): boolean {
  const nodes: number[] = [];
  for (const [node, { embedding }] of notes.entries()) if (embedding.length > 0) nodes.push(node);
  const vectors = nodes.map((node) => notes[node]!.embedding);
  const dimensions = vectors[0]?.length ?? 0;
  if ((vectors.length * (vectors.length - 1) * dimensions) / 2 < WORTH_PRODUCTS) return false;
  if (!fitsRoom(dimensions, vectors.length)) return false;
  // What a store hands over need not be what the types say.
  if (!vectors.every((vector) => vector instanceof Float32Array && vector.length === dimensions))
    return false;

  const used = kernel ?? createKernel();
  const rows = used.open(dimensions, vectors.length);
  const lengths = inOneGo(writeRows(rows, 0, vectors));
  if (!lengths.every(Number.isFinite)) return false;
  const { possible, certain } = integerBounds(threshold, dimensions);
  rows.bounds.fill(possible);
  const joinLike = (a: number, b: number, dot: number): void => {
    const [one, other] = [nodes[a]!, nodes[b]!];
    if (components.find(one) === components.find(other)) return;
    const isLike =
      dot >= certain || cosineOf(vectors[a]!, vectors[b]!, lengths[a]!, lengths[b]!) >= threshold;
    if (isLike) components.join(one, other, () => true);
  };
  inOneGo(scanPairs(used, rows, dimensions, joinLike));
  return true;
}
