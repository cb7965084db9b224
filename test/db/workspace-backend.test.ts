import { connect, createServer, type Socket } from 'node:net';
import { openServer } from '@slowwave/db';
import { createPostgresMemoryBackend, createRegistry } from '@slowwave/workspace';
import { expect, it } from 'vitest';
import { memoryBackendConformance } from '../conformance/memory-backend.ts';
import { postgresSetup } from '../conformance/postgres-backend.ts';
import { openInScope, serverUrl } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';

memoryBackendConformance('postgres', postgresSetup(openInScope));

/** The server behind a door that can be shut. */
async function door(): Promise<{ url: string; shut(): Promise<void> }> {
  const target = new URL(serverUrl());
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const through = connect(Number(target.port || 5432), target.hostname);
    for (const [one, other] of [
      [socket, through],
      [through, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = new URL(serverUrl());
  url.host = `127.0.0.1:${address.port}`;
  return {
    url: url.toString(),
    async shut() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

it('CT-18 a server that goes away is unavailable, and a read says that it is degraded', async () => {
  const { url, shut } = await door();
  const database = await openServer({ url, poolSize: 2, connectTimeoutMs: 60_000 });
  const backend = createPostgresMemoryBackend({
    database,
    resolve: () => ({ tenant: 't', user: 'u', workspace: 'project' }),
    now: () => 0,
  });
  const registry = createRegistry({ backends: [backend], defaultType: 'postgres' });
  try {
    await shut();
    await until('the pool to notice', () => database.pool?.totalCount === 0);
    const unavailable = expect.objectContaining({ code: 'BACKEND_UNAVAILABLE', backend: 'postgres' });
    await expect(backend.write('/srv/project', 'x')).rejects.toEqual(unavailable);
    await expect(backend.exists('/srv/project')).rejects.toEqual(unavailable);
    await expect(backend.search('/srv/project', { query: 'word' })).rejects.toEqual(unavailable);
    expect(await registry.read('/srv/project')).toEqual({
      content: '',
      exists: false,
      backend: 'postgres',
      degraded: true,
    });
  } finally {
    await database.close();
  }
});
