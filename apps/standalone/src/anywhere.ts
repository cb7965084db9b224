import type { Config } from '@slowwave/config';
import { type Database, folderOwner } from '@slowwave/db';
import type { Logger } from 'pino';
import { createClient, type ServiceClient } from './client.ts';
import { openDatabase } from './open-database.ts';
import type { Remote } from './remote.ts';
import type { Terminal } from './terminal.ts';

/** What a command works with. */
export interface CommandContext {
  config: Config;
  logger: Logger;
  terminal: Terminal;
  /** A service somewhere else, which is asked in place of the data of this machine. */
  remote?: Remote | null;
  /** Opens the database that nobody serves; tests give one that is open. Default openDatabase. */
  open?: (config: Config, logger: Logger) => Promise<Database>;
  /** Opens the migrated database in memory that an evaluation fills and closes; tests give a copy. Default: one that is made from nothing. */
  openScratch?: () => Promise<Database>;
}

/** The service that has to be asked: the one that was named, or the one that owns the embedded folder; null where there is none. */
export async function serviceOf({
  config,
  remote,
}: Pick<CommandContext, 'config' | 'remote'>): Promise<ServiceClient | null> {
  if (remote) return createClient({ ...remote, remote: true });
  const owner = config.database.kind === 'embedded' ? await folderOwner(config.database.dataDir) : null;
  return owner?.url ? createClient(owner) : null;
}

/**
 * Does one thing wherever the data is: through the service that was named or that owns the embedded folder, else on the database itself,
 * opened for it and closed again.
 */
export async function anywhere<T>(
  context: Omit<CommandContext, 'terminal'>,
  ways: { service: (client: ServiceClient) => Promise<T>; database: (database: Database) => Promise<T> },
): Promise<T> {
  const client = await serviceOf(context);
  if (client) return ways.service(client);
  const { config, logger, open = openDatabase } = context;
  const database = await open(config, logger);
  try {
    return await ways.database(database);
  } finally {
    await database.close();
  }
}
