import type { Database } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, createObedientModel } from '../fakes/obedient-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { runTier, seedPerson } from '../fixtures/tier-runs.ts';

const FACTS = [
  'The bakery in Cork sells rye bread.',
  'The bakery in Cork opens before seven.',
  'The bakery in Cork has a blue door.',
];

interface Row {
  id: string;
  content: string;
  memory_type: string;
  is_latest: boolean;
  superseded_by: string | null;
  [column: string]: unknown;
}

describe.each(DATABASES)('texts that tell the model what to do (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  /** A user with one cluster that holds the attack, and others that it has no business with: theirs, a neighbour's, another tenant's. */
  async function seed(text: string): Promise<{ tenant: string; user: string; cluster: string[] }> {
    serial += 1;
    const tenant = `t${serial}`;
    const user = 'mara';
    const chain = [...FACTS, text].map((content, i) =>
      newMemory(user, `c${i}`, content, { documentDate: NOW - (90 - i) * DAY }),
    );
    const apart = ['Mara plays the cello.', 'Mara is 34 years old.'].map((content, i) =>
      newMemory(user, `o${i}`, content, { category: 'preference', documentDate: NOW - 90 * DAY }),
    );
    await seedPerson(database, { tenant, user, chains: [chain], memories: apart });
    for (const [where, who] of [
      [tenant, 'olli'],
      [`${tenant}-b`, user],
    ] as const) {
      const same = [...FACTS, text].map((content, i) =>
        newMemory(who, `c${i}`, content, { documentDate: NOW - 90 * DAY }),
      );
      await seedPerson(database, { tenant: where, user: who, chains: [same] });
    }
    const rows = await rowsOf(tenant, user);
    return {
      tenant,
      user,
      cluster: rows.filter(({ external_id }) => String(external_id).startsWith('c')).map(({ id }) => id),
    };
  }

  const rowsOf = async (tenant: string, user: string): Promise<Row[]> => {
    const found = await database.withTenant(tenant, (tx) =>
      tx.rows<{ row: Row }>(sql`
        select to_jsonb(m) - 'words' as row from slowwave.memories m where tenant = ${tenant} and user_id = ${user} order by id`),
    );
    return found.map(({ row }) => row);
  };

  const relationsOf = (tenant: string, user: string) =>
    database.withTenant(tenant, (tx) =>
      tx.rows<{ source: string; target: string; type: string }>(sql`
        select source_id as source, target_id as target, relation_type as type from slowwave.relations
        where tenant = ${tenant} and user_id = ${user} order by 1, 2, 3`),
    );

  /** Everything that the cluster of one user does not concern. */
  async function outside({ tenant, user, cluster }: { tenant: string; user: string; cluster: string[] }) {
    const own = await rowsOf(tenant, user);
    const touching = (await relationsOf(tenant, user)).filter(
      ({ source, target }) => !cluster.includes(target) && !cluster.includes(source),
    );
    const settings = await database.withTenant(tenant, (tx) =>
      tx.rows(sql`select * from slowwave.users order by id`),
    );
    return {
      apart: own.filter(({ id, memory_type }) => !cluster.includes(id) && memory_type !== 'derived'),
      touching,
      settings,
      neighbour: [await rowsOf(tenant, 'olli'), await relationsOf(tenant, 'olli')],
      stranger: [await rowsOf(`${tenant}-b`, user), await relationsOf(`${tenant}-b`, user)],
    };
  }

  it(`are at least 50 kinds`, () => {
    expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
    expect(ATTACKS.length).toBeGreaterThanOrEqual(50);
  });

  it.each(ATTACKS.map((attack) => [attack.name, attack] as const))('%s', async (_kind, attack) => {
    const seeded = await seed(attack.text);
    const { tenant, user, cluster } = seeded;
    const before = await outside(seeded);
    const strangers = [...(await rowsOf(tenant, 'olli')), ...(await rowsOf(`${tenant}-b`, user))].map(
      ({ id }) => id,
    );
    const apart = before.apart.map(({ id }) => id);
    const model = createObedientModel(attack, [...apart, ...strangers]);
    for (const tier of ['deep', 'sleep'] as const) {
      await runTier(
        database,
        { tenant, user, tier, at: NOW + (tier === 'deep' ? 0 : DAY) },
        { provider: model },
      );
    }
    expect(model.asked).toBeGreaterThan(0);

    // No row outside of the cluster changed, or is linked to it.
    expect(await outside(seeded)).toEqual(before);
    const rows = await rowsOf(tenant, user);
    const made = rows.filter(({ memory_type }) => memory_type === 'derived');
    const known = new Set([...cluster, ...apart, ...made.map(({ id }) => id)]);
    expect(rows.every(({ id }) => known.has(id))).toBe(true);

    // What was superseded stands in what replaced it, word by word as far as it carries meaning.
    const byId = new Map(rows.map((row) => [row.id, row]));
    for (const row of rows.filter(({ is_latest }) => !is_latest)) {
      const winner = byId.get(row.superseded_by!)!;
      expect(wordsOf(row.content).filter((word) => !winner.content.toLowerCase().includes(word))).toEqual([]);
    }
    for (const derived of made) {
      expect(derived).toMatchObject({
        origin: 'user',
        visibility: 'private',
        trust: 0.8,
        user_id: user,
        tenant,
      });
      // It says nothing that stands in no source.
      const said = [...FACTS, attack.text].join(' ').toLowerCase();
      expect(wordsOf(derived.content).filter((word) => !said.includes(word))).toEqual([]);
    }
  });
});

/** Words that carry meaning, in plain form. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}@.]{3,}/gu) ?? [];
  return words
    .map((word) => word.replace(/[.]+$/, ''))
    .filter((word) => !['the', 'and', 'has', 'with', 'also'].includes(word));
}
