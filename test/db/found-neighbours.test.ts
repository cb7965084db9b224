import {
  type FoundNeighbours,
  NEIGHBOUR_FLOOR,
  NEIGHBOUR_LIMIT,
  storeEmbeddings,
  storeFoundNeighbours,
  storeNeighbours,
} from '@slowwave/db';
import { createRandom } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { sameNeighbours } from '../fixtures/neighbours.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

interface Vector {
  id: string;
  contentHash: string;
  vector: Float32Array;
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, i) => sum + value * y[i]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** What a search outside of the database finds for the fresh ones: the best of each, and for older ones those whose best they are. */
function find(all: readonly Vector[], fresh: ReadonlySet<string>): FoundNeighbours {
  const [memories, others, cosines]: [number[], number[], number[]] = [[], [], []];
  const add = (memory: number, other: number, near: number) => {
    memories.push(memory);
    others.push(other);
    cosines.push(near);
  };
  for (const [i, one] of all.entries()) {
    if (!fresh.has(one.id)) continue;
    const near = all
      .map((other, place) => ({ place, cosine: cosine(one.vector, other.vector) }))
      .filter((other) => other.place !== i && Math.fround(other.cosine) >= Math.fround(NEIGHBOUR_FLOOR))
      .sort((a, b) => b.cosine - a.cosine || a.place - b.place)
      .slice(0, NEIGHBOUR_LIMIT);
    for (const other of near) {
      add(i, other.place, other.cosine);
      if (!fresh.has(all[other.place]!.id)) add(other.place, i, other.cosine);
    }
  }
  return {
    ids: all.map(({ id }) => id),
    memories: Int32Array.from(memories),
    others: Int32Array.from(others),
    cosines: Float32Array.from(cosines),
  };
}

describe.each(DATABASES)('neighbours that were found outside of the database (%s)', (_name, open) => {
  const tenant = 't';
  const model = 'six';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  async function stage(vectors: Float32Array[]): Promise<{ user: string; all: Vector[] }> {
    const user = nextUser();
    const memories = vectors.map((_, i) => newMemory(user, `m${i}`, `memory ${i}`));
    await seedUser(database, { tenant, user, memories });
    const found = await rows<{ id: string; contentHash: string }>(sql`
      select id, content_hash as "contentHash" from slowwave.memories where user_id = ${user} order by id`);
    return { user, all: found.map((one, i) => ({ ...one, vector: vectors[i]! })) };
  }

  const neighboursOf = (user: string) =>
    rows<{ memory: string; other: string; cosine: number }>(sql`
      select memory_id as memory, neighbour_id as other, cosine from slowwave.neighbours where user_id = ${user}`);

  it('are those that the database would have found, kept and trimmed', async () => {
    const random = createRandom('neighbours');
    const vectors = Array.from({ length: 180 }, (_, i) =>
      Float32Array.from({ length: 6 }, () => (i % 50 === 0 ? 0 : random() - 0.3)),
    );
    const { user, all } = await stage(vectors);
    const older = all.filter((_, i) => i % 3 !== 0);
    const fresh = all.filter((_, i) => i % 3 === 0).map(({ id }) => id);
    const begin = async () => {
      await inTenant((tx) =>
        tx.rows(sql`delete from slowwave.embeddings where tenant = ${tenant} and user_id = ${user}`),
      );
      await inTenant(async (tx) => {
        const ids = await storeEmbeddings(tx, { tenant, user, model, at: NOW, embeddings: older });
        await storeNeighbours(tx, { tenant, user, model, ids });
        await storeEmbeddings(tx, { tenant, user, model, at: NOW, embeddings: all });
      });
    };
    await begin();
    await inTenant((tx) => storeNeighbours(tx, { tenant, user, model, ids: fresh }));
    const expected = await neighboursOf(user);
    await begin();
    const found = find(all, new Set(fresh));
    await inTenant((tx) => storeFoundNeighbours(tx, { tenant, user, model, fresh, found }));
    sameNeighbours(await neighboursOf(user), expected);
    // Once more: what was known of them is replaced.
    await inTenant((tx) => storeFoundNeighbours(tx, { tenant, user, model, fresh, found }));
    sameNeighbours(await neighboursOf(user), expected);
  });

  it('leave out those whose vectors have gone meanwhile', async () => {
    const { user, all } = await stage(
      [
        [1, 0],
        [1, 0.1],
        [1, 0.2],
      ].map((vector) => new Float32Array(vector)),
    );
    const held = all.slice(0, 2);
    await inTenant((tx) => storeEmbeddings(tx, { tenant, user, model: 'two', at: NOW, embeddings: held }));
    const found = find(all, new Set(all.map(({ id }) => id)));
    const stored = await inTenant((tx) =>
      storeFoundNeighbours(tx, { tenant, user, model: 'two', fresh: held.map(({ id }) => id), found }),
    );
    expect(stored).toBe(2);
    const pairs = (await neighboursOf(user)).map(({ memory, other }) => [memory, other]).sort();
    const [one, two] = held.map(({ id }) => id);
    expect(pairs).toEqual([
      [one, two],
      [two, one],
    ]);
  });

  it('store nothing where nothing is near', async () => {
    const { user, all } = await stage([new Float32Array([1, 0])]);
    await inTenant((tx) => storeEmbeddings(tx, { tenant, user, model: 'two', at: NOW, embeddings: all }));
    const found = find(all, new Set([all[0]!.id]));
    await inTenant((tx) =>
      storeFoundNeighbours(tx, { tenant, user, model: 'two', fresh: [all[0]!.id], found }),
    );
    expect(await neighboursOf(user)).toEqual([]);
  });
});
