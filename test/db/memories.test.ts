import {
  archiveExpired,
  countBands,
  createMemoryStore,
  insertMemories,
  insertRelations,
  listMissingEmbeddings,
  loadCandidates,
  NEIGHBOUR_LIMIT,
  readCrossings,
  storeEmbeddings,
  storeNeighbours,
} from '@slowwave/db';
import { CATEGORIES, crossingTime, type DecayParams, MEMORY_TYPES, prominenceAt } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

describe.each(DATABASES)('memories (%s)', (_name, open) => {
  const tenant = 't';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  const unit = (angle: number) => new Float32Array([Math.cos(angle), Math.sin(angle), 0]);

  async function embed(user: string, vectors: Float32Array[], model = 'unit-3') {
    return inTenant(async (tx) => {
      const missing = await listMissingEmbeddings(tx, { tenant, user, model, limit: 1000 });
      const embeddings = missing.map((m, i) => ({
        id: m.id,
        contentHash: m.contentHash,
        vector: vectors[i]!,
      }));
      const ids = await storeEmbeddings(tx, { tenant, user, model, at: NOW, embeddings });
      return storeNeighbours(tx, { tenant, user, model, ids });
    });
  }

  describe('the decay formula', () => {
    const params: fc.Arbitrary<DecayParams> = fc.record({
      category: fc.constantFrom(...CATEGORIES),
      memoryType: fc.constantFrom(...MEMORY_TYPES),
      importance: fc.integer({ min: 1, max: 10 }),
      confirmations: fc.integer({ min: 0, max: 1000 }),
      peak: fc.double({ min: 1e-9, max: 1, noNaN: true }),
      anchorAt: fc.integer({ min: NOW - 2000 * DAY, max: NOW }),
      demotion: fc.double({ min: 0.001, max: 1, noNaN: true }),
    });

    it('is the same in SQL and in TypeScript, and so are its crossing times', async () => {
      const thresholds = [0.8, 0.5, 0.1, 0.05];
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(params, fc.integer({ min: 0, max: 3000 })), { minLength: 20, maxLength: 60 }),
          async (cases) => {
            const payload = JSON.stringify(
              cases.map(([p, days], i) => ({ ...p, i, at: p.anchorAt + days * DAY })),
            );
            const found = await rows<{
              i: number;
              prominence: number;
              crossings: (number | 'Infinity' | '-Infinity')[];
            }>(sql`
            select i, slowwave.prominence(category, "memoryType", importance, confirmations, peak,
                to_timestamp("anchorAt" / 1000), demotion, to_timestamp(at / 1000)) as prominence,
              (select jsonb_agg(case when isfinite(c) then to_jsonb(date_part('epoch', c) * 1000)
                  else to_jsonb(case when c > now() then 'Infinity' else '-Infinity' end) end order by t desc)
                from unnest(array[0.8, 0.5, 0.1, 0.05]) t,
                lateral (select slowwave.crossing(t::float8, category, "memoryType", importance, confirmations, peak,
                  to_timestamp("anchorAt" / 1000), demotion) as c) x) as crossings
            from jsonb_to_recordset(${payload}::jsonb) as r(i int, category text, "memoryType" text, importance smallint,
              confirmations int, peak float8, "anchorAt" float8, demotion float8, at float8) order by i`);
            cases.forEach(([p, days], i) => {
              const row = found[i]!;
              expect(row.prominence).toBeCloseTo(prominenceAt(p, p.anchorAt + days * DAY), 9);
              thresholds.forEach((threshold, k) => {
                const expected = crossingTime(p, threshold) ?? Infinity;
                const actual = Number(row.crossings[k]);
                if (Number.isFinite(expected)) expect(Math.abs(actual - expected)).toBeLessThan(1000);
                else expect(actual).toBe(expected);
              });
            });
          },
        ),
        { numRuns: 20 },
      );
    });

    it('stores the crossings at every write', async () => {
      const user = nextUser();
      await seedUser(database, {
        tenant,
        user,
        memories: [newMemory(user, 'a', 'Ana sold the boat', { category: 'event', documentDate: NOW })],
      });
      const days = async () => {
        const [row] = await rows<{ days: number }>(sql`
          select (date_part('epoch', crosses_050_at - anchor_at) / 86400)::float8 as days from slowwave.memories where user_id = ${user}`);
        return row!.days;
      };
      expect(await days()).toBeCloseTo(8.9, 1);
      await rows(sql`update slowwave.memories set confirmations = 3 where user_id = ${user}`);
      expect(await days()).toBeGreaterThan(12);
    });
  });

  describe('writing', () => {
    it('the same memories twice changes nothing; another content under the same id is reported and kept out', async () => {
      const user = nextUser();
      const memories = [newMemory(user, 'a', 'Ana likes jazz'), newMemory(user, 'b', 'Ana has a dog 🐕')];
      await seedUser(database, { tenant, user, memories });
      const again = await inTenant((tx) =>
        insertMemories(tx, {
          tenant,
          memories: [memories[0]!, newMemory(user, 'b', 'Ana has a cat')],
          at: NOW,
        }),
      );
      expect(again.inserted).toBe(0);
      expect(again.existing).toEqual([
        { user, externalId: 'a', sameContent: true },
        { user, externalId: 'b', sameContent: false },
      ]);
      const stored = await rows(
        sql`select content from slowwave.memories where user_id = ${user} order by external_id`,
      );
      expect(stored).toEqual([{ content: 'Ana likes jazz' }, { content: 'Ana has a dog 🐕' }]);
    });

    it('NUL is refused by the database too, without half a batch', async () => {
      const user = nextUser();
      await seedUser(database, { tenant, user, memories: [] });
      const bad = [newMemory(user, 'a', 'fine'), newMemory(user, 'b', 'not\0fine')];
      const attempt = inTenant((tx) => insertMemories(tx, { tenant, memories: bad, at: NOW }));
      await expect(attempt).rejects.toMatchObject({ code: 'invalid_text' });
      expect(await rows(sql`select 1 from slowwave.memories where user_id = ${user}`)).toEqual([]);
    });

    it('relations resolve by external id, and what does not is named', async () => {
      const user = nextUser();
      await seedUser(database, {
        tenant,
        user,
        memories: [newMemory(user, 'a', 'one'), newMemory(user, 'b', 'two')],
      });
      const relation = {
        user,
        sourceExternalId: 'a',
        targetExternalId: 'b',
        relationType: 'EXTENDS' as const,
        confidence: 0.8,
      };
      const relations = [relation, relation, { ...relation, targetExternalId: 'nobody' }];
      const result = await inTenant((tx) => insertRelations(tx, { tenant, relations, at: NOW }));
      expect(result).toEqual({ inserted: 1, unresolved: [{ user, source: 'a', target: 'nobody' }] });
    });
  });

  describe('embeddings and neighbours', () => {
    it('both directions are stored, from 0.4 up, and a zero vector has none', async () => {
      const user = nextUser();
      const memories = ['a', 'b', 'c', 'd'].map((id) => newMemory(user, id, `memory ${id}`));
      await seedUser(database, { tenant, user, memories });
      await embed(user, [unit(0), unit(0.1), unit(Math.PI / 2), new Float32Array(3)]);
      const pairs = await rows<{ cosine: number }>(
        sql`select cosine from slowwave.neighbours where user_id = ${user}`,
      );
      expect(pairs).toHaveLength(2);
      expect(pairs[0]!.cosine).toBeCloseTo(Math.cos(0.1), 5);
      expect(
        await rows(
          sql`select 1 from slowwave.memories m where user_id = ${user} and not exists (select 1 from slowwave.embeddings e where e.memory_id = m.id)`,
        ),
      ).toEqual([]);
    });

    it('each memory keeps its best only', async () => {
      const user = nextUser();
      const count = NEIGHBOUR_LIMIT + 12;
      const memories = Array.from({ length: count }, (_, i) => newMemory(user, `m${i}`, `memory ${i}`));
      await seedUser(database, { tenant, user, memories });
      await embed(
        user,
        Array.from({ length: count }, (_, i) => unit(i * 0.005)),
      );
      const counts = await rows<{ n: number }>(sql`
        select count(*)::int as n from slowwave.neighbours where user_id = ${user} group by memory_id`);
      expect(Math.max(...counts.map((row) => row.n))).toBe(NEIGHBOUR_LIMIT);
    });

    it('another length under the same model name is refused with both lengths', async () => {
      const [one, two] = [nextUser(), nextUser()];
      await seedUser(database, { tenant, user: one, memories: [newMemory(one, 'a', 'memory')] });
      await seedUser(database, { tenant, user: two, memories: [newMemory(two, 'a', 'memory')] });
      await embed(one, [unit(0)], 'fickle');
      await expect(embed(two, [new Float32Array(5).fill(0.4)], 'fickle')).rejects.toMatchObject({
        code: 'wrong_dimensions',
        message: expect.stringMatching(/5 dimensions, but 3 are stored/),
      });
    });

    it('vectors of more than 2,000 dimensions are stored as well', async () => {
      const user = nextUser();
      await seedUser(database, {
        tenant,
        user,
        memories: [newMemory(user, 'a', 'one'), newMemory(user, 'b', 'two')],
      });
      const long = new Float32Array(3000).fill(1 / Math.sqrt(3000));
      const pairs = await inTenant(async (tx) => {
        const missing = await listMissingEmbeddings(tx, { tenant, user, model: 'long', limit: 10 });
        const embeddings = missing.map((m) => ({ id: m.id, contentHash: m.contentHash, vector: long }));
        const ids = await storeEmbeddings(tx, { tenant, user, model: 'long', at: NOW, embeddings });
        return storeNeighbours(tx, { tenant, user, model: 'long', ids });
      });
      expect(pairs).toBe(2);
    });

    it('a memory changed since it was read gets no embedding of its old words', async () => {
      const user = nextUser();
      await seedUser(database, { tenant, user, memories: [newMemory(user, 'a', 'memory')] });
      const stored = await inTenant(async (tx) => {
        const [missing] = await listMissingEmbeddings(tx, { tenant, user, model: 'unit-3', limit: 1 });
        await tx.rows(
          sql`update slowwave.memories set content = 'other', content_hash = 'other' where id = ${missing!.id}`,
        );
        return storeEmbeddings(tx, {
          tenant,
          user,
          model: 'unit-3',
          at: NOW,
          embeddings: [{ ...missing!, vector: unit(0) }],
        });
      });
      expect(stored).toEqual([]);
    });
  });

  describe('windows', () => {
    it('hold what is dormant, latest, of age, and neither profile nor archived', async () => {
      const user = nextUser();
      const event = (id: string, days: number, more = {}) =>
        newMemory(user, id, `event ${id}`, { category: 'event', documentDate: NOW - days * DAY, ...more });
      const memories = [
        event('fresh', 2),
        event('dormant', 20),
        event('faded', 60),
        event('static', 20, { memoryType: 'static_profile' }),
        event('archived', 20, { expiresAt: NOW - DAY }),
      ];
      await seedUser(database, { tenant, user, memories });
      await inTenant((tx) => archiveExpired(tx, { tenant, user, at: NOW, runId: null, limit: 10 }));
      const idsIn = async (window: { minProminence: number; maxProminence: number; minAgeMs: number }) => {
        const { candidates } = await createMemoryStore(database, scopeOf(tenant, user)).loadCandidates(
          window,
        );
        return candidates.map((candidate) => candidate.content).sort();
      };
      expect(await idsIn({ minProminence: 0.1, maxProminence: 0.5, minAgeMs: 0 })).toEqual(['event dormant']);
      // A window between other bounds is computed instead of looked up; it must agree.
      expect(await idsIn({ minProminence: 0.1000001, maxProminence: 0.4999999, minAgeMs: 0 })).toEqual([
        'event dormant',
      ]);
      expect(await idsIn({ minProminence: 0.05, maxProminence: 0.8, minAgeMs: DAY })).toEqual([
        'event dormant',
        'event fresh',
      ]);
      expect(await idsIn({ minProminence: 0.05, maxProminence: 0.8, minAgeMs: 3 * DAY })).toEqual([
        'event dormant',
      ]);
      const bands = await inTenant((tx) => countBands(tx, { tenant, user, at: NOW }));
      expect(bands).toMatchObject({ total: 5, latest: 5, active: 2, archived: 1 });
    });

    it('hold the strongest edges of each sort, and no more than a plan can take', async () => {
      const user = nextUser();
      const names = ['a', 'b', 'c', 'd'];
      const memories = names.map((name) =>
        newMemory(user, name, `event ${name}`, { category: 'event', documentDate: NOW - 20 * DAY }),
      );
      await seedUser(database, { tenant, user, memories });
      const [first, ...others] = names;
      const relations = others.map((other, i) => ({
        user,
        sourceExternalId: first!,
        targetExternalId: other,
        relationType: 'EXTENDS' as const,
        confidence: 0.5 + i / 10,
      }));
      await inTenant((tx) => insertRelations(tx, { tenant, relations, at: NOW }));
      // 0.3, 0.2 and 0.1 apart, one after the other.
      await embed(user, [0, 0.3, 0.5, 0.6].map(unit));
      const load = (edgeLimit?: number) =>
        inTenant((tx) =>
          loadCandidates(tx, {
            ...{ tenant, user, at: NOW, embeddingModel: 'unit-3' },
            window: { minProminence: 0, maxProminence: 1, minAgeMs: 0 },
            ...(edgeLimit === undefined ? {} : { edgeLimit }),
          }),
        );
      const weights = (edges: readonly { kind: string; weight: number }[], kind: string) =>
        edges.filter((edge) => edge.kind === kind).map((edge) => edge.weight.toFixed(2));
      // Neighbours only tell twins: those that are less near are no edge.
      const all = await load();
      expect([weights(all.edges, 'relation').length, weights(all.edges, 'neighbour').length]).toEqual([3, 4]);
      const { edges } = await load(2);
      expect(weights(edges, 'relation')).toEqual(['0.70', '0.60']);
      expect(weights(edges, 'neighbour')).toEqual([0.1, 0.2].map((apart) => Math.cos(apart).toFixed(2)));
    });

    it('crossings are read without a write', async () => {
      const user = nextUser();
      await seedUser(database, {
        tenant,
        user,
        memories: [newMemory(user, 'a', 'event', { category: 'event', documentDate: NOW - 8 * DAY })],
      });
      const before = await rows(sql`select xmin::text as x from slowwave.memories where user_id = ${user}`);
      const quiet = await inTenant((tx) => readCrossings(tx, { tenant, user, since: NOW - DAY, at: NOW }));
      const later = await inTenant((tx) =>
        readCrossings(tx, { tenant, user, since: NOW, at: NOW + 2 * DAY }),
      );
      expect([quiet.below050, later.below050]).toEqual([0, 1]);
      expect(quiet.nextAt).toBeGreaterThan(NOW);
      expect(quiet.nextAt).toBeLessThan(NOW + 2 * DAY);
      expect(await rows(sql`select xmin::text as x from slowwave.memories where user_id = ${user}`)).toEqual(
        before,
      );
    });
  });
});
