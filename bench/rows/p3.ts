import { strict as assert } from 'node:assert';
import { serverFixture } from '../../test/fixtures/databases.ts';
import { comparedResult } from '../figures.ts';
import type { Row } from '../row.ts';
import { loadPages, loadWithDrizzle, vectorsOf } from '../stage/load-vectors.ts';
import { plainVectors, writeVectors } from '../stage/stored-vectors.ts';

const GOAL = { kind: 'ratio', atLeast: 8 } as const;
const DIMENSIONS = 1_536;
const USER = 'reader';

export const row: Row = {
  id: 'P3',
  measure: 'vector load 5,000 × 1536',
  against: 'a vector() column of drizzle',
  goal: GOAL,
  async run(bench) {
    const count = bench.quick ? 1_000 : 5_000;
    const fixture = await serverFixture();
    try {
      bench.say(`storing ${count} vectors of ${DIMENSIONS} dimensions`);
      const made = plainVectors(bench.random, { from: 0, to: count, dimensions: DIMENSIONS });
      await writeVectors(fixture.database, USER, made);
      const compared = await bench.compare<ArrayLike<number>[]>(`load of ${count} × ${DIMENSIONS}`, {
        baseline: () => loadWithDrizzle(fixture.database, USER, DIMENSIONS),
        ours: async () => vectorsOf(await loadPages(fixture.database, USER, DIMENSIONS), DIMENSIONS),
        equal(baseline, ours) {
          assert.equal(ours.length, count);
          assert.equal(baseline.length, count);
          for (const [i, vector] of ours.entries()) {
            const expected = new Uint32Array(Float32Array.from(baseline[i]!).buffer);
            assert.deepEqual(new Uint32Array(Float32Array.from(vector).buffer), expected, 'bit-identical');
          }
        },
      });
      const note = 'ours in pages of 8 MB, each a transaction of its own, as the worker reads them';
      return [comparedResult(`load of ${count} × ${DIMENSIONS}`, compared, GOAL, note)];
    } finally {
      await fixture.drop();
    }
  },
};
