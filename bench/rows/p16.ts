import { strict as assert } from 'node:assert';
import { type Database, recall } from '@slowwave/db';
import type { Embedder } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { embeddedFixture, serverFixture } from '../../test/fixtures/databases.ts';
import { shareOf } from '../compare.ts';
import { durationText } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { MODEL, plainVectors, TENANT, writeVectors } from '../stage/stored-vectors.ts';
import { talkNotes, talkQuestions } from '../stage/talk.ts';

const GOAL_MS = { server: 30, embedded: 60 } as const;
const USER = 'marta';
/** Questions that are asked before any is timed. */
const WARM = 10;

interface Case {
  kind: 'server' | 'embedded';
  dimensions: number;
}

const CASES: readonly Case[] = [
  { kind: 'server', dimensions: 384 },
  { kind: 'embedded', dimensions: 384 },
  { kind: 'server', dimensions: 1_536 },
];

/** What a service would do that ranks by full text and by one vector query, in two statements. */
async function plainSearch(database: Database, query: string, vector: Float32Array): Promise<number> {
  const found = await database.withTenant(TENANT, async (tx) => [
    ...(await tx.rows(sql`
      select id, content from slowwave.memories m
      where tenant = ${TENANT} and user_id = ${USER} and is_latest and m.words @@ websearch_to_tsquery('english', ${query})
      order by ts_rank(m.words, websearch_to_tsquery('english', ${query})) desc limit 10`)),
    ...(await tx.rows(sql`
      select m.id, m.content from slowwave.embeddings e
      join slowwave.memories m on m.tenant = e.tenant and m.user_id = e.user_id and m.id = e.memory_id
      where e.tenant = ${TENANT} and e.user_id = ${USER} and e.model = ${MODEL} and m.is_latest
      order by e.vector <=> ${`[${vector.join(',')}]`}::vector limit 10`)),
  ]);
  return found.length;
}

/** p95 of each, ms. Our recall records each question and what it brought, as it does in service. */
async function measure(
  bench: BenchContext,
  database: Database,
  { dimensions }: Case,
): Promise<{ plain: number; ours: number }> {
  const size = bench.quick ? { memories: 1_000, questions: 30 } : { memories: 10_000, questions: 200 };
  const notes = talkNotes(bench.random, size.memories);
  const made = [...plainVectors(bench.random, { from: 0, to: size.memories, dimensions }).values()];
  await writeVectors(database, USER, new Map(notes.map((note, at) => [note, made[at]!])));
  let next = 0;
  const embedder: Embedder = {
    name: MODEL,
    model: MODEL,
    dimensions,
    threshold: 0.75,
    embed: async (texts) => texts.map(() => made[next++ % made.length]!),
  };
  const times: { plain: number[]; ours: number[] } = { plain: [], ours: [] };
  const timed = async <T>(of: number[], work: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await work();
    of.push(performance.now() - begun);
    return result;
  };
  for (const [at, query] of talkQuestions(bench.random, notes, size.questions + WARM).entries()) {
    if (at === WARM) times.plain.length = times.ours.length = 0;
    const vector = made[at % made.length]!;
    await timed(times.plain, () => plainSearch(database, query, vector));
    const found = await timed(times.ours, () =>
      recall(database, embedder, { tenant: TENANT, user: USER, query, at: Date.now() }),
    );
    assert.equal(found.length, 10);
  }
  return { plain: shareOf(times.plain, 0.95), ours: shareOf(times.ours, 0.95) };
}

async function resultOf(bench: BenchContext, one: Case): Promise<RowResult> {
  const fixture = await (one.kind === 'server' ? serverFixture() : embeddedFixture());
  try {
    bench.say(`${one.kind}, ${one.dimensions} dimensions`);
    const { plain, ours } = await measure(bench, fixture.database, one);
    return {
      name: `recall among ${bench.quick ? '1,000' : '10,000'} memories × ${one.dimensions}, ${one.kind}, p95`,
      baseline: durationText(plain),
      ours: durationText(ours),
      met: one.dimensions === 384 ? ours <= GOAL_MS[one.kind] : null,
      note: 'ours with the statistics of BM25, five statements whatever the user holds, and the question recorded',
    };
  } finally {
    await fixture.drop();
  }
}

export const row: Row = {
  id: 'P16',
  measure: 'recall, 10,000 memories of a user, p95',
  against: 'plain full text and one vector query',
  goal: { kind: 'most', value: GOAL_MS.server, unit: 'ms (server; embedded 60)' },
  async run(bench) {
    const results: RowResult[] = [];
    for (const one of CASES) results.push(await resultOf(bench, one));
    return results;
  },
};
