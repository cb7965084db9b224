import { strict as assert } from 'node:assert';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import { serverFixture } from '../../test/fixtures/databases.ts';
import { medianOf } from '../compare.ts';
import { bytesText, durationText } from '../figures.ts';
import type { Row } from '../row.ts';
import type { EmbedFigures, EmbedTask } from '../stage/embed-process.ts';
import { plainVectors, TENANT, writeMemories, writeVectors } from '../stage/stored-vectors.ts';

const GOAL_MB = 256;
const GOAL_BYTES = GOAL_MB * 1_048_576;
const DIMENSIONS = 1_536;
const USER = 'large';
const SLICE = 5_000;
const PROGRAM = fileURLToPath(new URL('../stage/embed-process.ts', import.meta.url));

function embedApart(task: EmbedTask): Promise<EmbedFigures> {
  const child = fork(PROGRAM, [JSON.stringify(task)], {
    execArgv: [...process.execArgv.filter((flag) => flag !== '--expose-gc'), '--expose-gc'],
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.on('message', (figures) => resolve(figures as EmbedFigures));
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`the process ended with code ${code}`)));
  });
}

export const row: Row = {
  id: 'P10',
  measure: 'peak memory growth for a user of 50,000 × 1536, neighbours served meanwhile',
  against: 'nothing',
  goal: { kind: 'most', value: GOAL_MB, unit: 'MB' },
  async run(bench) {
    const stored = bench.quick ? 2_000 : 50_000;
    const fresh = bench.quick ? 600 : 4_000;
    const fixture = await serverFixture();
    const { database, url } = fixture;
    try {
      for (let from = 0; from < stored; from += SLICE) {
        bench.say(`storing vectors from ${from}`);
        const of = { from, to: Math.min(stored, from + SLICE), dimensions: DIMENSIONS };
        await writeVectors(database, USER, plainVectors(bench.random, of));
      }
      const grown: number[] = [];
      let figures: EmbedFigures | null = null;
      for (let round = 0; round < bench.rounds; round += 1) {
        const [from, to] = [stored + round * fresh, stored + (round + 1) * fresh];
        const contents = Array.from({ length: fresh }, (_, i) => `memory ${from + i}`);
        await writeMemories(database, USER, contents);
        const task = { url: url!, user: USER, seed: bench.seed + round, from, to, dimensions: DIMENSIONS };
        figures = await embedApart(task);
        assert.equal(figures.embedded, fresh);
        grown.push(figures.grownBytes);
        bench.say(`grown by ${bytesText(figures.grownBytes)} in ${durationText(figures.ms)}`);
      }
      const [{ pairs }] = (await database.withTenant(TENANT, (tx) =>
        tx.rows(sql`select count(*)::int as pairs from slowwave.neighbours where user_id = ${USER}`),
      )) as [{ pairs: number }];
      assert.ok(pairs > 0, 'neighbours were found');
      const { ms, served, longestMs, stillMs } = figures!;
      const note = `${fresh} new memories compared with all in ${durationText(ms)}; neighbours asked for ${served} times meanwhile, the longest took ${durationText(longestMs)}; the main thread stood still for ${durationText(stillMs)} at most; largest of ${grown.length} rounds counts, median ${bytesText(medianOf(grown))}`;
      const most = Math.max(...grown);
      return [
        {
          name: `growth for ${stored} × ${DIMENSIONS}`,
          baseline: null,
          ours: bytesText(most),
          met: most <= GOAL_BYTES,
          note,
        },
      ];
    } finally {
      await fixture.drop();
    }
  },
};
