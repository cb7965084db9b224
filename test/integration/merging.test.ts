import {
  approveFusion,
  type Database,
  explainMemory,
  getMemory,
  listReviews,
  type NewMemory,
  pruneMemories,
  recall,
  restoreMemories,
  setMode,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSleepModel } from '../fakes/sleep-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { embedder, runTier, seedPerson } from '../fixtures/tier-runs.ts';

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

  async function seed(
    given: readonly (Partial<NewMemory> & { content: string })[] = SAME.map((content) => ({ content })),
  ): Promise<string> {
    const user = `user-${++serial}`;
    await seedPerson(database, {
      tenant,
      user,
      memories: given.map(({ content, ...more }, i) => newMemory(user, `d${i}`, content, more)),
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

  const night = (user: string, tier: 'deep' | 'sleep') =>
    runTier(database, { tenant, user, tier, at: NOW }, { provider: createSleepModel().provider });
  const saidDays = async (user: string, id: string) => {
    const of = { tenant, user, id, at: NOW };
    const [one, explained] = await database.withTenant(tenant, async (tx) => [
      await getMemory(tx, of),
      await explainMemory(tx, of),
    ]);
    expect(explained?.said).toEqual(one?.said);
    return [one!.said.from, one!.said.to].map((at) => (NOW - at) / DAY);
  };

  it('facts of several days: one stands, which was said from the first to the last of them; an undo takes a day back', async () => {
    const days = [65, 60, 70];
    const user = await seed(
      days.map((ago, at) => ({ content: SAME[at % 2]!, documentDate: NOW - ago * DAY })),
    );
    const names = await rows<{ name: string; id: string }>(
      sql`select external_id as name, id from slowwave.memories where user_id = ${user}`,
    );
    const idOf = Object.fromEntries(names.map(({ name, id }) => [name, id])) as Record<
      'd0' | 'd1' | 'd2',
      string
    >;
    await night(user, 'deep');
    // What was confirmed has become too vivid for the deep tier.
    await night(user, 'sleep');
    const [stands, ...others] = await latestOf(user);
    expect([stands!.id, others]).toEqual([idOf.d1, []]);
    expect(await saidDays(user, stands!.id)).toEqual([70, 60]);
    const within = async (more: { saidAfter?: number; saidBefore?: number } = {}) => {
      const found = await recall(database, embedder, { tenant, user, query: 'peanuts', at: NOW, ...more });
      return found.map(({ said }) => [said.from, said.to].map((at) => (NOW - at) / DAY));
    };
    expect(await within()).toEqual([[70, 60]]);
    expect(await within({ saidBefore: NOW - 69 * DAY })).toHaveLength(1);
    expect(await within({ saidBefore: NOW - 70 * DAY })).toEqual([]);
    // Days are kept where what was merged is moved out of the way, and where it is brought back.
    const retention = { tenant, user, runId: null, at: NOW + DAY, retentionMs: 0, limit: 10 };
    const pruned = await database.withTenant(tenant, (tx) => pruneMemories(tx, retention));
    expect(pruned.pruned).toBe(2);
    expect(await saidDays(user, stands!.id)).toEqual([70, 60]);
    const ids = [idOf.d0, idOf.d2];
    await database.withTenant(tenant, (tx) => restoreMemories(tx, { tenant, user, ids, at: NOW + DAY }));
    expect(await saidDays(user, stands!.id)).toEqual([70, 60]);
    const merges = await rows<{ id: string; dropped: string }>(sql`
      select s.id, c.row_key->>'id' as dropped from slowwave.change_sets s join slowwave.changes c
        on c.user_id = s.user_id and c.change_set_id = s.id and c.after->>'memory_type' = 'superseded'
      where s.user_id = ${user} and s.kind = 'merge'`);
    const { id: changeSet } = merges.find(({ dropped }) => dropped === idOf.d2)!;
    await undo(database, { tenant, user, target: { changeSet }, at: NOW + DAY, actor: 'ana' });
    expect(await saidDays(user, stands!.id)).toEqual([65, 60]);
    expect(await latestOf(user)).toHaveLength(2);
  });

  it.each([
    ['events', { category: 'event' as const, content: 'Ran 5 km along the canal.' }],
    ['notes of "yesterday"', { content: 'Saw the dentist yesterday.' }],
    ['notes in a language without a table', { content: 'Träffade Ben idag.' }],
    ['notes that differ in a capital of a password', { content: 'The cabin password is BlueFox7.' }],
  ])('%s of two days: both stand', async (_what, note) => {
    const other = note.content.replace('BlueFox7', 'bluefox7');
    const user = await seed([
      { ...note, documentDate: NOW - 20 * DAY },
      { ...note, content: other, documentDate: NOW - 21 * DAY },
    ]);
    for (const tier of ['light', 'deep', 'sleep'] as const)
      await runTier(database, { tenant, user, tier, at: NOW });
    expect(await latestOf(user)).toHaveLength(2);
  });
});
