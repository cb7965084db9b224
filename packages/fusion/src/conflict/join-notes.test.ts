import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleVectors } from '../../../../test/fixtures/sample-vectors.ts';
import type { Kernel } from '../vectors/kernel.ts';
import { createPlainKernel } from '../vectors/plain-kernel.ts';
import { createSimdKernel } from '../vectors/simd-kernel.ts';
import { clusterNotes } from './cluster-notes.ts';
import type { Note } from './notes.ts';
import { cosineSimilarity } from './similarity.ts';

const COUNT = 70;
const DIMENSIONS = 420;
const simd = createSimdKernel()!;

const notesOf = (vectors: readonly Float32Array[]): Note[] =>
  vectors.map((embedding, index) => ({ id: `n${index}`, content: `note ${index}`, embedding, tags: [] }));

/** Groups of ids, joined pair by pair. */
function groupsOf(notes: Note[], threshold: number): string[][] {
  const group = new Map(notes.map(({ id }) => [id, new Set([id])]));
  for (const [index, one] of notes.entries()) {
    for (const other of notes.slice(index + 1)) {
      if (!one.embedding.length || !(cosineSimilarity(one.embedding, other.embedding) >= threshold)) continue;
      const [to, from] = [group.get(one.id)!, group.get(other.id)!];
      for (const id of from) group.set(id, to.add(id));
    }
  }
  return [...new Set(notes.map(({ id }) => group.get(id)!))].map((ids) =>
    notes.map(({ id }) => id).filter((id) => ids.has(id)),
  );
}

/** The clusters, and how often they were made by a kernel. */
function cluster(notes: Note[], threshold: number, kernel: Kernel = simd) {
  let opened = 0;
  const counted: Kernel = {
    ...kernel,
    open: (dimensions, rows) => {
      opened += 1;
      return kernel.open(dimensions, rows);
    },
  };
  const clusters = clusterNotes(notes, threshold, { kernel: counted });
  return { groups: clusters.map((one) => one.notes.map(({ id }) => id)), opened };
}

describe('clusterNotes of many notes', () => {
  const thresholds = fc.double({ min: -1, max: 1, noNaN: true });

  it('makes the clusters of joining pair by pair, by the kernel', () => {
    fc.assert(
      fc.property(fc.string(), thresholds, (seed, threshold) => {
        const notes = notesOf(sampleVectors(seed, COUNT, DIMENSIONS));
        expect(cluster(notes, threshold)).toEqual({ groups: groupsOf(notes, threshold), opened: 1 });
      }),
      { numRuns: 30 },
    );
  });

  it('makes them of a threshold that is the cosine of a pair, too', () => {
    const pairs = fc.tuple(fc.nat(COUNT - 1), fc.nat(COUNT - 1));
    fc.assert(
      fc.property(fc.string(), pairs, (seed, [one, other]) => {
        const vectors = sampleVectors(seed, COUNT, DIMENSIONS);
        const threshold = cosineSimilarity(vectors[one]!, vectors[other]!);
        const notes = notesOf(vectors);
        expect(cluster(notes, threshold)).toEqual({ groups: groupsOf(notes, threshold), opened: 1 });
      }),
      { numRuns: 30 },
    );
  });

  const vectors = sampleVectors('some', COUNT, DIMENSIONS);

  it('leaves those without an embedding alone, in their places', () => {
    const none = new Float32Array(0);
    const notes = notesOf([none, ...vectors, none]);
    expect(cluster(notes, 0.75)).toEqual({ groups: groupsOf(notes, 0.75), opened: 1 });
  });

  it('needs no kernel of the caller, and none of vectors', () => {
    const notes = notesOf(vectors);
    const { groups } = cluster(notes, 0.75);
    expect(clusterNotes(notes).map((one) => one.notes.map(({ id }) => id))).toEqual(groups);
    expect(cluster(notes, 0.75, createPlainKernel())).toEqual({ groups, opened: 1 });
    expect(groups.length).toBeLessThan(COUNT - 5);
  });

  it.each([
    ['embeddings of several lengths', new Float32Array(3).fill(1), 0],
    ['numbers that are not finite', new Float32Array(DIMENSIONS).fill(Number.NaN), 1],
    ['plain arrays', Array.from(vectors[0]!) as unknown as Float32Array, 0],
  ])('does without it for %s', (_what, odd, opened) => {
    const notes = notesOf([...vectors, odd]);
    expect(cluster(notes, 0.75)).toEqual({ groups: groupsOf(notes, 0.75), opened });
  });

  it('does without it for a few notes', () => {
    const notes = notesOf(vectors.slice(0, 20));
    expect(cluster(notes, 0.75)).toEqual({ groups: groupsOf(notes, 0.75), opened: 0 });
  });
});
