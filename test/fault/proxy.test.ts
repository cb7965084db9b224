import { connect } from 'node:net';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisUrl, serverUrl } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';
import { type Fault, type Proxy as FaultProxy, startProxy } from './proxy.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function pgClient(proxy: FaultProxy): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: proxy.url });
  client.on('error', () => {});
  cleanups.push(() => client.end().catch(() => {}));
  await client.connect();
  return client;
}

/** Gives up at once, so that a test sees every failure. */
async function redisClient(proxy: FaultProxy, more: { commandTimeout?: number } = {}): Promise<Redis> {
  const client = new Redis(proxy.url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    ...more,
  });
  client.on('error', () => {});
  cleanups.push(() => client.disconnect());
  await client.connect();
  return client;
}

const failureOf = (promise: Promise<unknown>): Promise<{ code?: string; message: string }> =>
  promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error,
  );

/** Whether it is still under way after the server has answered others several times. */
async function isPending(promise: Promise<unknown>, ask: () => Promise<unknown>): Promise<boolean> {
  let over = false;
  const end = () => {
    over = true;
  };
  promise.then(end, end);
  for (let time = 0; time < 5; time += 1) await ask();
  return !over;
}

describe('between a client of PostgreSQL and its server', () => {
  let proxy: FaultProxy;
  beforeAll(async () => {
    proxy = await startProxy(serverUrl());
  });
  afterEach(() => proxy.set({ kind: 'pass' }));
  afterAll(() => proxy.stop());

  it('passes everything on, much and little', async () => {
    const client = await pgClient(proxy);
    const { rows } = await client.query("select repeat('x', 5000000) as much, $1::text as little", ['ü']);
    expect(rows[0].much).toHaveLength(5_000_000);
    expect(rows[0].little).toBe('ü');
    expect(new URL(proxy.url).pathname).toBe(new URL(serverUrl()).pathname);
  });

  it('cuts what stands, and lets new connections pass', async () => {
    const client = await pgClient(proxy);
    const asleep = failureOf(client.query('select pg_sleep(30)'));
    await until('the connection', () => proxy.connections() === 1);
    const hurt = proxy.counts().hurt;
    await proxy.set({ kind: 'cut' });
    expect((await asleep).code).toBe('ECONNRESET');
    expect([proxy.fault(), proxy.counts().hurt]).toEqual([{ kind: 'pass' }, hurt + 1]);
    const next = await pgClient(proxy);
    expect((await next.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('cuts in the middle of an answer', async () => {
    const client = await pgClient(proxy);
    await proxy.set({ kind: 'cut-after', bytes: 100_000, direction: 'down' });
    const error = await failureOf(client.query("select repeat('x', 1000000)"));
    expect(error.message).toMatch(/ECONNRESET|terminated unexpectedly/);
    // A new connection has as many bytes of its own: its first words pass.
    const next = await pgClient(proxy);
    expect((await next.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('closes the side of the server alone: the client waits', async () => {
    const client = await pgClient(proxy);
    const { rows } = await client.query('select pg_backend_pid() as pid');
    await proxy.set({ kind: 'close-one-side', side: 'server' });
    const waiting = client.query('select 1');
    waiting.catch(() => {});
    const direct = new pg.Client({ connectionString: serverUrl() });
    await direct.connect();
    cleanups.push(() => direct.end());
    await until('the server to let go', async () => {
      const seen = await direct.query('select 1 from pg_stat_activity where pid = $1', [rows[0].pid]);
      return seen.rows.length === 0;
    });
    expect(await isPending(waiting, () => direct.query('select 1'))).toBe(true);
    expect(proxy.connections()).toBe(1);
    await proxy.set({ kind: 'cut' });
    expect((await failureOf(waiting)).code).toBe('ECONNRESET');
    await until('the connection to be gone', () => proxy.connections() === 0);
  });

  it('closes the side of the client alone: the server keeps the session', async () => {
    const client = await pgClient(proxy);
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await proxy.set({ kind: 'close-one-side', side: 'client' });
    await ended;
    const next = await pgClient(proxy);
    const seen = await next.query('select 1 from pg_stat_activity where pid = $1', [rows[0].pid]);
    expect(seen.rows).toHaveLength(1);
    expect(proxy.connections()).toBe(2);
  });
});

describe('between a client of Redis and its server', () => {
  let proxy: FaultProxy;
  /** Not by way of the proxy. */
  let direct: Redis;
  const ask = () => direct.ping();
  beforeAll(async () => {
    proxy = await startProxy(redisUrl());
    direct = new Redis(redisUrl());
  });
  afterEach(() => proxy.set({ kind: 'pass' }));
  afterAll(async () => {
    direct.disconnect();
    await proxy.stop();
  });

  it.each<[Fault, string]>([
    [{ kind: 'refuse' }, 'ECONNREFUSED'],
    [{ kind: 'reset' }, 'ECONNRESET'],
  ])('%o: nobody comes through until it is over', async (fault, code) => {
    const client = await redisClient(proxy);
    const waiting = failureOf(client.blpop('slowwave-fault-nothing', 30));
    await until('the connection', () => proxy.connections() === 1);
    await proxy.set(fault);
    expect((await waiting).message).toContain('Connection is closed');
    const refused = await new Promise<NodeJS.ErrnoException>((resolve, reject) => {
      const socket = connect(proxy.port, '127.0.0.1');
      socket.on('error', resolve);
      socket.on('close', () => reject(new Error('it was closed without an error')));
      socket.on('connect', () => socket.write('PING\r\n'));
    });
    expect(refused.code).toBe(code);
    await proxy.set({ kind: 'pass' });
    expect(await (await redisClient(proxy)).echo('back')).toBe('back');
  });

  it('is half open: nothing is heard, new connections hang, and everything comes through afterwards', async () => {
    const client = await redisClient(proxy);
    await proxy.set({ kind: 'half-open' });
    const waiting = client.echo('first');
    const hanging = redisClient(proxy);
    expect(await isPending(waiting, ask)).toBe(true);
    expect(await isPending(hanging, ask)).toBe(true);
    expect(proxy.connections()).toBe(2);
    await proxy.set({ kind: 'pass' });
    expect(await waiting).toBe('first');
    expect(await (await hanging).echo('second')).toBe('second');
  });

  it('is silent in one direction: the server does what it hears, and nobody learns of it', async () => {
    const client = await redisClient(proxy);
    const other = await redisClient(proxy);
    await other.del('slowwave-fault-silent');
    await proxy.set({ kind: 'half-open', direction: 'down' });
    const waiting = client.set('slowwave-fault-silent', 'done');
    await until('the server to do it', async () => (await direct.get('slowwave-fault-silent')) === 'done');
    expect(await isPending(waiting, ask)).toBe(true);
    await direct.del('slowwave-fault-silent');
    await proxy.set({ kind: 'pass' });
    expect(await waiting).toBe('OK');
  });

  it('is slow: each piece is late, in order', async () => {
    const client = await redisClient(proxy);
    await proxy.set({ kind: 'delay', ms: 150, direction: 'down' });
    const answers = await Promise.all(['a', 'b', 'c'].map((word) => client.echo(word)));
    expect(answers).toEqual(['a', 'b', 'c']);
    await proxy.set({ kind: 'delay', ms: 60_000 });
    const late = client.echo('d');
    expect(await isPending(late, ask)).toBe(true);
    // What was held back is not held back any longer when the fault is over.
    await proxy.set({ kind: 'pass' });
    expect(await late).toBe('d');
  });

  it('comes in drops', async () => {
    const client = await redisClient(proxy, { commandTimeout: 60_000 });
    await proxy.set({ kind: 'drip', everyMs: 600_000, direction: 'down' });
    // A client that reads bytes: the other one takes an answer for whole before its last byte is there.
    const plain = connect(proxy.port, '127.0.0.1').setNoDelay(true);
    cleanups.push(() => plain.destroy());
    let heard = 0;
    plain.on('data', (piece) => {
      heard += piece.length;
    });
    plain.write('nonsense\r\n');
    await until('the first byte', () => heard > 0);
    for (let time = 0; time < 5; time += 1) await ask();
    expect(heard).toBe(1);
    await proxy.set({ kind: 'drip', everyMs: 20, direction: 'down' });
    await until('more of them', () => heard >= 11);
    expect(await client.echo('abcde')).toBe('abcde');
    await proxy.set({ kind: 'drip', everyMs: 60_000 });
    const rest = client.echo('the rest');
    expect(await isPending(rest, ask)).toBe(true);
    await proxy.set({ kind: 'pass' });
    expect(await rest).toBe('the rest');
  });
});
