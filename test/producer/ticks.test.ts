import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackendFixture, openOnRedis, SERVER_BACKENDS } from '../fixtures/backends.ts';
import { redisUrl } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';
import { addUsers, CANARY, type Stage, stageOf } from './harness.ts';

const USERS = Array.from({ length: 200 }, (_, i) => `user-${i}`);

describe.each(SERVER_BACKENDS)('ticks on %s', (_name, open) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = stageOf(await open());
  });
  afterAll(() => stage.dispose());

  const waiting = async () => (await stage.queues.counts('light')).waiting;
  const enqueued = (log: { lines(): Record<string, unknown>[] }) =>
    log
      .lines()
      .filter((line) => line.msg === 'wake-ups enqueued' && line.tier === 'light')
      .reduce((sum, line) => sum + Number(line.enqueued), 0);

  it('of two producers carry each user into the queue once', async () => {
    await addUsers(stage.database, 'shared', USERS);
    const producers = [1, 2].map(() => stage.newProducer({ tickMs: 200, queueCap: 150 }));
    await Promise.all(producers.map(({ producer }) => producer.startTicks()));
    await until('the queue is full', async () => (await waiting()) >= 150);
    const taken: string[] = [];
    const worker = stage.queues.createWorker('light', async (job, context) => {
      taken.push(job.data.user);
      return context.completed();
    });
    await until('everybody had a turn', () => taken.length >= USERS.length);
    expect([...taken].sort()).toEqual([...USERS].sort());
    expect(producers.reduce((sum, { log }) => sum + enqueued(log), 0)).toBe(USERS.length);
    for (const { log } of producers) expect(log.text()).not.toContain(CANARY);
    await worker.close();
    await Promise.all(producers.map(({ producer }) => producer.close(5_000)));
  });
});

describe('ticks on Redis', () => {
  let fixture: BackendFixture;
  let stage: Stage;
  beforeAll(async () => {
    fixture = await openOnRedis();
    stage = stageOf(fixture);
  });
  afterAll(() => stage.dispose());

  it('survive the loss of everything in Redis', async () => {
    const waiting = async () => (await stage.queues.counts('light')).waiting;
    await addUsers(stage.database, 'flushed', USERS.slice(0, 20));
    const { producer, log } = stage.newProducer({ tickMs: 500, timing: { watchEveryMs: 100 } });
    await producer.startTicks();
    await until('all to wait', async () => (await waiting()) === 20);
    const client = new Redis(redisUrl());
    const keys = await client.keys(`${fixture.prefix}:*`);
    await client.unlink(...keys);
    await client.quit();
    await until('all to wait again', async () => (await waiting()) === 20);
    expect(log.lines()).toContainEqual(expect.objectContaining({ tier: 'light', lost: true }));
    await producer.close(5_000);
  });
});
