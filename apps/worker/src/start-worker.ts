import type { Config } from '@slowwave/config';
import type { Database } from '@slowwave/db';
import type { Models } from '@slowwave/models';
import { connectOptionsWithin, connectQueues, type Queues, queueBackendOf } from '@slowwave/queue';
import type { Logger } from 'pino';
import { DEFAULT_LIMITS, type WorkerEvent } from './context.ts';
import { createWorker, type Worker } from './worker.ts';

/** The queues of a process and the workers on them. */
export interface StartedWorker {
  queues: Queues;
  worker: Worker;
  /** Finishes current clusters within the grace time, then closes the queues. The database stays the caller's. */
  close(): Promise<void>;
}

/** Connects the queues that the configuration names and starts a worker on each; nothing stays open when a part fails. */
export async function startWorker(parts: {
  config: Config;
  database: Database;
  models: Models;
  logger: Logger;
  onEvent?: (event: WorkerEvent) => void;
}): Promise<StartedWorker> {
  const { config, database, models, logger, onEvent } = parts;
  const queues = await connectQueues(queueBackendOf(config.queue, database.pglite), {
    attempts: { fusions: config.worker.fusionAttempts },
    connect: connectOptionsWithin(config.connectTimeoutMs),
    onError: (event) => logger.warn(event, 'queue error'),
  });
  try {
    const worker = await createWorker(
      {
        database,
        queues,
        provider: models.provider,
        embedder: models.embedder,
        logger,
        now: Date.now,
        nowMs: () => performance.now(),
        limits: {
          ...DEFAULT_LIMITS,
          leaseMs: config.worker.leaseMs,
          // The embedded database computes in this thread: small portions keep the process answering.
          ...(database.kind === 'embedded' ? { embedBatch: 64 } : {}),
        },
        ...(onEvent ? { onEvent } : {}),
      },
      { concurrency: config.worker.concurrency },
    );
    await worker.ready();
    return {
      queues,
      worker,
      async close() {
        await worker.close(config.shutdownGraceMs);
        await queues.close();
      },
    };
  } catch (error) {
    await queues.close();
    throw error;
  }
}
