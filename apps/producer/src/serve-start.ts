import type { Config } from '@slowwave/config';
import { type Database, DatabaseError, migrate, openServer } from '@slowwave/db';
import { createModels } from '@slowwave/models';
import {
  connectOptionsWithin,
  connectQueues,
  errorFacts,
  type Queues,
  QueueUnavailable,
  queueBackendOf,
} from '@slowwave/queue';
import { createRegistry, loadTracing } from '@slowwave/telemetry';
import type { Logger } from 'pino';
import { createProducer } from './producer.ts';
import { EXIT } from './serve-exit.ts';

const TRACES_SENT_WITHIN_MS = 3_000;

export type ServerConfig = Config & {
  database: { kind: 'server' };
  http: { operatorToken: string };
};

export interface StartOptions {
  /** Aborted when the process is asked to stop. */
  stop: AbortSignal;
  version: string;
}

/** Opens, serves and ticks. @param opened gets what has to be closed, in the order it was opened */
export async function start(
  config: ServerConfig,
  options: StartOptions,
  logger: Logger,
  opened: (() => Promise<void>)[],
): Promise<void> {
  logger.info(
    {
      version: options.version,
      database: placeOf(config.database.url),
      queue: config.queue.kind,
      http: { host: config.http.host, port: config.http.port },
      tickMs: config.producer.tickMs,
      queueCap: config.producer.queueCap,
    },
    'producer starting',
  );
  if (config.tracing !== null) {
    const { startTracing } = await loadTracing();
    const tracing = startTracing({
      service: 'slowwave-producer',
      version: options.version,
      ...config.tracing,
    });
    opened.push(() => tracing.stop(TRACES_SENT_WITHIN_MS));
  }
  const database = await openDatabase(config, logger);
  opened.push(() => database.close());
  const ran = await migrate(database);
  if (ran.length > 0) logger.info({ migrations: ran }, 'database migrated');
  options.stop.throwIfAborted();
  const queues = await openQueues(config, logger);
  opened.push(() => queues.close());
  options.stop.throwIfAborted();
  // Questions are embedded as the workers embed memories; models that fuse are none of its business.
  const models = createModels({ model: { provider: 'none' }, embedder: config.embedder });
  opened.push(() => models.close());
  for (const missing of await models.shortages()) logger.error({ missing }, 'the embedder cannot work yet');
  const producer = createProducer({
    database,
    queues,
    config,
    logger,
    now: Date.now,
    version: options.version,
    registry: createRegistry({ process: true }),
    embedder: models.embedder,
  });
  opened.push(() => producer.close(config.shutdownGraceMs));
  const { url } = await producer.listen();
  await producer.startTicks();
  logger.info({ url, board: `${url}/board`, queue: queues.address }, 'producer ready');
}

function openDatabase(config: ServerConfig, logger: Logger): Promise<Database> {
  return openServer({
    ...config.database,
    connectTimeoutMs: config.connectTimeoutMs,
    onWaiting: (details) => logger.warn(details, 'waiting for the database'),
  });
}

function openQueues(config: ServerConfig, logger: Logger): Promise<Queues> {
  return connectQueues(queueBackendOf(config.queue, null), {
    connect: connectOptionsWithin(config.connectTimeoutMs),
    tracing: config.tracing !== null,
    onError: (event) => logger.warn(event, 'the queue reports an error'),
  });
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** One line that says what to do. Messages of our own errors hold no secrets and no memories. */
export function tellFailure(logger: Logger, config: ServerConfig, error: unknown): number {
  if (error instanceof DatabaseError || error instanceof QueueUnavailable) {
    logger.fatal({ code: error.code }, error.message);
    return EXIT.unreachable;
  }
  const { code } = error as { code?: unknown };
  if (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const { host, port } = config.http;
    logger.fatal(
      { code },
      `cannot listen on ${host}:${port} (${code}): choose another SLOWWAVE_HTTP_HOST or SLOWWAVE_HTTP_PORT`,
    );
    return EXIT.wrongConfiguration;
  }
  logger.fatal(errorFacts(error), 'the producer failed');
  return EXIT.internal;
}
