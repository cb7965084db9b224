import {
  CLOSE_LIMIT,
  type Database,
  forget,
  listMemories,
  NEIGHBOUR_LIMIT,
  pageRuns,
  recall,
  takeDuePage,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSleepModel } from '../fakes/sleep-model.ts';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import { type Explained, explaining } from '../fixtures/explained.ts';
import { DAY, facts, NOW, newMemory } from '../fixtures/memories.ts';
import {
  type CatalogueTable,
  catalogue,
  partitionTables,
  surroundings,
  WHOLE,
} from '../fixtures/partitioned.ts';
import { embedder, runTier, seedPerson, seedSession, stateOf } from '../fixtures/tier-runs.ts';

const tenant = 't';
const PARTITIONS = 4;
const MEMORY_TABLES = [
  'memories',
  'embeddings',
  'neighbours',
  'closeness',
  'word_scores',
  'relations',
  'fusions',
  'fusion_sources',
];
const TALK = [
  'The user paints the old fence.',
  'The assistant names a colour.',
  'The user likes the green colour of the garden.',
  'The assistant agrees.',
];

/** The numbers of the partitions that a statement looked at, of whatever tables. */
const partsOf = ({ touched }: Pick<Explained, 'touched'>): number[] =>
  [...new Set(touched.flatMap((name) => /_part_(\d+)$/.exec(name)?.[1] ?? []))].map(Number);

