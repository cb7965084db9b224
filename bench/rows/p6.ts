import { strict as assert } from 'node:assert';
import type { Database } from '@slowwave/db';
import type { CompletionRequest } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { createJoiningProvider } from '../../test/fakes/joining-provider.ts';
import { type BackendFixture, openOnRedis } from '../../test/fixtures/backends.ts';
import { comparedResult, timesResult } from '../figures.ts';
import type { BenchContext, Compared, Row, RowResult } from '../row.ts';
import { fadedMemories, seedPerson } from '../stage/people.ts';
import { copyToPlain, createPlainTables, plainDeep } from '../stage/plain-deep.ts';
import { plantedEmbedder } from '../stage/planted.ts';
import { startRunner } from '../stage/runs.ts';

const TENANT = 'nightly';
const CLUSTERS = 3;

const DIMENSIONS = 384;

/** A user, the ratio that is to be reached, and jobs of each side before any is timed: a worker in service has done thousands. */
interface Size {
  memories: number;
  atLeast: number;
  warm: number;
}
const SMALL: Size = { memories: 200, atLeast: 1.5, warm: 20 };
const LARGE: Size = { memories: 2_000, atLeast: 40, warm: 2 };
const QUICK = { large: 600, warm: 1 };
/** How many times as long a job with the memories of the large user may take as one with those of the small. */
const GROWTH = { atMost: 1.5 };

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
  { memories, warm }: Size,
): Promise<Compared> {
  const { database } = backend;
  const at = Date.now();
  const embedder = plantedEmbedder(DIMENSIONS);
  const model = createJoiningProvider();
  const runner = await startRunner(backend, { provider: model, embedder, now: () => at });
  try {
    // Each run of either side takes a user of its own.
    const users = Array.from({ length: warm + 1 + bench.rounds }, (_, i) => `user-${i}`);
    for (const user of users) {
      const person = fadedMemories(user, { memories, clusters: CLUSTERS, at });
      await seedPerson(database, { tenant: TENANT, user, at, ...person });
      await runner.run({ tenant: TENANT, user, tier: 'light' });
    }
    await createPlainTables(database, DIMENSIONS);
    await copyToPlain(database, TENANT);
    const asked = await Promise.all(users.map((user) => runner.ask({ tenant: TENANT, user, tier: 'deep' })));
    const plainUsers = [...users];
    // The plain side joins without being judged, and is spared the making of its prompt.
    const answering = { ...model, complete: async (request: CompletionRequest) => answerOf(request) };
    const { threshold } = embedder;
    const sides = {
      baseline: () =>
        plainDeep(database, {
          user: plainUsers.shift()!,
          at,
          provider: answering,
          dimensions: DIMENSIONS,
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
    return await bench.compare(`${memories} memories`, {
      ...sides,
      equal(baseline, ours) {
        assert.equal(ours.length, CLUSTERS);
        assert.deepEqual(inOrder(ours), inOrder(baseline));
      },
    });
  } finally {
    await runner.close();
  }
}

function answerOf({ messages }: CompletionRequest) {
  const summary = messages.map(({ content }) => content).join(' ');
  return {
    content: [{ type: 'text' as const, text: JSON.stringify({ summary }) }],
    stopReason: 'end_turn',
    usage: { inputTokens: 100, outputTokens: 50 },
    model: 'plain',
  };
}

export const row: Row = {
  id: 'P6',
  measure: 'whole deep job with 3 fusions, stub model of 0 ms, 200 and 2,000 memories (2,000: at least 40×)',
  against: 'text vectors, naive, row by row (keeps no journal, no lease)',
  goal: { kind: 'ratio', atLeast: SMALL.atLeast },
  async run(bench) {
    const results: RowResult[] = [];
    const took: number[][] = [];
    const [small, large] = bench.quick
      ? [
          { ...SMALL, warm: QUICK.warm },
          { ...LARGE, memories: QUICK.large, warm: QUICK.warm },
        ]
      : [SMALL, LARGE];
    for (const size of [small, large]) {
      const backend = await openOnRedis(bench.servers.redisUrl);
      try {
        const compared = await measure(bench, backend, size);
        const note = `at least ${size.atLeast}×; ours through the queue, with leases, judge, journal and ledger`;
        const name = `deep job, ${size.memories} memories, ${CLUSTERS} fusions`;
        results.push(comparedResult(name, compared, size, note));
        took.push(compared.oursMs);
      } finally {
        await backend.drop();
      }
    }
    const [baselineMs, oursMs] = took as [number[], number[]];
    const name = `ours with ${large.memories} memories, against ours with ${small.memories}`;
    results.push(timesResult(name, { baselineMs, oursMs }, GROWTH, `at most ${GROWTH.atMost} times as long`));
    return results;
  },
};
