import { createScheduledItem, type Database, recall } from '@slowwave/db';
import { createOpenAiEmbedder } from '@slowwave/models';
import { DEFAULT_LIMITS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusing, startOpenAiServer } from '../fakes/openai-server.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { embedder, runTier, seedPerson, stateOf } from '../fixtures/tier-runs.ts';

const tenant = 't';

describe.each(DATABASES)('the steps of light (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const light = (user: string, at = NOW, more = {}) =>
    runTier(database, { tenant, user, tier: 'light', at }, more);

  /** A fish market of long ago, a book fair of yesterday, an offer that has expired, and two items. */
  async function seed(): Promise<string> {
    const user = `user-${++serial}`;
    const said = (id: string, days: number, more = {}) =>
      newMemory(user, id, `Ana went to the ${id} fair.`, {
        category: 'event',
        documentDate: NOW - days * DAY,
        ...more,
      });
    const memories = [said('fish', 50), said('book', 1), said('flower', 3, { expiresAt: NOW - 1 })];
    await seedPerson(database, { tenant, user, memories });
    await database.withTenant(tenant, async (tx) => {
      const item = { tenant, user, kind: 'reminder' as const, at: NOW - 5 * DAY };
      await createScheduledItem(tx, { ...item, content: 'Call Bo', dueAt: NOW - 2 * DAY });
      await createScheduledItem(tx, { ...item, content: 'Call Cy', dueAt: NOW - DAY / 2 });
    });
    return user;
  }

  it('each has its entry, in order, with what it counted', async () => {
    const user = await seed();
    const { steps, step, run } = await light(user);
    expect(run.status).toBe('completed');
    expect(steps.map((entry) => [entry.step, entry.status])).toEqual([
      ['embed', 'done'],
      ['decay', 'done'],
      ['expire', 'done'],
      ['health', 'done'],
      ['insights', 'skipped'],
    ]);
    expect(step('embed').counts).toMatchObject({ embedded: 3, compared: 3, closePairs: 6 });
    expect(step('decay').counts).toMatchObject({ below080: 0, below050: 1, below010: 1, below005: 0 });
    expect(step('expire').counts).toEqual({ archived: 1, items: 1 });
    expect(step('health').counts).toEqual({
      memories: 2,
      active: 1,
      dormant: 0,
      faded: 1,
      archived: 1,
      withoutEmbedding: 0,
      tiersOverdue: 0,
      tiersFailing: 0,
      tiersPaused: 0,
    });
  });

  it('health tells what is behind: memories without a vector, tiers that wait, fail or are paused', async () => {
    const user = await seed();
    await database.withTenant(tenant, (tx) =>
      tx.rows(sql`
        update slowwave.user_tiers set due_at = to_timestamp(${(NOW - DAY) / 1000}), failures = 2, paused = tier = 'sleep'
        where user_id = ${user} and tier <> 'light'`),
    );
    const broken = { ...embedder, embed: () => Promise.reject(new Error('the text was Ana')) };
    const { step, run, log } = await light(user, NOW, { embedder: broken });
    expect(run).toMatchObject({ status: 'failed', errorCode: 'internal_error' });
    expect(step('embed')).toMatchObject({ status: 'failed', code: 'internal_error' });
    expect(step('expire').counts).toEqual({ archived: 1, items: 1 });
    expect(step('health').counts).toMatchObject({
      withoutEmbedding: 2,
      tiersOverdue: 1,
      tiersFailing: 2,
      tiersPaused: 1,
    });
    expect(log + JSON.stringify(run)).not.toContain('Ana');
  });

  it('notes that were embedded before they were compared are compared, so many a tick, and then no more', async () => {
    const user = await seed();
    await light(user);
    await database.withTenant(tenant, async (tx) => {
      await tx.rows(sql`delete from slowwave.closeness where user_id = ${user}`);
      await tx.rows(sql`update slowwave.word_scores set score = null where user_id = ${user}`);
    });
    const limits = { ...DEFAULT_LIMITS, leaseMs: 3_600_000, embedBatch: 1, embedBatches: 1 };
    const compared: unknown[] = [];
    // What has expired in the first run is latest still.
    for (let tick = 1; tick <= 4; tick += 1) {
      const { step } = await light(user, NOW + tick * 60_000, { limits });
      compared.push(step('embed').counts);
    }
    const none = { embedded: 0, neighbourPairs: 0, refused: 0, compared: 0, closePairs: 0 };
    // To the two others, both of which are near by vector, in both directions.
    const one = { ...none, compared: 1, closePairs: 4 };
    expect(compared).toEqual([one, one, one, none]);
    const stored = await database.withTenant(tenant, (tx) =>
      tx.rows(sql`select 1 from slowwave.closeness where user_id = ${user} and words > 0`),
    );
    expect(stored).toHaveLength(6);
  });

  it('a memory that the endpoint refuses at any length is told by id, found by its words, and asked once', async () => {
    const user = await seed();
    const [fish] = await database.withTenant(tenant, (tx) =>
      tx.rows<{ id: string }>(
        sql`select id from slowwave.memories where user_id = ${user} and external_id = 'fish'`,
      ),
    );
    const server = await startOpenAiServer({ embeddings: refusing((text) => text.includes('fish')) });
    try {
      const remote = createOpenAiEmbedder({
        ...{
          baseUrl: `${server.url}/v1`,
          model: 'window',
          batchSize: 64,
          timeoutMs: 60_000,
          threshold: 0.75,
        },
      });
      for (const more of [{}, { tier: 'deep' as const }]) {
        const of = { tenant, user, tier: 'light' as const, at: NOW, ...more };
        const { run, step, log } = await runTier(database, of, { embedder: remote });
        expect(run.status).toBe('completed');
        if ('tier' in more) continue;
        expect(step('embed').counts).toMatchObject({ embedded: 3, refused: 1, compared: 3 });
        expect(log).toContain(`"ids":["${fish!.id}"],"code":"text_refused"`);
        expect(log).not.toContain('fair');
        server.reset();
      }
      expect(server.calls).toEqual([]);
      const query = { tenant, user, query: 'fish', at: NOW, limit: 3 };
      const [found] = await recall(database, remote, { ...query, byWordsAlone: true });
      expect(found).toMatchObject({ id: fish!.id });
      // In other words the endpoint takes it.
      await database.withTenant(tenant, (tx) =>
        tx.rows(sql`
          update slowwave.memories set content = 'Ana went home.', content_hash = 'home' where id = ${fish!.id}::uuid`),
      );
      const { step } = await light(user, NOW + 60_000, { embedder: remote });
      expect(step('embed').counts).toMatchObject({ embedded: 1, refused: 0 });
    } finally {
      await server.stop();
    }
  });

  it('a second run with nothing new writes nothing and asks no embedder', async () => {
    const user = await seed();
    await light(user);
    const before = await stateOf(database, { tenant, user });
    const asked: string[][] = [];
    const counting = {
      ...embedder,
      embed(texts: string[]) {
        asked.push(texts);
        return embedder.embed(texts);
      },
    };
    const { step, run } = await light(user, NOW + 60_000, { embedder: counting });
    expect(run.status).toBe('completed');
    expect(step('expire').counts).toEqual({ archived: 0, items: 0 });
    expect(asked).toEqual([]);
    expect(await stateOf(database, { tenant, user })).toEqual(before);
  });

  it('writes nothing for a user who was taken over meanwhile', async () => {
    const user = await seed();
    // Somebody else takes the user while the embedder works.
    const robbed = {
      ...embedder,
      async embed(texts: string[]) {
        await database.withTenant(tenant, (tx) =>
          tx.rows(
            sql`update slowwave.leases set fence = fence + 1, holder = 'somebody else' where user_id = ${user}`,
          ),
        );
        return embedder.embed(texts);
      },
    };
    const before = await stateOf(database, { tenant, user });
    await expect(light(user, NOW, { embedder: robbed })).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await stateOf(database, { tenant, user })).toEqual(before);
  });
});
