import { randomUUID } from 'node:crypto';
import { connectQueues, type Queues } from '@slowwave/queue';
import { Client } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { describeQueue } from './conformance.ts';
import { type Place, requiredUrl } from './harness.ts';
import { dumpSchema } from './schema-dump.ts';

const server = requiredUrl('TEST_DATABASE_URL');

// A database for this file (so that its sessions can be told from others) and a schema for each test.
const database = `queue_${randomUUID().replaceAll('-', '')}`;
const url = Object.assign(new URL(server), { pathname: `/${database}` }).toString();

async function onServer(text: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

beforeAll(() => onServer(`CREATE DATABASE ${database}`));
afterAll(() => onServer(`DROP DATABASE ${database} WITH (FORCE)`));

async function newPlace(): Promise<Place> {
  const schema = `queue_${randomUUID().replaceAll('-', '')}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  const opened: Queues[] = [];
  return {
    async open(options) {
      const queues = await connectQueues({ kind: 'postgres', url, schema }, options);
      opened.push(queues);
      return queues;
    },
    async stealLock(queue, jobId) {
      await client.query(
        `UPDATE ${schema}.job SET lock_token = 'somebody-else' WHERE queue = $1 AND id = $2`,
        [queue, jobId],
      );
    },
    dump: () => dumpSchema(schema, async (text) => (await client.query<{ text: string }>(text)).rows),
    async dropConnections() {
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    },
    async dispose() {
      await Promise.all(opened.map((queues) => queues.close()));
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await client.end();
    },
  };
}

describeQueue({ name: 'PostgreSQL', newPlace });
