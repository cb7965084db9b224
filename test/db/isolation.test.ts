import { type Database, DatabaseError } from '@slowwave/db';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BOTH_DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { newMemory, seedUser } from '../fixtures/memories.ts';

/** Tables that concern nobody: which models and migrations there are, how fast models may be asked, what all tenants spent together, and which tiers are paused for all. */
const SHARED = [
  'embedding_models',
  'judge_exams',
  'migrations',
  'model_rates',
  'overall_spend',
  'tier_pauses',
];

describe.each(BOTH_DATABASES)('isolation (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
    // The same user and the same texts twice, and a second user of one tenant.
    for (const [tenant, user] of [
      ['a', 'mara'],
      ['b', 'mara'],
      ['a', 'olli'],
    ] as const) {
      await seedUser(database, {
        tenant,
        user,
        memories: [newMemory(user, 'one', 'tea'), newMemory(user, 'two', 'cake')],
      });
    }
    await database.asOwner(async (tx) => {
      await tx.rows(sql`insert into slowwave.embedding_models (model, dimensions) values ('m', 1), ('n', 1)`);
      await tx.rows(sql`
        insert into slowwave.embeddings (tenant, user_id, memory_id, model, content_hash, vector, created_at)
        select tenant, user_id, id, 'm', content_hash, '[1]', now() from slowwave.memories`);
    });
  });
  afterAll(() => fixture?.drop());

  const catalogue = <Row extends object>(query: SQL): Promise<Row[]> =>
    database.asOwner((tx) => tx.rows<Row>(query));
  const tables = async (): Promise<string[]> => {
    const found = await catalogue<{ name: string }>(sql`
      select c.relname as name from pg_class c where c.relnamespace = 'slowwave'::regnamespace and c.relkind = 'r' order by 1`);
    return found.map(({ name }) => name);
  };
  const idOf = async (tenant: string, user: string, externalId: string): Promise<string> => {
    const [row] = await database.withTenant(tenant, (tx) =>
      tx.rows<{ id: string }>(sql`
        select id from slowwave.memories where tenant = ${tenant} and user_id = ${user} and external_id = ${externalId}`),
    );
    return row!.id;
  };

  it('separates every table by tenant, by force, for the role that the service works in', async () => {
    const found = await catalogue<{ name: string; forced: boolean; guarded: boolean; tenant: boolean }>(sql`
      select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced,
        exists (select 1 from pg_policies p where p.schemaname = 'slowwave' and p.tablename = c.relname
          and p.policyname = 'tenant_rows' and p.cmd = 'ALL' and p.roles = '{slowwave_service}'
          and p.qual like '%slowwave.tenant%' and p.with_check like '%slowwave.tenant%') as guarded,
        exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant' and a.attnotnull) as tenant
      from pg_class c where c.relnamespace = 'slowwave'::regnamespace and c.relkind = 'r'`);
    const open = found.filter(({ forced, guarded, tenant }) => !(forced && guarded && tenant));
    expect(open.map(({ name }) => name).sort()).toEqual(SHARED);
    expect(found.length).toBeGreaterThan(25);
  });

  it('carries tenant and user in every key that leads from one table to another', async () => {
    const found = await catalogue<{ name: string; source: string; target: string; columns: string[] }>(sql`
      select k.conname as name, k.conrelid::regclass::text as source, k.confrelid::regclass::text as target,
        (select jsonb_agg(a.attname) from unnest(k.conkey) as n(number)
          join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n.number) as columns
      from pg_constraint k where k.contype = 'f' and k.connamespace = 'slowwave'::regnamespace`);
    const loose = found.filter(
      ({ target, columns }) =>
        !target.endsWith('embedding_models') && !(columns.includes('tenant') && columns.includes('user_id')),
    );
    // Webhooks are of a tenant and of no user.
    const ofTenants = loose.filter(
      ({ target, columns }) => target.endsWith('webhooks') && columns.includes('tenant'),
    );
    expect(loose.filter((key) => !ofTenants.includes(key))).toEqual([]);
    expect(found.length).toBeGreaterThan(20);
  });

  it('works in roles that own nothing and pass no policy', async () => {
    const roles = await catalogue<{ name: string; free: boolean; owned: number }>(sql`
      select r.rolname as name, r.rolsuper or r.rolbypassrls or r.rolcanlogin or r.rolcreaterole as free,
        (select count(*)::int from pg_class c where c.relowner = r.oid) as owned
      from pg_roles r where r.rolname in ('slowwave_service', 'slowwave_dispatcher') order by 1`);
    expect(roles).toEqual([
      { name: 'slowwave_dispatcher', free: false, owned: 0 },
      { name: 'slowwave_service', free: false, owned: 0 },
    ]);
    const [role] = await database.withTenant('a', (tx) =>
      tx.rows<{ role: string }>(sql`select current_user::text as role`),
    );
    expect(role).toEqual({ role: 'slowwave_service' });
  });

  it('shows a tenant no row of another one, in any table, and nobody any row without a tenant', async () => {
    const names = (await tables()).filter((name) => !SHARED.includes(name));
    for (const name of names) {
      const table = sql.raw(`slowwave.${name}`);
      const count = (tenant: string) =>
        database.withTenant(tenant, (tx) =>
          tx.rows<{ seen: number }>(
            sql`select count(*)::int as seen from ${table} where tenant <> ${tenant}`,
          ),
        );
      expect([name, await count('b')]).toEqual([name, [{ seen: 0 }]]);
      const [blind] = await database.withTenant('', (tx) =>
        tx.rows<{ seen: number }>(sql`select count(*)::int as seen from ${table}`),
      );
      expect([name, blind]).toEqual([name, { seen: 0 }]);
    }
    // The rows are there: only the policy hides them.
    const [all] = await database.withTenant('b', (tx) =>
      tx.rows<{ seen: number }>(sql`select count(*)::int as seen from slowwave.memories`),
    );
    expect(all).toEqual({ seen: 2 });
  });

  it('refuses to write, change or remove a row of another tenant', async () => {
    const a = await idOf('a', 'mara', 'one');
    const asB = (statement: SQL) => database.withTenant('b', (tx) => tx.rows(statement));
    await expect(
      asB(sql`insert into slowwave.users (tenant, id, created_at) values ('a', 'planted', now())`),
    ).rejects.toThrow(DatabaseError);
    await expect(
      asB(sql`update slowwave.memories set tenant = 'a' where external_id = 'one'`),
    ).rejects.toThrow(DatabaseError);
    expect(
      await asB(
        sql`update slowwave.memories set importance = 1 where id = ${a}::uuid and tenant = 'a' returning id`,
      ),
    ).toEqual([]);
    expect(await asB(sql`delete from slowwave.memories where tenant = 'a' returning id`)).toEqual([]);
    const [kept] = await database.withTenant('a', (tx) =>
      tx.rows<{ n: number }>(sql`select count(*)::int as n from slowwave.memories where importance = 5`),
    );
    expect(kept).toEqual({ n: 4 });
  });

  describe('between two users of one tenant', () => {
    // What a slip in a statement would store: the keys themselves refuse it.
    const crossing: [string, (mine: string, theirs: string) => SQL][] = [
      [
        'a relation',
        (mine, theirs) => sql`
        insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
        values ('a', 'mara', ${mine}::uuid, ${theirs}::uuid, 'DERIVES', 0.9, now())`,
      ],
      [
        'a supersede',
        (mine, theirs) => sql`
        update slowwave.memories set is_latest = false, prior_type = memory_type, memory_type = 'superseded', superseded_by = ${theirs}::uuid
        where tenant = 'a' and user_id = 'mara' and id = ${mine}::uuid`,
      ],
      [
        'a neighbour',
        (mine, theirs) => sql`
        insert into slowwave.neighbours (tenant, user_id, model, memory_id, neighbour_id, cosine)
        values ('a', 'mara', 'm', ${mine}::uuid, ${theirs}::uuid, 0.9)`,
      ],
      [
        'a close memory',
        (mine, theirs) => sql`
        insert into slowwave.closeness (tenant, user_id, model, memory_id, other_id, words, cosine)
        values ('a', 'mara', 'm', ${mine}::uuid, ${theirs}::uuid, 0.9, 0.9)`,
      ],
      [
        'a word score',
        (_mine, theirs) => sql`
        insert into slowwave.word_scores (tenant, user_id, memory_id, model, content_hash)
        values ('a', 'mara', ${theirs}::uuid, 'm', 'h')`,
      ],
      [
        'a conflict',
        (mine, theirs) => sql`
        insert into slowwave.conflicts (tenant, user_id, id, a_id, b_id, a_hash, b_hash, source, detected_at)
        values ('a', 'mara', ${mine}::uuid, least(${mine}::uuid, ${theirs}::uuid), greatest(${mine}::uuid, ${theirs}::uuid), '', '', 'person', now())`,
      ],
      [
        'a verdict',
        (mine, theirs) => sql`
        insert into slowwave.rem_verdicts (tenant, user_id, a_id, b_id, a_version, b_version, novelty, plausibility, usefulness, accepted, model, judged_at)
        values ('a', 'mara', least(${mine}::uuid, ${theirs}::uuid), greatest(${mine}::uuid, ${theirs}::uuid), 1, 1, 1, 1, 1, false, 'm', now())`,
      ],
      [
        'an embedding',
        (_mine, theirs) => sql`
        insert into slowwave.embeddings (tenant, user_id, memory_id, model, content_hash, vector, created_at)
        values ('a', 'mara', ${theirs}::uuid, 'n', 'h', '[1]', now())`,
      ],
      [
        'a source of a fusion',
        (_mine, theirs) => sql`
        with f as (
          insert into slowwave.fusions (tenant, user_id, key, source_set, tier, prompt_version, model, status, fence, derived_id, created_at, updated_at)
          values ('a', 'mara', repeat('0', 64), 's', 'deep', 'p', 'm', 'planned', 1, ${theirs}::uuid, now(), now()) returning key)
        insert into slowwave.fusion_sources (tenant, user_id, fusion_key, memory_id, content_hash, version, position, live)
        select 'a', 'mara', key, ${theirs}::uuid, 'h', 1, 0, true from f`,
      ],
      [
        'a recall hit',
        (_mine, theirs) => sql`
        with e as (
          insert into slowwave.recall_events (tenant, user_id, id, query, recalled_at, hits) values ('a', 'mara', ${theirs}::uuid, 'q', now(), 1) returning id)
        insert into slowwave.recall_hits (tenant, user_id, event_id, memory_id, position, score) select 'a', 'mara', id, id, 1, 1 from e`,
      ],
    ];

    it.each(crossing)('%s cannot be stored', async (_what, statement) => {
      const mine = await idOf('a', 'mara', 'one');
      const theirs = await idOf('a', 'olli', 'one');
      await expect(database.withTenant('a', (tx) => tx.rows(statement(mine, theirs)))).rejects.toMatchObject({
        code: 'constraint',
      });
      // Nor by somebody whom no policy binds.
      await expect(database.asOwner((tx) => tx.rows(statement(mine, theirs)))).rejects.toMatchObject({
        code: 'constraint',
      });
      // The same between two memories of one user is no slip.
      const other = await idOf('a', 'mara', 'two');
      const undo = new Error('rolled back on purpose');
      await expect(
        database.withTenant('a', async (tx) => {
          await tx.rows(statement(mine, other));
          throw undo;
        }),
      ).rejects.toThrow(undo.message);
    });
  });

  it('keeps who said something for ever', async () => {
    const change = (origin: string) =>
      database.withTenant('a', (tx) =>
        tx.rows<{ n: string }>(
          sql`update slowwave.memories set origin = ${origin} where tenant = 'a' and user_id = 'mara' and external_id = 'one' returning origin as n`,
        ),
      );
    await expect(change('assistant')).rejects.toMatchObject({ code: 'constraint' });
    expect(await change('user')).toEqual([{ n: 'user' }]);
  });
});
