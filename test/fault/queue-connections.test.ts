import { randomUUID } from 'node:crypto';
import { connectQueues, type FusionJob, type Handler, QueueUnavailable, type TierJob } from '@slowwave/queue';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DatabaseFixture, redisUrl, serverFixture } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';
import { startOwnRedis } from './own-redis.ts';
import { startProxy, type Proxy as Way } from './proxy.ts';

let fixture: DatabaseFixture;
let way: Way;
beforeAll(async () => {
  fixture = await serverFixture();
  way = await startProxy(fixture.url!);
});
afterAll(async () => {
  await way?.stop();
  await fixture?.drop();
});

const CUTS = 20;
const ONE_TRY = { attempts: 1, baseMs: 1, maxMs: 1, timeoutMs: 60_000 };
const WAKE_UP: TierJob = { v: 1, tenant: 't', user: 'ana', tier: 'light', why: 'schedule' };

const open = (schema: string) =>
  connectQueues({ kind: 'postgres', url: way.url, schema }, { connect: ONE_TRY }).catch((error: unknown) => {
    if (error instanceof QueueUnavailable) return null;
    throw error;
  });

// An error of a connection to which nobody listens ends the process, and with it this file.
it('a queue on PostgreSQL that loses its connections while it starts can be opened again', async () => {
  const schema = `q${randomUUID().slice(0, 8)}`;
  let lost = 0;
  for (let cut = 0; cut < CUTS; cut += 1) {
    const { taken } = way.counts();
    const opening = open(schema);
    // The second connection makes the tables, statement by statement.
    await until('a connection', () => way.counts().taken > taken);
    for (let turn = 0; turn < cut; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await way.set({ kind: 'cut' });
    const opened = await opening;
    if (opened === null) lost += 1;
    else await opened.close().catch(() => {});
  }
  expect(lost).toBeGreaterThan(0);
  const queues = await until('the queue to open', () => open(schema));
  await queues.add(WAKE_UP);
  expect(await queues.counts('light')).toMatchObject({ waiting: 1 });
  await queues.close();
});

it('queues on PostgreSQL that are made while it is away work once it is back, and so does a worker', async () => {
  const schema = `q${randomUUID().slice(0, 8)}`;
  const tries = { attempts: 10_000, baseMs: 50, maxMs: 50, timeoutMs: 60_000 };
  const queues = await connectQueues(
    { kind: 'postgres', url: way.url, schema },
    { connect: tries, onError: () => {} },
  );
  // Its tables were there; now that each queue looks for itself, nobody answers.
  await way.set({ kind: 'refuse' });
  await expect(queues.counts('light')).rejects.toThrow();
  const seen: string[] = [];
  const worker = queues.createWorker('light', async ({ data }, context) => {
    seen.push(data.user);
    return context.completed();
  });
  const ready = worker.ready();
  ready.catch(() => {});
  await expect(queues.ping()).rejects.toThrow();
  await way.set({ kind: 'pass' });
  const looked = await queues.counts('light').then(
    () => 'answered',
    () => 'failed as before',
  );
  expect(looked).toBe('answered');
  await ready;
  await queues.add(WAKE_UP);
  await until('the job', () => seen.length > 0);
  expect(seen).toEqual(['ana']);
  await queues.close();
});

it('a job on PostgreSQL that is done while the server is away is done once, and uses no attempt', async () => {
  const schema = `q${randomUUID().slice(0, 8)}`;
  const queues = await connectQueues({ kind: 'postgres', url: way.url, schema }, { onError: () => {} });
  let turns = 0;
  const turn: Handler<'light'> = async (_job, context) => {
    turns += 1;
    // Every connection that stands is reset, as when sessions are terminated.
    await way.set({ kind: 'reset' });
    return context.completed();
  };
  // The job is moved as soon as the server is back, and not left to its lock, however long that takes.
  const worker = queues.createWorker('light', turn, { lockDurationMs: 600_000 });
  await worker.ready();
  await queues.add(WAKE_UP);
  await until('its turn', () => turns > 0);
  const { taken } = way.counts();
  await until('somebody to knock', () => way.counts().taken > taken + 1);
  await way.set({ kind: 'pass' });
  await until('the queue to be empty', async () => {
    const counts = await queues.counts('light').catch(() => null);
    return counts && counts.waiting + counts.active + counts.delayed + counts.failed === 0;
  });
  expect(turns).toBe(1);
  await queues.close();
});

it('a queue on Redis without memory left refuses calls as an outage, and takes them once there is some', async () => {
  const redis = await startOwnRedis();
  try {
    const queues = await connectQueues({ kind: 'redis', url: redis.url });
    const fusion: FusionJob = {
      v: 1,
      tenant: 't',
      user: 'ana',
      key: 'a'.repeat(64),
      tier: 'deep',
      runId: 'r',
    };
    await redis.setMaxMemory(1);
    const refused = { code: 'queue_unavailable', retryable: true, reason: 'out_of_service', detail: 'OOM' };
    await expect(queues.add(WAKE_UP)).rejects.toMatchObject(refused);
    await expect(queues.addBulk([WAKE_UP])).rejects.toMatchObject(refused);
    await expect(queues.addFusion(fusion)).rejects.toMatchObject(refused);
    await redis.setMaxMemory(0);
    await expect(queues.addFusion(fusion)).resolves.toBe('added');
    await expect(queues.add({ ...WAKE_UP, user: '' })).rejects.toMatchObject({ name: 'PayloadError' });
    await queues.close();
  } finally {
    await redis.stop();
  }
});

it.each(['reset', 'refuse'] as const)(
  'a queue on Redis whose connections were cut (%s) is closed within 10 s, with its workers',
  async (kind) => {
    const redis = await startProxy(redisUrl());
    try {
      const prefix = `q${randomUUID().slice(0, 8)}`;
      const queues = await connectQueues(
        { kind: 'redis', url: redis.url, prefix },
        { connect: ONE_TRY, onError: () => {} },
      );
      const worker = queues.createWorker('light', async (_job, context) => context.completed());
      await worker.ready();
      await queues.add(WAKE_UP);
      await redis.set({ kind });
      const began = performance.now();
      await queues.close();
      expect(performance.now() - began).toBeLessThan(10_000);
    } finally {
      await redis.stop();
    }
  },
);
