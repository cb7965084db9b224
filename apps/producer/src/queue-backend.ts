import type { QueueConfig } from '@slowwave/config';
import type { Database } from '@slowwave/db';
import { createPglitePool, type QueueBackend } from '@slowwave/queue';

/**
 * Where the queues live, from the configuration. The embedded queue shares the embedded database.
 * @throws TypeError when an embedded queue is asked for beside a database server, which the configuration rules out
 */
export function queueBackendOf(config: QueueConfig, database: Pick<Database, 'pglite'>): QueueBackend {
  switch (config.kind) {
    case 'redis':
      return { kind: 'redis', url: config.url, prefix: config.prefix };
    case 'postgres':
      return { kind: 'postgres', url: config.url };
    case 'embedded':
      if (database.pglite === null) throw new TypeError('an embedded queue needs the embedded database');
      return { kind: 'embedded', pool: createPglitePool(database.pglite) };
  }
}
