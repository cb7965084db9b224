import { randomUUID } from 'node:crypto';
import { connectQueues, type QueueBackend, type Queues, type TierJob } from '@slowwave/queue';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { type DatabaseFixture, redisUrl, serverFixture } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';
import { startProxy, type Proxy as Way } from './proxy.ts';

const ONE_TRY = { attempts: 1, baseMs: 1, maxMs: 1, timeoutMs: 60_000 };
/** Longer than a worker's read waits for a job that does not come (5 s). */
const SILENT_MS = 6_000;
/** What is lost with a connection may be a job that the server had just handed out: it comes back when its lock has run out. */
const TAKEN_BACK_MS = 180_000;

const wakeUp = (user: string): TierJob => ({ v: 1, tenant: 't', user, tier: 'light', why: 'schedule' });

/** @returns false when the server could not be asked */
const isEmpty = (queues: Queues) =>
  queues.counts('deep').then(
    ({ waiting }) => waiting === 0,
    () => false,
  );

/** A way that swallows what is said on the connections that stand, and carries new ones: the other end is gone, and nothing tells of it. */
const swallow = (way: Way) => way.set({ kind: 'close-one-side', side: 'server' });

/** A way to a server with queues on it, of one test alone. */
interface Situation {
  way: Way;
  /** Of the server itself. */
  url: string;
  open(url: string, silentMs: number): Promise<Queues>;
}

// Most of each test is waiting for a silence to be noticed, so all of them wait at the same time.
describe.concurrent.each(['redis', 'postgres'] as const)(
  'a queue whose server is gone without a word (%s)',
  (kind) => {
    let fixture: DatabaseFixture;
    beforeAll(async () => {
      fixture = await serverFixture();
    });
    afterAll(() => fixture?.drop());

    async function situation({ onTestFinished }: TestContext): Promise<Situation> {
      const url = kind === 'redis' ? redisUrl() : fixture.url!;
      const name = `s${randomUUID().slice(0, 8)}`;
      const way = await startProxy(url);
      const opened: Queues[] = [];
      onTestFinished(async () => {
        for (const queues of opened) await queues.close();
        await way.stop();
      });
      return {
        way,
        url,
        async open(at, silentMs) {
          const backend: QueueBackend =
            kind === 'redis' ? { kind, url: at, prefix: name } : { kind, url: at, schema: name, poolSize: 2 };
          const queues = await connectQueues(backend, {
            connect: { ...ONE_TRY, silentMs },
            onError: () => {},
          });
          opened.push(queues);
          return queues;
        },
      };
    }

    it('a question is not waited on for ever, and the next one is answered', async (context) => {
      const { way, open } = await situation(context);
      const queues = await open(way.url, 3_000);
      context.expect((await queues.counts('deep')).waiting).toBe(0);
      await swallow(way);
      let over = false;
      void isEmpty(queues).then(() => {
        over = true;
      });
      await until('the end of the question', () => over);
      await until('an answer', () => isEmpty(queues));
    });

    it('a worker takes jobs again', { timeout: 2 * TAKEN_BACK_MS }, async (context) => {
      const { way, url, open } = await situation(context);
      const direct = await open(url, SILENT_MS);
      const behind = await open(way.url, SILENT_MS);
      const seen: string[] = [];
      const worker = behind.createWorker('light', async ({ data }, job) => {
        seen.push(data.user);
        return job.completed();
      });
      await worker.ready();
      await direct.add(wakeUp('one'));
      await until('the first job', () => seen.includes('one'));
      await swallow(way);
      await direct.add(wakeUp('other'));
      await until('the job after', () => seen.includes('other'), TAKEN_BACK_MS);
    });

    // Redis has no connection that listens: its worker asks, and a question has a time limit.
    if (kind === 'postgres')
      it('a worker whose connection is lost as it begins to listen listens on another one', async (context) => {
        const { way, url, open } = await situation(context);
        const direct = await open(url, SILENT_MS);
        const behind = await open(way.url, SILENT_MS);
        const seen: string[] = [];
        await way.set({ kind: 'lose-at', said: 'LISTEN bullmq_jobs' });
        const worker = behind.createWorker('deep', async ({ data }, job) => {
          seen.push(data.user);
          return job.completed();
        });
        await worker.ready();
        await until('the loss', () => way.fault().kind === 'pass');
        await direct.add({ ...wakeUp('after'), tier: 'deep' });
        await until('the job', () => seen.includes('after'));
      });

    it('a queue that is told to stop does not wait for it', async (context) => {
      const { way, open } = await situation(context);
      // No timeout ends the silence.
      const queues = await open(way.url, 600_000);
      let begun = false;
      const worker = queues.createWorker('sleep', async (_data, job) => {
        begun = true;
        await new Promise((resolve) => job.stopping.addEventListener('abort', resolve, { once: true }));
        return job.completed();
      });
      await worker.ready();
      await queues.add({ ...wakeUp('last'), tier: 'sleep' });
      await until('its job', () => begun);
      await swallow(way);
      let stopped = false;
      void worker
        .drain(1_000)
        .then(() => queues.close())
        .then(() => {
          stopped = true;
        });
      await until('the end', () => stopped);
    });
  },
);
