import { memoryBackendConformance } from '../../../../test/conformance/memory-backend.ts';
import { postgresSetup } from '../../../../test/conformance/postgres-backend.ts';
import { openMigrated } from '../../../../test/fixtures/in-memory.ts';

memoryBackendConformance(
  'postgres, embedded',
  postgresSetup(async () => {
    const database = await openMigrated();
    return { database, drop: () => database.close() };
  }),
);
