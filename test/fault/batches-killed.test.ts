import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expireLeases } from '@slowwave/db';
import { BATCH_FAILPOINTS } from '@slowwave/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchNights } from '../fixtures/batch-nights.ts';
import { MINUTE } from '../fixtures/batches.ts';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import type { BatchProcessSettings } from './batch-process.ts';
import { type Bundles, bundle } from './storm/bundle.ts';

describe('a process of message batches that is killed', () => {
  let folder: string;
  let bundles: Bundles;
  let fixture: DatabaseFixture;
  const { database, begin } = batchNights(async () => {
    fixture = await serverFixture();
    return fixture;
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slowwave-batches-'));
    bundles = await bundle({ folder, entries: { batches: 'test/fault/batch-process.ts' } });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** How a process ended. */
  async function ended(settings: BatchProcessSettings): Promise<unknown[]> {
    const child = spawn(process.execPath, [...bundles.args('batches'), JSON.stringify(settings)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return once(child, 'exit');
  }

  // One after the other: whoever looks at batches looks at those of all tenants.
  it.each(BATCH_FAILPOINTS)('%s: every question is paid for once and applied once', async (place) => {
    const { server, stage, expectBilled } = await begin();
    const user = await stage.seed({ clusters: 3 });
    if (place !== 'after-collect') {
      await stage.night(user);
      stage.clock.at += 6 * MINUTE;
    }
    const end = await ended({
      databaseUrl: fixture.url!,
      modelUrl: server.url,
      tenant: stage.tenant,
      user,
      at: stage.clock.at,
      place,
    });
    expect(end).toEqual([null, 'SIGKILL']);
    // The ended process holds no user any more.
    await expireLeases(database);
    if (place === 'after-collect') await stage.night(user);
    stage.clock.at += MINUTE;
    await stage.settle();
    expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 3 });
    expect(await stage.derived(user)).toHaveLength(3);
    expect(await stage.requests()).toEqual([]);
    await expectBilled(user);
  });
});
