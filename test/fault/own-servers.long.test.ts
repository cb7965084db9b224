import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../fixtures/wait.ts';
import { type OwnPostgres, type OwnRedis, startOwnPostgres, startOwnRedis } from './own-servers.ts';

const MIB = 1024 ** 2;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function query<Row extends object>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'of the test' });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function holdSession(url: string, application: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: application });
  client.on('error', () => {});
  cleanups.push(() => client.end().catch(() => {}));
  await client.connect();
  return client;
}

/** Gives up at once. */
async function redisClient(url: string): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  cleanups.push(() => client.disconnect());
  await client.connect();
  return client;
}

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: { code?: string }) => error.code,
  );

describe('a PostgreSQL of its own', () => {
  let server: OwnPostgres;
  beforeAll(async () => {
    server = await startOwnPostgres();
    await query(server.url, 'create extension vector');
    await query(server.url, 'create table kept (how text primary key)');
  });
  afterAll(() => server?.dispose());

  it.each(['kill', 'immediate', 'backend'] as const)(
    'keeps every commit when it crashes by %s, and nothing that was not committed',
    async (how) => {
      const open = await holdSession(server.url, 'open');
      await query(server.url, 'insert into kept values ($1)', [how]);
      await open.query('begin');
      await open.query('insert into kept values ($1)', [`${how}, not committed`]);
      const gone = new Promise((resolve) => open.once('end', resolve));
      await server.crash(how);
      await gone;
      expect(await server.isRunning()).toBe(how === 'backend');
      if (how !== 'backend') {
        expect(await codeOf(query(server.url, 'select 1'))).toBe('ECONNREFUSED');
        await server.start();
      }
      await server.ready();
      expect(await query(server.url, 'select how from kept where how like $1', [`${how}%`])).toEqual([
        { how },
      ]);
    },
  );

  it('stops in order, says when it runs already, and starts with other settings', async () => {
    await server.stop();
    expect(await server.isRunning()).toBe(false);
    await server.start({ statement_timeout: '1234' });
    await expect(server.start()).rejects.toThrow('It runs already.');
    expect(await query(server.url, 'show statement_timeout')).toEqual([{ statement_timeout: '1234ms' }]);
    await server.restart({ statement_timeout: '0' });
    expect(await query(server.url, 'show statement_timeout')).toEqual([{ statement_timeout: '0' }]);
    await server.crash();
    await expect(server.crash()).rejects.toThrow('It does not run.');
    await server.restart();
  });

  it('ends the sessions that are picked', async () => {
    const [one, other] = [await holdSession(server.url, 'one'), await holdSession(server.url, 'other')];
    const ended = new Promise((resolve) => one.once('end', resolve));
    expect((await server.sessions()).map(({ application }) => application).sort()).toEqual(['one', 'other']);
    expect(await server.terminateSessions(({ application }) => application === 'one')).toBe(1);
    await ended;
    expect((await other.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect(await server.terminateSessions()).toBe(1);
    // A session that was told to end is still listed for a moment.
    await until('the end of the sessions', async () => (await server.sessions()).length === 0);
    expect(await server.terminateSessions()).toBe(0);
  });

  it('has room for so many connections and no more, but for the one that looks', async () => {
    await server.setMaxConnections(6);
    expect(await server.sessions()).toEqual([]);
    const held: pg.Client[] = [];
    const code = await codeOf(
      (async () => {
        for (;;) held.push(await holdSession(server.url, `held ${held.length}`));
      })(),
    );
    expect([code, held.length]).toEqual(['53300', 5]);
    expect(await server.terminateSessions()).toBe(5);
    await server.setMaxConnections(200);
    await query(server.url, 'select 1');
  });

  it('has a disk only when it was asked for one', async () => {
    await expect(server.fillDisk()).rejects.toThrow('no disk of its own');
  });
});

describe('a PostgreSQL on a small disk', () => {
  it('refuses to write when the disk is full, keeps what it has, and writes again when there is room', async () => {
    const server = await startOwnPostgres({ diskBytes: 128 * MIB });
    cleanups.push(() => server.dispose());
    const { url } = server;
    const write = (rows: number) =>
      query(
        url,
        `insert into pages select n, repeat(md5(n::text), 200) from generate_series(1, $1::int) as n`,
        [rows],
      );
    await query(url, 'create table pages (n int, text text)');
    await query(url, 'alter table pages alter text set storage external');
    await write(10);
    await server.fillDisk();
    expect(await codeOf(write(5_000))).toMatch(/^(53100|57P0[1-3]|ECONNRESET|08006)$/);
    await server.freeDisk();
    // It may have given up altogether, as servers do that cannot write their log.
    if (!(await server.isRunning())) await server.start();
    await server.ready();
    expect(await query(url, 'select count(*)::int as count from pages')).toEqual([{ count: 10 }]);
    await write(10);
    expect(await query(url, 'select count(*)::int as count from pages')).toEqual([{ count: 20 }]);
    await expect(server.fillDisk(64 * MIB)).resolves.toBeUndefined();
    await write(100);
  });
});

describe('a Redis of its own', () => {
  async function started(persistent: false | 'everysec' | 'always'): Promise<OwnRedis> {
    const server = await startOwnRedis({ persistent });
    cleanups.push(() => server.dispose());
    return server;
  }

  it.each([false, 'everysec', 'always'] as const)('writes things down: %s', async (persistent) => {
    const server = await started(persistent);
    const client = await redisClient(server.url);
    await client.set('kept', 'yes');
    const gone = new Promise((resolve) => client.once('end', resolve));
    await server.crash();
    await gone;
    expect(await server.isRunning()).toBe(false);
    await server.start();
    const next = await redisClient(server.url);
    expect(await next.get('kept')).toBe(persistent ? 'yes' : null);
    await server.restart();
    await server.flushAll();
    expect(await (await redisClient(server.url)).dbsize()).toBe(0);
  });

  it('has so much memory, takes so many clients, and sends them away', async () => {
    const server = await started(false);
    const client = await redisClient(server.url);
    await server.setMaxMemory((await server.usedMemory()) + 100_000);
    const full = await client
      .set('much', 'x'.repeat(MIB))
      .then(() => client.set('more', 'x').then(() => '', String), String);
    expect(full).toContain('OOM');
    expect(await client.ping()).toBe('PONG');
    await server.setMaxMemory(0);
    expect(await client.set('more', 'x')).toBe('OK');

    await server.setMaxClients(2);
    await expect(redisClient(server.url)).rejects.toThrow();
    await server.setMaxClients(1_000);
    const gone = new Promise((resolve) => client.once('end', resolve));
    expect(await server.killClients()).toBeGreaterThanOrEqual(1);
    await gone;
    expect(await (await redisClient(server.url)).ping()).toBe('PONG');
  });
});

describe('servers of a process that was killed', () => {
  it('are gone, with their folders and disks', async () => {
    const script = `
      const { startOwnPostgres, startOwnRedis } = await import(${JSON.stringify(new URL('./own-servers.ts', import.meta.url).href)});
      const postgres = await startOwnPostgres({ diskBytes: ${128 * MIB} });
      const redis = await startOwnRedis({ persistent: 'always' });
      console.log(JSON.stringify([postgres, redis].map(({ port, folder }) => ({ port, folder }))));`;
    const args = ['--conditions=source', '--import', 'tsx', '--input-type=module', '-e', script];
    const child = spawn(process.execPath, args, {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanups.push(() => child.kill('SIGKILL'));
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
    });
    await until('the servers', () => printed.endsWith('\n'));
    const servers = JSON.parse(printed) as { port: number; folder: string }[];
    expect(servers.map(({ folder }) => existsSync(folder))).toEqual([true, true]);
    child.kill('SIGKILL');
    for (const { port, folder } of servers) {
      await until('the server to be gone', () => refuses(port));
      await until('its folder to be gone', () => !existsSync(folder));
      if (existsSync('/proc/mounts')) expect(readFileSync('/proc/mounts', 'utf8')).not.toContain(folder);
    }
  });
});

function refuses(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
