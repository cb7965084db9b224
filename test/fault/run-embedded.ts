import { expireLeases, migrate, openEmbedded } from '@slowwave/db';
import { connectQueues, queueBackendOf } from '@slowwave/queue';
import { createLogger } from '@slowwave/worker';
import type { Armed } from './armed.ts';
import type { Running } from './enter-process.ts';
import { type ProducerSettings, startProducer } from './run-producer.ts';
import { modelsOf, QUICK_BACKOFF, startWorkers, watchOver } from './run-worker.ts';
import type { WorkerSettings } from './types.ts';

/** What a process that holds everything is told. */
export interface EmbeddedSettings
  extends Omit<WorkerSettings, 'databaseUrl' | 'backend'>,
    Pick<ProducerSettings, 'tickMs' | 'requeueAfterMs' | 'operatorToken'> {
  /** Of the embedded database. */
  folder: string;
}

/** Database, queues, workers, ticks and the HTTP service in one process, as the product starts them on a folder. */
export async function run(settings: EmbeddedSettings, { failpoints }: Armed): Promise<Running> {
  const logger = createLogger(settings.logLevel ?? 'warn');
  const database = await openEmbedded({ dataDir: settings.folder });
  await migrate(database);
  // One process owns the folder: whoever held users in it before is gone.
  await expireLeases(database);
  watchOver(settings.stuckMs);
  const queues = await connectQueues(queueBackendOf({ kind: 'embedded' }, database.pglite), {
    backoff: QUICK_BACKOFF,
    onError: (event) => logger.warn(event, 'queue error'),
  });
  const models = modelsOf(settings);
  const worker = await startWorkers(settings, { database, queues, models, logger, failpoints });
  const producer = await startProducer(settings, { database, queues, embedder: models.embedder, logger });
  return {
    // In the order of the product: whoever asks first, the worker, then what both stand on.
    async close() {
      await producer.close(settings.graceMs);
      await worker.close(settings.graceMs);
      await queues.close();
      await database.close();
    },
  };
}
