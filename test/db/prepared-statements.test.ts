import { type Database, ensureUsers, openServer } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CODE_POINT } from '../fixtures/code-point.ts';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import { NOW } from '../fixtures/memories.ts';

describe('a connection of a server', () => {
  let fixture: DatabaseFixture;
  const opened: Database[] = [];
  beforeAll(async () => {
    fixture = await serverFixture();
  });
  afterEach(async () => {
    for (const database of opened.splice(0)) await database.close();
  });
  afterAll(() => fixture?.drop());

  /** One connection after the other serves all: two is the least. */
  async function openOne(prepared?: boolean): Promise<Database> {
    const options = { url: fixture.url!, poolSize: 2, connectTimeoutMs: 60_000 };
    const database = await openServer({ ...options, ...(prepared === undefined ? {} : { prepared }) });
    opened.push(database);
    return database;
  }
  /** Statements that the connection keeps which is asked next. */
  const keptBy = (database: Database) =>
    database.asOwner((tx) =>
      tx.rows<{ statement: string }>(sql`select statement from pg_prepared_statements order by 1`),
    );
  const usersOf = (database: Database, tenant: string) =>
    database.withTenant(tenant, async (tx) => {
      const rows = await tx.rows<{ id: string }>(
        sql`select id from slowwave.users where ${1}::int = 1 order by id`,
      );
      return rows.map(({ id }) => id);
    });

  it('keeps what it was asked again and again, with its parameters left open', async () => {
    const database = await openOne();
    for (let time = 0; time < 5; time += 1) await usersOf(database, 't');
    expect(await keptBy(database)).toEqual([{ statement: expect.stringContaining('$1::int = 1') }]);
  });

  it('keeps nothing where it is told so', async () => {
    const database = await openOne(false);
    for (let time = 0; time < 10; time += 1) await usersOf(database, 't');
    expect(await keptBy(database)).toEqual([]);
  });

  it('shows each tenant its own by the same kept statement, and the dispatcher what is its own', async () => {
    const database = await openOne();
    for (const tenant of ['one', 'two'])
      await database.withTenant(tenant, (tx) => ensureUsers(tx, [{ tenant, user: `of-${tenant}` }], NOW));
    // Well beyond the fifth time, from which on a plan is shared by all values.
    for (let time = 0; time < 12; time += 1) {
      expect(await usersOf(database, 'one')).toEqual(['of-one']);
      expect(await usersOf(database, 'two')).toEqual(['of-two']);
      expect(await usersOf(database, 'nobody')).toEqual([]);
      const all = await database.asDispatcher((tx) =>
        tx.rows<{ id: string }>(sql`select id from slowwave.users where ${1}::int = 1 order by id`),
      );
      expect(all.map(({ id }) => id)).toEqual(['of-one', 'of-two']);
    }
    expect((await keptBy(database)).length).toBeGreaterThan(0);
  });

  it('works for the tenant that it was told, whatever the name is', async () => {
    const database = await openOne();
    const name = fc.oneof(
      fc.string({ unit: CODE_POINT, minLength: 1 }),
      fc.constantFrom(
        "'",
        "\\'; drop schema slowwave --",
        "E'\\'",
        "x'), ('y",
        '$1',
        '$$',
        '%',
        '🜚 é',
        '\ud800',
      ),
    );
    await fc.assert(
      fc.asyncProperty(name, async (tenant) => {
        const seen = database.withTenant(tenant, (tx) =>
          tx.rows(
            sql`select current_setting('slowwave.tenant') as tenant, current_user as role where ${1}::int = 1`,
          ),
        );
        // No name of a tenant has this in it: no text of the database can.
        if (tenant.includes('\0')) await expect(seen).rejects.toMatchObject({ code: 'invalid_text' });
        else
          expect(await seen).toEqual([{ tenant: Buffer.from(tenant).toString(), role: 'slowwave_service' }]);
      }),
      { numRuns: 200 },
    );
  });

  it('that keeps a statement whose table changed fails once, to be tried again, and is replaced', async () => {
    const database = await openOne();
    await database.asOwner((tx) => tx.rows(sql`create table public.changing (a int)`));
    const read = () =>
      database.asOwner((tx) => tx.rows(sql`select * from public.changing where ${1}::int = 1`));
    for (let time = 0; time < 5; time += 1) await read();
    await database.asOwner((tx) => tx.rows(sql`alter table public.changing add column b int`));
    await expect(read()).rejects.toMatchObject({ name: 'DatabaseError', retryable: true });
    await expect(read()).resolves.toEqual([]);
  });
});
