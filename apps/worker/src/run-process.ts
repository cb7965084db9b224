import { readFile } from 'node:fs/promises';
import { type Config, ConfigError } from '@slowwave/config';
import { DatabaseError, migrate, openServer } from '@slowwave/db';
import { createModels } from '@slowwave/models';
import { atMost, QueueUnavailable } from '@slowwave/queue';
import { createRegistry, loadTracing } from '@slowwave/telemetry';
import type { Logger } from 'pino';
import { codeOf } from './errors.ts';
import { serveHealth } from './health-server.ts';
import { createLogger } from './logger.ts';
import { startWorker } from './start-worker.ts';
import { type StuckWatch, startStuckWatch } from './stuck-watch.ts';

export type ServerConfig = Config & { database: { kind: 'server' } };

const EXIT_CONFIG = 2;
const EXIT_UNREACHABLE = 3;
const TRACES_SENT_WITHIN_MS = 3_000;

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

function watchOver(limitMs: number, logger: Logger): StuckWatch | null {
  if (limitMs === 0) return null;
  return startStuckWatch({
    limitMs,
    onError: (error) => logger.error({ code: codeOf(error) }, 'nobody watches over this process any more'),
  });
}

/** Opens everything and begins to work. @param opened gets what has to be closed, in the order it was opened */
async function start(
  config: ServerConfig,
  logger: Logger,
  stop: AbortSignal,
  opened: (() => Promise<unknown>)[],
): Promise<void> {
  const models = createModels({
    model: config.model,
    embedder: config.embedder,
    steps: { ...config.steps, judge: config.judge ?? {} },
  });
  opened.push(() => models.close());
  logger.info({ models: models.description, queue: config.queue.kind }, 'worker starting');
  for (const missing of await models.shortages()) logger.error({ missing }, 'the embedder cannot work yet');

  if (config.tracing !== null) {
    const { startTracing } = await loadTracing();
    const tracing = startTracing({ service: 'slowwave-worker', version, ...config.tracing });
    opened.push(() => tracing.stop(TRACES_SENT_WITHIN_MS));
  }
  const { connectTimeoutMs } = config;
  const database = await openServer({
    ...config.database,
    connectTimeoutMs,
    onWaiting: (details) => logger.warn(details, 'waiting for the database'),
  });
  opened.push(() => database.close());
  stop.throwIfAborted();
  const applied = await migrate(database);
  if (applied.length > 0) logger.info({ applied }, 'migrations applied');
  stop.throwIfAborted();
  const watch = watchOver(config.worker.stuckMs, logger);
  if (watch !== null) opened.push(() => watch.stop());
  const registry = createRegistry({ process: true });
  const started = await startWorker({ config, database, models, logger, registry });
  opened.push(() => started.close());
  const health = await serveHealth({ worker: started.worker, metrics: registry }, config.worker);
  opened.push(() => health.close());
  logger.info({ healthPort: health.port, concurrency: config.worker.concurrency }, 'worker ready');
}

/** How long a start under way may take to come to its next step, once the process is told to stop. */
const START_ENDS_WITHIN_MS = 2_000;

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * One worker process, until it is told to stop: any number of them share the work.
 * @param stop aborted when the process is told to stop, possibly before it has started
 */
export async function runProcess(config: ServerConfig, stop: AbortSignal): Promise<never> {
  const logger = createLogger(config.logLevel);
  const opened: (() => Promise<unknown>)[] = [];
  const started = start(config, logger, stop, opened);
  await Promise.race([started, aborted(stop)]).catch(exitFailed);
  await aborted(stop);
  logger.info('worker stopping');
  // A start under way would leave behind what it opens later. It does not wait for servers that are away.
  await atMost(
    START_ENDS_WITHIN_MS,
    started.catch(() => undefined),
  );
  for (const close of opened.reverse()) await close();
  logger.info('worker stopped');
  process.exit(0);
}

function exitFailed(error: unknown): never {
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.message}\n`);
    process.exit(EXIT_CONFIG);
  }
  const known = error instanceof DatabaseError || error instanceof QueueUnavailable;
  process.stderr.write(known ? `${error.message}\n` : `The worker failed to start: ${codeOf(error)}\n`);
  process.exit(known ? EXIT_UNREACHABLE : 1);
}
