import { readConfig } from '@slowwave/config';
import { type BeatLook, REPEAT_KEPT_MS, reserveRepeat } from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import type { Handler, Queues, QueueWorker } from '@slowwave/queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTicker, REQUEUE_AFTER_MS, type TickDeps, timingFor } from '../../apps/producer/src/ticks.ts';
import { countRows } from '../fixtures/tables.ts';
import { until } from '../fixtures/wait.ts';
import { addUsers, CANARY, keptLog, openStage, type Stage } from './harness.ts';

/** What a look finds on most beats. */
const NOTHING_TO_DO: BeatLook = { requested: false, due: false, leftHolds: false, expiredRepeats: false };

/** Every number that a statement carries. */
function numbersIn(part: unknown): number[] {
  if (typeof part === 'number') return [part];
  const chunks = Array.isArray(part) ? part : (part as { queryChunks?: unknown[] } | null)?.queryChunks;
  return (chunks ?? []).flatMap(numbersIn);
}

describe('ticks', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  const waiting = async (tenant: string) =>
    (await stage.queues.queues.light.getWaiting())
      .map((job) => job.data as { tenant: string; user: string })
      .filter((data) => data.tenant === tenant);

  it('come again and again and carry who is due into the queue, saying so in ids and counts', async () => {
    await addUsers(stage.database, 'beat', ['ana']);
    const { producer, log } = stage.newProducer({ tickMs: 200 });
    await producer.startTicks();
    await until('ana waits', async () => (await waiting('beat')).length === 1);
    await addUsers(stage.database, 'beat', ['ben']);
    await until('ben waits', async () => (await waiting('beat')).length === 2);
    const told = log.lines().filter((line) => line.msg === 'wake-ups enqueued');
    expect(told).toHaveLength(2);
    expect(told[0]).toMatchObject({ tier: 'light', enqueued: 1, requested: 0, full: false });
    expect(log.text()).not.toMatch(new RegExp(`${CANARY}|ana|ben`));
    await producer.close(2_000);
    expect(await stage.queues.nextTick('light')).not.toBeNull();
  });

  it('come back when a scheduler is gone, and what was in the queue with it', async () => {
    await addUsers(stage.database, 'lost', ['ana']);
    const { producer, log } = stage.newProducer({ tickMs: 500, timing: { watchEveryMs: 50 } });
    await producer.startTicks();
    await until('ana waits', async () => (await waiting('lost')).length === 1);
    // As when the queue's server lost its data.
    await stage.queues.queues.light.obliterate({ force: true });
    await stage.queues.queues.ticks.removeJobScheduler('tick-light');
    await until('the scheduler is back', async () => (await stage.queues.nextTick('light')) !== null);
    await until('ana waits again', async () => (await waiting('lost')).length === 1);
    expect(log.lines()).toContainEqual(expect.objectContaining({ tier: 'light', lost: true }));
    await producer.close(2_000);
  });

  it('are watched over every few seconds, however rarely they come', () => {
    expect(timingFor(5_000)).toEqual({ tickMs: 5_000, watchEveryMs: 5_000, requeueAfterMs: 600_000 });
    expect(timingFor(readConfig({}).producer.tickMs).watchEveryMs).toBeLessThanOrEqual(5_000);
    expect(timingFor(3_600_000).watchEveryMs).toBe(5_000);
  });

  it('delete keys of repeated writes whose time is over, with the beats of light', async () => {
    const { database } = stage;
    const of = { tenant: 'old', caller: 'operator', requestHash: 'a'.repeat(64), user: null };
    const reserve = (key: string, at: number) =>
      database.withTenant('old', (tx) => reserveRepeat(tx, { ...of, key: key.repeat(64), at }));
    await reserve('1', Date.now() - REPEAT_KEPT_MS);
    await reserve('2', Date.now());
    const { producer } = stage.newProducer({ tickMs: 200 });
    await producer.startTicks();
    const left = () => countRows(database, 'old', 'idempotency_keys');
    await until('the old key is gone', async () => (await left()) === 1);
    expect(await reserve('2', Date.now())).toEqual({ state: 'under_way' });
    await producer.close(2_000);
  });

  it('go on when some upkeep fails', async () => {
    const log = keptLog();
    let beats = 0;
    const ticker = createTicker({
      database: stage.database,
      queues: stage.queues,
      logger: log.logger,
      now: Date.now,
      queueCap: 100,
      timing: timingFor(200),
      upkeep: [
        async () => {
          beats += 1;
          throw new Error(CANARY);
        },
      ],
    });
    await ticker.start();
    await until('a second beat', () => beats >= 2);
    await ticker.stop(2_000);
    expect(log.lines().some(({ msg }) => msg === 'some upkeep failed')).toBe(true);
    expect(log.text()).not.toContain(CANARY);
  });

  it('refuse a second start', async () => {
    const { producer } = stage.newProducer();
    await producer.startTicks();
    await expect(producer.startTicks()).rejects.toThrow(TypeError);
  });

  describe('with a queue that does as it is told', () => {
    function scripted(more: Partial<TickDeps['timing']> = {}) {
      const ensured: [Tier, number][] = [];
      const nexts = new Map<Tier, number | null>();
      let now = 1_000_000;
      let handler: Handler<'ticks'> | null = null;
      const log = keptLog();
      const createWorker = (_name: string, given: unknown): QueueWorker => {
        handler = given as Handler<'ticks'>;
        return {
          name: 'ticks',
          ready: async () => {},
          active: () => 0,
          drain: async () => {},
          close: async () => {},
        };
      };
      let failing = false;
      const deps: TickDeps = {
        database: { asDispatcher: async () => NOTHING_TO_DO as never },
        queues: {
          counts: async () => {
            if (failing) throw Object.assign(new Error(CANARY), { code: 'ECONNRESET' });
            return { waiting: 0, active: 0, delayed: 0, failed: 0, completed: 0 };
          },
          addBulk: async () => {},
          addAdhoc: async () => {},
          ensureTick: async (tier, everyMs) => void ensured.push([tier, everyMs]),
          nextTick: async (tier) => nexts.get(tier) ?? null,
          createWorker: createWorker as Queues['createWorker'],
        },
        logger: log.logger,
        now: () => now,
        queueCap: 10,
        timing: { tickMs: 30_000, requeueAfterMs: REQUEUE_AFTER_MS, watchEveryMs: 20, ...more },
      };
      const beat = (tier: Tier) => {
        if (handler === null) throw new TypeError('not started');
        const context = { stopping: new AbortController().signal, completed: (summary: unknown) => summary };
        return handler(
          { data: { v: 1, tier } } as Parameters<Handler<'ticks'>>[0],
          context as unknown as Parameters<Handler<'ticks'>>[1],
        );
      };
      return {
        deps,
        ensured,
        nexts,
        log,
        beat,
        setNow: (at: number) => {
          now = at;
        },
        fail: (yes: boolean) => {
          failing = yes;
        },
      };
    }

    it('make one scheduler per tier, and watch the clock over them', async () => {
      const stub = scripted();
      const ticker = createTicker(stub.deps);
      expect(await ticker.late()).toEqual(['light', 'deep', 'sleep']);
      await ticker.start();
      expect(stub.ensured).toEqual([
        ['light', 30_000],
        ['deep', 30_000],
        ['sleep', 30_000],
      ]);
      for (const tier of ['light', 'deep', 'sleep'] as const) stub.nexts.set(tier, 1_030_000);
      stub.setNow(1_030_000 + 60_000);
      expect(await ticker.late()).toEqual([]);
      // As set by a clock that was ahead: nobody waits until it is right.
      stub.nexts.set('sleep', 1_090_000 + 120_001);
      expect(await ticker.late()).toEqual(['sleep']);
      stub.nexts.set('sleep', 1_090_000 + 120_000);
      expect(await ticker.late()).toEqual([]);
      stub.nexts.set('deep', 1_029_999);
      expect(await ticker.late()).toEqual(['deep']);
      const before = stub.ensured.length;
      await until('the watchdog to see to it', () =>
        stub.ensured.slice(before).some(([tier]) => tier === 'deep'),
      );
      expect(stub.ensured.slice(before)).toContainEqual(['deep', 30_000]);
      await ticker.stop(100);
      expect(await ticker.late()).toEqual(['light', 'deep', 'sleep']);
    });

    it('start although the queue fails in that moment, and have their schedulers a little later', async () => {
      const stub = scripted();
      let failures = 4;
      const { nextTick } = stub.deps.queues;
      stub.deps.queues.nextTick = async (tier) => {
        failures -= 1;
        if (failures >= 0) throw Object.assign(new Error(CANARY), { code: 'ECONNRESET' });
        return nextTick(tier);
      };
      const ticker = createTicker(stub.deps);
      await ticker.start();
      expect(ticker.started()).toBe(true);
      await until('all schedulers', () => new Set(stub.ensured.map(([tier]) => tier)).size === 3);
      expect(stub.log.text()).toContain('the watch tries again');
      expect(stub.log.text()).not.toContain(CANARY);
      await ticker.stop(100);
    });

    it('remember a queue that was lost while a beat was under way', async () => {
      const stub = scripted();
      const cutoffs: number[][] = [];
      const gate = { open: () => {} };
      let held: Promise<void> | null = null;
      stub.deps.database = {
        asDispatcher: (work) =>
          work({
            rows: async (query) => {
              cutoffs.push(numbersIn(query));
              await held;
              return [NOTHING_TO_DO as never];
            },
          }),
      };
      const ticker = createTicker(stub.deps);
      for (const tier of TIERS) stub.nexts.set(tier, 1_030_000);
      await ticker.start();
      held = new Promise((resolve) => {
        gate.open = resolve;
      });
      const under = stub.beat('light');
      await until('the beat reads', () => cutoffs.length > 0);
      stub.nexts.set('light', null);
      const before = stub.ensured.length;
      await until('the loss is noticed', () => stub.ensured.length > before);
      stub.nexts.set('light', 1_030_000);
      gate.open();
      await under;
      stub.setNow(1_010_000);
      const read = cutoffs.length;
      await stub.beat('light');
      // Marks made before the loss count as lost now, not only those that have waited for ten minutes.
      expect(cutoffs.slice(read).flat()).toContain(1_000_000);
      expect(cutoffs.slice(read).flat()).not.toContain(1_010_000 - REQUEUE_AFTER_MS);
      await ticker.stop(100);
    });

    it('tell a failed beat by its code, and fail it', async () => {
      const stub = scripted({ watchEveryMs: 1e6 });
      const ticker = createTicker(stub.deps);
      await ticker.start();
      stub.fail(true);
      await expect(stub.beat('light')).rejects.toThrow();
      expect(stub.log.lines()).toContainEqual(expect.objectContaining({ tier: 'light', code: 'ECONNRESET' }));
      expect(stub.log.text()).not.toContain(CANARY);
      await ticker.stop(100);
    });

    it('count as late after a failed beat, until one comes through or has had the time to come through elsewhere', async () => {
      const stub = scripted({ watchEveryMs: 1e6 });
      const ticker = createTicker(stub.deps);
      await ticker.start();
      for (const tier of TIERS) stub.nexts.set(tier, 1_060_000);
      expect(await ticker.late()).toEqual([]);
      stub.fail(true);
      await expect(stub.beat('deep')).rejects.toThrow();
      expect(await ticker.late()).toEqual(['deep']);
      stub.fail(false);
      await stub.beat('deep');
      expect(await ticker.late()).toEqual([]);
      stub.fail(true);
      await expect(stub.beat('light')).rejects.toThrow();
      stub.setNow(1_060_000);
      expect(await ticker.late()).toEqual([]);
      await ticker.stop(100);
    });
  });
});
