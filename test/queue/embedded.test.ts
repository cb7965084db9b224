import type { PGlite } from '@electric-sql/pglite';
import { connectQueues, createPglitePool, type Queues } from '@slowwave/queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWithoutVectors } from '../fixtures/in-memory.ts';
import { until } from '../fixtures/wait.ts';
import { inScope } from '../scope.ts';
import { describeQueue } from './conformance.ts';
import type { Place } from './harness.ts';
import { dumpSchema } from './schema-dump.ts';

// Starting the database takes seconds: one for all, and each test gets the queue's schema anew.
let db: PGlite;
beforeAll(async () => {
  db = await openWithoutVectors();
});
afterAll(() => db.close());

async function newPlace(): Promise<Place> {
  const pool = createPglitePool(db);
  const opened: Queues[] = [];
  return {
    async open(options) {
      const queues = await connectQueues({ kind: 'embedded', pool }, options);
      opened.push(queues);
      return queues;
    },
    async stealLock(queue, jobId) {
      await db.query(`UPDATE bullmq.job SET lock_token = 'somebody-else' WHERE queue = $1 AND id = $2`, [
        queue,
        jobId,
      ]);
    },
    dump: () => dumpSchema('bullmq', async (text) => (await db.query<{ text: string }>(text)).rows),
    dropConnections: null,
    async dispose() {
      await Promise.all(opened.map((queues) => queues.close()));
      await pool.end();
      await db.exec('DROP SCHEMA bullmq CASCADE');
    },
  };
}

for (const backend of inScope({ change: [], rest: [{ name: 'the embedded database', newPlace }] }))
  describeQueue(backend);

describe('a process that opens the embedded queue', () => {
  const HOUR_MS = 3_600_000;
  const JOB = { v: 1, tenant: 't', user: 'ana', tier: 'deep', why: 'schedule' } as const;
  const opened: Queues[] = [];

  async function open(alone: boolean): Promise<Queues> {
    const queues = await connectQueues({ kind: 'embedded', pool: createPglitePool(db), alone });
    opened.push(queues);
    return queues;
  }
  afterAll(async () => {
    await Promise.all(opened.map((queues) => queues.close()));
    await db.exec('DROP SCHEMA bullmq CASCADE');
  });

  it('takes up at once what a process was doing that is gone, if it is alone', async () => {
    const first = await open(false);
    await first.add(JOB);
    // What remains of a process that was killed in the middle: a job under way whose lock has long to go.
    await db.query(
      `UPDATE bullmq.job SET state = 'active', lock_token = 'gone', locked_until_ms = $1 WHERE queue = 'deep'`,
      [Date.now() + HOUR_MS],
    );
    await open(false);
    const locks = await db.query<{ ms: string }>(
      `SELECT locked_until_ms AS ms FROM bullmq.job WHERE queue = 'deep'`,
    );
    expect(Number(locks.rows[0]!.ms)).toBeGreaterThan(Date.now());
    const done: string[] = [];
    const worker = (await open(true)).createWorker('deep', async (job, context) => {
      done.push(job.data.user);
      return context.completed();
    });
    await worker.ready();
    await until('the job to be done', () => done.length > 0);
    expect(done).toEqual(['ana']);
  });
});
