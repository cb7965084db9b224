import { strict as assert } from 'node:assert';
import { createSleepModel } from '../../test/fakes/sleep-model.ts';
import type { BackendFixture } from '../../test/fixtures/backends.ts';
import { seedSession } from '../../test/fixtures/tier-runs.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { onRedis } from '../stage/on-redis.ts';
import { fadedMemories, seedPerson } from '../stage/people.ts';
import { plantedEmbedder } from '../stage/planted.ts';
import { type Runner, startRunner } from '../stage/runs.ts';
import { markWrites, writtenSince } from '../stage/writes.ts';

const TENANT = 'nights';
const HOUR_MS = 3_600_000;
const CLUSTERS = 3;
const TALK = ['I moved to Dublin in May.', 'Good to know.', 'The flat is near the canal.', 'I see.'];

/** Every tier of every user, in the order of a night. */
async function night(runner: Runner, users: readonly string[]): Promise<void> {
  for (const user of users) {
    for (const tier of ['light', 'deep', 'sleep'] as const) await runner.run({ tenant: TENANT, user, tier });
  }
}

async function measure(bench: BenchContext, backend: BackendFixture): Promise<RowResult[]> {
  const { database } = backend;
  const users = Array.from({ length: bench.quick ? 2 : 20 }, (_, i) => `user-${i}`);
  const memories = bench.quick ? 50 : 200;
  let at = Date.now();
  const model = createSleepModel();
  // Memories that stand alone are like no others: one night is enough for all there is to do.
  const embedder = plantedEmbedder(384);
  const runner = await startRunner(backend, { provider: model.provider, embedder, now: () => at });
  try {
    for (const user of users) {
      await seedPerson(database, {
        tenant: TENANT,
        user,
        at,
        ...fadedMemories(user, { memories, clusters: CLUSTERS, at }),
      });
      await seedSession(database, { tenant: TENANT, user, id: 's', texts: TALK, endedAt: at - 3 * HOUR_MS });
    }
    const before = await markWrites(database);
    await night(runner, users);
    const firstRows = sumOf(await writtenSince(database, before));
    const firstCalls = model.calls.length;
    assert.ok(firstCalls >= users.length && firstRows > 0, 'the first night has work');
    at += 24 * HOUR_MS;
    const between = await markWrites(database);
    await night(runner, users);
    const second = await writtenSince(database, between);
    const calls = model.calls.slice(firstCalls);
    const kinds = [...new Set(calls.map(({ kind }) => kind))].join(', ');
    const tables = [...second].map(([table, rows]) => `${table} ${rows}`).join(', ');
    return [
      {
        name: `model calls of the second night, ${users.length} users of ${memories} memories`,
        baseline: String(firstCalls),
        ours: String(calls.length),
        met: calls.length === 0,
        ...(kinds ? { note: `asked for: ${kinds}` } : {}),
      },
      {
        name: 'domain rows that it wrote',
        baseline: String(firstRows),
        ours: String(sumOf(second)),
        met: second.size === 0,
        note: `run records, stamps and holds excepted${tables ? `; written: ${tables}` : ''}`,
      },
    ];
  } finally {
    await runner.close();
  }
}

const sumOf = (written: Map<string, number>): number => [...written.values()].reduce((sum, n) => sum + n, 0);

export const row: Row = {
  id: 'P12',
  measure: 'second night, nothing changed',
  against: 'the first night',
  goal: { kind: 'most', value: 0, unit: 'model calls and domain rows' },
  run: onRedis(measure),
};
