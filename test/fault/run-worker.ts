import { type Database, NO_LIMITS, openServer } from '@slowwave/db';
import { createModels } from '@slowwave/models';
import { connectOptionsWithin, connectQueues, type Queues } from '@slowwave/queue';
import {
  type BatchKeeper,
  createBatchKeeper,
  createLogger,
  createWorker,
  DEFAULT_LIMITS,
  holdMsOf,
  TIER_STEPS,
} from '@slowwave/worker';
import { startStuckWatch } from '../../apps/worker/src/stuck-watch.ts';
import { POISONED_STEPS } from '../fixtures/poison.ts';
import type { Armed } from './armed.ts';
import type { Running } from './enter-process.ts';
import type { WorkerSettings } from './types.ts';

/** Servers of this suite come and go: whoever starts while one is away waits for it. */
const CONNECT_TIMEOUT_MS = 60_000;
const POOL_SIZE = 8;
/** Nobody waits for minutes here. */
export const QUICK_BACKOFF = { baseMs: 50, maxMs: 1_000 };

/** Jobs of a process that is gone are found sooner than in production. */
export function withLocks(
  queues: Queues,
  { lockDurationMs, stalledIntervalMs }: Pick<WorkerSettings, 'lockDurationMs' | 'stalledIntervalMs'>,
): Queues {
  return {
    ...queues,
    createWorker: (name, handler, options) =>
      queues.createWorker(name, handler, { ...options, lockDurationMs, stalledIntervalMs }),
  };
}

/** The product's own provider, asking a fake; the embedder needs nobody. */
export function modelsOf({ modelUrl, modelTimeoutMs }: Pick<WorkerSettings, 'modelUrl' | 'modelTimeoutMs'>) {
  return createModels({
    model:
      modelUrl === null
        ? { provider: 'none' }
        : {
            provider: 'anthropic',
            apiKey: 'fault-suite',
            model: 'fault-model',
            baseUrl: modelUrl,
            timeoutMs: modelTimeoutMs,
          },
    embedder: { embedder: 'offline' },
  });
}

/** @param limitMs 0: nobody watches */
export function watchOver(limitMs: number): void {
  if (limitMs === 0) return;
  startStuckWatch({
    limitMs,
    onError: (error) => {
      throw error;
    },
  });
}

/** A worker sends a batch at its next look, and never gives it up: whether it is answered in time is not what storms are about. */
const BATCHES = { minCalls: 1, waitMs: 500, deadlineMs: 60 * 60_000 };
const HOLD_MS = holdMsOf(BATCHES.deadlineMs);
/** The product looks every few seconds: longer than a process of this suite lives. */
const LOOK_MS = 300;

/** Looks at batches until it is stopped, much more often than the product does. */
function lookOften(keeper: BatchKeeper): () => void {
  let timer: NodeJS.Timeout;
  let isOver = false;
  const again = () => {
    timer = setTimeout(() => {
      // Servers come and go: the next look may find them.
      void keeper
        .beat()
        .catch(() => {})
        .finally(() => isOver || again());
    }, LOOK_MS);
  };
  again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** What the workers of a process stand on. */
export interface Ground {
  database: Database;
  queues: Queues;
  models: ReturnType<typeof modelsOf>;
  logger: ReturnType<typeof createLogger>;
  failpoints: Armed['failpoints'];
}

/** Workers as the product makes them, with the settings of this suite; they are at work when this returns. */
export async function startWorkers(
  settings: Omit<WorkerSettings, 'databaseUrl' | 'backend'>,
  { database, queues, models, logger, failpoints }: Ground,
) {
  const { provider, providers, embedder } = models;
  const batches = settings.batches ? models.batches : null;
  const worker = await createWorker(
    {
      database,
      queues: withLocks(queues, settings),
      provider,
      providers,
      embedder,
      logger,
      now: Date.now,
      nowMs: () => performance.now(),
      limits: { ...DEFAULT_LIMITS, ...settings.limits },
      tierSteps: settings.poison ? POISONED_STEPS : TIER_STEPS,
      failpoints,
      ...(batches
        ? {
            budget: { limits: NO_LIMITS, prices: {}, holdMs: HOLD_MS },
            batching: {
              bodyOf: batches.bodyOf,
              collect: true,
              deadlineMs: BATCHES.deadlineMs,
              holdMs: HOLD_MS,
            },
          }
        : {}),
    },
    { concurrency: settings.concurrency },
  );
  await worker.ready();
  if (!batches) return worker;
  const keeper = createBatchKeeper({
    ...{ database, queues, logger, now: Date.now, prices: {}, settings: BATCHES },
    api: batches.api,
    provider: 'anthropic',
  });
  const stopLooking = lookOften(keeper);
  return {
    ...worker,
    async close(graceMs: number) {
      stopLooking();
      await Promise.all([worker.close(graceMs), keeper.stop(graceMs)]);
    },
  };
}

/** A process of workers on the servers that the settings name. */
export async function run(settings: WorkerSettings, { failpoints }: Armed): Promise<Running> {
  const logger = createLogger(settings.logLevel ?? 'warn');
  const database = await openServer({
    url: settings.databaseUrl,
    poolSize: POOL_SIZE,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  watchOver(settings.stuckMs);
  const queues = await connectQueues(settings.backend, {
    backoff: QUICK_BACKOFF,
    connect: connectOptionsWithin(CONNECT_TIMEOUT_MS),
    onError: (event) => logger.warn(event, 'queue error'),
  });
  const ground = { database, queues, models: modelsOf(settings), logger, failpoints };
  const worker = await startWorkers(settings, ground);
  return {
    async close() {
      await worker.close(settings.graceMs);
      await queues.close();
      await database.close();
    },
  };
}
