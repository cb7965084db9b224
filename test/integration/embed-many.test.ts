import { insertMemories, NEIGHBOUR_LIMIT } from '@slowwave/db';
import { createRandom, type Embedder } from '@slowwave/fusion';
import { DEFAULT_LIMITS, embedFew, embedMany, type StepContext } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { type NeighbourRow, sameNeighbours } from '../fixtures/neighbours.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const tenant = 't';
const DIMENSIONS = 12;
const NEVER = new AbortController().signal;

/** The same vector for the same text; near enough to each other that memories have more neighbours than are kept. */
function embedderOf(onCall: () => void = () => undefined): Embedder {
  return {
    name: 'test',
    model: 'twelve',
    dimensions: DIMENSIONS,
    threshold: 0.75,
    async embed(texts) {
      onCall();
      return texts.map((text) => {
        const random = createRandom(text);
        return Float32Array.from({ length: DIMENSIONS }, () => random() - 0.25);
      });
    },
  };
}

describe.each(DATABASES)('many memories at once (%s)', (_name, open) => {
  const { database, nextUser } = ownDatabase(open, tenant);

  const write = (user: string, from: number, to: number) =>
    database.withTenant(tenant, (tx) =>
      insertMemories(tx, {
        tenant,
        at: NOW,
        memories: Array.from({ length: to - from }, (_, i) =>
          newMemory(user, `m${from + i}`, `memory ${from + i}`),
        ),
      }),
    );

  async function newUser(): Promise<string> {
    const user = nextUser();
    await seedUser(database, { tenant, user, memories: [] });
    return user;
  }

  /** What the step reads of its context. */
  function contextOf(user: string, more: Partial<StepContext> = {}): StepContext {
    return {
      database,
      embedder: embedderOf(),
      limits: { ...DEFAULT_LIMITS, embedBatch: 50 },
      tenant,
      user,
      at: NOW,
      signal: NEVER,
      stopping: NEVER,
      write: (work) => database.withTenant(tenant, work),
      ...more,
    } as StepContext;
  }

  /** Neighbours by the names of the memories, which are the same for every user. */
  const neighboursOf = (user: string) =>
    database.withTenant(tenant, (tx) =>
      tx.rows<NeighbourRow>(sql`
        select a.content as memory, b.content as other, n.cosine from slowwave.neighbours n
        join slowwave.memories a on a.tenant = n.tenant and a.user_id = n.user_id and a.id = n.memory_id
        join slowwave.memories b on b.tenant = n.tenant and b.user_id = n.user_id and b.id = n.neighbour_id
        where n.user_id = ${user}`),
    );

  const many = (context: StepContext, most = 10_000) => {
    const counts = { stored: 0, pairs: 0, refused: 0 };
    const done = embedMany(context, most, ({ stored, pairs, refused }) => {
      counts.stored += stored;
      counts.pairs += pairs;
      counts.refused += refused;
      return !context.stopping.aborted;
    });
    return done.then(() => counts);
  };

  it('have the neighbours that the database would have found', async () => {
    const [one, other] = [await newUser(), await newUser()];
    for (const [from, to] of [
      [0, 60],
      [60, 150],
    ] as const) {
      await write(one, from, to);
      await write(other, from, to);
      expect(await many(contextOf(one))).toMatchObject({ stored: to - from });
      // In one go, as the other way compares all that are new.
      const limits = { ...DEFAULT_LIMITS, embedBatch: 1_000 };
      const latest = to;
      await embedFew(contextOf(other, { limits }), { most: 10_000, latest }, () => true);
    }
    const found = await neighboursOf(one);
    sameNeighbours(found, await neighboursOf(other));
    const full = new Set(found.map(({ memory }) => memory)).size * NEIGHBOUR_LIMIT;
    expect(found.length).toBeLessThanOrEqual(full);
    expect(found.length).toBeGreaterThan(full / 2);
  });

  it('with one that the embedder refuses are stored all, and that one has no neighbour', async () => {
    const user = await newUser();
    await write(user, 0, 60);
    const twelve = embedderOf();
    const embedder: Embedder = {
      ...twelve,
      async embed(texts, { onRefused } = {}) {
        const vectors = await twelve.embed(texts);
        const index = texts.indexOf('memory 7');
        if (index === -1) return vectors;
        onRefused?.(index);
        return vectors.with(index, new Float32Array(DIMENSIONS));
      },
    };
    const lines: unknown[] = [];
    const logger = { warn: (line: unknown) => lines.push(line) } as unknown as StepContext['logger'];
    expect(await many(contextOf(user, { embedder, logger }))).toMatchObject({ stored: 60, refused: 1 });
    const names = new Set((await neighboursOf(user)).flatMap(({ memory, other }) => [memory, other]));
    expect([names.size, names.has('memory 7')]).toEqual([59, false]);
    expect(lines).toEqual([expect.objectContaining({ code: 'text_refused', ids: [expect.any(String)] })]);
    expect(await many(contextOf(user))).toMatchObject({ stored: 0 });
  });

  it('that were changed are compared in their new words', async () => {
    const user = await newUser();
    await write(user, 0, 60);
    await many(contextOf(user));
    await database.withTenant(tenant, (tx) =>
      tx.rows(sql`
        update slowwave.memories set content = 'memory 1000', content_hash = 'changed', version = version + 1
        where user_id = ${user} and external_id = 'm7'`),
    );
    expect(await many(contextOf(user))).toMatchObject({ stored: 1 });
    const another = await newUser();
    await write(another, 0, 7);
    await write(another, 8, 60);
    await write(another, 1000, 1001);
    await many(contextOf(another));
    sameNeighbours(await neighboursOf(user), await neighboursOf(another));
  });

  it('are left as they were when the job is aborted while they are compared', async () => {
    const user = await newUser();
    await write(user, 0, 120);
    const aborting = new AbortController();
    let calls = 0;
    const embedder = embedderOf(() => {
      calls += 1;
      if (calls === 3) queueMicrotask(() => aborting.abort(new Error('lost')));
    });
    await expect(many(contextOf(user, { embedder, signal: aborting.signal }))).rejects.toThrow('lost');
    expect(await neighboursOf(user)).toEqual([]);
    expect(await many(contextOf(user))).toMatchObject({ stored: 120 });
  });

  it('end with what has been embedded when the process is about to stop, and go on from there', async () => {
    const user = await newUser();
    await write(user, 0, 120);
    const stopping = new AbortController();
    const embedder = embedderOf(() => stopping.abort());
    expect(await many(contextOf(user, { embedder, stopping: stopping.signal }))).toMatchObject({
      stored: 50,
    });
    expect(await many(contextOf(user), 30)).toMatchObject({ stored: 30 });
    expect(await many(contextOf(user))).toMatchObject({ stored: 40 });
  });

  it('are refused when the model gives vectors of several lengths', async () => {
    const user = await newUser();
    await write(user, 0, 3);
    const embedder: Embedder = {
      ...embedderOf(),
      embed: async (texts) => texts.map((_, i) => new Float32Array(DIMENSIONS + i).fill(1)),
    };
    await expect(many(contextOf(user, { embedder }))).rejects.toMatchObject({ code: 'wrong_dimensions' });
  });
});
