import type { Config } from '@slowwave/config';
import { type Database, folderOwner } from '@slowwave/db';
import type { Logger } from 'pino';
import { createClient, type ServiceClient } from './client.ts';
import { openDatabase } from './service.ts';
import type { Terminal } from './terminal.ts';

/** What a command works with. */
export interface CommandContext {
  config: Config;
  logger: Logger;
  terminal: Terminal;
  /** Opens the database that nobody serves; tests give one that is open. Default openDatabase. */
  open?: (config: Config, logger: Logger) => Promise<Database>;
}

/**
 * Does one thing wherever the data is: through the running service when one owns the embedded folder, else on the database itself,
 * opened for it and closed again.
 */
export async function anywhere<T>(
  { config, logger, open = openDatabase }: Omit<CommandContext, 'terminal'>,
  ways: { service: (client: ServiceClient) => Promise<T>; database: (database: Database) => Promise<T> },
): Promise<T> {
  const owner = config.database.kind === 'embedded' ? await folderOwner(config.database.dataDir) : null;
  if (owner?.url) return ways.service(createClient(owner));
  const database = await open(config, logger);
  try {
    return await ways.database(database);
  } finally {
    await database.close();
  }
}
