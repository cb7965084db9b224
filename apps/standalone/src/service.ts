import { randomBytes } from 'node:crypto';
import type { Config } from '@slowwave/config';
import type { Database } from '@slowwave/db';
import { createModels, type Models } from '@slowwave/models';
import { createProducer } from '@slowwave/producer';
import type { Queues } from '@slowwave/queue';
import { createRegistry, loadTracing, type Registry } from '@slowwave/telemetry';
import { startWorker, type Worker, type WorkerEvent } from '@slowwave/worker';
import type { Logger } from 'pino';
import { type OpenedDatabase, openDatabase } from './open-database.ts';
import { VERSION } from './version.ts';

const TRACES_SENT_WITHIN_MS = 3_000;

/** Everything in one process. */
export interface Service {
  database: Database;
  queues: Queues;
  models: Models;
  worker: Worker;
  /** Where the API and Bull Board listen, and the operator's token; null without HTTP. */
  http: { url: string; token: string } | null;
  close(): Promise<void>;
}

export interface ServiceOptions {
  config: Config;
  logger: Logger;
  /** Serve the API and Bull Board, and tick; false for a single command. */
  serve: boolean;
  onEvent?: (event: WorkerEvent) => void;
  /** Done on the opened database before anything runs on it. */
  prepare?: (parts: { database: Database; models: Models }) => Promise<void>;
}

/** Starts database, queue and workers, and with `serve` the API, Bull Board and the schedules; closes what was opened when a later part fails. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, logger } = options;
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const models = createModels({
      model: config.model,
      embedder: config.embedder,
      steps: { ...config.steps, judge: config.judge ?? {} },
    });
    opened.push(() => models.close());
    logger.info(
      { models: models.description, database: config.database.kind, queue: config.queue.kind },
      'slowwave starting',
    );
    for (const missing of await models.shortages()) logger.error({ missing }, 'the embedder cannot work yet');
    if (config.tracing !== null) {
      const { startTracing } = await loadTracing();
      const tracing = startTracing({ service: 'slowwave', version: VERSION, ...config.tracing });
      opened.push(() => tracing.stop(TRACES_SENT_WITHIN_MS));
    }
    const database = await openDatabase(config, logger);
    opened.push(() => database.close());
    await options.prepare?.({ database, models });
    const { onEvent } = options;
    const registry = createRegistry({ process: true });
    const started = await startWorker({
      config,
      database,
      models,
      logger,
      registry,
      ...(onEvent ? { onEvent } : {}),
    });
    opened.push(() => started.close());
    const { queues, worker } = started;
    const http = options.serve
      ? await serve(options, { database, queues, worker, models, registry }, opened)
      : null;
    return { database, queues, models, worker, http, close: closeAll };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function serve(
  { config, logger }: ServiceOptions,
  {
    worker,
    models,
    ...parts
  }: Pick<Service, 'queues' | 'worker' | 'models'> & { database: OpenedDatabase; registry: Registry },
  opened: (() => Promise<void>)[],
): Promise<{ url: string; token: string }> {
  const token = config.http.operatorToken ?? randomBytes(24).toString('base64url');
  const producer = createProducer({
    ...parts,
    config: {
      http: { ...config.http, operatorToken: token },
      producer: config.producer,
      maxMemoryChars: config.maxMemoryChars,
      overdueMs: config.overdueMs,
      webhooks: config.webhooks,
      steps: config.steps,
      judge: config.judge,
      budgets: config.budgets,
      prices: config.prices,
    },
    logger,
    now: Date.now,
    version: VERSION,
    // Whoever runs this process registers the folders, and may go wherever it may.
    folders: 'anywhere',
    embedder: models.embedder,
    workerHealth: async () => {
      const { ok, reasons } = await worker.health();
      return { ok, reasons };
    },
  });
  opened.push(() => producer.close(config.shutdownGraceMs));
  const { url } = await producer.listen();
  await producer.startTicks();
  // Other processes of this machine find the owner of an embedded folder by its lock file.
  await parts.database.lock?.announce({ url, token });
  return { url, token };
}
