import { type Database, ensureUsers } from '@slowwave/db';
import type { TierJob } from '@slowwave/queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type FillDeps, fillTier, LOST_WHEN_EMPTY_MS } from '../../apps/producer/src/fill.ts';
import { clearUsers } from '../fixtures/clear-users.ts';
import { addUsers, CANARY, keptLog, openStage, type Stage } from './harness.ts';

const MINUTE = 60_000;

describe('filling the queue of a tier', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());
  afterEach(async () => {
    for (const name of ['light', 'deep', 'adhoc'] as const) {
      await stage.queues.queues[name].obliterate({ force: true });
    }
    await stage.database.asOwner(clearUsers);
  });

  const newDeps = (more: Partial<FillDeps> = {}) => {
    const log = keptLog();
    const { database, queues } = stage;
    return { log, deps: { database, queues, logger: log.logger, now: Date.now, queueCap: 100, ...more } };
  };
  const fill = (deps: FillDeps) => fillTier(deps, { tier: 'light', requeueAfterMs: 10 * MINUTE });
  const waiting = async (name: 'light' | 'adhoc' = 'light') =>
    (await stage.queues.queues[name].getWaiting()).map((job) => job.data as TierJob);
  const usersOf = async () => (await waiting()).map((job) => job.user).sort();

  it('adds who is due, as ids and nothing else, and once', async () => {
    await addUsers(stage.database, 't1', ['ana', 'ben']);
    await addUsers(stage.database, 't2', ['ana']);
    const { deps } = newDeps();
    expect(await fill(deps)).toEqual({
      tier: 'light',
      requested: 0,
      enqueued: 3,
      refused: 0,
      full: false,
      upkeep: { leftHolds: false, expiredRepeats: false },
    });
    const jobs = await waiting();
    expect(jobs).toHaveLength(3);
    expect(jobs).toContainEqual({ v: 1, tenant: 't2', user: 'ana', tier: 'light', why: 'schedule' });
    expect(await fill(deps)).toMatchObject({ enqueued: 0 });
    expect(JSON.stringify(jobs)).not.toContain(CANARY);
  });

  it('asks the database once when there is nothing to do', async () => {
    await addUsers(stage.database, 'idle', ['ana']);
    await fill(newDeps().deps);
    const asked: number[] = [];
    const database: FillDeps['database'] = {
      asDispatcher: (work) =>
        stage.database.asDispatcher((tx) => {
          const index = asked.push(0) - 1;
          return work({
            rows: (query) => {
              asked[index]! += 1;
              return tx.rows(query);
            },
          });
        }),
    };
    for (const tier of ['light', 'deep', 'sleep'] as const) {
      asked.length = 0;
      const summary = await fillTier(newDeps({ database }).deps, { tier, requeueAfterMs: 10 * MINUTE });
      expect(summary).toMatchObject({ requested: 0, enqueued: 0 });
      expect(asked).toEqual([1]);
    }
  });

  it('stops when the queue is full, counting what waits in it already', async () => {
    await addUsers(
      stage.database,
      'cap',
      Array.from({ length: 10 }, (_, i) => `u${i}`),
    );
    const { deps } = newDeps({ queueCap: 4 });
    expect(await fill(deps)).toMatchObject({ enqueued: 4, full: true });
    expect(await fill(deps)).toMatchObject({ enqueued: 0, full: true });
    expect(await fill({ ...deps, queueCap: 7 })).toMatchObject({ enqueued: 3, full: true });
    expect(await fill({ ...deps, queueCap: 20 })).toMatchObject({ enqueued: 3, full: false });
    expect(await usersOf()).toEqual(Array.from({ length: 10 }, (_, i) => `u${i}`));
  });

  it('counts delayed jobs, running ones and those of a paused queue', async () => {
    await addUsers(stage.database, 'cap2', ['ana', 'ben']);
    const counts = { waiting: 0, active: 0, delayed: 0, failed: 50, completed: 50 };
    for (const state of ['waiting', 'active', 'delayed'] as const) {
      const queues = { ...stage.queues, counts: async () => ({ ...counts, [state]: 5 }) };
      expect(await fill(newDeps({ queues, queueCap: 5 }).deps)).toMatchObject({ enqueued: 0, full: true });
    }
    await stage.queues.pause('light');
    expect(await fill(newDeps({ queueCap: 1 }).deps)).toMatchObject({ enqueued: 1 });
    expect(await fill(newDeps({ queueCap: 1 }).deps)).toMatchObject({ enqueued: 0, full: true });
    await stage.queues.resume('light');
  });

  it('goes through as many pages as there are', async () => {
    await addUsers(
      stage.database,
      'many',
      Array.from({ length: 1_203 }, (_, i) => `u${i}`),
    );
    const sizes: number[] = [];
    const queues = {
      ...stage.queues,
      addBulk: async (jobs: readonly TierJob[]) => void sizes.push(jobs.length),
    };
    expect(await fill(newDeps({ queues, queueCap: 5_000 }).deps)).toMatchObject({ enqueued: 1_203 });
    expect(sizes).toEqual([1_000, 203]);
  });

  it('ends after the page under way when it is told to stop', async () => {
    await addUsers(
      stage.database,
      'halt',
      Array.from({ length: 1_001 }, (_, i) => `u${i}`),
    );
    const stop = new AbortController();
    const queues = { ...stage.queues, addBulk: async () => stop.abort() };
    const { deps } = newDeps({ queues, queueCap: 5_000 });
    const input = { tier: 'light', requeueAfterMs: MINUTE, stopping: stop.signal } as const;
    expect(await fillTier(deps, input)).toMatchObject({ enqueued: 1_000 });
  });

  it('makes users due again when the queue takes nothing', async () => {
    await addUsers(stage.database, 'fail', ['ana', 'ben']);
    const queues = { ...stage.queues, addBulk: () => Promise.reject(new Error(`no room for ${CANARY}`)) };
    const { deps, log } = newDeps({ queues });
    await expect(fill(deps)).rejects.toThrow('no room');
    expect(log.lines()).toEqual([expect.objectContaining({ tier: 'light', returned: 2 })]);
    expect(log.text()).not.toContain(CANARY);
    expect(await fill(newDeps().deps)).toMatchObject({ enqueued: 2 });
  });

  it('lets marks lapse when they cannot be taken back', async () => {
    await addUsers(stage.database, 'worse', ['ana']);
    let broken = false;
    const database = {
      asDispatcher: ((work) =>
        broken
          ? Promise.reject(new Error('gone'))
          : stage.database.asDispatcher(work)) as Database['asDispatcher'],
    };
    const addBulk = async () => {
      broken = true;
      throw new Error('no room');
    };
    const { deps } = newDeps({ database, queues: { ...stage.queues, addBulk } });
    await expect(fill(deps)).rejects.toThrow('no room');
    expect(await fill(newDeps().deps)).toMatchObject({ enqueued: 0 });
    expect(await fill(newDeps({ now: () => Date.now() + 11 * MINUTE }).deps)).toMatchObject({ enqueued: 1 });
  });

  it('adds again at once what a wiped queue has lost, each user once', async () => {
    await addUsers(stage.database, 'wiped', ['ana', 'ben']);
    let at = Date.now();
    const { deps } = newDeps({ now: () => at });
    await fill(deps);
    await stage.queues.queues.light.obliterate({ force: true });
    at += 1_000;
    expect(await fill(deps)).toMatchObject({ enqueued: 0 });
    const sweep = { tier: 'light', requeueAfterMs: 10 * MINUTE, wipedAt: at } as const;
    expect(await fillTier(deps, sweep)).toMatchObject({ enqueued: 2 });
    expect(await usersOf()).toEqual(['ana', 'ben']);
    at += 1_000;
    expect(await fillTier(deps, sweep)).toMatchObject({ enqueued: 0 });
  });

  it('adds again what a crash took out of the queue, once nothing at all is in it any more', async () => {
    await addUsers(stage.database, 'lost', ['ana', 'ben']);
    let at = Date.now();
    const { deps } = newDeps({ now: () => at });
    await fill(deps);
    const [first] = await stage.queues.queues.light.getWaiting();
    await first!.remove();
    at += LOST_WHEN_EMPTY_MS + 1;
    // Somebody still waits: whoever is not seen may be on the way to a worker.
    expect(await fill(deps)).toMatchObject({ enqueued: 0 });
    await stage.queues.queues.light.obliterate({ force: true });
    expect(await fill(deps)).toMatchObject({ enqueued: 2 });
    expect(await usersOf()).toEqual(['ana', 'ben']);
    await stage.queues.queues.light.obliterate({ force: true });
    at += LOST_WHEN_EMPTY_MS - 1;
    expect(await fill(deps)).toMatchObject({ enqueued: 0 });
  });

  it('passes over an id that no job can carry, and adds the rest', async () => {
    const name = 'two\u2028lines';
    await addUsers(stage.database, 'odd', ['ana']);
    // No file gets such a name in, but the database takes it from other writers.
    const at = Date.now() - 60_000;
    await stage.database.withTenant('odd', (tx) => ensureUsers(tx, [{ tenant: 'odd', user: name }], at));
    expect(await fill(newDeps().deps)).toMatchObject({ enqueued: 1, refused: 1 });
    expect(await usersOf()).toEqual(['ana']);
  });

  describe('with runs that people asked for', () => {
    const request = async (app: ReturnType<Stage['newProducer']>['producer']['app'], user: string) => {
      const reply = await app.inject({
        method: 'POST',
        url: '/v1/consolidations',
        headers: {
          host: 'localhost',
          authorization: 'Bearer operator-token-of-the-tests',
          'content-type': 'application/json',
        },
        payload: { tenant: 'asked', user, tier: 'light' },
      });
      return (reply.json() as { runId: string }).runId;
    };

    /** Two requests whose jobs never came to be. */
    async function lostRequests() {
      await addUsers(stage.database, 'asked', ['ana', 'ben', 'cleo']);
      const queues = { ...stage.queues, addAdhoc: () => Promise.reject(new Error('down')) };
      const { app } = stage.newProducer({ queues }).producer;
      return [await request(app, 'ana'), await request(app, 'ben')];
    }

    it('adds those first, to a queue of their own, even when the tier is full', async () => {
      const runs = await lostRequests();
      const counts: Stage['queues']['counts'] = async (name) => ({
        ...(await stage.queues.counts(name)),
        ...(name === 'light' ? { waiting: 100 } : {}),
      });
      const { deps } = newDeps({ queues: { ...stage.queues, counts } });
      expect(await fill(deps)).toMatchObject({ requested: 2, enqueued: 0, full: true });
      const jobs = await waiting('adhoc');
      expect(jobs.map(({ runId, why }) => [runId, why]).sort()).toEqual(
        runs.map((run) => [run, 'adhoc']).sort(),
      );
      // Whoever has a run of their own coming needs no wake-up beside it.
      expect(await fill(newDeps().deps)).toMatchObject({ requested: 0, enqueued: 1 });
      expect(await usersOf()).toEqual(['cleo']);
    });

    it('takes back those that could not be added', async () => {
      await lostRequests();
      let taken = 0;
      const addAdhoc = async () => {
        taken += 1;
        if (taken > 1) throw new Error('down');
      };
      await expect(fill(newDeps({ queues: { ...stage.queues, addAdhoc } }).deps)).rejects.toThrow('down');
      expect(await fill(newDeps().deps)).toMatchObject({ requested: 1 });
    });
  });
});
