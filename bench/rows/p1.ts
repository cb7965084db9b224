import { strict as assert } from 'node:assert';
import { clusterNotes, DEFAULT_SIMILARITY_THRESHOLD } from '@slowwave/fusion';
import { comparedResult } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { clusteredVectors } from '../stage/clustered-vectors.ts';
import { plainClusters } from '../stage/plain-clusters.ts';

const GOAL = { kind: 'ratio', atLeast: 40 } as const;

async function measure(bench: BenchContext, dimensions: number): Promise<RowResult> {
  const count = bench.quick ? 1_000 : 5_000;
  bench.say(`making ${count} vectors of ${dimensions} dimensions`);
  const vectors = clusteredVectors(bench.random, count, dimensions);
  const arrays = vectors.map((vector) => Array.from(vector));
  const notes = vectors.map((embedding, index) => ({ id: String(index), content: '', embedding, tags: [] }));
  const compared = await bench.compare(`clusters of ${count} × ${dimensions}`, {
    baseline: async () => plainClusters(arrays, DEFAULT_SIMILARITY_THRESHOLD),
    ours: async () => clusterNotes(notes).map((cluster) => cluster.notes.map(({ id }) => Number(id))),
    equal(baseline, ours) {
      const several = ours.filter(({ length }) => length > 1);
      assert.ok(several.length > count / 50, 'there are clusters');
      assert.deepEqual(ours, baseline);
    },
  });
  return comparedResult(
    `clusters of ${count} × ${dimensions}, cold`,
    compared,
    GOAL,
    'vectors at hand in memory on both sides; unrelated ones have a cosine of 0.2, as those of embedding models do',
  );
}

export const row: Row = {
  id: 'P1',
  measure: 'clusters of 5,000 × 384 and × 1536, cold',
  against: 'cosine of each pair over plain arrays, union-find',
  goal: GOAL,
  async run(bench) {
    return [await measure(bench, 384), await measure(bench, 1_536)];
  },
};
