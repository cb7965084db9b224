import { type BackendFixture, openOnRedis } from '../../test/fixtures/backends.ts';
import type { Row } from '../row.ts';

/** A row that is measured on a database and a queue in Redis of its own, both gone afterwards. */
export function onRedis(
  measure: (bench: Parameters<Row['run']>[0], backend: BackendFixture) => ReturnType<Row['run']>,
): Row['run'] {
  return async (bench) => {
    const backend = await openOnRedis(bench.servers.redisUrl);
    try {
      return await measure(bench, backend);
    } finally {
      await backend.drop();
    }
  };
}
