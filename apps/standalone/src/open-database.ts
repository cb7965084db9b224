import type { Config } from '@slowwave/config';
import {
  type Database,
  type DatabaseError,
  type EmbeddedDatabase,
  expireLeases,
  migrate,
  openEmbedded,
  openServer,
} from '@slowwave/db';
import type { Logger } from 'pino';
import { explain } from './explain.ts';

/** A database, and the lock on its folder where it has one. */
export type OpenedDatabase = Database & Partial<Pick<EmbeddedDatabase, 'lock'>>;

/** Opens whichever database the configuration names, with the schema that it has. */
export async function connectDatabase(config: Config, logger: Logger): Promise<OpenedDatabase> {
  return config.database.kind === 'server'
    ? openServer({
        ...config.database,
        connectTimeoutMs: config.connectTimeoutMs,
        onWaiting: (details) => logger.warn(details, 'waiting for the database'),
      })
    : openEmbedded({
        ...config.database,
        onLost: endProcess,
        onWait: ({ pid, host }) =>
          logger.warn({ pid, host }, 'the data folder has an owner elsewhere; waiting for its heartbeat'),
      });
}

/** Another process may write in the folder by now: no step of an orderly end may write there any more. */
function endProcess(error: DatabaseError): never {
  const { message, code } = explain(error);
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

/** Opens whichever database the configuration names and brings its schema up to date. */
export async function openDatabase(config: Config, logger: Logger): Promise<OpenedDatabase> {
  const database = await connectDatabase(config, logger);
  try {
    const applied = await migrate(database);
    if (applied.length > 0) logger.info({ applied }, 'migrations applied');
    // One process owns the folder: the process before it is gone, and no run waits until the leases of that one expire.
    if (database.kind === 'embedded') await expireLeases(database); // guard: embedded-leases-expired
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}
