import type { Queue, Telemetry } from 'bullmq';
import { atMost } from './at-most.ts';
import { type Controls, createControls } from './controls.ts';
import {
  EMBEDDED_LOCK,
  EVENT_STREAM,
  JOB_DEFAULTS,
  type JobDefaults,
  jobOptions,
  type LockDefaults,
  SERVER_LOCK,
} from './defaults.ts';
import { CONNECT_DEFAULTS, type ConnectOptions, type Engine } from './engine.ts';
import { type BackendKind, type QueueErrorEvent, QueueUnavailable } from './errors.ts';
import { QUEUE_NAMES, type QueueName } from './names.ts';
import { tellingOutages } from './outages.ts';
import { type EmbeddedConfig, openEmbedded, openPostgres, type PostgresConfig } from './postgres-engine.ts';
import type { Handler } from './processor.ts';
import { createProducer, type Producer } from './producer.ts';
import { openRedis, type RedisConfig } from './redis-engine.ts';
import { errorLabel } from './safe-error.ts';
import { createQueueTelemetry } from './telemetry.ts';
import { createTicks, type Ticks } from './ticks.ts';
import { createQueueWorker, type QueueWorker, type WorkerOptions } from './worker.ts';

export type QueueBackend = RedisConfig | PostgresConfig | EmbeddedConfig;

export interface QueuesOptions {
  attempts?: Partial<Record<QueueName, number>>;
  backoff?: JobDefaults['backoff'];
  keepCompletedSeconds?: number;
  keepFailedSeconds?: number;
  connect?: Partial<ConnectOptions>;
  /** Uniform in [0, 1); default Math.random. */
  random?: () => number;
  /** Spans for every job, from its adding to its end; default false. Needs a tracer provider in this process. */
  tracing?: boolean;
  /** Errors outside any job. Without it they are dropped: BullMQ goes on by itself. */
  onError?: (event: QueueErrorEvent) => void;
}

/** The queues of one process: producing, scheduling, the operator's controls, and workers. */
export interface Queues extends Producer, Ticks, Controls {
  kind: BackendKind;
  /** Address of the server without user and password; null when embedded. */
  address: string | null;
  /** BullMQ's own queues, for Bull Board. */
  queues: Record<QueueName, Queue>;
  createWorker<N extends QueueName>(name: N, handler: Handler<N>, options?: WorkerOptions<N>): QueueWorker;
  /** Milliseconds of one round trip. @throws QueueUnavailable */
  ping(): Promise<number>;
  /** Closes workers (waiting for their jobs) and queues. Drain the workers first. */
  close(): Promise<void>;
}

/** Opens the queues on one of the three back ends. @throws QueueUnavailable */
export async function connectQueues(backend: QueueBackend, options: QueuesOptions = {}): Promise<Queues> {
  const report = options.onError ?? (() => {});
  const onConnectionError = (error: unknown) =>
    report({ queue: null, source: 'connection', error: errorLabel(error) });
  const engine = await openEngine(backend, { ...CONNECT_DEFAULTS, ...options.connect }, onConnectionError);
  const defaults: JobDefaults = {
    attempts: { ...JOB_DEFAULTS.attempts, ...options.attempts },
    backoff: options.backoff ?? JOB_DEFAULTS.backoff,
    keepCompletedSeconds: options.keepCompletedSeconds ?? JOB_DEFAULTS.keepCompletedSeconds,
    keepFailedSeconds: options.keepFailedSeconds ?? JOB_DEFAULTS.keepFailedSeconds,
  };
  const telemetry = options.tracing ? createQueueTelemetry() : undefined;
  const queues = openQueues(engine, defaults, report, telemetry);
  const lock: LockDefaults = engine.kind === 'embedded' ? EMBEDDED_LOCK : SERVER_LOCK;
  const random = options.random ?? Math.random;
  const workers = new Set<QueueWorker>();
  let closing: Promise<void> | null = null;

  async function closeAll(): Promise<void> {
    const { goodbyeMs } = engine;
    await Promise.all([...workers].map((worker) => worker.close()));
    await atMost(goodbyeMs, Promise.all(QUEUE_NAMES.map((name) => queues[name].close())));
    await atMost(goodbyeMs, engine.close());
  }

  return {
    kind: engine.kind,
    address: engine.address,
    queues,
    ...tellingOutages(
      { ...createProducer(queues), ...createTicks(queues.ticks), ...createControls(queues) },
      engine,
    ),
    createWorker(name, handler, workerOptions = {}) {
      const { backoff } = defaults;
      const deps = { engine, queue: queues[name], lock, backoff, random, telemetry, onError: report };
      const worker = createQueueWorker(name, handler, deps, workerOptions);
      workers.add(worker);
      return worker;
    },
    async ping() {
      const started = performance.now();
      try {
        await engine.ping();
      } catch (error) {
        const { kind, address } = engine;
        throw new QueueUnavailable({
          kind,
          address,
          reason: 'unreachable',
          attempts: 1,
          detail: errorLabel(error),
        });
      }
      return performance.now() - started;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

function openEngine(
  backend: QueueBackend,
  connect: ConnectOptions,
  onError: (error: unknown) => void,
): Promise<Engine> {
  switch (backend.kind) {
    case 'redis':
      return openRedis(backend, connect, onError);
    case 'postgres':
      return openPostgres(backend, connect, onError);
    case 'embedded':
      return openEmbedded(backend, onError);
  }
}

function openQueues(
  engine: Engine,
  defaults: JobDefaults,
  report: (event: QueueErrorEvent) => void,
  telemetry: Telemetry | undefined,
): Record<QueueName, Queue> {
  const opened = QUEUE_NAMES.map((name) => {
    const queue = engine.createQueue(name, {
      defaultJobOptions: jobOptions(name, defaults),
      streams: EVENT_STREAM,
      ...(telemetry ? { telemetry } : {}),
    });
    queue.on('error', (error) => report({ queue: name, source: 'queue', error: errorLabel(error) }));
    return [name, queue] as const;
  });
  return Object.fromEntries(opened) as Record<QueueName, Queue>;
}
