import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@slowwave/db';
import { BATCH_FAILPOINTS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBatchesServer } from '../fakes/batches-server.ts';
import { createStage, MINUTE } from '../fixtures/batches.ts';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';
import type { BatchProcessSettings } from './batch-process.ts';
import { type Bundles, bundle } from './storm/bundle.ts';

const LEASE_MS = 1_500;

let folder: string;
let bundles: Bundles;
let fixture: DatabaseFixture;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slowwave-batches-'));
  bundles = await bundle({ folder, entries: { batches: 'test/fault/batch-process.ts' } });
  fixture = await serverFixture();
}, 120_000);
afterAll(async () => {
  await fixture?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** How a process ended. */
async function ended(settings: BatchProcessSettings): Promise<unknown[]> {
  const child = spawn(process.execPath, [...bundles.args('batches'), JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return once(child, 'exit');
}

/** Nobody is held by the dead any more. */
const untilFree = (database: Database) =>
  until('the end of every lease', async () => {
    const [row] = await database.asOwner((tx) =>
      tx.rows<{ held: number }>(sql`
        select count(*)::int as held from slowwave.leases where expires_at > clock_timestamp()`),
    );
    return row!.held === 0;
  });

describe('a process of message batches that is killed', () => {
  // One after the other: whoever looks at batches looks at those of all tenants.
  it.each(BATCH_FAILPOINTS)(
    '%s: every question is paid for once and applied once',
    async (place) => {
      const { database } = fixture;
      const tenant = `t-${place}`;
      let clock = { at: 0 };
      const server = await startBatchesServer(() => clock.at);
      try {
        const stage = createStage(database, server, tenant);
        clock = stage.clock;
        const user = await stage.seed({ clusters: 3 });
        if (place !== 'after-collect') {
          await stage.night(user);
          clock.at += 6 * MINUTE;
        }
        const end = await ended({
          databaseUrl: fixture.url!,
          modelUrl: server.url,
          tenant,
          user,
          at: clock.at,
          place,
          leaseMs: LEASE_MS,
        });
        expect(end).toEqual([null, 'SIGKILL']);
        await untilFree(database);
        if (place === 'after-collect') await stage.night(user);
        clock.at += MINUTE;
        await stage.settle();
        const { billed } = server;
        expect(billed).toMatchObject({ directCalls: 0, batchedCalls: 3 });
        expect(await stage.derived(user)).toHaveLength(3);
        expect(await stage.requests()).toEqual([]);
        const tokens =
          billed.inputTokens + billed.cacheReadTokens + billed.cacheWriteTokens + billed.outputTokens;
        expect((await stage.spend(user)).tenant_day).toEqual({
          spent: { tokens, nanos: billed.nanos },
          reserved: { tokens: 0, nanos: 0n },
        });
      } finally {
        await server.stop();
      }
    },
    60_000,
  );
});
