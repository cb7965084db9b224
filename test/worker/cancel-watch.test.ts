import { cancelRun, type Database, ensureUsers, requestRun, startRun } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchCancel } from '../../apps/worker/src/cancel-watch.ts';
import { type DatabaseFixture, openInScope } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';

const tenant = 't';

describe('the watch over a run', () => {
  let fixture: DatabaseFixture;
  let serial = 0;
  beforeAll(async () => {
    fixture = await openInScope();
  });
  afterAll(() => fixture?.drop());

  async function running(): Promise<{ tenant: string; user: string; runId: string }> {
    const of = { tenant, user: `user-${++serial}` };
    return fixture.database.withTenant(tenant, async (tx) => {
      await ensureUsers(tx, [of], 0);
      const asked = await requestRun(tx, { ...of, tier: 'deep', at: 0 });
      if (asked.status !== 'requested') throw new Error(asked.status);
      const { runId } = asked;
      await startRun(tx, { ...of, tier: 'deep', why: 'adhoc', runId, fence: 1, at: 0 });
      return { ...of, runId };
    });
  }
  const cancel = (of: { tenant: string; user: string; runId: string }) =>
    fixture.database.withTenant(tenant, (tx) => cancelRun(tx, { ...of, at: 0 }));

  /** Counts the looks, and fails them when told to. */
  function counting(): { database: Pick<Database, 'withTenant'>; looks: () => number; fail(): void } {
    let looks = 0;
    let failing = false;
    return {
      looks: () => looks,
      fail: () => {
        failing = true;
      },
      database: {
        withTenant: (of, work) => {
          looks += 1;
          return failing ? Promise.reject(new Error('gone')) : fixture.database.withTenant(of, work);
        },
      },
    };
  }

  it('sees who asks for its end, at the next look', async () => {
    const run = await running();
    let ms = 0;
    const watch = watchCancel({ database: fixture.database, ...run, nowMs: () => ms, everyMs: 60_000 });
    ms = 60_000;
    await watch.look();
    expect(watch.signal.aborted).toBe(false);
    await cancel(run);
    await watch.look();
    expect(watch.signal.aborted).toBe(true);
    await watch.stop();
  });

  it('costs a short run nothing', async () => {
    const run = await running();
    const { database, looks } = counting();
    let ms = 0;
    const watch = watchCancel({ database, ...run, nowMs: () => ms, everyMs: 1_000 });
    await cancel(run);
    ms = 999;
    await watch.look();
    expect([looks(), watch.signal.aborted]).toEqual([0, false]);
    ms = 1_000;
    await watch.look();
    await watch.look();
    // Once is enough.
    expect([looks(), watch.signal.aborted]).toEqual([1, true]);
    await watch.stop();
  });

  it('looks by itself, until it is stopped', async () => {
    const run = await running();
    const watch = watchCancel({
      database: fixture.database,
      ...run,
      nowMs: () => performance.now(),
      everyMs: 5,
    });
    await cancel(run);
    await until('the watch', () => watch.signal.aborted);
    await watch.stop();
    const stopped = counting();
    const other = watchCancel({
      database: stopped.database,
      ...run,
      nowMs: () => performance.now(),
      everyMs: 5,
    });
    await other.stop();
    expect(stopped.looks()).toBe(0);
  });

  it('survives a database that cannot be read', async () => {
    const run = await running();
    const unsteady = counting();
    unsteady.fail();
    const watch = watchCancel({ database: unsteady.database, ...run, nowMs: () => 10, everyMs: 0 });
    await watch.look();
    expect(unsteady.looks()).toBeGreaterThan(0);
    expect(watch.signal.aborted).toBe(false);
    await watch.stop();
  });
});
