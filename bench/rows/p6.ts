import { strict as assert } from 'node:assert';
import type { Database } from '@slowwave/db';
import type { CompletionRequest } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { type BackendFixture, openOnRedis } from '../../test/fixtures/backends.ts';
import { comparedResult } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { fadedMemories, seedPerson } from '../stage/people.ts';
import { copyToPlain, createPlainTables, plainDeep } from '../stage/plain-deep.ts';
import { instantModel, joined, plantedEmbedder } from '../stage/planted.ts';
import { startRunner } from '../stage/runs.ts';

const TENANT = 'nightly';
const CLUSTERS = 3;

/** A user, and the ratio that is to be reached; null: only to see how both sides grow. */
interface Size {
  memories: number;
  dimensions: number;
  atLeast: number | null;
  /** Jobs of each side before any is timed: a worker in service has done thousands. */
  warm: number;
}
const AT_384 = { memories: 200, dimensions: 384, atLeast: 10, warm: 20 };
const SIZES: readonly Size[] = [AT_384, { memories: 200, dimensions: 1536, atLeast: 7, warm: 20 }];
const LARGER: Size = { memories: 2_000, dimensions: 384, atLeast: null, warm: 2 };

/** The contents of the sources of each derived memory of a user. */
async function fusedSources(database: Database, user: string): Promise<string[][]> {
  const rows = await database.withTenant(TENANT, (tx) =>
    tx.rows<{ contents: string[] }>(sql`
      select array_agg(content) as contents from slowwave.memories
      where tenant = ${TENANT} and user_id = ${user} and superseded_by is not null group by superseded_by`),
  );
  return rows.map(({ contents }) => contents);
}

const inOrder = (groups: readonly string[][]): string[] =>
  groups.map((group) => [...group].sort().join('|')).sort();

async function measure(
  bench: BenchContext,
  backend: BackendFixture,
  { memories, dimensions, atLeast, warm }: Size,
): Promise<RowResult> {
  const { database } = backend;
  const at = Date.now();
  const embedder = plantedEmbedder(dimensions);
  const model = instantModel();
  const runner = await startRunner(backend, { provider: model, embedder, now: () => at });
  try {
    // Each run of either side takes a user that nobody has touched.
    const users = Array.from({ length: warm + 1 + bench.rounds }, (_, i) => `user-${i}`);
    for (const user of users) {
      const person = fadedMemories(user, { memories, clusters: CLUSTERS, at });
      await seedPerson(database, { tenant: TENANT, user, at, ...person });
      await runner.run({ tenant: TENANT, user, tier: 'light' });
    }
    await createPlainTables(database, dimensions);
    await copyToPlain(database, TENANT);
    const asked = await Promise.all(users.map((user) => runner.ask({ tenant: TENANT, user, tier: 'deep' })));
    const plainUsers = [...users];
    // The same model for both; the plain side is spared the making of its prompt.
    const answering = {
      ...model,
      complete: (request: CompletionRequest) => Promise.resolve(answerOf(request)),
    };
    const { threshold } = embedder;
    const sides = {
      baseline: () =>
        plainDeep(database, {
          user: plainUsers.shift()!,
          at,
          provider: answering,
          dimensions,
          threshold,
          embed: (texts) => embedder.embed(texts),
          ask: (texts) => ({ messages: texts.map((content) => ({ role: 'user', content })) }),
        }),
      async ours() {
        const run = asked.shift()!;
        await runner.carryOut(run);
        return fusedSources(database, run.user);
      },
    };
    for (let n = 0; n < warm; n += 1) {
      await sides.baseline();
      await sides.ours();
    }
    const compared = await bench.compare(`${memories} memories, ${dimensions} dimensions`, {
      ...sides,
      equal(baseline, ours) {
        assert.equal(ours.length, CLUSTERS);
        assert.deepEqual(inOrder(ours), inOrder(baseline));
      },
    });
    const name = `deep job, ${memories} memories, ${CLUSTERS} clusters, ${dimensions} dimensions`;
    const goal = atLeast === null ? 'no goal: how both grow' : `at least ${atLeast}×`;
    const note = `${goal}; ours through the queue, with leases, gate, journal and ledger`;
    return comparedResult(name, compared, atLeast === null ? null : { atLeast }, note);
  } finally {
    await runner.close();
  }
}

function answerOf({ messages }: CompletionRequest) {
  const summary = joined(messages.map(({ content }) => content));
  return {
    content: [{ type: 'text' as const, text: JSON.stringify({ summary }) }],
    stopReason: 'end_turn',
    usage: { inputTokens: 100, outputTokens: 50 },
    model: 'instant',
  };
}

export const row: Row = {
  id: 'P6',
  measure: 'whole deep job, 200 memories, 3 clusters, stub model of 0 ms',
  against: 'text vectors, naive, row by row',
  goal: { kind: 'ratio', atLeast: AT_384.atLeast },
  async run(bench) {
    const results: RowResult[] = [];
    for (const size of bench.quick ? SIZES : [...SIZES, LARGER]) {
      const backend = await openOnRedis(bench.servers.redisUrl);
      try {
        results.push(await measure(bench, backend, size));
      } finally {
        await backend.drop();
      }
    }
    return results;
  },
};
