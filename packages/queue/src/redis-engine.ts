import { createRedisBackend, Queue, Worker } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { atMost } from './at-most.ts';
import { addressOf, type ConnectOptions, connectWithin, type Engine, GOODBYE_MS } from './engine.ts';
import { DEFAULT_PREFIX } from './names.ts';
import { diagnose, probe } from './redis-probe.ts';

export interface RedisConfig {
  kind: 'redis';
  /** `redis://` or `rediss://` */
  url: string;
  /** Keyspace of the queues; default `slowwave`. */
  prefix?: string;
}

const PING_KEPT_MS = 1_000;
/** Reconnections that a producer's command waits for before it fails: an HTTP request must not hang with its server. */
const PRODUCER_RETRIES = 5;
/** Longer than any read of a worker waits for a job (10 s), and than any script of the queue runs. */
const SILENT_MS = 15_000;
/** However long the server was away: work goes on soon after it is back. */
const MAX_RECONNECT_MS = 2_000;

/**
 * Queues on Redis or Valkey. Producers and workers use connections of their own: a worker's commands wait for as long as
 * the server is away, a producer's fail after a few reconnections.
 * @throws QueueUnavailable
 */
export async function openRedis(
  config: RedisConfig,
  options: ConnectOptions,
  onError: (error: unknown) => void,
): Promise<Engine> {
  const address = addressOf(config.url, 'redis', ['redis:', 'rediss:']);
  const prefix = config.prefix ?? DEFAULT_PREFIX;
  await connectWithin(() => probe(config.url, options), diagnose, { kind: 'redis', address }, options);

  function open(role: 'producer' | 'worker', maxRetriesPerRequest: number | null): Redis {
    const connectionName = `${prefix}:${role}`;
    const client = new Redis(config.url, { ...connection(options), connectionName, maxRetriesPerRequest });
    // BullMQ listens too, once per queue and worker; without this one an early error would be printed with its stack.
    client.setMaxListeners(0);
    client.on('error', onError);
    return client;
  }
  const producer = open('producer', PRODUCER_RETRIES);
  let consumer: Redis | null = null;
  const consuming = () => {
    consumer ??= open('worker', null);
    return consumer;
  };

  return {
    kind: 'redis',
    address,
    goodbyeMs: GOODBYE_MS,
    createQueue: (name, queueOptions) =>
      new Queue(name, { ...queueOptions, connection: producer, prefix }, createRedisBackend),
    createWorker(name, processor, workerOptions) {
      const settings = { ...workerOptions, connection: consuming(), prefix };
      // The worker duplicates the client for its blocking read and closes that one itself.
      const worker = new Worker(name, processor, settings, createRedisBackend);
      return {
        worker,
        async ready() {
          await worker.waitUntilReady();
        },
        dispose: async () => {},
      };
    },
    async ping() {
      // A write: a server without memory left, or one that has become a copy of another, answers all the rest and takes no job.
      await producer.set(`${prefix}:ping`, '1', 'PX', PING_KEPT_MS);
    },
    diagnose,
    async close() {
      await Promise.all([producer, consumer].map((client) => client && quit(client)));
    },
  };
}

function connection(options: ConnectOptions): RedisOptions {
  return {
    connectTimeout: options.timeoutMs,
    socketTimeout: options.silentMs ?? SILENT_MS, // guard: silent-redis
    retryStrategy: (times) =>
      Math.min(MAX_RECONNECT_MS, 50 * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
  };
}

async function quit(client: Redis): Promise<void> {
  // A client that is not connected would wait for its server in order to say goodbye.
  if (client.status !== 'ready') return client.disconnect();
  await atMost(
    GOODBYE_MS,
    client.quit().catch(() => undefined),
  );
  client.disconnect();
}
