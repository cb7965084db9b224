import { type Config, ConfigError, type Environment, readConfig } from '@slowwave/config';
import { type DestinationStream, pino } from 'pino';
import { EXIT } from './serve-exit.ts';
import type { ServerConfig } from './serve-start.ts';

export { EXIT } from './serve-exit.ts';

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
  // What a producer is made of is loaded once its configuration is known to be right.
  const { start, tellFailure } = await import('./serve-start.ts');
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
      'DATABASE_URL: required here, the URL of a PostgreSQL with pgvector; everything in one process on the embedded database is "slowwave start"',
    );
  }
  if (!env.SLOWWAVE_OPERATOR_TOKEN?.trim()) {
    mistakes.push('SLOWWAVE_OPERATOR_TOKEN: required here, 16 characters or more');
  }
  if (mistakes.length === 0) return config as ServerConfig;
  complain(new ConfigError(mistakes).message);
  return null;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
