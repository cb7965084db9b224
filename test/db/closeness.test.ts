import {
  CLOSE_LIMIT,
  COMMON_WORD,
  listUncompared,
  loadCandidates,
  storeCloseness,
  storeEmbeddings,
  storeNeighbours,
} from '@slowwave/db';
import { createOfflineEmbedder } from '@slowwave/models';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const tenant = 't';
const embedder = createOfflineEmbedder();
const { model, threshold } = embedder;

describe.each(DATABASES)('closeness (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  /** Embeds what has no vector yet, with neighbours. */
  async function embed(user: string): Promise<void> {
    const missing = await rows<{ id: string; contentHash: string; content: string }>(sql`
      select m.id, m.content_hash as "contentHash", m.content from slowwave.memories m
      where m.user_id = ${user} and not exists (
        select 1 from slowwave.embeddings e where e.memory_id = m.id and e.content_hash = m.content_hash)
      order by m.id`);
    const vectors = await embedder.embed(missing.map(({ content }) => content));
    const embeddings = missing.map(({ id, contentHash }, i) => ({ id, contentHash, vector: vectors[i]! }));
    await inTenant(async (tx) => {
      const ids = await storeEmbeddings(tx, { tenant, user, model, at: NOW, embeddings });
      await storeNeighbours(tx, { tenant, user, model, ids });
    });
  }
  const uncompared = (user: string, limit = 1_000) =>
    inTenant((tx) => listUncompared(tx, { tenant, user, model, limit }));
  const compare = (user: string, ids: readonly string[]) =>
    inTenant((tx) => storeCloseness(tx, { tenant, user, model, ids, threshold }));

  async function stage(contents: readonly string[]): Promise<string> {
    const user = nextUser();
    // Ids in the order of the contents.
    const memories = contents.map((content, i) =>
      newMemory(user, `m${i}`, content, { documentDate: NOW - DAY + i * 1_000 }),
    );
    await seedUser(database, { tenant, user, memories });
    await embed(user);
    return user;
  }

  interface Pair {
    a: string;
    b: string;
    words: number;
    cosine: number;
  }
  /** By the names of the memories, closest first. */
  const pairsOf = (user: string) =>
    rows<Pair>(sql`
      select a.external_id as a, b.external_id as b, c.words, c.cosine from slowwave.closeness c
      join slowwave.memories a on a.user_id = c.user_id and a.id = c.memory_id
      join slowwave.memories b on b.user_id = c.user_id and b.id = c.other_id
      where c.user_id = ${user} order by c.words desc, a.external_id, b.external_id`);

  const NOTES = [
    'Ana keeps bees behind the old mill and sells their honey.',
    'The honey of her bees is sold at the mill.',
    'Ana takes the train to Cork on Fridays.',
    'Ana has taken the Friday train to Cork for years.',
    'Her brother paints boats.',
  ];

  it('storeCloseness: notes that share rare words, closest in both directions; the score of each for itself is kept', async () => {
    const user = await stage(NOTES);
    const ids = await uncompared(user);
    expect(ids).toHaveLength(5);
    expect(await compare(user, ids)).toBeGreaterThan(3);
    expect(await uncompared(user)).toEqual([]);
    const pairs = await pairsOf(user);
    expect(pairs.slice(0, 4).map(({ a, b }) => [a, b].sort().join())).toEqual([
      ...['m2,m3', 'm2,m3'],
      ...['m0,m1', 'm0,m1'],
    ]);
    for (const { a, b, words, cosine } of pairs) {
      const back = pairs.find((pair) => pair.a === b && pair.b === a)!;
      expect([back.words, back.cosine]).toEqual([words, cosine]);
    }
    const scores = await rows<{ score: number }>(
      sql`select score from slowwave.word_scores where user_id = ${user}`,
    );
    expect(scores.every(({ score }) => score > 0)).toBe(true);
  });

  it('loadCandidates: what is close among the candidates, each pair once, closest first', async () => {
    const user = await stage(NOTES);
    await compare(user, await uncompared(user));
    const load = (edgeLimit: number) =>
      inTenant((tx) =>
        loadCandidates(tx, {
          ...{ tenant, user, at: NOW, embeddingModel: model, edgeLimit },
          window: { minProminence: 0, maxProminence: 1, minAgeMs: 0 },
        }),
      );
    const stored = await pairsOf(user);
    const edges = (await load(100)).edges.filter(({ kind }) => kind === 'close');
    expect(edges).toHaveLength(stored.length / 2);
    expect(edges.map(({ words }) => words)).toEqual(
      expect.arrayContaining([stored[0]!.words, stored[2]!.words]),
    );
    const [closest, ...others] = (await load(1)).edges.filter(({ kind }) => kind === 'close');
    expect(others).toEqual([]);
    expect(closest!.words! + closest!.weight).toBe(
      Math.max(...edges.map(({ words, weight }) => words! + weight)),
    );
  });

  it('loadCandidates: what has faded below the window or is archived comes beside what it is close to', async () => {
    const user = await stage([...NOTES, 'The mill sells the honey of her bees.']);
    await compare(user, await uncompared(user));
    // Of each pair one stays inside, of the first two; m0 is archived, m2 has faded, m4 has too and is close to none.
    await rows(sql`
      update slowwave.memories set archived_at = to_timestamp(${NOW}::float8 / 1000) where user_id = ${user} and external_id = 'm0'`);
    await rows(sql`
      update slowwave.memories set demotion = 0.01 where user_id = ${user} and external_id in ('m2', 'm4')`);
    const named = await rows<{ id: string; name: string }>(sql`
      select id, external_id as name from slowwave.memories where user_id = ${user}`);
    const nameOf = new Map(named.map(({ id, name }) => [id, name]));
    const load = (partners?: { minCloseness: number; edgeThreshold: number }, maxProminence = 1) =>
      inTenant(async (tx) => {
        const { candidates, edges } = await loadCandidates(tx, {
          ...{ tenant, user, at: NOW, embeddingModel: model },
          window: { minProminence: 0.1, maxProminence, minAgeMs: 0, ...(partners ? { partners } : {}) },
        });
        const close = edges.filter(({ kind }) => kind === 'close');
        return [
          candidates.map(({ id, isPartner }) => `${nameOf.get(id)}${isPartner ? ' beside' : ''}`).sort(),
          close.map(({ a, b }) => [nameOf.get(a), nameOf.get(b)].sort().join()).sort(),
        ];
      });
    const bounds = { minCloseness: 0.5, edgeThreshold: threshold };
    expect(await load()).toEqual([['m1', 'm3', 'm5'], expect.any(Array)]);
    const [found, edges] = await load(bounds);
    expect(found).toEqual(['m0 beside', 'm1', 'm2 beside', 'm3', 'm5']);
    expect(edges).toEqual(expect.arrayContaining(['m0,m1', 'm2,m3']));
    expect((await load({ ...bounds, minCloseness: 2.1 }))[0]).toEqual(['m1', 'm3', 'm5']);
    // Above the window is none: everything here is active, but for what has faded.
    expect((await load(bounds, 0.2))[0]).toEqual([]);
    // One of a pair is now in such a window; the other is archived, and more prominent than the window admits.
    await rows(
      sql`update slowwave.memories set demotion = 0.15 where user_id = ${user} and external_id = 'm1'`,
    );
    expect((await load(bounds, 0.2))[0]).toEqual(['m1']);
  });

  it('storeCloseness: symmetric BM25, as by the formula over the words that recall reads', async () => {
    const user = await stage(NOTES);
    await compare(user, await uncompared(user));
    const notes = await rows<{ name: string; size: number; words: Record<string, number> }>(sql`
      select m.external_id as name, octet_length(m.content) as size,
        (select jsonb_object_agg(w.lexeme, cardinality(w.positions)) from unnest(m.words) w) as words
      from slowwave.memories m where m.user_id = ${user}`);
    const mean = notes.reduce((sum, { size }) => sum + size, 0) / notes.length;
    const score = (question: Record<string, number>, { size, words }: (typeof notes)[number]) =>
      Object.keys(question).reduce((sum, word) => {
        const times = words[word] ?? 0;
        const having = notes.filter((note) => note.words[word]).length;
        const rarity = Math.log(1 + (notes.length - having + 0.5) / (having + 0.5));
        return sum + (rarity * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * size) / mean));
      }, 0);
    const pairs = await pairsOf(user);
    expect(pairs.length).toBeGreaterThan(5);
    for (const { a, b, words } of pairs) {
      const [one, other] = [a, b].map((name) => notes.find((note) => note.name === name)!);
      const forth = score(one!.words, other!) / score(one!.words, one!);
      const back = score(other!.words, one!) / score(other!.words, other!);
      expect(words).toBeCloseTo((forth + back) / 2, 4);
    }
  });

  it('storeCloseness: new notes, compared with those of before; these are asked nothing again', async () => {
    const user = await stage(NOTES.slice(0, 1).concat(NOTES.slice(2, 3)));
    await compare(user, await uncompared(user));
    const more = [newMemory(user, 'new', 'Ana rides the train to Cork each Friday.', { documentDate: NOW })];
    await seedUser(database, { tenant, user, memories: more });
    await embed(user);
    const ids = await uncompared(user);
    expect(ids).toHaveLength(1);
    await compare(user, ids);
    const [closest] = await pairsOf(user);
    expect([closest!.a, closest!.b].sort()).toEqual(['m1', 'new']);
    expect((await pairsOf(user)).filter(({ a }) => a === 'm1').map(({ b }) => b)).toContain('new');
  });

  it('storeCloseness: notes in portions, each pair found whichever comes later', async () => {
    const user = await stage(NOTES);
    for (;;) {
      const ids = await uncompared(user, 2);
      if (ids.length === 0) break;
      await compare(user, ids);
    }
    const best = (name: string, pairs: readonly Pair[]) => pairs.find(({ a }) => a === name)?.b;
    const pairs = await pairsOf(user);
    expect(['m0', 'm1', 'm2', 'm3'].map((name) => best(name, pairs))).toEqual(['m1', 'm0', 'm3', 'm2']);
  });

  it('storeCloseness: a note in other words, compared anew', async () => {
    const user = await stage(NOTES);
    await compare(user, await uncompared(user));
    await rows(sql`
      update slowwave.memories set content = 'Nothing of that any more.', content_hash = 'other', version = version + 1
      where user_id = ${user} and external_id = 'm3'`);
    await embed(user);
    const ids = await uncompared(user);
    expect(ids).toHaveLength(1);
    await compare(user, ids);
    const pairs = await pairsOf(user);
    expect(pairs.filter(({ a, b, words }) => [a, b].sort().join() === 'm2,m3' && words > 0)).toEqual([]);
    expect(pairs.filter(({ a, b }) => [a, b].sort().join() === 'm0,m1')).toHaveLength(2);
  });

  it('storeCloseness: many close notes, the best of each and no more', async () => {
    const user = await stage(
      Array.from({ length: 24 }, (_, i) => `Ana fed the goose ${i} of the Cork farm, number ${i * 7 + 100}.`),
    );
    await compare(user, await uncompared(user));
    const counts = await rows<{ close: number }>(
      sql`select count(*)::int as close from slowwave.closeness where user_id = ${user} group by memory_id`,
    );
    expect(new Set(counts.map(({ close }) => close))).toEqual(new Set([CLOSE_LIMIT]));
  });

  it('storeCloseness: a word that too many notes have, no reason for a pair; with one note fewer it is', async () => {
    const user = nextUser();
    const memories = Array.from({ length: COMMON_WORD + 1 }, (_, i) =>
      newMemory(user, `m${i}`, 'harbour', { documentDate: NOW - DAY + i * 1_000 }),
    );
    await seedUser(database, { tenant, user, memories });
    const stored = await rows<{ id: string; contentHash: string }>(
      sql`select id, content_hash as "contentHash" from slowwave.memories where user_id = ${user}`,
    );
    const vector = Float32Array.from({ length: 384 }, (_, i) => (i === 0 ? 1 : 0));
    const embeddings = stored.map((one) => ({ ...one, vector }));
    // Without neighbours: whatever is close is so by its word.
    await inTenant((tx) => storeEmbeddings(tx, { tenant, user, model, at: NOW, embeddings }));
    const ids = await uncompared(user);
    expect(ids).toHaveLength(COMMON_WORD + 1);
    // Pairs are found with notes that were compared before.
    await compare(user, ids.slice(0, 2));
    expect(await compare(user, ids.slice(2, 4))).toBe(0);
    await rows(
      sql`update slowwave.memories set is_latest = false where user_id = ${user} and id = ${ids[9]}`,
    );
    expect(await compare(user, ids.slice(4, 6))).toBeGreaterThan(0);
  });

  it('storeCloseness: a note without a word, compared, and close to nothing', async () => {
    const user = await stage(['🐝🐝', ...NOTES.slice(0, 2)]);
    await compare(user, await uncompared(user));
    expect(await uncompared(user)).toEqual([]);
    expect((await pairsOf(user)).filter(({ a, words }) => a === 'm0' && words > 0)).toEqual([]);
  });

  it('storeCloseness: a note that was superseded since it was listed, left out until it is latest again', async () => {
    const user = await stage(NOTES);
    const ids = await uncompared(user);
    await rows(sql`
      update slowwave.memories set is_latest = false, prior_type = memory_type, memory_type = 'superseded',
        superseded_by = (select id from slowwave.memories where user_id = ${user} and external_id = 'm4')
      where user_id = ${user} and external_id = 'm3'`);
    await compare(user, ids);
    expect((await pairsOf(user)).filter(({ a, b }) => a === 'm3' || b === 'm3')).toEqual([]);
    expect(await uncompared(user)).toEqual([]);
    await rows(sql`
      update slowwave.memories set is_latest = true, memory_type = prior_type, prior_type = null, superseded_by = null
      where user_id = ${user} and external_id = 'm3'`);
    const again = await uncompared(user);
    expect(again).toHaveLength(1);
    await compare(user, again);
    expect((await pairsOf(user))[0]).toMatchObject({ a: 'm2', b: 'm3' });
  });

  it('storeCloseness: notes of another user, never looked at', async () => {
    const [ana, ben] = [await stage(NOTES), await stage(NOTES)];
    await compare(ana, await uncompared(ana));
    expect(await uncompared(ben)).toHaveLength(5);
    const strangers = await rows(sql`
      select 1 from slowwave.closeness c join slowwave.memories m on m.id in (c.memory_id, c.other_id)
      where c.user_id = ${ana} and m.user_id <> ${ana}`);
    expect(strangers).toEqual([]);
  });
});
