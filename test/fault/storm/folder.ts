import { type Database, type EmbeddedDatabase, migrate, openEmbedded } from '@slowwave/db';
import { connectQueues, createPglitePool, type Queues } from '@slowwave/queue';

/** A folder of the embedded database, which has one owner at a time: the service or the conductor. */
export interface Folder {
  path: string;
  /** The conductor's look, while the folder is its own; between two openings the same object. */
  database: Database;
  queues(): Queues;
  open(): Promise<void>;
  close(): Promise<void>;
}

interface Opened {
  database: EmbeddedDatabase;
  queues: Queues;
}

export function createFolder(path: string): Folder {
  let opened: Opened | null = null;
  const now = (): Opened => {
    if (opened === null) throw new Error('the folder is not open: the service has it');
    return opened;
  };
  return {
    path,
    database: {
      kind: 'embedded',
      pool: null,
      get pglite() {
        return now().database.pglite;
      },
      withTenant: (tenant, work) => now().database.withTenant(tenant, work),
      asDispatcher: (work) => now().database.asDispatcher(work),
      asOwner: (work) => now().database.asOwner(work),
      close: () => now().database.close(),
    },
    queues: () => now().queues,
    async open() {
      const database = await openEmbedded({ dataDir: path });
      await migrate(database);
      const pool = createPglitePool(database.pglite!);
      opened = { database, queues: await connectQueues({ kind: 'embedded', pool }) };
    },
    async close() {
      const { database, queues } = now();
      opened = null;
      await queues.close();
      await database.close();
    },
  };
}
