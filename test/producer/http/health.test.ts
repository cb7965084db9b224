import { pauseTier, pauseUser, quarantineUser, resumeTier } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsers, CANARY, HOST, openStage, type Stage } from '../harness.ts';

describe('health', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  it('lives without a token, and is ready once the ticks have started', async () => {
    const { producer } = stage.newProducer();
    const ready = () => producer.app.inject({ method: 'GET', url: '/health/ready', headers: HOST });
    expect(
      (await producer.app.inject({ method: 'GET', url: '/health/live', headers: HOST })).statusCode,
    ).toBe(200);
    const before = await ready();
    expect([before.statusCode, before.json().checks.ticks.late]).toEqual([503, ['light', 'deep', 'sleep']]);
    await producer.startTicks();
    const after = await ready();
    expect([after.statusCode, after.json()]).toEqual([
      200,
      {
        status: 'ready',
        version: '1.2.3',
        checks: {
          database: { kind: 'server', ok: true },
          queue: { kind: 'redis', ok: true },
          ticks: { ok: true, late: [] },
        },
        overdue: { light: expect.any(Number), deep: 0, sleep: 0 },
        quarantined: { light: 0, deep: 0, sleep: 0 },
        paused: { light: 0, deep: 0, sleep: 0 },
        pausedTiers: [],
      },
    ]);
  });

  it('says what fails, without saying what was said', async () => {
    const failing = () => Promise.reject(Object.assign(new Error(CANARY), { code: 'ECONNREFUSED' }));
    const { producer } = stage.newProducer({
      database: { ...stage.database, asDispatcher: failing },
      queues: { ...stage.queues, ping: failing },
    });
    const reply = await producer.app.inject({ method: 'GET', url: '/health/ready', headers: HOST });
    expect(reply.statusCode).toBe(503);
    expect(reply.json()).toMatchObject({
      status: 'not_ready',
      checks: {
        database: { ok: false, reason: 'ECONNREFUSED' },
        queue: { ok: false, reason: 'ECONNREFUSED' },
      },
      overdue: null,
      quarantined: null,
      paused: null,
      pausedTiers: null,
    });
    expect(reply.body).not.toContain(CANARY);
  });

  it('tells how the workers inside this process are', async () => {
    const reasons: string[] = [];
    const workerHealth = () => Promise.resolve({ ok: reasons.length === 0, reasons });
    const { producer } = stage.newProducer({ workerHealth });
    await producer.startTicks();
    const look = () => producer.app.inject({ method: 'GET', url: '/health/ready', headers: HOST });
    const well = await look();
    expect([well.statusCode, well.json().checks.workers]).toEqual([200, { ok: true, reasons: [] }]);
    reasons.push('model work is paused');
    const paused = await look();
    expect([paused.statusCode, paused.json().checks.workers]).toEqual([503, { ok: false, reasons }]);
  });

  it('counts users who wait too long, by the configured time', async () => {
    await addUsers(stage.database, 'late', ['ana', 'ben']);
    const { producer, clock } = stage.newProducer({ overdueMs: 60 * 60_000 });
    const overdue = async () =>
      (await producer.app.inject({ method: 'GET', url: '/health/ready', headers: HOST })).json().overdue
        .light;
    const before = await overdue();
    clock.forward(50 * 60_000);
    expect(await overdue()).toBe(before);
    clock.forward(20 * 60_000);
    expect(await overdue()).toBeGreaterThanOrEqual(before + 2);
  });

  it('counts who is held back, and is ready all the same', async () => {
    await addUsers(stage.database, 'held', ['ana', 'ben', 'cleo']);
    await stage.database.withTenant('held', async (tx) => {
      await pauseUser(tx, { tenant: 'held', user: 'ana', tiers: ['deep'] });
      await quarantineUser(tx, { tenant: 'held', user: 'ben', code: 'fault', at: Date.now() });
    });
    await stage.database.asDispatcher((tx) => pauseTier(tx, { tier: 'sleep', at: Date.now() }));
    try {
      const { producer } = stage.newProducer();
      await producer.startTicks();
      const reply = await producer.app.inject({ method: 'GET', url: '/health/ready', headers: HOST });
      expect([reply.statusCode, reply.json()]).toMatchObject([
        200,
        {
          quarantined: { light: 1, deep: 1, sleep: 1 },
          paused: { light: 0, deep: 1, sleep: 0 },
          pausedTiers: ['sleep'],
        },
      ]);
    } finally {
      await stage.database.asDispatcher((tx) => resumeTier(tx, { tier: 'sleep' }));
    }
  });

  it('asks the servers once, however many ask', async () => {
    let pings = 0;
    const queues = {
      ...stage.queues,
      ping: async () => {
        pings += 1;
        return stage.queues.ping();
      },
    };
    const { producer } = stage.newProducer({ queues });
    const look = () => producer.app.inject({ method: 'GET', url: '/health/ready', headers: HOST });
    await Promise.all([look(), look(), look()]);
    expect(pings).toBe(1);
  });
});
