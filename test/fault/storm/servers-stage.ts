import { join } from 'node:path';
import { migrate, openServer } from '@slowwave/db';
import { connectQueues, type QueueBackend } from '@slowwave/queue';
import { startOwnPostgres, startOwnRedis } from '../own-servers.ts';
import { startProxy } from '../proxy.ts';
import type { ProducerSettings } from '../run-producer.ts';
import type { WorkerSettings } from '../types.ts';
import { bundle } from './bundle.ts';
import { warmUp } from './processes.ts';
import { createSlots } from './slots.ts';
import {
  type Opened,
  openModel,
  openStage,
  paceOf,
  type Stage,
  type StageOptions,
  TICKS,
  WARM_UP_MS,
  workerAt,
} from './stage.ts';

const PREFIX = 'storm';
const ENTRIES = { worker: 'test/fault/worker-process.ts', producer: 'test/fault/producer-process.ts' };

/** Producer and workers as processes on servers of their own, each behind a way that can be hurt. */
export const openServersStage = (options: StageOptions): Promise<Stage> =>
  openStage((opened) => open(options, opened));

async function open(options: StageOptions, opened: Opened): Promise<Stage> {
  const { kind, folder } = options;
  const bundled = bundle({ folder, entries: ENTRIES, plugins: options.plugins ?? [] });
  bundled.catch(() => {});
  const { postgres, redis } = await startServers(options, opened);
  const database = await openServer({ url: postgres.url, poolSize: 6, connectTimeoutMs: 60_000 });
  opened.push(() => database.close());
  await migrate(database);

  const queueUrl = redis?.url ?? postgres.url;
  const backendAt = (url: string): QueueBackend =>
    redis ? { kind: 'redis', url, prefix: PREFIX } : { kind: 'postgres', url };
  const queues = await connectQueues(backendAt(queueUrl));
  opened.push(() => queues.close());
  const { logs, model, liar, way } = await openModel(options, opened);
  const ways = {
    queue: await startProxy(queueUrl),
    database: await startProxy(postgres.url),
    model: way,
  };
  opened.push(() => Promise.all([ways.queue.stop(), ways.database.stop()]));

  const shared = { databaseUrl: ways.database.url, backend: backendAt(ways.queue.url) };
  const worker = (pace: number): WorkerSettings => ({
    ...workerAt(pace),
    ...shared,
    modelUrl: ways.model.url,
    batches: options.batches,
  });
  const plain = { clockShiftMs: 0, armed: [], standby: false };
  const producer: ProducerSettings = { ...shared, ...plain, ...TICKS, graceMs: 3_000 };
  const bundles = await bundled;
  const logOf = (entry: string) => ({ log: join(logs, `${entry}.log`), limitMs: WARM_UP_MS });
  const pace = paceOf(await warmUp(bundles, 'worker', worker(1), logOf('worker')));
  await warmUp(bundles, 'producer', producer, logOf('producer'));
  if (pace > 1) options.say(`this machine is busy or slow: everything gets ${pace} times as long`);
  const slotsOf = (entry: keyof typeof ENTRIES, settings: object, count: number, spares: number) => {
    const names = Array.from({ length: count }, (_, i) => `${entry}-${i + 1}`);
    const slots = createSlots(names, { bundles, entry, settings, logs, spares, onEnd: options.onEnd });
    opened.push(() => slots.stop());
    return slots;
  };
  const workers = slotsOf('worker', worker(pace), options.workers, Math.max(2, options.workers));
  const producers = slotsOf('producer', producer, 1, 1);
  return {
    kind,
    database,
    queues: () => queues,
    keys: redis ? { url: redis.url, prefix: PREFIX } : null,
    servers: { postgres, redis },
    ways,
    model,
    liar,
    workers,
    producers,
    logs,
    lookEveryMs: 100,
    pace,
    async start() {
      workers.start();
      producers.start();
    },
    // Conductor and service use the same servers side by side.
    enter: async () => {},
    leave: async () => {},
    dispose: () => opened.closeAll(),
  };
}

async function startServers({ kind, say }: StageOptions, opened: Opened) {
  // All connections of a storm at once, and those that a cut leaves behind on the server for a while.
  const postgres = await startOwnPostgres({ settings: { max_connections: '300' } });
  opened.push(() => postgres.dispose());
  const redis = kind === 'redis' ? await startOwnRedis({ persistent: 'everysec' }) : null;
  if (redis) opened.push(() => redis.dispose());
  say(`${postgres.description}${redis ? `; ${redis.description}` : ''}`);
  return { postgres, redis };
}
