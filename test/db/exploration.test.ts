import {
  type CandidateVerdict,
  createMemoryStore,
  insertRelations,
  listJudgedPairs,
  listMissingEmbeddings,
  loadRemGraph,
  pairKey,
  readRemState,
  storeEmbeddings,
  storeNeighbours,
  storeVerdicts,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const tenant = 't';
const MODEL = 'unit-2';

describe.each(DATABASES)('exploration (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  /** A user with memories under the given external ids; their ids and versions by name. */
  async function seed(names: string[], more: Record<string, object> = {}) {
    const user = nextUser();
    const memories = names.map((name) => newMemory(user, name, `Ana said ${name}.`, more[name] ?? {}));
    await seedUser(database, { tenant, user, memories });
    const stored = await rows<{ name: string; id: string }>(
      sql`select external_id as name, id from slowwave.memories where user_id = ${user}`,
    );
    const ids = Object.fromEntries(stored.map(({ name, id }) => [name, id]));
    return {
      user,
      id: (name: string) => ids[name]!,
      judged: (name: string) => ({ id: ids[name]!, version: 1 }),
    };
  }
  const load = (user: string, at = NOW) =>
    inTenant((tx) => loadRemGraph(tx, { tenant, user, at, embeddingModel: MODEL, threshold: 0.75 }));
  const state = (user: string) => inTenant((tx) => readRemState(tx, { tenant, user }));
  const verdict = (of: { id: string; version: number }, more: Partial<CandidateVerdict> = {}) => ({
    ...of,
    novelty: 4,
    plausibility: 4,
    usefulness: 4,
    accepted: true,
    explanation: 'Both are about what Ana said.',
    ...more,
  });
  const judge = (
    user: string,
    input: { seed: { id: string; version: number }; verdicts: CandidateVerdict[]; at?: number },
  ) =>
    inTenant((tx) => storeVerdicts(tx, { tenant, user, at: NOW, runId: null, model: 'judge-1', ...input }));
  const relationsOf = (user: string) =>
    rows<{ source: string; target: string }>(sql`
      select source_id as source, target_id as target, relation_type as type, confidence, hypothesis, explanation
      from slowwave.relations where user_id = ${user} order by confidence desc`);

  async function embed(user: string, angles: Record<string, number>) {
    await inTenant(async (tx) => {
      const missing = await listMissingEmbeddings(tx, { tenant, user, model: MODEL, limit: 100 });
      const named = await tx.rows<{ id: string; name: string }>(
        sql`select id, external_id as name from slowwave.memories where user_id = ${user}`,
      );
      const angleOf = (id: string) => angles[named.find((row) => row.id === id)!.name] ?? Math.PI;
      const embeddings = missing.map(({ id, contentHash }) => ({
        id,
        contentHash,
        vector: new Float32Array([Math.cos(angleOf(id)), Math.sin(angleOf(id))]),
      }));
      const ids = await storeEmbeddings(tx, { tenant, user, model: MODEL, at: NOW, embeddings });
      await storeNeighbours(tx, { tenant, user, model: MODEL, ids });
    });
  }

  describe('the graph', () => {
    it('holds what is latest, not archived, no profile and no reflection, with prominence at the given instant', async () => {
      const { user, id } = await seed(['said', 'tool', 'profile', 'musing', 'archived', 'superseded'], {
        musing: { learnedFrom: 'self_reflection' },
        profile: { memoryType: 'static_profile' },
        tool: { origin: 'tool', visibility: 'shared', category: 'event', importance: 9, documentDate: NOW },
      });
      await rows(
        sql`update slowwave.memories set archived_at = now() where user_id = ${user} and external_id = 'archived'`,
      );
      await rows(sql`
        update slowwave.memories set is_latest = false, prior_type = memory_type, memory_type = 'superseded',
          superseded_by = ${id('said')}::uuid
        where user_id = ${user} and external_id = 'superseded'`);
      const { nodes } = await load(user);
      expect(nodes.map((node) => node.id)).toEqual([id('tool'), id('said')]);
      expect(nodes[0]).toEqual({
        id: id('tool'),
        version: 1,
        content: 'Ana said tool.',
        category: 'event',
        importance: 9,
        prominence: expect.closeTo(0.95, 6),
        documentDate: NOW,
      });
      const later = (await load(user, NOW + 60 * DAY)).nodes.find((node) => node.id === id('tool'))!;
      expect(later.prominence).toBeLessThan(0.1);
    });

    it('takes the most important and prominent of very many', async () => {
      const { user, id } = await seed(['first', 'second'], { first: { importance: 10, documentDate: NOW } });
      await rows(sql`
        insert into slowwave.memories (tenant, user_id, id, content, content_hash, category, importance, document_date, peak,
          anchor_at, created_at, updated_at)
        select ${tenant}, ${user}, gen_random_uuid(), 'filler ' || i, md5(i::text), 'fact', 2, now(), 0.6, now(), now(), now()
        from generate_series(1, 2100) i`);
      const { nodes } = await load(user);
      expect(nodes).toHaveLength(2_000);
      expect(nodes[0]!.id).toBe(id('first'));
      expect(nodes.some((node) => node.id === id('second'))).toBe(true);
    });

    it('has relations by confidence, hypotheses by what is left of it, and neighbours by cosine, each pair once', async () => {
      const { user, id, judged } = await seed(['a', 'b', 'c', 'd']);
      await embed(user, { a: 0, b: 0.1, c: 1, d: 3 });
      const relation = {
        user,
        sourceExternalId: 'a',
        targetExternalId: 'd',
        relationType: 'UPDATES' as const,
      };
      await inTenant((tx) =>
        insertRelations(tx, { tenant, relations: [{ ...relation, confidence: 0.9 }], at: NOW }),
      );
      await judge(user, { seed: judged('b'), verdicts: [verdict(judged('d'), { novelty: 5 })] });
      const { edges } = await load(user, NOW + 10 * DAY);
      const pairs = edges.map(({ a, b, weight, ...rest }) => ({
        pair: [a, b]
          .map((end) => ['a', 'b', 'c', 'd'].find((name) => id(name) === end))
          .sort()
          .join(''),
        weight: Math.round(weight * 1000) / 1000,
        ...rest,
      }));
      const sorted = pairs.sort((one, other) => one.pair.localeCompare(other.pair));
      expect(sorted).toEqual([
        { pair: 'ab', weight: 0.995, kind: 'neighbour' },
        { pair: 'ac', weight: 0.54, kind: 'neighbour' },
        { pair: 'ad', weight: 0.9, kind: 'relation', relationType: 'UPDATES' },
        { pair: 'bc', weight: 0.622, kind: 'neighbour' },
        // 13 of 15, at 97 % a day for ten days.
        {
          pair: 'bd',
          weight: Math.round((13 / 15) * 0.97 ** 10 * 1000) / 1000,
          kind: 'relation',
          relationType: 'EXTENDS',
        },
      ]);
    });

    it('is the same graph as long as nothing was written: not by time, archiving, or a reflection of the assistant', async () => {
      const { user, id } = await seed(['a', 'b', 'musing'], { musing: { learnedFrom: 'self_reflection' } });
      const { graph } = await load(user);
      expect(graph).toMatch(/^[0-9a-f]{64}$/);
      expect(await state(user)).toEqual({ graph, explored: null });
      await rows(
        sql`update slowwave.memories set archived_at = now(), access_count = 3 where user_id = ${user} and external_id = 'b'`,
      );
      await rows(
        sql`update slowwave.memories set version = 7 where user_id = ${user} and external_id = 'musing'`,
      );
      expect((await load(user, NOW + 90 * DAY)).graph).toBe(graph);
      await rows(sql`update slowwave.memories set version = 2 where user_id = ${user} and external_id = 'a'`);
      const edited = (await load(user)).graph;
      expect(edited).not.toBe(graph);
      await rows(sql`delete from slowwave.memories where id = ${id('b')}::uuid and user_id = ${user}`);
      expect((await load(user)).graph).not.toBe(edited);
    });

    it('says with one look what was explored to its end', async () => {
      const { user } = await seed(['a']);
      await rows(sql`
        insert into slowwave.user_profiles (tenant, user_id, rem_graph, updated_at) values (${tenant}, ${user}, 'was', now())`);
      expect((await state(user)).explored).toBe('was');
      expect(await state((await seed([])).user)).toEqual({ graph: null, explored: null });
    });

    it("shows nobody else's", async () => {
      const [mine, theirs] = [await seed(['a']), await seed(['a'])];
      expect((await load(mine.user)).nodes.map((node) => node.id)).toEqual([mine.id('a')]);
      const elsewhere = await database.withTenant('elsewhere', (tx) =>
        loadRemGraph(tx, { tenant, user: theirs.user, at: NOW, embeddingModel: MODEL, threshold: 0.75 }),
      );
      expect(elsewhere.nodes).toEqual([]);
    });
  });

  describe('verdicts', () => {
    it('are remembered per pair and version; what was accepted becomes a journalled hypothesis', async () => {
      const { user, id, judged } = await seed(['a', 'b', 'c']);
      const verdicts = [
        verdict(judged('a'), {
          novelty: 5,
          plausibility: 3,
          usefulness: 4,
          explanation: 'One leads to the other.',
        }),
        verdict(judged('c'), {
          novelty: 1,
          plausibility: 1,
          usefulness: 2,
          accepted: false,
          explanation: '',
        }),
      ];
      expect(await judge(user, { seed: judged('b'), verdicts })).toEqual({ stored: 2, accepted: 1 });
      expect(await relationsOf(user)).toEqual([
        {
          source: id('b'),
          target: id('a'),
          type: 'EXTENDS',
          confidence: 0.8,
          hypothesis: true,
          explanation: 'One leads to the other.',
        },
      ]);
      const journal = await rows<{ kind: string; key: object; after: { explanation: string } }>(sql`
        select s.kind, c.table_name as table, c.row_key as key, c.before, c.after
        from slowwave.changes c
        join slowwave.change_sets s on s.tenant = c.tenant and s.user_id = c.user_id and s.id = c.change_set_id
        where c.user_id = ${user}`);
      expect(journal).toEqual([
        {
          kind: 'rem',
          table: 'relations',
          key: { source_id: id('b'), target_id: id('a'), relation_type: 'EXTENDS' },
          before: null,
          after: expect.objectContaining({
            hypothesis: true,
            explanation: 'One leads to the other.',
            confidence: 0.8,
          }),
        },
      ]);
      const pairs = await inTenant((tx) => listJudgedPairs(tx, { tenant, user }));
      const expected = [pairKey(judged('a'), judged('b')), pairKey(judged('c'), judged('b'))];
      expect([...pairs].sort()).toEqual(expected.sort());
      expect(pairKey(judged('b'), judged('a'))).toBe(pairKey(judged('a'), judged('b')));
      // A new version of a memory is another memory to judge.
      expect(pairs.has(pairKey({ ...judged('a'), version: 2 }, judged('b')))).toBe(false);
    });

    it('the same verdicts again write nothing, from either end', async () => {
      const { user, judged } = await seed(['a', 'b']);
      await judge(user, { seed: judged('a'), verdicts: [verdict(judged('b'))] });
      const count = () =>
        rows(sql`select (select count(*) from slowwave.rem_verdicts where user_id = ${user}) as verdicts,
          (select count(*) from slowwave.relations where user_id = ${user}) as relations,
          (select count(*) from slowwave.change_sets where user_id = ${user}) as sets`);
      const before = await count();
      const again = { stored: 0, accepted: 0 };
      expect(await judge(user, { seed: judged('a'), verdicts: [verdict(judged('b'))] })).toEqual(again);
      expect(await judge(user, { seed: judged('b'), verdicts: [verdict(judged('a'))] })).toEqual(again);
      expect(await count()).toEqual(before);
    });

    it('nothing accepted: nothing in the journal', async () => {
      const { user, judged } = await seed(['a', 'b']);
      const rejected = verdict(judged('b'), { accepted: false, explanation: '' });
      expect(await judge(user, { seed: judged('a'), verdicts: [rejected] })).toEqual({
        stored: 1,
        accepted: 0,
      });
      expect(await rows(sql`select 1 from slowwave.change_sets where user_id = ${user}`)).toEqual([]);
    });

    it.each([
      ['the seed was edited', sql`update slowwave.memories set version = 2 where external_id = 'a'`, 2],
      ['the candidate was edited', sql`update slowwave.memories set version = 2 where external_id = 'b'`, 2],
      [
        'the candidate is no longer latest',
        sql`update slowwave.memories set is_latest = false where external_id = 'b'`,
        2,
      ],
      ['the candidate is gone', sql`delete from slowwave.memories where external_id = 'b'`, 1],
      ['the seed is gone', sql`delete from slowwave.memories where external_id = 'a'`, 0],
    ])('link nothing when %s meanwhile', async (_what, meanwhile, stored) => {
      const { user, id, judged } = await seed(['a', 'b', 'c']);
      await rows(sql`${meanwhile} and user_id = ${user}`);
      const verdicts = [verdict(judged('b')), verdict(judged('c'), { accepted: false, explanation: '' })];
      expect(await judge(user, { seed: judged('a'), verdicts })).toEqual({ stored, accepted: 0 });
      expect(await relationsOf(user)).toEqual([]);
      expect(id('a')).not.toBe(id('b'));
    });

    it('link nothing that is linked by now, whichever way round', async () => {
      const { user, judged } = await seed(['a', 'b']);
      const relation = {
        user,
        sourceExternalId: 'b',
        targetExternalId: 'a',
        relationType: 'UPDATES' as const,
      };
      await inTenant((tx) =>
        insertRelations(tx, { tenant, relations: [{ ...relation, confidence: 0.9 }], at: NOW }),
      );
      const result = await judge(user, { seed: judged('a'), verdicts: [verdict(judged('b'))] });
      expect(result).toEqual({ stored: 1, accepted: 0 });
      expect(await relationsOf(user)).toHaveLength(1);
    });

    it('neither a memory of somebody else, nor the seed itself, nor a candidate named twice confuses them', async () => {
      const [mine, theirs] = [await seed(['a', 'b']), await seed(['x'])];
      const verdicts = [
        verdict(theirs.judged('x')),
        verdict(mine.judged('a')),
        verdict(mine.judged('b'), { novelty: 5 }),
        verdict(mine.judged('b'), { novelty: 1 }),
      ];
      expect(await judge(mine.user, { seed: mine.judged('a'), verdicts })).toEqual({
        stored: 1,
        accepted: 1,
      });
      expect(await rows(sql`select novelty from slowwave.rem_verdicts where user_id = ${mine.user}`)).toEqual(
        [{ novelty: 5 }],
      );
    });
  });

  it('a hypothesis joins no cluster', async () => {
    const { user, judged } = await seed(['a', 'b', 'c']);
    await judge(user, { seed: judged('a'), verdicts: [verdict(judged('b'))] });
    const relation = { user, sourceExternalId: 'b', targetExternalId: 'c', relationType: 'EXTENDS' as const };
    await inTenant((tx) =>
      insertRelations(tx, { tenant, relations: [{ ...relation, confidence: 0.9 }], at: NOW }),
    );
    const store = createMemoryStore(database, scopeOf(tenant, user));
    const { candidates, edges } = await store.loadCandidates({
      minProminence: 0,
      maxProminence: 1.1,
      minAgeMs: 0,
    });
    expect(candidates).toHaveLength(3);
    expect(edges).toEqual([expect.objectContaining({ a: judged('b').id, b: judged('c').id })]);
  });
});
