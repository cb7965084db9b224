import { type Components, createComponents } from '../components.ts';
import type { Kernel } from '../vectors/kernel.ts';
import { joinByKernel } from './join-notes.ts';
import type { Note } from './notes.ts';
import { cosineSimilarity } from './similarity.ts';

/** Notes that belong together. A note without similar ones is a cluster of its own. */
export interface NoteCluster {
  id: string;
  notes: Note[];
  /** Mean of the members' embeddings; absent where there is none. */
  centroid?: Float32Array;
}

export interface ClusterNotesOptions {
  /** Makes the clusters' ids; absent: the id of the first member. */
  newId?: () => string;
  /** Compares many notes; absent: one of its own where they are enough. */
  kernel?: Kernel;
}

export const DEFAULT_SIMILARITY_THRESHOLD = 0.75;

/**
 * Groups notes by single linkage: two notes whose embeddings are at least as similar as the threshold are in one cluster, and so
 * are all that are linked through others. Notes without an embedding stay alone. In the order of the notes.
 * @param similarityThreshold cosine, inclusive
 */
export function clusterNotes(
  notes: Note[],
  similarityThreshold: number = DEFAULT_SIMILARITY_THRESHOLD,
  options: ClusterNotesOptions = {},
): NoteCluster[] {
  const components = createComponents(notes.length);
  const isDone = joinByKernel(notes, similarityThreshold, components, options.kernel);
  if (!isDone) joinOneByOne(notes, similarityThreshold, components);
  const groups = new Map<number, Note[]>();
  for (const [index, note] of notes.entries()) {
    const root = components.find(index);
    const group = groups.get(root);
    if (group) group.push(note);
    else groups.set(root, [note]);
  }
  return [...groups.values()].map((members) => {
    const centroid = centroidOf(members);
    const cluster: NoteCluster = { id: options.newId?.() ?? members[0]!.id, notes: members };
    return centroid ? { ...cluster, centroid } : cluster;
  });
}

function joinOneByOne(notes: Note[], threshold: number, components: Components): void {
  for (let one = 0; one < notes.length; one += 1) {
    if (notes[one]!.embedding.length === 0) continue;
    for (let other = one + 1; other < notes.length; other += 1) {
      // Linked already: their similarity changes nothing.
      if (components.find(one) === components.find(other)) continue;
      if (cosineSimilarity(notes[one]!.embedding, notes[other]!.embedding) >= threshold)
        components.join(one, other, () => true);
    }
  }
}

/** The mean of the embeddings that have the first one's dimensions. */
function centroidOf(notes: Note[]): Float32Array | null {
  const vectors = notes.map(({ embedding }) => embedding).filter(({ length }) => length > 0);
  const dimensions = vectors[0]?.length ?? 0;
  const same = vectors.filter(({ length }) => length === dimensions);
  if (dimensions === 0) return null;
  const mean = new Float32Array(dimensions);
  if (same.length === 1) {
    mean.set(vectors[0]!);
    return mean;
  }
  const sums = new Float64Array(dimensions);
  for (const vector of same) {
    for (let index = 0; index < dimensions; index += 1) sums[index]! += vector[index]!;
  }
  for (let index = 0; index < dimensions; index += 1) mean[index] = sums[index]! / same.length;
  return mean;
}
