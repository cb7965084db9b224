import { contentHashOf, readVectors, storeEmbeddings, type VectorPage, vectorPageSize } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOTH_DATABASES } from '../fixtures/databases.ts';
import { NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

/** Any float that a vector may hold: every bit pattern but those of infinities and of what is not a number. */
const component = fc
  .integer({ min: 0, max: 0xffff_ffff })
  .map((bits) => (((bits >>> 23) & 0xff) === 0xff ? (bits & 0x807f_ffff) >>> 0 : bits));
const bitsOf = (vectors: Float32Array) => new Uint32Array(vectors.buffer, vectors.byteOffset, vectors.length);

describe.each(BOTH_DATABASES)('vectors (%s)', (_name, open) => {
  const tenant = 't';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  /** A user with a memory for each vector, in the order of the vectors. */
  async function store(
    vectors: Float32Array[],
    model: string,
  ): Promise<{ user: string; ids: string[]; hashes: string[] }> {
    const user = nextUser();
    const memories = vectors.map((_, i) => newMemory(user, `m${i}`, `memory ${i}`));
    await seedUser(database, { tenant, user, memories });
    const found = await rows<{ id: string; content: string }>(sql`
      select id, content from slowwave.memories where user_id = ${user} order by id`);
    const embeddings = found.map(({ id, content }, i) => ({
      id,
      contentHash: contentHashOf(content),
      vector: vectors[i]!,
    }));
    await inTenant((tx) => storeEmbeddings(tx, { tenant, user, model, at: NOW, embeddings }));
    return { user, ids: found.map(({ id }) => id), hashes: embeddings.map((one) => one.contentHash) };
  }

  async function readAll(user: string, model: string, limit: number): Promise<VectorPage[]> {
    const pages: VectorPage[] = [];
    for (let after: string | null = null; ; ) {
      const page: VectorPage = await inTenant((tx) => readVectors(tx, { tenant, user, model, after, limit }));
      pages.push(page);
      after = page.ids.at(-1) ?? after;
      if (page.ids.length < limit) return pages;
    }
  }

  it('come back to the bit, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(component, { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 13 }),
        async (patterns, limit) => {
          const vectors = patterns.map((bits) => new Float32Array(Uint32Array.from(bits).buffer));
          const { user, ids } = await store(vectors, 'five');
          const pages = await readAll(user, 'five', limit);
          expect(pages.flatMap((page) => page.ids)).toEqual(ids);
          expect(pages.flatMap((page) => [...bitsOf(page.vectors)])).toEqual(patterns.flat());
        },
      ),
      { numRuns: 12 },
    );
  });

  it('above 2,000 dimensions are read like the others', async () => {
    const vectors = [1, -0].map((first) => Float32Array.from({ length: 2_500 }, (_, i) => first / (i + 1)));
    const { user, ids } = await store(vectors, 'long');
    const [page] = await readAll(user, 'long', 10);
    expect(page).toMatchObject({ ids, dimensions: 2_500 });
    expect(bitsOf(page!.vectors.slice(2_500))).toEqual(bitsOf(vectors[1]!));
  });

  it('are those of one user and one model; names hold whatever they hold', async () => {
    const { user, ids } = await store([new Float32Array([1, 2])], "o'two\\");
    await store([new Float32Array([3, 4])], "o'two\\");
    expect(await readAll(user, "o'two\\", 10)).toEqual([
      { ids, dimensions: 2, vectors: new Float32Array([1, 2]) },
    ]);
    expect(await readAll(user, 'none', 10)).toEqual([
      { ids: [], dimensions: 0, vectors: new Float32Array(0) },
    ]);
    const elsewhere = await database.withTenant('other', (tx) =>
      readVectors(tx, { tenant, user, model: "o'two\\", after: null, limit: 10 }),
    );
    expect(elsewhere.ids).toEqual([]);
  });

  it('are left out where the memory was changed since, and take the place of older ones', async () => {
    const { user, ids, hashes } = await store([new Float32Array([1, 2]), new Float32Array([3, 4])], 'two');
    const give = (id: string, contentHash: string) => ({
      id,
      contentHash,
      vector: new Float32Array([-0, 5]),
    });
    const stored = await inTenant((tx) =>
      storeEmbeddings(tx, {
        tenant,
        user,
        model: 'two',
        at: NOW,
        embeddings: [give(ids[0]!, 'another'), give(ids[1]!, hashes[1]!)],
      }),
    );
    expect(stored).toEqual([ids[1]]);
    const [page] = await readAll(user, 'two', 10);
    expect([...page!.vectors]).toEqual([1, 2, -0, 5]);
  });

  it('that hold something not finite are refused', async () => {
    await expect(store([new Float32Array([Number.NaN, 1])], 'two')).rejects.toMatchObject({
      name: 'DatabaseError',
    });
    expect(await rows(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });
});

describe('a page of vectors', () => {
  it.each([
    [1_536, 1_365],
    [384, 5_000],
    [1, 5_000],
    [16_000, 131],
    [0, 5_000],
  ])('of %i dimensions has %i of them', (dimensions, size) => {
    expect(vectorPageSize(dimensions)).toBe(size);
  });
});
