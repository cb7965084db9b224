import type { ServerConfig } from './run-process.ts';

const EXIT_CONFIG = 2;

// Before anything is loaded that takes time: a process that is told to stop at once ends as one that ran.
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.removeAllListeners(signal);
  process.on(signal, () => {
    // A second signal is from an operator who does not want to wait; other workers take up what is unfinished.
    if (stop.signal.aborted) process.exit(1);
    stop.abort();
  });
}

async function readOrExit(): Promise<ServerConfig> {
  const { ConfigError, readConfig } = await import('@slowwave/config');
  try {
    const config = readConfig(process.env);
    if (config.database.kind === 'server') return config as ServerConfig;
    process.stderr.write(
      'A worker process needs DATABASE_URL: the embedded service has its worker inside (slowwave start).\n',
    );
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
  }
  process.exit(EXIT_CONFIG);
}

// What a worker is made of is loaded once its configuration is known to be right.
const config = await readOrExit();
if (stop.signal.aborted) process.exit(0);
await (await import('./run-process.ts')).runProcess(config, stop.signal);
