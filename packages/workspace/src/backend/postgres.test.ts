import { migrate } from '@slowwave/db';
import { memoryBackendConformance } from '../../../../test/conformance/memory-backend.ts';
import { postgresSetup } from '../../../../test/conformance/postgres-backend.ts';
import { openInMemory } from '../../../../test/fixtures/in-memory.ts';

memoryBackendConformance(
  'postgres, embedded',
  postgresSetup(async () => {
    const database = await openInMemory();
    await migrate(database);
    return { database, drop: () => database.close() };
  }),
);
