import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openInMemory } from '../../../test/fixtures/in-memory.ts';
import { type Database, migrate, readMigrations } from './index.ts';

describe('migrations on the embedded database', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openInMemory();
  });
  afterAll(() => database.close());

  it('run once', async () => {
    expect(await migrate(database)).toHaveLength((await readMigrations()).length);
    expect(await migrate(database)).toHaveLength(0);
  });

  it('refuse a database of a newer version', async () => {
    await database.asOwner((tx) =>
      tx.rows(sql`insert into slowwave.migrations values (99, '0099_future', 'x')`),
    );
    await expect(migrate(database)).rejects.toMatchObject({ code: 'newer_schema' });
    await database.asOwner((tx) => tx.rows(sql`delete from slowwave.migrations where position = 99`));
  });

  it('leave no row visible without a tenant', async () => {
    await database.withTenant('t1', (tx) =>
      tx.rows(sql`insert into slowwave.users (tenant, id, created_at) values ('t1', 'u', now())`),
    );
    const seen = await database.withTenant('', (tx) => tx.rows(sql`select id from slowwave.users`));
    expect(seen).toEqual([]);
    const mine = await database.withTenant('t1', (tx) => tx.rows(sql`select id from slowwave.users`));
    expect(mine).toEqual([{ id: 'u' }]);
  });

  it('serve a login that is no superuser: it may step into the two roles and sees nothing outside them', async () => {
    const own = await openInMemory();
    try {
      const asOwner = (text: string) => own.asOwner((tx) => tx.rows(sql.raw(text)));
      await asOwner('create role plain login createrole');
      await asOwner('grant create on database postgres to plain');
      await asOwner('create extension vector schema public');
      await asOwner('set session authorization plain');
      await migrate(own);
      await own.withTenant('t1', (tx) =>
        tx.rows(sql`insert into slowwave.users (tenant, id, created_at) values ('t1', 'u', now())`),
      );
      expect(await own.withTenant('t1', (tx) => tx.rows(sql`select id from slowwave.users`))).toEqual([
        { id: 'u' },
      ]);
      expect(await own.asDispatcher((tx) => tx.rows(sql`select id from slowwave.users`))).toEqual([
        { id: 'u' },
      ]);
      await expect(
        own.asDispatcher((tx) => tx.rows(sql`select id from slowwave.memories`)),
      ).rejects.toMatchObject({
        code: 'permission',
      });
      expect(await asOwner('select id from slowwave.users')).toEqual([]);
      expect(await asOwner('select id from slowwave.memories')).toEqual([]);
    } finally {
      await own.close();
    }
  });
});
