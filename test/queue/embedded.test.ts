import { PGlite } from '@electric-sql/pglite';
import { connectQueues, createPglitePool, type Queues } from '@slowwave/queue';
import { afterAll, beforeAll } from 'vitest';
import { describeQueue } from './conformance.ts';
import type { Place } from './harness.ts';
import { dumpSchema } from './schema-dump.ts';

// Starting the database takes seconds: one for all, and each test gets the queue's schema anew.
let db: PGlite;
beforeAll(async () => {
  db = await PGlite.create();
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

describeQueue({ name: 'the embedded database', newPlace });
