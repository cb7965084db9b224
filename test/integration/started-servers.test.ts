import pg from 'pg';
import { afterEach, expect, it, vi } from 'vitest';
import { startScript } from '../unit/script-modules.ts';

afterEach(() => vi.unstubAllEnvs());

it('a PostgreSQL that is started for somebody has the settings that were asked for', async () => {
  // Redis is not in question: the one that is there will do.
  vi.stubEnv('TEST_DATABASE_URL', '');
  const servers = await startScript.startServers({ say: () => {}, postgres: { shared_buffers: '32MB' } });
  try {
    const client = new pg.Client({ connectionString: servers.env.TEST_DATABASE_URL });
    await client.connect();
    const { rows } = await client.query('show shared_buffers').finally(() => client.end());
    expect(rows).toEqual([{ shared_buffers: '32MB' }]);
  } finally {
    await servers.stop();
  }
});
