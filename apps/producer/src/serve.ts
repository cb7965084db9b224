import { type Config, ConfigError, type Environment, readConfig } from '@slowwave/config';
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
import { createRegistry, startTracing } from '@slowwave/telemetry';
import { type DestinationStream, type Logger, pino } from 'pino';
import { createProducer } from './producer.ts';

const TRACES_SENT_WITHIN_MS = 3_000;

export const EXIT = { stopped: 0, internal: 1, wrongConfiguration: 2, unreachable: 3 } as const;

export interface ServeOptions {
  env: Environment;
  /** Aborted when the process is asked to stop. */
  stop: AbortSignal;
  version: string;
  /** Where the log goes; default standard output. */
  log?: DestinationStream;
  /** For what is wrong before there is a log. */
  complain: (text: string) => void;
}

type ServerConfig = Config & {
  database: { kind: 'server' };
  http: { operatorToken: string };
};

/**
 * The producer as a process of its own, on servers, from its configuration to its end.
 * @returns the exit code
 */
export async function serve(options: ServeOptions): Promise<number> {
  const config = readServerConfig(options);
  if (config === null) return EXIT.wrongConfiguration;
  const logger = pino(
    { level: config.logLevel, base: { app: 'producer' } },
    options.log ?? pino.destination({ fd: 1, sync: true }),
  );
  const opened: (() => Promise<void>)[] = [];
  // A process that is asked to stop while it waits for its servers does not wait for them.
  const started = start(config, options, logger, opened);
  started.catch(() => {});
  try {
    await Promise.race([started, aborted(options.stop)]);
    await aborted(options.stop);
    logger.info({ graceMs: config.shutdownGraceMs }, 'stopping');
  } catch (error) {
    return tellFailure(logger, config, error);
  } finally {
    // The last one opened first. What cannot be closed any more ends with the process.
    for (const close of opened.reverse()) await close().catch(() => {});
  }
  logger.info('stopped');
  return EXIT.stopped;
}

function readServerConfig({ env, complain }: ServeOptions): ServerConfig | null {
  const mistakes: string[] = [];
  let config: Config | null = null;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    mistakes.push(...error.mistakes);
  }
  if (!env.DATABASE_URL?.trim()) {
    mistakes.push(
      'DATABASE_URL: required here, the URL of a PostgreSQL with pgvector; everything in one process on the embedded database is "npm start" or "slowwave start"',
    );
  }
  if (!env.SLOWWAVE_OPERATOR_TOKEN?.trim()) {
    mistakes.push('SLOWWAVE_OPERATOR_TOKEN: required here, 16 characters or more');
  }
  if (mistakes.length === 0) return config as ServerConfig;
  complain(new ConfigError(mistakes).message);
  return null;
}

async function start(
  config: ServerConfig,
  options: ServeOptions,
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

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** One line that says what to do. Messages of our own errors hold no secrets and no memories. */
function tellFailure(logger: Logger, config: ServerConfig, error: unknown): number {
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
