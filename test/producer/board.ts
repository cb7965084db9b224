import type { FusionJob, QueueWorker } from '@slowwave/queue';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { BackendFixture } from '../fixtures/backends.ts';
import { until } from '../fixtures/wait.ts';
import { CANARY, HOST, type Stage, signIn, stageOf } from './harness.ts';

interface BoardJob {
  id: string;
  failedReason: string;
  stacktrace: string[];
  data: FusionJob;
}

interface BoardQueue {
  name: string;
  displayName: string;
  description: string;
  counts: Record<string, number>;
  isPaused: boolean;
  jobs: BoardJob[];
}

const fusion = (digit: string): FusionJob => ({
  v: 1,
  tenant: 'acme',
  user: 'ana',
  key: digit.repeat(64),
  tier: 'deep',
  runId: 'run-1',
});

/** What an operator sees and does on Bull Board; the same on every back end. */
export function describeBoard(name: string, open: () => Promise<BackendFixture>): void {
  describe(`Bull Board on ${name}`, () => {
    let stage: Stage;
    let workers: QueueWorker[] = [];
    beforeAll(async () => {
      stage = stageOf(await open());
    });
    afterEach(async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      workers = [];
      for (const queue of Object.values(stage.queues.queues)) await queue.obliterate({ force: true });
    });
    afterAll(() => stage.dispose());

    /** A producer, and its board as a signed-in operator uses it. */
    async function openBoard() {
      const { producer, log } = stage.newProducer();
      const session = await signIn(producer);
      const send = (method: 'GET' | 'PUT', url: string) =>
        producer.app.inject({ method, url: `/board/api${url}`, headers: { ...HOST, ...session } });
      const queues = async (query = ''): Promise<BoardQueue[]> => {
        const reply = await send('GET', `/queues${query}`);
        expect(reply.statusCode).toBe(200);
        return reply.json().queues;
      };
      const failed = async () => {
        const all = await queues('?activeQueue=fusions&status=failed&page=1&jobsPerPage=10');
        return all.find((queue) => queue.name === 'fusions')!;
      };
      return { producer, log, send, queues, failed };
    }

    /** A worker whose fusions fail, with a message that must go nowhere, until the model recovers. */
    function startWorker() {
      const model = { works: false };
      const done: string[] = [];
      const worker = stage.queues.createWorker('fusions', async (job, context) => {
        if (!model.works) {
          throw Object.assign(new Error(`about ${CANARY}`), { code: 'refusal', retryable: false });
        }
        done.push(job.data.key);
        return context.completed();
      });
      workers.push(worker);
      return { model, done };
    }

    it('lists the six queues under names for people', async () => {
      const { queues } = await openBoard();
      const listed = await queues();
      expect(listed.map((queue) => queue.name)).toEqual([
        'light',
        'deep',
        'sleep',
        'fusions',
        'adhoc',
        'ticks',
      ]);
      for (const queue of listed) {
        expect(queue.displayName).toMatch(/^[A-Z]/);
        expect(queue.description.length).toBeGreaterThan(10);
      }
    });

    it('shows a failed fusion with its reason and ids and no text, and runs it again', async () => {
      const { failed, send, log } = await openBoard();
      const { model, done } = startWorker();
      await stage.queues.addFusion(fusion('a'));
      await until('it has failed', async () => (await stage.queues.counts('fusions')).failed === 1);
      const queue = await failed();
      expect(queue.counts.failed).toBe(1);
      const [job] = queue.jobs;
      expect(job?.failedReason).toBe(
        `refusal: tenant=acme user=ana tier=deep runId=run-1 key=${'a'.repeat(64)}`,
      );
      expect(job?.data).toEqual(fusion('a'));
      const shown = await send('GET', `/queues/fusions/${job!.id}`);
      expect(shown.json().status).toBe('failed');
      expect(shown.body + JSON.stringify(queue)).not.toContain(CANARY);

      model.works = true;
      expect((await send('PUT', `/queues/fusions/${job!.id}/retry`)).statusCode).toBe(204);
      await until('it has run', () => done.length === 1);
      expect(done).toEqual(['a'.repeat(64)]);
      await until('nothing has failed', async () => (await failed()).counts.failed === 0);
      expect(log.lines()).toContainEqual(
        expect.objectContaining({
          queue: 'fusions',
          job: job!.id,
          action: expect.stringContaining('/retry'),
        }),
      );
      expect((await send('PUT', `/queues/fusions/${job!.id}/retry`)).statusCode).toBe(404);
    });

    it('runs all failed fusions again', async () => {
      const { send } = await openBoard();
      const { model, done } = startWorker();
      for (const digit of ['1', '2', '3']) await stage.queues.addFusion(fusion(digit));
      await until('they have failed', async () => (await stage.queues.counts('fusions')).failed === 3);
      model.works = true;
      expect((await send('PUT', '/queues/fusions/retry/failed')).json()).toEqual({ retried: 3, skipped: 0 });
      await until('they have run', () => done.length === 3);
    });

    it('pauses and resumes a queue, and still counts what waits in it', async () => {
      const { send, queues } = await openBoard();
      const deep = async () => (await queues('?activeQueue=deep&status=waiting&page=1&jobsPerPage=10'))[1]!;
      await send('PUT', '/queues/deep/pause');
      await stage.queues.add({ v: 1, tenant: 'acme', user: 'ana', tier: 'deep', why: 'schedule' });
      const paused = await deep();
      expect([paused.isPaused, paused.counts.waiting, paused.jobs.length]).toEqual([true, 1, 1]);
      await send('PUT', '/queues/deep/resume');
      expect((await deep()).isPaused).toBe(false);
    });

    it('answers everything else its pages ask for', async () => {
      const { producer, send } = await openBoard();
      await producer.startTicks();
      await stage.queues.addFusion(fusion('b'));
      const [job] = await stage.queues.queues.fusions.getWaiting();
      const { kind } = stage.queues;
      for (const url of [
        // What is hidden is not asked for.
        ...(kind === 'redis' ? ['/redis/stats'] : []),
        ...(kind === 'embedded' ? [] : ['/queues/fusions/workers']),
        '/job-schedulers',
        '/queues/ticks/metrics',
        '/queues/fusions/rate-limit',
        '/queues/fusions/default-job-options',
        '/queues/fusions/job-data-schema',
        `/queues/fusions/${job?.id}`,
        `/queues/fusions/${job?.id}/logs`,
        `/queues/fusions/${job?.id}/flow`,
      ]) {
        expect([url, (await send('GET', url)).statusCode]).toEqual([url, 200]);
      }
      const { schedulers } = (await send('GET', '/job-schedulers')).json() as {
        schedulers: { id: string }[];
      };
      expect(schedulers.map(({ id }) => id).sort()).toEqual(['tick-deep', 'tick-light', 'tick-sleep']);
      await producer.close(5_000);
    });
  });
}
