import { randomUUID } from 'node:crypto';
import { connectQueues, type Queues } from '@slowwave/queue';
import { Redis } from 'ioredis';
import { describeQueue } from './conformance.ts';
import { type Place, requiredUrl } from './harness.ts';

const url = requiredUrl('TEST_REDIS_URL');

async function keysOf(client: Redis, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const page of client.scanStream({ match: `${prefix}:*`, count: 500 }))
    found.push(...(page as string[]));
  return found;
}

async function read(client: Redis, key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      return client.get(key);
  }
}

async function newPlace(): Promise<Place> {
  const prefix = `test-${randomUUID()}`;
  const client = new Redis(url, { maxRetriesPerRequest: 1 });
  const opened: Queues[] = [];
  return {
    async open(options) {
      const queues = await connectQueues({ kind: 'redis', url, prefix }, options);
      opened.push(queues);
      return queues;
    },
    async stealLock(queue, jobId) {
      await client.set(`${prefix}:${queue}:${jobId}:lock`, 'somebody-else');
    },
    async dump() {
      const keys = await keysOf(client, prefix);
      const values = await Promise.all(keys.map((key) => read(client, key)));
      return JSON.stringify([keys, values]);
    },
    async dropConnections() {
      const clients = String(await client.client('LIST')).split('\n');
      const ids = clients
        .filter((line) => line.includes(`name=${prefix}:`))
        .map((line) => /^id=(\d+)/.exec(line)?.[1])
        .filter((id) => id !== undefined);
      for (const id of ids) await client.call('CLIENT', 'KILL', 'ID', id);
    },
    async dispose() {
      await Promise.all(opened.map((queues) => queues.close()));
      const keys = await keysOf(client, prefix);
      for (let start = 0; start < keys.length; start += 1_000)
        await client.unlink(...keys.slice(start, start + 1_000));
      await client.quit();
    },
  };
}

describeQueue({ name: 'Redis', newPlace });
