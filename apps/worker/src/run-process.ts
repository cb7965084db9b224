import { readFile } from 'node:fs/promises';
import { type Config, ConfigError } from '@slowwave/config';
import { DatabaseError, migrate, openServer } from '@slowwave/db';
import { createModels } from '@slowwave/models';
import { QueueUnavailable } from '@slowwave/queue';
import { createRegistry, startTracing } from '@slowwave/telemetry';
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

async function start(config: ServerConfig): Promise<void> {
  const logger = createLogger(config.logLevel);
  const models = createModels({
    model: config.model,
    embedder: config.embedder,
    steps: { ...config.steps, judge: config.judge ?? {} },
  });
  logger.info({ models: models.description, queue: config.queue.kind }, 'worker starting');
  for (const missing of await models.shortages()) logger.error({ missing }, 'the embedder cannot work yet');

  const tracing = config.tracing && startTracing({ service: 'slowwave-worker', version, ...config.tracing });
  const { connectTimeoutMs } = config;
  const database = await openServer({
    ...config.database,
    connectTimeoutMs,
    onWaiting: (details) => logger.warn(details, 'waiting for the database'),
  });
  const applied = await migrate(database);
  if (applied.length > 0) logger.info({ applied }, 'migrations applied');
  const watch = watchOver(config.worker.stuckMs, logger);
  const registry = createRegistry({ process: true });
  const started = await startWorker({ config, database, models, logger, registry });
  const health = await serveHealth({ worker: started.worker, metrics: registry }, config.worker);
  logger.info({ healthPort: health.port, concurrency: config.worker.concurrency }, 'worker ready');

  let stopping = false;
  async function stop(signal: string): Promise<void> {
    // A second signal is from an operator who does not want to wait; other workers take up what is unfinished.
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'worker stopping');
    await health.close();
    await started.close();
    await models.close();
    await database.close();
    await tracing?.stop(TRACES_SENT_WITHIN_MS);
    await watch?.stop();
    logger.info('worker stopped');
    process.exit(0);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal));
}

/** One worker process: any number of them share the work. */
export function runProcess(config: ServerConfig): Promise<void> {
  return start(config).catch((error: unknown) => {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(EXIT_CONFIG);
    }
    const known = error instanceof DatabaseError || error instanceof QueueUnavailable;
    process.stderr.write(known ? `${error.message}\n` : `The worker failed to start: ${codeOf(error)}\n`);
    process.exit(known ? EXIT_UNREACHABLE : 1);
  });
}
