import { inspect } from 'node:util';
import {
  createMemoryStore,
  InputError,
  listMissingEmbeddings,
  type NewMemory,
  type RecallInput,
  type RecallResult,
  recall,
  storeEmbeddings,
} from '@slowwave/db';
import { type Embedder, ModelError } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement } from '../fixtures/commit-statement.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { clusterOf, DAY, derivedOf, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const MODEL = 'directions';
/** Unit vectors in a plane: the cosine of two is that of the angle between them. */
const unit = (degrees: number): Float32Array => {
  const angle = (degrees * Math.PI) / 180;
  return new Float32Array([Math.cos(angle), Math.sin(angle), 0]);
};
/** A text means the angle that stands in it as "@degrees"; without one it has no direction. */
const meaningOf = (text: string): Float32Array => {
  const degrees = /@(\d+)/.exec(text)?.[1];
  return degrees === undefined ? new Float32Array(3) : unit(Number(degrees));
};

function createEmbedder(embed: Embedder['embed'] = async (texts) => texts.map(meaningOf)): Embedder {
  return { name: 'directions', model: MODEL, dimensions: 3, threshold: 0.75, embed };
}

describe.each(DATABASES)('recall (%s)', (_name, open) => {
  const tenant = 't';
  const embedder = createEmbedder();
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  const embedAll = (user: string) =>
    inTenant(async (tx) => {
      const missing = await listMissingEmbeddings(tx, { tenant, user, model: MODEL, limit: 1000 });
      const embeddings = missing.map((memory) => ({ ...memory, vector: meaningOf(memory.content) }));
      await storeEmbeddings(tx, { tenant, user, model: MODEL, at: NOW, embeddings });
    });
  const seed = async (memories: (user: string) => NewMemory[]) => {
    const user = nextUser();
    await seedUser(database, { tenant, user, memories: memories(user) });
    await embedAll(user);
    return user;
  };
  const ask = (user: string, query: string, more: Partial<RecallInput> = {}): Promise<RecallResult[]> =>
    recall(database, embedder, { tenant, user, query, at: NOW, ...more });
  const namesOf = (results: RecallResult[]) => results.map((result) => result.externalId);
  const memory = (of: string, name: string, content: string, more: Partial<NewMemory> = {}) =>
    newMemory(of, name, content, { documentDate: NOW - 2 * DAY, ...more });
  const archive = (user: string, name: string) =>
    rows(sql`
      update slowwave.memories set archived_at = to_timestamp(${NOW}::float8 / 1000)
      where user_id = ${user} and external_id = ${name}`);

  it('finds by meaning alone and by words alone, and puts first what both find', async () => {
    const user = await seed((of) => [
      memory(of, 'meaning', 'the sea calms her @10'),
      memory(of, 'words', 'sailing boats are loud @120'),
      memory(of, 'both', 'sailing boats on Sunday @10'),
      memory(of, 'neither', 'taxes are due @150'),
    ]);
    const found = await ask(user, 'sailing boats @10');
    expect(namesOf(found)).toEqual(['both', 'meaning', 'words']);
    const [both, meaning, words] = found;
    expect(meaning!.similarity).toBeCloseTo(1, 5);
    expect(both).toMatchObject({
      content: 'sailing boats on Sunday @10',
      category: 'fact',
      memoryType: 'regular',
      isLatest: true,
      supersededBy: null,
      archivedAt: null,
      documentDate: NOW - 2 * DAY,
    });
    // A word of the query ("10") stands in what was found by meaning, too.
    expect(meaning!.parts.words).toBeGreaterThan(0);
    expect(words!.similarity).toBeCloseTo(Math.cos((110 * Math.PI) / 180), 5);
    expect(both!.parts.words).toBeGreaterThan(words!.parts.words);
    for (const { score } of found) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
  });

  it('takes any of the words, not all of them, as full marks only when all are there', async () => {
    const user = await seed((of) => [
      memory(of, 'all', 'Ana plays the violin in Porto'),
      memory(of, 'one', 'the violin was expensive'),
    ]);
    const found = await ask(user, 'violin Porto plays');
    expect(namesOf(found)).toEqual(['all', 'one']);
    // Every word of the question once, in texts of about one length; a word that is in both tells least.
    expect(found[0]!.parts.words).toBeCloseTo(1, 1);
    expect(found[1]!.parts.words).toBeLessThan(1 / 3);
    expect(found[0]!.similarity).toBeNull();
  });

  it('reads a query of punctuation, operators and quotes as words, or as none', async () => {
    const user = await seed((of) => [
      memory(of, 'a', "O'Brien's C:\\dir & a | b ! (c) <-> d:* see example.com/it's"),
    ]);
    for (const query of [
      "O'Brien",
      "O'Brien's C:\\dir",
      "a & b | !c:* <-> (d)'''",
      '\\',
      "'",
      "example.com/it's",
      '?!',
      '🐕',
      'dir\\',
    ]) {
      const found = await ask(user, query);
      if (/brien|dir|\bb\b|example/i.test(query)) expect(namesOf(found)).toEqual(['a']);
    }
    expect(await ask(user, '?! ...')).toEqual([]);
  });

  it('weighs what comes to mind readily above what has faded, other things being equal', async () => {
    const user = await seed((of) => [
      memory(of, 'faded', 'Ana likes jazz @10', { category: 'event', documentDate: NOW - 60 * DAY }),
      memory(of, 'fresh', 'Ana likes jazz @10', { category: 'event' }),
    ]);
    const found = await ask(user, 'jazz @10');
    expect(namesOf(found)).toEqual(['fresh', 'faded']);
    expect(found[0]!.prominence).toBeGreaterThan(0.5);
    expect(found[1]!.prominence).toBeLessThan(0.1);
  });

  it('finds archived ones too: below what is prominent, other things being equal', async () => {
    const user = await seed((of) => [
      memory(of, 'archived', 'Ana plays chess @10', { category: 'event', documentDate: NOW - 60 * DAY }),
      memory(of, 'present', 'Ana plays chess @10', { category: 'event' }),
      memory(of, 'other', 'Ana plays football @140'),
    ]);
    await archive(user, 'archived');
    const found = await ask(user, 'chess @10');
    expect(namesOf(found)).toEqual(['present', 'archived']);
    expect(found[1]).toMatchObject({ archivedAt: NOW });
  });

  it('brings superseded memories only when asked to', async () => {
    const user = await seed((of) => [
      memory(of, 'a', 'Ana lives in Porto @10'),
      memory(of, 'b', 'Ana moved to Porto @12'),
    ]);
    const scope = scopeOf(tenant, user);
    const store = createMemoryStore(database, scope);
    const { candidates } = await store.loadCandidates({ minProminence: 0, maxProminence: 1, minAgeMs: 0 });
    const { key } = await store.claimFusion(clusterOf(candidates));
    const derived = derivedOf(candidates, {
      content: 'Ana settled in Portugal @11',
      sourceChunk: 'Ana lives in Porto @10 | Ana moved to Porto @12',
    });
    const result = await commitStatement(database, scope, { key, members: candidates, derived });
    expect(result.status).toBe('applied');
    await embedAll(user);
    const found = await ask(user, 'Porto @10');
    expect(found.map(({ content }) => content)).toEqual(['Ana settled in Portugal @11']);
    // A word that only its sources had counts, but less.
    expect(found[0]!.counts.reduce((sum, count) => sum + count)).toBe(0);
    expect(found[0]!.inSources).toContain(true);
    expect(found[0]!.parts.words).toBeGreaterThan(0);
    expect(found[0]!.parts.words).toBeLessThan(0.25);
    const all = await ask(user, 'Porto @10', { includeSuperseded: true });
    expect(new Set(namesOf(all))).toEqual(new Set(['a', 'b', null]));
    const source = all.find(({ externalId }) => externalId === 'a')!;
    expect(source).toMatchObject({ isLatest: false, memoryType: 'superseded' });
    expect(source.supersededBy).toBe(found[0]!.id);
  });

  it('knows the days on which a derived memory was said, and filters by them', async () => {
    const user = await seed((of) => [
      memory(of, 'a', 'Ana lives in Porto @10', { documentDate: NOW - 90 * DAY }),
      memory(of, 'b', 'Ana moved to Porto @12', { documentDate: NOW - 60 * DAY }),
    ]);
    const scope = scopeOf(tenant, user);
    const store = createMemoryStore(database, scope);
    const { candidates } = await store.loadCandidates({ minProminence: 0, maxProminence: 1, minAgeMs: 0 });
    const { key } = await store.claimFusion(clusterOf(candidates));
    const derived = derivedOf(candidates, { content: 'Ana lives in Porto, where she moved @11' });
    await commitStatement(database, scope, { key, members: candidates, derived });
    await embedAll(user);
    const [found] = await ask(user, 'Porto @10');
    expect(found!.said).toEqual({ from: NOW - 90 * DAY, to: found!.documentDate });
    const within = (more: Partial<RecallInput>) => ask(user, 'Porto @10', more).then(({ length }) => length);
    expect(await within({ saidBefore: NOW - 89 * DAY })).toBe(1);
    expect(await within({ saidBefore: NOW - 90 * DAY })).toBe(0);
    expect(await within({ saidAfter: found!.documentDate })).toBe(1);
    expect(await within({ saidAfter: found!.documentDate + 1 })).toBe(0);
  });

  it('lets through what the filters name, and says so of each', async () => {
    const user = await seed((of) => [
      memory(of, 'fact', 'Ana plays chess @10', { trust: 0.9, validTo: NOW - 10 * DAY }),
      memory(of, 'event', 'Ana plays chess @11', { category: 'event', trust: 0.4, validFrom: NOW - 5 * DAY }),
      memory(of, 'profile', 'Ana plays chess @12', { memoryType: 'static_profile', trust: 0.5 }),
    ]);
    const names = async (more: Partial<RecallInput>) => namesOf(await ask(user, 'chess @10', more)).sort();
    expect(await names({})).toEqual(['event', 'fact', 'profile']);
    expect(await names({ categories: ['event'] })).toEqual(['event']);
    expect(await names({ categories: ['event', 'fact'], memoryTypes: ['regular'] })).toEqual([
      'event',
      'fact',
    ]);
    expect(await names({ memoryTypes: ['static_profile'] })).toEqual(['profile']);
    expect(await names({ minTrust: 0.5 })).toEqual(['fact', 'profile']);
    expect(await names({ validAt: NOW })).toEqual(['event', 'profile']);
    expect(await names({ validAt: NOW - 20 * DAY })).toEqual(['fact', 'profile']);
    expect(await names({ saidAfter: NOW })).toEqual([]);
  });

  it('fills a budget of characters, with fifty results at most', async () => {
    const user = await seed((of) =>
      Array.from({ length: 60 }, (_, i) =>
        memory(of, `m${i}`, `chess game ${String(i).padStart(2, '0')} @${i}`),
      ),
    );
    const found = await ask(user, 'chess @0', { maxChars: 100 });
    const used = found.reduce((sum, { content }) => sum + content.length, 0);
    expect(used).toBeLessThanOrEqual(100);
    expect(used).toBeGreaterThan(100 - 17);
    expect(await ask(user, 'chess @0', { maxChars: 100_000 })).toHaveLength(50);
  });

  it('finds forms of a word in its own language, pairs of signs, identifiers, and words without their accents', async () => {
    const user = await seed((of) => [
      memory(of, 'en', 'Ana was running marathons in the hills'),
      memory(of, 'es', 'Las panaderías del barrio no abren los domingos por la tarde'),
      memory(of, 'ja', '祖母はみかん畑で働いている'),
      memory(of, 'code', 'Ticket ABC-123 is about the invoice service v2.4.1'),
      memory(of, 'ru', 'Она живёт в старом доме с мамой и не любит собак'),
    ]);
    const first = async (query: string) => (await ask(user, query))[0]?.externalId;
    expect(await first('who runs a marathon?')).toBe('en');
    expect(await first('panaderia abierta el domingo')).toBe('es');
    expect(await first('みかん畑はどこ')).toBe('ja');
    expect(await first('abc-123')).toBe('code');
    expect(await first('v2.4.1')).toBe('code');
    expect(await first('собака')).toBe('ru');
  });

  it('takes the longest texts of scripts without spaces', async () => {
    // Hardly any pair of signs stands twice.
    const long = (count: number) =>
      Array.from({ length: count }, (_, at) => {
        const stride = 7_919 + 2 * Math.floor(at / 20_000);
        return String.fromCodePoint(0x4e00 + ((at * stride) % 20_000));
      }).join('');
    const user = await seed((of) => [memory(of, 'long', `${long(32_000)}。みかん`)]);
    await rows(sql`update slowwave.memories set source_chunk = ${long(260_000)} where user_id = ${user}`);
    expect(namesOf(await ask(user, 'みかん'))).toEqual(['long']);
  });

  it('records nothing of a silent question', async () => {
    const user = await seed((of) => [memory(of, 'a', 'Ana plays chess @10')]);
    expect(await ask(user, 'chess @10', { silent: true })).toHaveLength(1);
    expect(await rows(sql`select 1 from slowwave.recall_events where user_id = ${user}`)).toEqual([]);
  });

  it('follows no relation: what is only linked to an answer is none', async () => {
    const user = await seed((of) => [
      memory(of, 'a', 'Ana plays chess @10'),
      memory(of, 'b', 'the cellar floods @140'),
    ]);
    await rows(sql`
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, hypothesis, created_at)
      select a.tenant, a.user_id, a.id, b.id, 'EXTENDS', 1, true, now() from slowwave.memories a
      join slowwave.memories b on b.user_id = a.user_id and b.external_id = 'b'
      where a.user_id = ${user} and a.external_id = 'a'`);
    expect(namesOf(await ask(user, 'chess @10'))).toEqual(['a']);
  });

  it('keeps to its limit, and finds the best among more than either search brings', async () => {
    const user = await seed((of) =>
      Array.from({ length: 90 }, (_, i) => memory(of, `m${i}`, `note ${i} about chess @${i}`)),
    );
    expect(namesOf(await ask(user, 'chess @0', { limit: 1 }))).toEqual(['m0']);
    expect(await ask(user, 'chess @40')).toHaveLength(10);
    expect(await ask(user, 'chess @40', { limit: 50 })).toHaveLength(50);
  });

  it('records the question and what it brought, and counts without reinforcing', async () => {
    const user = await seed((of) => [
      memory(of, 'a', 'Ana plays chess @10'),
      memory(of, 'b', 'Ana plays chess and draughts @14'),
      memory(of, 'c', 'the cellar floods @140'),
    ]);
    const state = () =>
      rows(sql`
        select external_id, peak, anchor_at, demotion, confirmations, version, updated_at, is_latest from slowwave.memories
        where user_id = ${user} order by external_id`);
    const before = await state();
    const found = await ask(user, '  chess @10 ');
    await ask(user, 'chess @10', { at: NOW - DAY });
    expect(await state()).toEqual(before);
    const counted = await rows(sql`
      select external_id as name, access_count as count, date_part('epoch', last_accessed) * 1000 as last
      from slowwave.memories where user_id = ${user} order by external_id`);
    // The later of two recalls stands, in whatever order they are recorded.
    expect(counted).toEqual([
      { name: 'a', count: 2, last: NOW },
      { name: 'b', count: 2, last: NOW },
      { name: 'c', count: 0, last: null },
    ]);
    const events = await rows<{ query: string; hits: number; list: object[] }>(sql`
      select e.query, e.hits, date_part('epoch', e.recalled_at) * 1000 as at,
        (select jsonb_agg(jsonb_build_object('id', h.memory_id, 'position', h.position, 'score', h.score) order by h.position)
          from slowwave.recall_hits h where h.user_id = e.user_id and h.event_id = e.id) as list
      from slowwave.recall_events e where e.user_id = ${user} order by e.recalled_at desc`);
    expect(events).toHaveLength(2);
    expect(events[0]).toMatchObject({ query: 'chess @10', hits: 2, at: NOW });
    expect(events[0]!.list).toEqual(
      found.map(({ id, score }, i) => ({ id, position: i + 1, score: expect.closeTo(score, 5) })),
    );
  });

  it('records a question without an answer as well', async () => {
    const user = await seed(() => []);
    expect(await ask(user, 'chess @10')).toEqual([]);
    expect(await rows(sql`select query, hits from slowwave.recall_events where user_id = ${user}`)).toEqual([
      { query: 'chess @10', hits: 0 },
    ]);
  });

  it('answers many questions at once and counts them all', async () => {
    const user = await seed((of) =>
      Array.from({ length: 12 }, (_, i) => memory(of, `m${i}`, `chess note ${i} @${i * 5}`)),
    );
    const found = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(user, `chess @${i * 5}`)));
    const [row] = await rows<{ counted: number; hits: number }>(sql`
      select (select sum(access_count)::int from slowwave.memories where user_id = ${user}) as counted,
        (select count(*)::int from slowwave.recall_hits where user_id = ${user}) as hits`);
    const total = found.reduce((sum, results) => sum + results.length, 0);
    expect(total).toBeGreaterThan(12);
    expect(row).toEqual({ counted: total, hits: total });
  });

  it('sees nobody else’s memories', async () => {
    const user = await seed((of) => [memory(of, 'a', 'Ana plays chess @10')]);
    const other = await seed((of) => [memory(of, 'b', 'Ben paints @120')]);
    expect(namesOf(await ask(other, 'chess @10'))).toEqual([]);
    await database.withTenant('another', (tx) =>
      tx.rows(
        sql`insert into slowwave.users (tenant, id, created_at) values ('another', ${user}, now()) on conflict do nothing`,
      ),
    );
    const elsewhere = await recall(database, embedder, {
      tenant: 'another',
      user,
      query: 'chess @10',
      at: NOW,
    });
    expect(elsewhere).toEqual([]);
  });

  it('leaves out a vector of words that changed since, of no direction or of another length', async () => {
    const user = await seed((of) => [
      memory(of, 'a', 'Ana plays chess @10'),
      memory(of, 'b', 'nothing'),
      memory(of, 'c', 'Ana sings @90'),
    ]);
    await rows(
      sql`update slowwave.memories set content_hash = ${'0'.repeat(64)} where user_id = ${user} and external_id = 'a'`,
    );
    expect(await ask(user, 'music @11')).toMatchObject([{ externalId: 'c' }]);
    const longer = createEmbedder(async (texts) => texts.map(() => new Float32Array([1, 0, 0, 0])));
    const found = await recall(database, longer, { tenant, user, query: 'sings', at: NOW });
    expect(namesOf(found)).toEqual(['c']);
    expect(found[0]!.similarity).toBeNull();
  });

  it.each([
    ['no filter', {}],
    ['a filter', { minTrust: 0 }],
  ])('recall: by words alone, with %s, finds what has a word and asks no embedder', async (_what, more) => {
    const user = await seed((of) => [
      memory(of, 'words', 'sailing boats are loud'),
      memory(of, 'meaning', 'the sea calms her @10'),
    ]);
    const silent = createEmbedder(() => Promise.reject(new ModelError('budget', { retryable: false })));
    const of = { tenant, user, query: 'sailing boats', at: NOW, ...more };
    const found = await recall(database, silent, { ...of, byWordsAlone: true });
    expect(found).toMatchObject([{ externalId: 'words', similarity: null, parts: { meaning: 0 } }]);
    expect(await rows(sql`select 1 from slowwave.recall_events where user_id = ${user}`)).toHaveLength(1);
  });

  describe('refuses', () => {
    const CANARY = 'canary-4711';

    it('questions and limits out of bounds, without asking the embedder', async () => {
      const user = await seed(() => []);
      let calls = 0;
      const counting = createEmbedder(async (texts) => {
        calls++;
        return texts.map(meaningOf);
      });
      const wrong: Partial<RecallInput>[] = [
        { query: '' },
        { query: ' \n\t ' },
        { query: 'x'.repeat(2001) },
        { query: `${CANARY}\u0000` },
        { query: `${CANARY}\ud800` },
        { limit: 0 },
        { limit: 51 },
        { limit: 1.5 },
        { limit: Number.NaN },
        { maxChars: 0 },
        { maxChars: 1_000_001 },
        { minTrust: 1.1 },
        { priors: { recency: 0.3 } },
        { priors: { prominence: -1 } },
      ];
      for (const input of wrong) {
        const error = await recall(database, counting, {
          tenant,
          user,
          query: CANARY,
          at: NOW,
          ...input,
        }).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(InputError);
        expect(inspect(error, { depth: 9 })).not.toContain(CANARY);
      }
      expect(calls).toBe(0);
      expect(await ask(user, '🐕'.repeat(2000))).toEqual([]);
    });

    it('an unknown user, and passes on what the embedder says; the question is in neither', async () => {
      const stranger = await ask('stranger', CANARY).catch((reason: unknown) => reason);
      expect(stranger).toMatchObject({ code: 'unknown_user', retryable: false });
      expect(inspect(stranger, { depth: 9 })).not.toContain(CANARY);
      const user = await seed(() => []);
      const failing = createEmbedder(async () => {
        throw new ModelError('overloaded', { retryable: true });
      });
      await expect(recall(database, failing, { tenant, user, query: CANARY, at: NOW })).rejects.toMatchObject(
        { code: 'overloaded' },
      );
      expect(await rows(sql`select 1 from slowwave.recall_events where user_id = ${user}`)).toEqual([]);
    });

    it('nothing of a database that fails, where the question could stand', async () => {
      const user = await seed(() => []);
      const odd = createEmbedder(async () => [new Float32Array([Number.NaN, 0, 0])]);
      const error = await recall(database, odd, { tenant, user, query: CANARY, at: NOW }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ name: 'DatabaseError' });
      expect(inspect(error, { depth: 9 })).not.toContain(CANARY);
    });
  });
});
