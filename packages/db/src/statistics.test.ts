import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMigrated } from '../../../test/fixtures/in-memory.ts';
import type { EmbeddedDatabase } from './open-embedded.ts';
import { keepStatistics } from './statistics.ts';

describe('the statistics of an embedded database', () => {
  const tenant = 't';
  let database: EmbeddedDatabase;
  beforeAll(async () => {
    database = await openMigrated();
  });
  afterAll(() => database?.close());

  const rows = <Row extends object>(query: ReturnType<typeof sql>) =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));
  async function addUsers(count: number): Promise<void> {
    await rows(sql`
      insert into slowwave.users (tenant, id, created_at) select ${tenant}, gen_random_uuid(), now() from generate_series(1, ${count})`);
  }
  /** What the planner takes the rows of users for; below 0: it was never told. */
  async function counted(): Promise<number> {
    const [row] = await rows<{ rows: number }>(
      sql`select reltuples::int as rows from pg_class where oid = 'slowwave.users'::regclass`,
    );
    return row!.rows;
  }
  async function goOn(): Promise<void> {
    for (let i = 0; i < 64; i += 1) await rows(sql`select 1`);
  }

  it('after some transactions: rows are counted; again when there are twice as many, not before', async () => {
    await addUsers(1_000);
    expect(await counted()).toBeLessThanOrEqual(0);
    await goOn();
    expect(await counted()).toBe(1_000);
    await addUsers(100);
    await goOn();
    expect(await counted()).toBe(1_000);
    await addUsers(2_000);
    await goOn();
    expect(await counted()).toBe(3_100);
  });

  it('whose database was closed: nothing is thrown', async () => {
    const other = await openMigrated();
    const after = keepStatistics(other.pglite!);
    await other.close();
    for (let i = 0; i < 64; i += 1) await after();
  });
});
