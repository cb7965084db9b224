import {
  type Database,
  listConflicts,
  listUncompared,
  loadCandidates,
  recall,
  settleGone,
  storeEmbeddings,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { explaining } from '../fixtures/explained.ts';
import { NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { embedder } from '../fixtures/tier-runs.ts';

const tenant = 't';
const { model } = embedder;
const FEW = 40;
const MANY = 4 * FEW;
const VECTOR = Float32Array.from({ length: 384 }, (_, i) => (i === 0 ? 1 : 0));
const WINDOW = {
  minProminence: 0,
  maxProminence: 1,
  minAgeMs: 0,
  partners: { edgeThreshold: 0.3, minCloseness: 0.5 },
};

// The planner of a database that has counted nothing takes every condition for one that a single row meets, and every order of joins for
// equally good. A server stays so for its first minute, an embedded database for its first transactions.
describe.each(DATABASES)('a database without statistics (%s)', (_name, open) => {
  const { database, inTenant, rows } = ownDatabase(open);

  beforeAll(async () => {
    await database.asOwner(async (tx) => {
      const tables = await tx.rows<{ name: string }>(
        sql`select tablename as name from pg_tables where schemaname = 'slowwave'`,
      );
      for (const { name } of tables)
        await tx.rows(sql.raw(`alter table slowwave.${name} set (autovacuum_enabled = false)`));
    });
    for (const count of [FEW, MANY]) await seed(count);
  });

  const userOf = (count: number) => `with-${count}`;

  /** A user of whom everything grows with the memories: close pairs, relations, requests that were put, statements, conflicts. */
  async function seed(count: number): Promise<void> {
    const user = userOf(count);
    const memories = Array.from({ length: count }, (_, i) =>
      newMemory(user, `m${i}`, `Ana keeps goose number ${i}.`),
    );
    await seedUser(database, { tenant, user, memories });
    const numbered = sql`numbered as (
      select m.*, (row_number() over (order by m.id) - 1)::int as no, ${count}::int as n
      from slowwave.memories m where user_id = ${user})`;
    const pairs = sql`pairs as (
      select a.id as a, b.id as b, a.no, a.content_hash as a_hash, b.content_hash as b_hash, step from generate_series(1, 4) step
      join numbered a on true join numbered b on b.no = (a.no + step) % a.n)`;
    const keyOf = sql`repeat(md5(n.user_id || n.no / 4), 2)`;
    await inTenant(async (tx) => {
      // Every tenth is a statement.
      await tx.rows(sql`with ${numbered}
        update slowwave.memories m set memory_type = 'derived', learned_from = 'consolidation' from numbered n
        where m.user_id = ${user} and m.id = n.id and n.no % 10 = 0`);
      const stored = await tx.rows<{ id: string; contentHash: string }>(
        sql`select id, content_hash as "contentHash" from slowwave.memories where user_id = ${user}`,
      );
      const embeddings = stored.map((each) => ({ ...each, vector: VECTOR }));
      await storeEmbeddings(tx, { tenant, user, model, at: NOW, embeddings });
      await tx.rows(sql`with ${numbered}, ${pairs}
        insert into slowwave.closeness (tenant, user_id, model, memory_id, other_id, words, cosine)
        select ${tenant}, ${user}, ${model}, a, b, 0.5, 0.9 from pairs`);
      await tx.rows(sql`with ${numbered}, ${pairs}
        insert into slowwave.neighbours (tenant, user_id, model, memory_id, neighbour_id, cosine)
        select ${tenant}, ${user}, ${model}, a, b, 0.95 from pairs`);
      await tx.rows(sql`with ${numbered}, ${pairs}
        insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
        select ${tenant}, ${user}, a, b, 'EXTENDS', 0.9, now() from pairs where step < 3`);
      await tx.rows(sql`with ${numbered}, ${pairs}
        insert into slowwave.conflicts (tenant, user_id, id, a_id, b_id, a_hash, b_hash, status, type, source, detected_at)
        select ${tenant}, ${user}, gen_random_uuid(), least(a, b), greatest(a, b), case when a < b then a_hash else b_hash end,
          case when a < b then b_hash else a_hash end, 'open', 'ambiguous', 'person', now() from pairs where step = 1 and no % 4 = 0`);
      await tx.rows(sql`with ${numbered}
        insert into slowwave.fusions (tenant, user_id, key, source_set, kind, tier, prompt_version, model, status, fence, derived_id,
          created_at, updated_at)
        select ${tenant}, ${user}, ${keyOf}, ${keyOf}, case when no % 8 = 0 then 'restatement' else 'fusion' end, 'deep', 'p', 'm', 'closed',
          1, gen_random_uuid(), now(), now() from numbered n where no % 4 = 0`);
      await tx.rows(sql`with ${numbered}
        insert into slowwave.fusion_sources (tenant, user_id, fusion_key, memory_id, content_hash, version, position, group_no, live)
        select ${tenant}, ${user}, ${keyOf}, id, content_hash, 1, no % 4, 0, false from numbered n`);
    });
  }

  it.each<[string, (watched: Database, user: string) => Promise<unknown[]>]>([
    [
      'loadCandidates',
      async (watched, user) => {
        const found = await watched.withTenant(tenant, (tx) =>
          loadCandidates(tx, { tenant, user, at: NOW, embeddingModel: model, window: WINDOW }),
        );
        // All of it is there, so the count says something of each part.
        const { offered = [], restating, edges } = found;
        expect(new Set(edges.map(({ kind }) => kind)).size).toBe(3);
        expect([offered.length > 0, restating !== undefined]).toEqual([true, true]);
        return found.candidates;
      },
    ],
    [
      'recall',
      (watched, user) =>
        recall(watched, embedder, { tenant, user, query: 'which goose', at: NOW, limit: 5, silent: true }),
    ],
    [
      'recall with a filter',
      (watched, user) =>
        recall(watched, embedder, {
          ...{ tenant, user, query: 'which goose', at: NOW, limit: 5, silent: true },
          categories: ['fact'],
        }),
    ],
    [
      'listConflicts',
      (watched, user) =>
        watched.withTenant(tenant, (tx) => listConflicts(tx, { tenant, user, status: 'open', limit: 100 })),
    ],
    [
      'settleGone',
      async (watched, user) => {
        await rows(sql`
          update slowwave.conflicts set a_hash = 'other' where user_id = ${user} and status = 'open'`);
        const { gone } = await watched.withTenant(tenant, (tx) => settleGone(tx, { tenant, user, at: NOW }));
        return Array.from({ length: gone });
      },
    ],
    [
      'listUncompared',
      (watched, user) =>
        watched.withTenant(tenant, (tx) => listUncompared(tx, { tenant, user, model, limit: 1_000 })),
    ],
  ])('%s: with four times the memories, no more than six times the rows', async (_title, work) => {
    const looked = async (count: number) => {
      let sum = 0;
      const watched = explaining(database, (explained) => {
        sum += explained.looked;
      });
      expect((await work(watched, userOf(count))).length).toBeGreaterThan(0);
      return sum;
    };
    const few = await looked(FEW);
    expect(await looked(MANY)).toBeLessThan(6 * few);
  });
});
