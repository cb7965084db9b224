import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readConfig } from '@slowwave/config';
import { type Database, loginRights, migrate, openServer } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseChecks } from '../../apps/standalone/src/doctor/database-checks.ts';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { stormFacts } from '../fault/invariants/facts.ts';
import { emptyServerDatabase } from '../fixtures/databases.ts';
import { NOW } from '../fixtures/memories.ts';
import { runTier, seedPerson } from '../fixtures/tier-runs.ts';

const LOGINS = new URL('../../ops/postgres/logins.sql', import.meta.url);
const ana = { tenant: 't', user: 'ana' };

describe('the login of the service, as ops/postgres/logins.sql makes it', () => {
  const owner = `owner_${randomBytes(4).toString('hex')}`;
  const service = `service_${randomBytes(4).toString('hex')}`;
  let empty: Awaited<ReturnType<typeof emptyServerDatabase>>;
  let admin: pg.Client;
  let database: Database;

  const urlOf = (login: string): string => {
    const url = new URL(empty.url);
    url.username = login;
    url.password = 'letters4and9digits';
    return url.href;
  };
  const open = (login: string) => openServer({ url: urlOf(login), poolSize: 2, connectTimeoutMs: 60_000 });

  beforeAll(async () => {
    empty = await emptyServerDatabase();
    admin = new pg.Client({ connectionString: empty.url });
    await admin.connect();
    const settings = {
      owner,
      owner_password: 'letters4and9digits',
      service,
      service_password: 'letters4and9digits',
    };
    for (const [name, value] of Object.entries(settings)) {
      await admin.query('select set_config($1, $2, false)', [`slowwave.${name}`, value]);
    }
    await admin.query(await readFile(LOGINS, 'utf8'));
    const migrating = await open(owner);
    await migrate(migrating);
    await migrating.close();
    database = await open(service);
  });
  afterAll(async () => {
    await database?.close();
    for (const login of [service, owner]) {
      await admin?.query(`drop owned by ${login} cascade`);
      await admin?.query(`drop role ${login}`);
    }
    await admin?.end();
    await empty?.drop();
  });

  const asLogin = (text: string) => database.asOwner((tx) => tx.rows(sql.raw(text)));

  it('starts on a migrated schema, and has no right that a service has no use for', async () => {
    expect(await migrate(database)).toEqual([]);
    const made = await open(owner);
    expect(await made.asOwner((tx) => loginRights(tx))).toMatchObject({ superuser: false, ownsTables: true });
    await made.close();
    const config = readConfig({ DATABASE_URL: urlOf(service) });
    const checks = databaseChecks({
      config,
      subject: { kind: 'open', database, close: async () => {} },
      now: Date.now,
    });
    for (const name of ['migrations', 'roles', 'login', 'embedding']) {
      const check = checks.find((each) => each.name === name)!;
      expect([name, (await check.look()).verdict]).toEqual([name, 'ok']);
    }
    const none = { superuser: false, bypassesRowSecurity: false, ownsTables: false };
    expect(await database.asOwner((tx) => loginRights(tx))).toEqual(none);
  });

  it('runs light, deep and sleep of a user', async () => {
    await seedPerson(database, { ...ana, chains: stormFacts(ana, [4], NOW), at: NOW });
    for (const tier of ['light', 'deep', 'sleep'] as const) {
      const { run } = await runTier(
        database,
        { ...ana, tier, at: NOW },
        { provider: createJoiningProvider() },
      );
      expect([tier, run.status]).toEqual([tier, 'completed']);
    }
  });

  it('sees no row without a tenant, and those of the tenant with one', async () => {
    for (const table of ['memories', 'users', 'fusions', 'runs', 'embedding_models']) {
      const look = `select 1 from slowwave.${table}`;
      await expect(asLogin(look)).rejects.toMatchObject({ sqlState: '42501' });
      if (table === 'embedding_models') continue;
      expect(await database.withTenant('', (tx) => tx.rows(sql.raw(look)))).toEqual([]);
    }
    const seen = await database.withTenant('t', (tx) => tx.rows(sql`select 1 from slowwave.memories`));
    expect(seen.length).toBeGreaterThan(0);
  });

  it.each([
    "copy (select 1) to program 'true'",
    "copy slowwave.users from program 'true'",
    "copy (select 1) to '/tmp/out'",
    "select pg_read_file('/etc/passwd')",
    'alter table slowwave.memories disable row level security',
    'alter table slowwave.memories add column more text',
    'drop table slowwave.memories',
    'truncate slowwave.memories',
    'create table slowwave.more (id int)',
    'create table public.more (id int)',
    'create role more login',
    'alter role current_user bypassrls',
    'delete from slowwave.migrations',
  ])('may not: %s', async (text) => {
    await expect(asLogin(text)).rejects.toMatchObject({ sqlState: '42501' });
  });
});
