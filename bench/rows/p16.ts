import { strict as assert } from 'node:assert';
import { type Database, recall } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { embeddedFixture, serverFixture } from '../../test/fixtures/databases.ts';
import { timesResult } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { isFrame, recordStatements } from '../stage/statements.ts';
import {
  embedderOf,
  MODEL,
  plainVectors,
  TENANT,
  type Vectors,
  writeVectors,
} from '../stage/stored-vectors.ts';
import { talkNotes, talkQuestions } from '../stage/talk.ts';

const GOAL = { kind: 'times', atMost: 1.5 } as const;
const USER = 'marta';
/** Another user, of so many memories, for whom recall sends as many statements. */
const SMALL = { user: 'martin', memories: 100 };

interface Case {
  kind: 'server' | 'embedded';
  dimensions: number;
  goal: typeof GOAL | null;
}

const CASES: readonly Case[] = [
  { kind: 'server', dimensions: 384, goal: GOAL },
  { kind: 'embedded', dimensions: 384, goal: GOAL },
  { kind: 'server', dimensions: 1_536, goal: null },
];

/**
 * What a service would do that ranks by full text and by one vector query, in two statements: any word of the question will do.
 * @returns contents, the ten nearest by vector before the ten best by words
 */
async function plainSearch(database: Database, query: string, vector: Float32Array): Promise<string[]> {
  const found = await database.withTenant(TENANT, async (tx) => [
    ...(await tx.rows<{ content: string }>(sql`
      select m.content from slowwave.embeddings e
      join slowwave.memories m on m.tenant = e.tenant and m.user_id = e.user_id and m.id = e.memory_id
      where e.tenant = ${TENANT} and e.user_id = ${USER} and e.model = ${MODEL} and m.is_latest
      order by e.vector <=> ${`[${vector.join(',')}]`}::vector limit 10`)),
    ...(await tx.rows<{ content: string }>(sql`
      select m.content from slowwave.memories m,
        cast(replace(plainto_tsquery('english', ${query})::text, '&', '|') as tsquery) asked
      where m.tenant = ${TENANT} and m.user_id = ${USER} and m.is_latest and m.words @@ asked
      order by ts_rank(m.words, asked) desc limit 10`)),
  ]);
  return found.map(({ content }) => content);
}

/** Our recall records each question and what it brought, as it does in service. */
async function ourSearch(
  database: Database,
  vectors: Vectors,
  user: string,
  query: string,
): Promise<string[]> {
  const embedder = embedderOf(vectors, vectors.get(query)!.length);
  const found = await recall(database, embedder, { tenant: TENANT, user, query, at: Date.now() });
  return found.map(({ content }) => content);
}

/** Memories of a user, and questions of which each has the vector of one of them. */
async function stage(
  bench: BenchContext,
  database: Database,
  of: { user: string; memories: number; questions: number; dimensions: number },
): Promise<{ questions: string[]; vectors: Vectors }> {
  const notes = talkNotes(bench.random, of.memories);
  const range = { from: 0, to: of.memories, dimensions: of.dimensions };
  const made = [...plainVectors(bench.random, range).values()];
  await writeVectors(database, of.user, new Map(notes.map((note, at) => [note, made[at]!])));
  const questions = talkQuestions(bench.random, notes, of.questions);
  return { questions, vectors: new Map(questions.map((query, at) => [query, made[at % made.length]!])) };
}

/** What one recall sends, without the frames of its transaction. */
async function statementsOf(database: Database, ask: () => Promise<unknown>): Promise<number> {
  const recording = recordStatements(database.pool!);
  try {
    await ask();
    return recording.take().filter((statement) => !isFrame(statement)).length;
  } finally {
    recording.stop();
  }
}

async function resultsOf(bench: BenchContext, { kind, dimensions, goal }: Case): Promise<RowResult[]> {
  const fixture = await (kind === 'server' ? serverFixture() : embeddedFixture());
  const { database } = fixture;
  const { memories, each } = bench.quick ? { memories: 1_000, each: 10 } : { memories: 10_000, each: 40 };
  try {
    const large = { user: USER, memories, questions: each * (bench.rounds + 1), dimensions };
    const { questions, vectors } = await stage(bench, database, large);
    /** Asks the next questions, one after the other; both sides are asked the same. */
    const asking = (search: (query: string) => Promise<string[]>) => {
      const left = [...questions];
      return async () => {
        const found: string[][] = [];
        for (const query of left.splice(0, each)) found.push(await search(query));
        return found;
      };
    };
    const ours = (query: string) => ourSearch(database, vectors, USER, query);
    const compared = await bench.compare(`${kind}, ${dimensions} dimensions`, {
      baseline: asking((query) => plainSearch(database, query, vectors.get(query)!)),
      ours: asking(ours),
      equal(plain, found) {
        for (const [at, contents] of found.entries()) {
          assert.deepEqual([plain[at]!.length, contents.length], [20, 10]);
          assert.ok(contents.includes(plain[at]![0]!), 'the nearest by vector is among what is recalled');
        }
      },
    });
    const name = `${each} recalls among ${memories} memories × ${dimensions}, ${kind}`;
    const note = 'ours with the statistics of BM25, and the question recorded';
    const results = [timesResult(name, compared, goal, note)];
    if (kind === 'server' && goal !== null) {
      const small = await stage(bench, database, { ...SMALL, questions: 1, dimensions });
      const [query] = small.questions as [string];
      const counts = [
        await statementsOf(database, () => ourSearch(database, small.vectors, SMALL.user, query)),
        await statementsOf(database, () => ours(questions[0]!)),
      ];
      results.push({
        name: `statements of a recall, ${SMALL.memories}, ${memories} memories`,
        baseline: null,
        ours: counts.join(', '),
        met: counts[0] === counts[1],
        note: 'begin, role and commit left out',
      });
    }
    return results;
  } finally {
    await fixture.drop();
  }
}

export const row: Row = {
  id: 'P16',
  measure:
    'recall, 10,000 memories of a user × 384 (× 1,536 reported), server and embedded; constant statements',
  against: 'one plain full-text query and one exact vector query over the same rows',
  goal: GOAL,
  async run(bench) {
    const results: RowResult[] = [];
    for (const one of CASES) results.push(...(await resultsOf(bench, one)));
    return results;
  },
};
