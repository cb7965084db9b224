import { strict as assert } from 'node:assert';
import type { Database } from '@slowwave/db';
import { embedMissing } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { serverFixture } from '../../test/fixtures/databases.ts';
import { medianOf } from '../compare.ts';
import { durationText, numberText } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { embedContext, embedderOf, makeVectors, TENANT, writeMemories } from '../stage/stored-vectors.ts';

const DIMENSIONS = 1_536;
const QUICK_DIMENSIONS = 384;
const FRESH = 20;
const COLD_EXPONENT = 2.1;
const WARM_EXPONENT = 1.1;
/** What twenty new memories may cost of what all of them cost. */
const WARM_SHARE = 1 / 20;

/** Words of a memory, and how many different ones there are, as frequent as Zipf's law has them: memories share some. */
const WORDS = 14;
const VOCABULARY = 20_000;

interface Times {
  cold: number[];
  warm: number[];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function insistOnNeighbours(database: Database, user: string, memories: number): Promise<void> {
  const [counted] = await database.withTenant(TENANT, (tx) =>
    tx.rows<{ embedded: number; neighbours: number }>(sql`
      select (select count(*)::int from slowwave.embeddings where user_id = ${user}) as embedded,
        (select count(distinct memory_id)::int from slowwave.neighbours where user_id = ${user}) as neighbours`),
  );
  assert.equal(counted!.embedded, memories, 'each memory has its vector');
  assert.ok(counted!.neighbours > memories / 4, 'members of clusters have their neighbours');
}

/** A user from nothing to `size` memories in one go, and then twenty more. */
async function grow(
  bench: BenchContext,
  database: Database,
  of: { user: string; size: number; dimensions: number },
): Promise<{ cold: number; warm: number }> {
  const { user, size, dimensions } = of;
  const { random } = bench;
  const word = () => `word${Math.floor(VOCABULARY ** random())}`;
  const said = (name: string) => [name, ...Array.from({ length: WORDS }, word)].join(' ');
  const made = makeVectors(random, { from: 0, to: size + FRESH, dimensions });
  const vectors = new Map([...made].map(([name, vector]) => [said(name), vector]));
  const contents = [...vectors.keys()];
  const context = embedContext(database, user, embedderOf(vectors, dimensions));
  await writeMemories(database, user, contents.slice(0, size));
  const cold = await timed(() => embedMissing(context));
  await insistOnNeighbours(database, user, size);
  await database.pool!.query(
    'vacuum (analyze) slowwave.embeddings, slowwave.neighbours, slowwave.closeness, slowwave.word_scores',
  );
  await writeMemories(database, user, contents.slice(size));
  const warm = await timed(() => embedMissing(context));
  await insistOnNeighbours(database, user, size + FRESH);
  // Each user finds the tables as empty as the first one did.
  await database.asOwner((tx) => tx.rows(sql`truncate slowwave.memories cascade`));
  return { cold, warm };
}

function exponentOf(sizes: readonly number[], times: readonly number[]): number {
  return Math.log(times.at(-1)! / times[0]!) / Math.log(sizes.at(-1)! / sizes[0]!);
}

async function measure(bench: BenchContext, database: Database): Promise<RowResult[]> {
  const sizes = bench.quick ? [1_000, 2_000, 4_000] : [5_000, 10_000, 20_000];
  const dimensions = bench.quick ? QUICK_DIMENSIONS : DIMENSIONS;
  const times = new Map<number, Times>(sizes.map((size) => [size, { cold: [], warm: [] }]));
  // The first one compiles, and starts a thread for the first time.
  await grow(bench, database, { user: 'first', size: sizes[0]!, dimensions });
  for (let round = 0; round < bench.rounds; round += 1) {
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
      const { cold, warm } = await grow(bench, database, { user: `u-${round}-${size}`, size, dimensions });
      bench.say(`${size}: cold ${durationText(cold)}, ${FRESH} new ${durationText(warm)}`);
      times.get(size)!.cold.push(cold);
      times.get(size)!.warm.push(warm);
    }
  }
  const [cold, warm] = (['cold', 'warm'] as const).map((key) =>
    sizes.map((size) => medianOf(times.get(size)![key])),
  ) as [number[], number[]];
  const span = `${sizes[0]} to ${sizes.at(-1)} × ${dimensions}`;
  const told = (list: number[]) => list.map(durationText).join(', ');
  const [coldExponent, warmExponent] = [exponentOf(sizes, cold), exponentOf(sizes, warm)];
  const share = warm.at(-1)! / cold.at(-1)!;
  return [
    {
      name: `exponent, cold, ${span}`,
      baseline: null,
      ours: numberText(coldExponent),
      met: coldExponent <= COLD_EXPONENT,
      note: `${told(cold)}: vectors stored, neighbours and close memories found and stored`,
    },
    {
      name: `exponent, ${FRESH} new beside stored neighbours`,
      baseline: null,
      ours: numberText(warmExponent),
      met: warmExponent <= WARM_EXPONENT,
      note: told(warm),
    },
    {
      name: `${FRESH} new, of what ${sizes.at(-1)} cost cold`,
      baseline: durationText(cold.at(-1)!),
      ours: durationText(warm.at(-1)!),
      met: share <= WARM_SHARE,
      note: `1/${numberText(1 / share)} of it; the goal is 1/20`,
    },
  ];
}

export const row: Row = {
  id: 'P11',
  measure:
    'cost exponent in N, 5,000 to 20,000: cold; with stored neighbours and 20 new (at most 1.1, and 1/20 of cold)',
  against: 'itself',
  goal: { kind: 'most', value: COLD_EXPONENT, unit: 'as exponent, cold' },
  async run(bench) {
    const fixture = await serverFixture();
    try {
      return await measure(bench, fixture.database);
    } finally {
      await fixture.drop();
    }
  },
};
