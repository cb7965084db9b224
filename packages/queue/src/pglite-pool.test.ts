import type { PGlite } from '@electric-sql/pglite';
import { type PgPool, PostgresConnection } from 'bullmq';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWithoutVectors } from '../../../test/fixtures/in-memory.ts';
import { createPglitePool } from './pglite-pool.ts';

let db: PGlite;
let pool: PgPool;

beforeAll(async () => {
  db = await openWithoutVectors();
  await db.exec('CREATE TABLE item (id int PRIMARY KEY, note text)');
});

beforeEach(async () => {
  await db.exec('TRUNCATE item');
  pool = createPglitePool(db);
});

afterAll(() => db.close());

async function ids(): Promise<unknown[]> {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM item ORDER BY id');
  return rows.map((row) => row.id);
}

/** Resolves once everything that can run without the database's answer has run. */
async function settled(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('transactions', () => {
  it('keeps every other statement waiting until COMMIT', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO item VALUES (1)');
    const events: string[] = [];
    const outside = pool.query('SELECT count(*)::int AS n FROM item').then(({ rows }) => {
      events.push(`other client saw ${JSON.stringify(rows)}`);
    });
    const application = db.transaction(async (tx) => {
      const { rows } = await tx.query<{ n: number }>('SELECT count(*)::int AS n FROM item');
      events.push(`application saw ${rows[0]?.n}`);
    });
    await settled();
    await client.query('INSERT INTO item VALUES ($1)', [2]);
    expect(events).toEqual([]);
    events.push('commit');
    await client.query('COMMIT');
    await Promise.all([outside, application]);
    expect(events).toEqual(['commit', 'other client saw [{"n":2}]', 'application saw 2']);
    client.release();
  });

  it('waits itself while the application has a transaction open', async () => {
    let letGo = () => {};
    const opened = db.transaction(async (tx) => {
      await tx.query('INSERT INTO item VALUES (1)');
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
      throw new Error('roll back');
    });
    await settled();
    const client = await pool.connect();
    let begun = false;
    const transaction = (async () => {
      await client.query('BEGIN');
      begun = true;
      await client.query('INSERT INTO item VALUES (2)');
      await client.query('COMMIT');
    })();
    await settled();
    expect(begun).toBe(false);
    letGo();
    await expect(opened).rejects.toThrow('roll back');
    await transaction;
    client.release();
    expect(await ids()).toEqual([2]);
  });

  it('does not mix two transactions that begin at once', async () => {
    const transfer = async (id: number) => {
      const client = await pool.connect();
      await client.query('BEGIN');
      await client.query('INSERT INTO item VALUES ($1)', [id]);
      await settled();
      await client.query(id % 2 === 0 ? 'COMMIT' : 'ROLLBACK');
      client.release();
    };
    await Promise.all([1, 2, 3, 4].map(transfer));
    expect(await ids()).toEqual([2, 4]);
  });

  it('keeps the order of statements that were not awaited', async () => {
    const client = await pool.connect();
    const all = [
      'BEGIN',
      'INSERT INTO item VALUES (1)',
      'SAVEPOINT s',
      'INSERT INTO item VALUES (2)',
      'ROLLBACK TO SAVEPOINT s',
      'COMMIT',
      'INSERT INTO item VALUES (3)',
    ].map((text) => client.query(text));
    await Promise.all(all);
    client.release();
    expect(await ids()).toEqual([1, 3]);
  });

  it('stays aborted after an error until ROLLBACK, and COMMIT then keeps nothing', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO item VALUES (1)');
    await expect(client.query('INSERT INTO item VALUES (1)')).rejects.toMatchObject({ code: '23505' });
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    await client.query('ROLLBACK');
    await client.query('BEGIN');
    await client.query('INSERT INTO item VALUES (5)');
    await expect(client.query('nonsense')).rejects.toMatchObject({ code: '42601' });
    await client.query('COMMIT');
    client.release();
    expect(await ids()).toEqual([]);
  });

  it('reports a COMMIT that fails and goes on', async () => {
    await db.exec(`CREATE TABLE IF NOT EXISTS child (
      id int REFERENCES item DEFERRABLE INITIALLY DEFERRED)`);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO child VALUES (77)');
    await expect(client.query('COMMIT')).rejects.toMatchObject({ code: '23503' });
    client.release();
    expect(await ids()).toEqual([]);
    await db.exec('DROP TABLE child');
  });

  it('rolls back when the client is released in the middle', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO item VALUES (1)');
    client.release();
    expect(await ids()).toEqual([]);
    await expect(client.query('SELECT 1')).rejects.toThrow('released');
  });

  it('honours the modes of a transaction', async () => {
    const client = await pool.connect();
    await client.query('START TRANSACTION READ ONLY');
    await expect(client.query('INSERT INTO item VALUES (1)')).rejects.toMatchObject({ code: '25006' });
    await client.query('ROLLBACK');
    await expect(client.query('BEGIN ISOLATION LEVEL nonsense')).rejects.toMatchObject({ code: '42601' });
    await client.query('INSERT INTO item VALUES (2)');
    client.release();
    expect(await ids()).toEqual([2]);
  });

  it('refuses session commands on the pool itself', async () => {
    for (const text of ['BEGIN', 'COMMIT', '-- x\nLISTEN a']) {
      await expect(pool.query(text)).rejects.toThrow('connect first');
    }
  });
});

describe('notifications', () => {
  it('come with channel and payload, to each client that listens and to no other', async () => {
    const seen: string[] = [];
    const [a, b, c] = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
    for (const [name, client] of Object.entries({ a, b, c })) {
      client.on('notification', ({ channel, payload }) => seen.push(`${name} ${channel} ${payload}`));
    }
    await a.query('-- twice is once\nLISTEN Jobs;');
    await a.query('LISTEN jobs');
    await b.query('LISTEN jobs');
    await c.query('LISTEN others');
    await pool.query("SELECT pg_notify('jobs', $1)", ['deep']);
    await settled();
    expect(seen.sort()).toEqual(['a jobs deep', 'b jobs deep']);
    b.release();
    await a.query('UNLISTEN jobs');
    await pool.query("SELECT pg_notify('jobs', 'again')");
    await settled();
    expect(seen).toHaveLength(2);
    a.release();
    c.release();
    await settled();
    expect((await pool.query('SELECT pg_listening_channels()')).rows).toEqual([]);
  });

  it('come after COMMIT only', async () => {
    const [listener, writer] = await Promise.all([pool.connect(), pool.connect()]);
    const seen: unknown[] = [];
    listener.on('notification', ({ payload }) => seen.push(payload));
    await listener.query('LISTEN jobs');
    await writer.query('BEGIN');
    await writer.query("NOTIFY jobs, 'rolled back'");
    await writer.query('ROLLBACK');
    await writer.query('BEGIN');
    await writer.query("NOTIFY jobs, 'kept'");
    await settled();
    expect(seen).toEqual([]);
    await writer.query('COMMIT');
    await settled();
    expect(seen).toEqual(['kept']);
    listener.release();
    writer.release();
  });
});

describe('the wire', () => {
  it('is said to notice its own end, so that BullMQ need not poll', () => {
    expect(new PostgresConnection(pool).hasListenClientKeepAlive).toBe(true);
  });
});

describe('the end', () => {
  it('rolls back what is open, refuses the rest and leaves the database open', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO item VALUES (1)');
    await pool.end();
    await expect(pool.query('SELECT 1')).rejects.toThrow('after calling end on the pool');
    await expect(pool.connect()).rejects.toThrow('after calling end on the pool');
    expect((await db.query('SELECT * FROM item')).rows).toEqual([]);
  });
});
