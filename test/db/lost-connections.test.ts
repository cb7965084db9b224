import { DatabaseError, openServer } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyServerDatabase } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';

const POOL_SIZE = 2;

describe('a connection that is lost while a transaction holds it', () => {
  let server: Awaited<ReturnType<typeof emptyServerDatabase>>;
  let admin: pg.Client;

  beforeAll(async () => {
    server = await emptyServerDatabase();
    admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
  });

  afterAll(async () => {
    await admin.end();
    await server.drop();
  });

  const end = async (pid: number): Promise<void> => {
    await admin.query('select pg_terminate_backend($1)', [pid]);
    await until('the connection to be gone', async () => {
      const { rowCount } = await admin.query('select 1 from pg_stat_activity where pid = $1', [pid]);
      return rowCount === 0;
    });
  };

  it('fails that transaction alone, again and again, and leaves the pool whole', async () => {
    const database = await openServer({ url: server.url, poolSize: POOL_SIZE, connectTimeoutMs: 60_000 });
    for (let time = 0; time < POOL_SIZE + 2; time += 1) {
      const lost = database.asOwner(async (tx) => {
        const [row] = await tx.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`);
        await end(row!.pid);
        return tx.rows(sql`select 1`);
      });
      await expect(lost).rejects.toBeInstanceOf(DatabaseError);
      await expect(lost).rejects.toMatchObject({ retryable: true });
    }
    const answers = await Promise.all(
      Array.from({ length: POOL_SIZE + 1 }, () => database.asOwner((tx) => tx.rows(sql`select 1 as one`))),
    );
    expect(answers).toEqual(Array.from({ length: POOL_SIZE + 1 }, () => [{ one: 1 }]));
    await database.close();
  });

  it('gives a connection back that could not begin', async () => {
    const database = await openServer({ url: server.url, poolSize: POOL_SIZE, connectTimeoutMs: 60_000 });
    for (let time = 0; time < POOL_SIZE + 2; time += 1) {
      const { rows } = await admin.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'slowwave' and datname = current_database()",
      );
      // Ended behind the pool's back: whether it is noticed before the next use or by it, the next but one works.
      for (const { pid } of rows) await end(pid);
      await database.asOwner((tx) => tx.rows(sql`select 1`)).catch(() => undefined);
      await expect(database.asOwner((tx) => tx.rows(sql`select 1 as one`))).resolves.toEqual([{ one: 1 }]);
    }
    await database.close();
  });
});