describe('the tables of memories, partitioned by tenant and user', () => {
  let fixture: DatabaseFixture;
  let database: Database;
  let before: { table: string; ddl: string }[];
  let tables: CatalogueTable[];
  let parted: string[];

  beforeAll(async () => {
    fixture = await serverFixture();
    database = fixture.database;
    tables = await catalogue(database);
    before = await surroundings(database);
    parted = await partitionTables(database, PARTITIONS);
  });
  afterAll(() => fixture?.drop());

  /** The partition of a user, which is the same one in every table. */
  async function partOf(user: string): Promise<number> {
    const found = new Set<number>();
    for (const name of parted) {
      const rows = await database.withTenant(tenant, (tx) =>
        tx.rows<{ part: string }>(
          sql`select distinct tableoid::regclass::text as part from ${sql.raw(`slowwave.${name}`)} where user_id = ${user}`,
        ),
      );
      for (const { part } of rows) found.add(Number(/_part_(\d+)$/.exec(part)![1]));
    }
    expect(found.size).toBe(1);
    return [...found][0]!;
  }

  const garden = (user: string) => [
    facts(user, [
      'Ana lives in Dublin near the canal.',
      'Ana lives in Dublin with a garden of roses.',
      'Ana lives in Dublin above the bakery.',
    ]).map((memory, i) => ({ ...memory, externalId: `c${i}`, documentDate: NOW - 90 * DAY })),
  ];

  async function seed(user: string): Promise<void> {
    const memories = ['kites', 'sailing', 'bread'].map((word, i) =>
      newMemory(user, `m${i}`, `Ana reads about ${word}.`, { documentDate: NOW - 2 * DAY }),
    );
    await seedPerson(database, { tenant, user, memories, chains: garden(user) });
    await seedSession(database, { tenant, user, id: 's', texts: TALK, endedAt: NOW - DAY / 8 });
  }

  it('are all that have tenant and user in every unique key, and the others are known', () => {
    expect(parted).toEqual(expect.arrayContaining(MEMORY_TABLES));
    const ofUsers = tables.filter(({ columns }) => columns.includes('tenant') && columns.includes('user_id'));
    const keysWithout = (of: CatalogueTable[], wanted: string[]) =>
      of.flatMap(({ name, keys }) =>
        keys
          .filter(({ columns }) => !wanted.every((column) => columns.includes(column)))
          .map(({ columns }) => `${name} (${columns.join(', ')})`),
      );
    // A partition by user is not open to these as they are.
    expect(keysWithout(ofUsers, ['tenant', 'user_id'])).toEqual([
      'idempotency_keys (tenant, caller, key)',
      'webhook_deliveries (tenant, id)',
      'workspaces (root_dir)',
    ]);
    const rest = tables.filter((table) => !ofUsers.includes(table) && !WHOLE.includes(table.name));
    expect(rest.map(({ name }) => name)).toEqual([
      'api_tokens',
      'embedding_models',
      'judge_exams',
      'migrations',
      'model_batches',
      'model_rates',
      'overall_spend',
      'tenant_pauses',
      'tenant_settings',
      'tenant_spend',
      'tier_pauses',
      'webhooks',
    ]);
    // What would have to change before tables are distributed by tenant.
    const ofTenants = tables.filter(({ columns }) => columns.includes('tenant'));
    expect(keysWithout(ofTenants, ['tenant'])).toEqual([
      'api_tokens (id)',
      'model_batches (provider_id)',
      'workspaces (root_dir)',
    ]);
  });

  it('keep their constraints, indexes, triggers, policies and grants', async () => {
    const ddl = (around: { ddl: string }[]) => around.map((one) => one.ddl).sort();
    expect(ddl(await surroundings(database))).toEqual(ddl(before));
  });

  it('are read and written in one partition each, whatever a user has done', async () => {
    const user = 'ana';
    for (const one of [user, 'ben', 'cleo', 'dora', 'emil']) await seed(one);
    const part = await partOf(user);
    const statements: Explained[] = [];
    const watched = explaining(database, (explained) => statements.push(explained));
    const model = createSleepModel();
    const run = (tier: 'light' | 'deep' | 'sleep') =>
      runTier(watched, { tenant, user, tier, at: NOW }, { provider: model.provider });
    const light = await run('light');
    expect(light.step('embed')).toMatchObject({ status: 'done', counts: { embedded: 6 } });
    const deep = await run('deep');
    expect(deep.step('fusion')).toMatchObject({ status: 'done', counts: { clusters: { committed: 1 } } });
    const sleep = await run('sleep');
    expect([light, deep, sleep].map((ended) => ended.run.status)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
    const found = await recall(watched, embedder, { tenant, user, query: 'where does Ana live', at: NOW });
    expect(found.length).toBeGreaterThan(0);
    const undone = await undo(watched, {
      tenant,
      user,
      target: { run: deep.run.id },
      at: NOW + 1,
      actor: null,
    });
    expect(undone.status).toBe('done');
    await forget(watched, { tenant, user, target: { memory: 'c0' }, at: NOW + 2, actor: null });

    expect(statements.length).toBeGreaterThan(100);
    // Rows found by their address are looked for in each partition, and are the user's own.
    const byAddress = statements.filter(({ text }) => text.includes('ctid'));
    const elsewhere = statements.filter(
      (statement) => !byAddress.includes(statement) && partsOf(statement).some((one) => one !== part),
    );
    expect(new Set(byAddress.map(({ text }) => text)).size).toBe(4);
    expect(elsewhere.map(({ text, touched }) => ({ text, touched }))).toEqual([]);
    // Each table was looked at, so the above says something of each.
    const looked = new Set(
      statements.flatMap(({ touched }) => touched).map((name) => name.replace(/_part_\d+$/, '')),
    );
    for (const name of MEMORY_TABLES) expect(looked, name).toContain(name);
    expect(statements.filter((statement) => partsOf(statement).length === 1).length).toBeGreaterThan(50);
  });

  it('keep the rows of others as they were, also where rows go by their address', async () => {
    const crowd = (user: string) =>
      Array.from({ length: 80 }, (_, i) =>
        newMemory(user, `m${i}`, `Ana keeps bicycle number ${i} in the shed.`, {
          documentDate: NOW - 2 * DAY,
        }),
      );
    const users = ['fay', 'gil', 'hal', 'ina'];
    for (const user of users) await seedPerson(database, { tenant, user, memories: crowd(user) });
    expect(new Set(await Promise.all(users.map(partOf))).size).toBeGreaterThan(1);
    const kept = (user: string) =>
      database.withTenant(tenant, async (tx) => {
        const [row] = await tx.rows<Record<'near' | 'close', number[]>>(sql`
          select
            (select jsonb_build_array(sum(n), max(n)) from (
              select count(*) as n from slowwave.neighbours where user_id = ${user} group by memory_id) as each) as near,
            (select jsonb_build_array(sum(n), max(n)) from (
              select count(*) as n from slowwave.closeness where user_id = ${user} group by memory_id) as each) as close`);
        return row;
      });
    for (const user of users) await runTier(database, { tenant, user, tier: 'light', at: NOW });
    const full = {
      near: [80 * NEIGHBOUR_LIMIT, NEIGHBOUR_LIMIT],
      close: [80 * CLOSE_LIMIT, CLOSE_LIMIT],
    };
    expect(await Promise.all(users.map(kept))).toEqual(users.map(() => full));
    const others = await stateOf(database, { tenant, user: 'gil' });
    const provider = createSleepModel().provider;
    await runTier(database, { tenant, user: 'fay', tier: 'deep', at: NOW }, { provider });
    expect(await stateOf(database, { tenant, user: 'gil' })).toEqual(others);
  });

  it('are all looked at by a statement that names no user, and this is seen', async () => {
    const statements: Explained[] = [];
    const watched = explaining(database, (explained) => statements.push(explained));
    await watched.withTenant(tenant, (tx) =>
      tx.rows(sql`select count(*) from slowwave.memories where tenant = ${tenant}`),
    );
    await watched.withTenant(tenant, (tx) => pageRuns(tx, { tenant, limit: 10 }));
    await watched.withTenant(tenant, (tx) =>
      listMemories(tx, { tenant, user: 'ana', at: NOW, latestOnly: true, limit: 10 }),
    );
    const parts = statements.map((statement) => partsOf(statement).length);
    expect(parts).toEqual([PARTITIONS, PARTITIONS, 1]);
  });

  it('are none of those in which the dispatcher looks for whoever is due', async () => {
    const statements: Explained[] = [];
    const watched = explaining(database, (explained) => statements.push(explained));
    const page = { tier: 'light', at: NOW + DAY, requeueAfterMs: 600_000, limit: 100 } as const;
    await database.withTenant(tenant, (tx) =>
      tx.rows(sql`update slowwave.user_tiers set due_at = now() where tier = 'light'`),
    );
    const due = await watched.asDispatcher((tx) => takeDuePage(tx, { ...page, at: Date.now() + DAY }));
    expect(due.length).toBeGreaterThan(0);
    const [taken] = statements;
    expect(taken!.touched.filter((name) => !WHOLE.includes(name) && name !== 'tier_pauses')).toEqual([]);
  });
});
