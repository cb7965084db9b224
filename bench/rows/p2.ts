import { strict as assert } from 'node:assert';
import { clusterNotes, DEFAULT_SIMILARITY_THRESHOLD } from '@slowwave/fusion';
import { serverFixture } from '../../test/fixtures/databases.ts';
import { comparedResult } from '../figures.ts';
import type { Row } from '../row.ts';
import { loadPages, loadWithDrizzle, vectorsOf } from '../stage/load-vectors.ts';
import { plainClusters } from '../stage/plain-clusters.ts';
import { makeVectors, writeVectors } from '../stage/stored-vectors.ts';

const GOAL = { kind: 'ratio', atLeast: 25 } as const;
const DIMENSIONS = 1_536;
const USER = 'reader';

function clusterVectors(vectors: readonly Float32Array[]): number[][] {
  const notes = vectors.map((embedding, index) => ({ id: String(index), content: '', embedding, tags: [] }));
  return clusterNotes(notes, DEFAULT_SIMILARITY_THRESHOLD).map((cluster) =>
    cluster.notes.map(({ id }) => Number(id)),
  );
}

export const row: Row = {
  id: 'P2',
  measure: 'load and cluster 5,000 × 1536',
  against: 'a vector() column of drizzle, cosine of each pair over plain arrays, union-find',
  goal: GOAL,
  async run(bench) {
    const count = bench.quick ? 1_000 : 5_000;
    const fixture = await serverFixture();
    try {
      bench.say(`storing ${count} vectors of ${DIMENSIONS} dimensions`);
      const made = makeVectors(bench.random, { from: 0, to: count, dimensions: DIMENSIONS });
      await writeVectors(fixture.database, USER, made);
      const compared = await bench.compare(`load and cluster ${count} × ${DIMENSIONS}`, {
        baseline: async () =>
          plainClusters(
            await loadWithDrizzle(fixture.database, USER, DIMENSIONS),
            DEFAULT_SIMILARITY_THRESHOLD,
          ),
        ours: async () =>
          clusterVectors(vectorsOf(await loadPages(fixture.database, USER, DIMENSIONS), DIMENSIONS)),
        equal(baseline, ours) {
          assert.ok(ours.filter(({ length }) => length > 1).length > count / 50, 'there are clusters');
          assert.deepEqual(ours, baseline);
        },
      });
      return [comparedResult(`load and cluster ${count} × ${DIMENSIONS}`, compared, GOAL)];
    } finally {
      await fixture.drop();
    }
  },
};
