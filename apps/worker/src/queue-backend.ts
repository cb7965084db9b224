import type { Config } from '@slowwave/config';
import type { Database } from '@slowwave/db';
import { createPglitePool, type QueueBackend } from '@slowwave/queue';

/** Where the queue lives, from the configuration; the embedded queue shares the embedded database. */
export function queueBackendOf(config: Config['queue'], database: Database): QueueBackend {
  if (config.kind !== 'embedded') return config;
  if (!database.pglite) throw new TypeError('the embedded queue needs the embedded database');
  return { kind: 'embedded', pool: createPglitePool(database.pglite) };
}
