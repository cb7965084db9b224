import { ConfigError, readConfig } from '@slowwave/config';
import type { ServerConfig } from './run-process.ts';

const EXIT_CONFIG = 2;

function readOrExit(): ServerConfig {
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
const config = readOrExit();
await (await import('./run-process.ts')).runProcess(config);
