import { strict as assert } from 'node:assert';
import { periodsOf, readSpend } from '@slowwave/db';
import { type BatchesServer, startBatchesServer } from '../../test/fakes/batches-server.ts';
import { createStage, type Stage } from '../../test/fixtures/batches.ts';
import { type DatabaseFixture, embeddedFixture } from '../../test/fixtures/databases.ts';
import { NOW } from '../../test/fixtures/memories.ts';
import { seedWholeNight } from '../../test/fixtures/whole-night.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';

const CLUSTERS = 4;
/** With no more of them, the questions of each night are the same. */
const WORDS = ['lamp', 'kettle', 'basket'];
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
  of: { batched: boolean; cached: boolean },
): Promise<Night> {
  let stage: Stage | null = null;
  const server = await startBatchesServer(() => stage?.clock.at ?? NOW);
  stage = createStage(fixture.database, server, tenant, { promptCache: of.cached });
  try {
    const users: string[] = [];
    for (let n = 0; n < (bench.quick ? 3 : 20); n += 1) {
      const user = await stage.seed({ clusters: CLUSTERS });
      // Others of the night, for whom every step finds something.
      const whole = `${user}-whole`;
      await seedWholeNight(fixture.database, {
        tenant,
        user: whole,
        canary: '',
        words: WORDS,
        disputed: true,
      });
      users.push(user, whole);
    }
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
  const direct = await night(bench, fixture, 'direct', { batched: false, cached: false });
  assert.ok(direct.derived.length > 0, 'the night has work');
  const line = async (name: string, of: { batched: boolean; cached: boolean }): Promise<RowResult> => {
    const other = await night(bench, fixture, name.replaceAll(' ', '-'), of);
    const { billed } = other.server;
    assert.equal(other.derived.length, direct.derived.length, 'the same is derived');
    assert.equal(of.batched ? billed.directCalls : billed.batchedCalls, 0, 'nothing is asked twice');
    assert.equal(
      billed.batchedCalls + billed.directCalls,
      direct.server.billed.directCalls,
      'the same is asked',
    );
    const share = Number(other.nanos) / Number(direct.nanos);
    const { cacheReadTokens: read, cacheWriteTokens: written } = billed;
    return {
      name: `cost of a night, ${direct.server.billed.directCalls} questions, ${name}`,
      baseline: dollars(direct.nanos),
      ours: `${dollars(other.nanos)} (${share.toFixed(2)}x)`,
      // The goal is that of both together; each alone says what it brings.
      met: of.batched && of.cached ? share <= AT_MOST : null,
      note: `books and bill agree to the token and the nano-dollar; ${written} tokens put into the cache, ${read} read from it`,
    };
  };
  return [
    await line('cached', { batched: false, cached: true }),
    await line('batched', { batched: true, cached: false }),
    await line('batched and cached', { batched: true, cached: true }),
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
