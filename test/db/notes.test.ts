import { createNoteStore, type Database } from '@slowwave/db';
import { consolidate, type NoteProvider } from '@slowwave/fusion';
import { createOfflineEmbedder } from '@slowwave/models';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { runTier, seedPerson } from '../fixtures/tier-runs.ts';

const embedder = createOfflineEmbedder();
const HOMES = ['Mara lives in Ottensen near the river.', 'Mara lives in Barmbek near the river.'];

/** Answers a summary, then that the pair contradicts. */
function scripted(): NoteProvider & { calls: number } {
  const llm = {
    name: 'scripted',
    calls: 0,
    async complete() {
      llm.calls += 1;
      const value =
        llm.calls % 2 === 1
          ? {
              summary: 'Mara lives in Ottensen or Barmbek, near the river.',
              confidence: 0.9,
              redundant: [1, 2],
            }
          : { pairs: [{ a: 1, b: 2, type: 'contradictory', description: 'two homes' }] };
      const content = [{ type: 'text' as const, text: JSON.stringify(value) }];
      return {
        content,
        stopReason: 'end_turn',
        usage: { inputTokens: 1, outputTokens: 1 },
        model: 'scripted',
      };
    },
  };
  return llm;
}

describe.each(DATABASES)('notes (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  async function seed(texts: string[], more: Parameters<typeof newMemory>[3] = {}) {
    serial += 1;
    const [tenant, user] = [`t${serial}`, 'mara'];
    const memories = texts.map((text, i) => newMemory(user, `n${i}`, text, more));
    await seedPerson(database, { tenant, user, memories });
    await runTier(database, { tenant, user, tier: 'light', at: NOW });
    const store = createNoteStore(database, { tenant, user, embeddingModel: embedder.model, now: () => NOW });
    return { tenant, user, store };
  }

  const rowsOf = <Row extends object>(tenant: string, query: ReturnType<typeof sql>) =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));

  it('shows memories as notes with their vectors, newest first, those of one user only', async () => {
    const { store, tenant } = await seed(['Tea at four.', 'Cake at five.']);
    await seedPerson(database, { tenant, user: 'olli', memories: [newMemory('olli', 'n0', 'Not yours.')] });
    const notes = await store.listByUser('mara');
    expect(notes.map(({ content }) => content).sort()).toEqual(['Cake at five.', 'Tea at four.']);
    expect(notes[0]).toMatchObject({
      user_id: 'mara',
      source: 'told',
      importance: 0.5,
      confidence: 0.8,
      tags: [],
      version: 1,
    });
    const [vector] = await embedder.embed([notes[0]!.content]);
    expect([...notes[0]!.embedding]).toEqual([...vector!].map((value) => expect.closeTo(value, 5)));
    await expect(store.listByUser('olli')).rejects.toMatchObject({ code: 'foreign_user' });
    await expect(store.create({ ...notes[0]!, user_id: 'olli' })).rejects.toMatchObject({
      code: 'foreign_user',
    });
  });

  it('consolidates: a summary that supersedes nothing, the conflict in the inbox, and nothing to do the second time', async () => {
    const { store, tenant } = await seed([...HOMES, 'The cello needs new strings.']);
    const llm = scripted();
    const report = await consolidate('mara', store, embedder, llm, { now: () => NOW });
    expect(report).toEqual({
      userId: 'mara',
      clustersFound: 2,
      summariesCreated: 1,
      conflictsDetected: 1,
      conflictsAutoResolved: 0,
      conflictsNeedingReview: 1,
      timestamp: new Date(NOW).toISOString(),
    });
    const memories = await rowsOf<{
      type: string;
      latest: boolean;
      trust: number;
      confidence: number;
      origin: string;
    }>(
      tenant,
      sql`select memory_type as type, is_latest as latest, trust, confidence, origin from slowwave.memories order by id`,
    );
    expect(memories.filter(({ latest }) => latest)).toHaveLength(4);
    expect(memories.filter(({ type }) => type === 'derived')).toEqual([
      { type: 'derived', latest: true, trust: 0.8, confidence: 0.8, origin: 'user' },
    ]);
    expect(await rowsOf(tenant, sql`select relation_type as type from slowwave.relations`)).toEqual([
      { type: 'DERIVES' },
      { type: 'DERIVES' },
    ]);
    const [conflict] = await store.getConflicts({ resolved: false });
    expect(conflict).toMatchObject({ type: 'contradictory', description: 'two homes', resolved: false });
    expect(await consolidate('mara', store, embedder, llm)).toMatchObject({ summariesCreated: 0 });
    expect(llm.calls).toBe(2);
    expect(await store.resolveConflict(conflict!.id, 'she moved')).toBe(true);
    expect(await store.resolveConflict(conflict!.id, 'she moved')).toBe(false);
    expect(await store.getConflicts({ resolved: true })).toMatchObject([
      { resolution: 'she moved', resolved: true },
    ]);
  });

  it('writes the same summary of the same notes once, and journals it', async () => {
    const { store, tenant } = await seed(HOMES);
    const links = (await store.listByUser('mara')).map(({ id }) => id);
    const note = {
      content: 'Two homes.',
      embedding: new Float32Array(0),
      tags: ['consolidated'],
      links,
      user_id: 'mara',
    };
    const first = await store.create(note);
    expect((await store.create(note)).id).toBe(first.id);
    expect(first).toMatchObject({ tags: ['consolidated'], content: 'Two homes.', source: 'told' });
    expect([...first.links!].sort()).toEqual([...links].sort());
    expect(
      await rowsOf(
        tenant,
        sql`select s.kind, count(*)::int as n from slowwave.change_sets s join slowwave.changes c on c.change_set_id = s.id group by 1`,
      ),
    ).toEqual([{ kind: 'consolidate', n: 3 }]);
  });

  it('is never surer, more trusted or wider visible than what it is made of, and nobody else said it', async () => {
    const { store, tenant, user } = await seed(HOMES, { visibility: 'shared' });
    await seedPerson(database, {
      tenant,
      user,
      memories: [
        newMemory(user, 'guess', 'Mara may move.', { origin: 'assistant', trust: 0.3, confidence: 0.4 }),
      ],
    });
    const notes = await store.listByUser('mara');
    const guess = notes.find(({ content }) => content === 'Mara may move.')!;
    const home = notes.find(({ content }) => content === HOMES[0])!;
    const made = await store.create({
      content: 'Mara lives in Ottensen and may move.',
      embedding: new Float32Array(0),
      tags: [],
      links: [guess.id, home.id],
      user_id: 'mara',
      confidence: 1,
      source: 'told',
    });
    const [row] = await rowsOf(
      tenant,
      sql`
      select origin, trust, confidence, visibility, memory_type as type from slowwave.memories where id = ${made.id}::uuid`,
    );
    expect(row).toEqual({
      origin: 'assistant',
      trust: 0.3,
      confidence: 0.4,
      visibility: 'private',
      type: 'derived',
    });
  });

  it('refuses links to memories that are not there or not theirs', async () => {
    const { store, tenant } = await seed(HOMES);
    await seedPerson(database, { tenant, user: 'olli', memories: [newMemory('olli', 'n0', 'Not yours.')] });
    const [theirs] = await rowsOf<{ id: string }>(
      tenant,
      sql`select id from slowwave.memories where user_id = 'olli'`,
    );
    for (const link of [theirs!.id, 'no-id', '00000000-0000-7000-8000-000000000000']) {
      const note = { content: 'x', embedding: new Float32Array(0), tags: [], links: [link], user_id: 'mara' };
      await expect(store.create(note)).rejects.toMatchObject({ code: 'not_allowed', field: 'links' });
    }
    expect(
      await rowsOf(
        tenant,
        sql`select 1 from slowwave.memories where user_id = 'mara' and memory_type = 'derived'`,
      ),
    ).toEqual([]);
  });

  it('dates a note by the day on which it was said', async () => {
    const { store } = await seed(['Tea at four.'], { documentDate: NOW - DAY });
    expect((await store.listByUser('mara', { limit: 1 }))[0]!.created_at).toBe(
      new Date(NOW - DAY).toISOString(),
    );
  });
});
