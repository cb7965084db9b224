import { approveFusion, type Database, listReviews, setMode } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSleepModel } from '../fakes/sleep-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { NOW, newMemory } from '../fixtures/memories.ts';
import { runTier, seedPerson } from '../fixtures/tier-runs.ts';

const tenant = 't';
/** The same in the same words: no embedder can tell them apart. */
const SAME = ['Ana is allergic to peanuts.', 'ana is allergic to peanuts'];

describe.each(DATABASES)('duplicates in a run (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));

  async function seed(): Promise<string> {
    const user = `user-${++serial}`;
    await seedPerson(database, {
      tenant,
      user,
      memories: SAME.map((text, i) => newMemory(user, `d${i}`, text)),
    });
    // Neighbours come with the embeddings, which a preview does not make.
    await runTier(database, { tenant, user, tier: 'light', at: NOW });
    return user;
  }
  const latestOf = (user: string) =>
    rows<{ id: string }>(sql`select id from slowwave.memories where user_id = ${user} and is_latest`);

  it.each([
    ['deep', 'fusion'],
    ['sleep', 'nrem'],
  ] as const)('are merged by %s, without a call, and once', async (tier, name) => {
    const [user, model] = [await seed(), createSleepModel()];
    const run = () => runTier(database, { tenant, user, tier, at: NOW }, { provider: model.provider });
    const first = await run();
    expect(first.step(name).counts).toMatchObject({
      merges: { planned: 1, merged: 1, proposed: 0, stale: 0, skipped: 0 },
      superseded: 1,
      usage: { calls: 0 },
    });
    expect(await latestOf(user)).toHaveLength(1);
    const again = await run();
    expect(again.step(name).counts).toMatchObject({ merges: { planned: 0 }, superseded: 0 });
  });

  it('wait for a person in review, are shown by a preview, and are applied on a yes', async () => {
    const [user, model] = [await seed(), createSleepModel()];
    const preview = await runTier(
      database,
      { tenant, user, tier: 'deep', at: NOW, preview: true },
      { provider: model.provider },
    );
    expect(preview.step('fusion').counts).toMatchObject({
      merges: { planned: 1, merged: 0 },
      superseded: 0,
      keys: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
    await database.withTenant(tenant, (tx) => setMode(tx, { tenant, user, mode: 'review', at: NOW }));
    const run = () =>
      runTier(database, { tenant, user, tier: 'deep', at: NOW }, { provider: model.provider });
    expect((await run()).step('fusion').counts).toMatchObject({ merges: { planned: 1, proposed: 1 } });
    expect(await latestOf(user)).toHaveLength(2);
    expect((await run()).step('fusion').counts).toMatchObject({ merges: { planned: 0 } });
    const [review] = await database.withTenant(tenant, (tx) => listReviews(tx, { tenant, user, limit: 5 }));
    const decision = { tenant, user, key: review!.key, at: NOW, by: 'zoe' };
    expect(await approveFusion(database, decision)).toMatchObject({ kind: 'merge', superseded: 1 });
    expect(await latestOf(user)).toHaveLength(1);
  });

  it('that were undone are not merged again, and may be fused with others', async () => {
    const [user, model] = [await seed(), createSleepModel()];
    const run = () =>
      runTier(database, { tenant, user, tier: 'deep', at: NOW }, { provider: model.provider });
    await run();
    // As an undo leaves them.
    await rows(sql`
      update slowwave.memories set is_latest = true, memory_type = 'regular', prior_type = null, superseded_by = null
      where user_id = ${user} and not is_latest`);
    await rows(sql`update slowwave.fusions set status = 'undone' where user_id = ${user}`);
    await rows(sql`update slowwave.fusion_sources set superseded = false where user_id = ${user}`);
    expect((await run()).step('fusion').counts).toMatchObject({ merges: { planned: 0, merged: 0 } });
    expect(await latestOf(user)).toHaveLength(2);
  });
});
