import { strict as assert } from 'node:assert';
import { periodsOf, readSpend } from '@slowwave/db';
import { type BatchesServer, startBatchesServer } from '../../test/fakes/batches-server.ts';
import { createStage, type Stage } from '../../test/fixtures/batches.ts';
import { type DatabaseFixture, embeddedFixture } from '../../test/fixtures/databases.ts';
import { NOW } from '../../test/fixtures/memories.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';

const CLUSTERS = 4;
const AT_MOST = 0.45;

interface Night {
  server: BatchesServer;
  nanos: bigint;
  derived: string[];
}

/** The night of the same people, over a provider of its own, whose bill the books have to match to the nano-dollar. */
async function night(
  bench: BenchContext,
  fixture: DatabaseFixture,
  tenant: string,
  of: { batched: boolean },
): Promise<Night> {
  let stage: Stage | null = null;
  const server = await startBatchesServer(() => stage?.clock.at ?? NOW);
  stage = createStage(fixture.database, server, tenant);
  try {
    const users: string[] = [];
    for (let n = 0; n < (bench.quick ? 3 : 20); n += 1) users.push(await stage.seed({ clusters: CLUSTERS }));
    for (const user of users) await stage.night(user, { collect: of.batched });
    if (of.batched) await stage.settle();
    const derived: string[] = [];
    for (const user of users) derived.push(...(await stage.derived(user)));
    await checkBooks(fixture, tenant, server);
    return { server, nanos: server.billed.nanos, derived };
  } finally {
    await server.stop();
  }
}

async function checkBooks(
  fixture: DatabaseFixture,
  tenant: string,
  { billed }: BatchesServer,
): Promise<void> {
  const periods = periodsOf({ tier: 'sleep', timezone: 'UTC', at: NOW });
  const { tenant_day } = await fixture.database.withTenant(tenant, (tx) =>
    readSpend(tx, { tenant, user: '', periods }),
  );
  const tokens = billed.inputTokens + billed.cacheReadTokens + billed.cacheWriteTokens + billed.outputTokens;
  assert.deepEqual(
    tenant_day,
    { spent: { tokens, nanos: billed.nanos }, reserved: { tokens: 0, nanos: 0n } },
    'the books say what the provider says',
  );
}

const dollars = (nanos: bigint): string => `$${(Number(nanos) / 1e9).toFixed(6)}`;

async function measure(bench: BenchContext, fixture: DatabaseFixture): Promise<RowResult[]> {
  const direct = await night(bench, fixture, 'direct', { batched: false });
  const batched = await night(bench, fixture, 'batched', { batched: true });
  assert.ok(direct.derived.length > 0, 'the night has work');
  assert.equal(batched.derived.length, direct.derived.length, 'the same is derived');
  assert.equal(direct.server.billed.batchedCalls, 0);
  assert.equal(batched.server.billed.directCalls, 0, 'nothing is asked twice, or at the full price');
  assert.equal(batched.server.billed.batchedCalls, direct.server.billed.directCalls, 'the same is asked');
  const share = Number(batched.nanos) / Number(direct.nanos);
  const { cacheReadTokens, cacheWriteTokens } = batched.server.billed;
  const cached = cacheReadTokens + cacheWriteTokens;
  return [
    {
      name: `cost of a night, ${direct.server.billed.directCalls} questions, batched and cached where a prefix is long enough`,
      baseline: dollars(direct.nanos),
      ours: `${dollars(batched.nanos)} (${share.toFixed(2)}x)`,
      met: share <= AT_MOST,
      note: `books and bill agree to the token and the nano-dollar; cached: ${cached} tokens${
        cached === 0 ? ', as the prefixes of our prompts are shorter than the smallest one that is kept' : ''
      }`,
    },
  ];
}

export const row: Row = {
  id: 'P13',
  measure: 'money: a night in batches, prefixes cached where they can be',
  against: 'the same questions one by one',
  goal: { kind: 'most', value: AT_MOST, unit: 'of the direct cost' },
  async run(bench) {
    const fixture = await embeddedFixture();
    try {
      return await measure(bench, fixture);
    } finally {
      await fixture.drop();
    }
  },
};
