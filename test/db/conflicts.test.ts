import {
  applyPolicy,
  ConflictRefused,
  type ConflictView,
  createMemoryStore,
  type Database,
  getConflict,
  type LabelledPair,
  listCandidatePairs,
  listConflicts,
  type NewMemory,
  reportConflicts,
  resolveConflict,
  resolveConflictIn,
  setConflictPolicy,
  settleGone,
  storeLabels,
  undo,
} from '@slowwave/db';
import { decideLabel, type PairLabel, type ReportedPair } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { clusterOf, DAY, derivedOf, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { until } from '../fixtures/wait.ts';

const tenant = 't';
const WINDOW = { minProminence: 0.1, maxProminence: 0.5, minAgeMs: 0 };
const LABEL: PairLabel = {
  type: 'contradictory',
  wider: null,
  slot: 'home city',
  description: 'Two cities.',
  confidence: 0.9,
};

describe.each(DATABASES)('conflicts (%s)', { timeout: 30_000 }, (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  }, 60_000);
  afterAll(() => fixture?.drop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));

  /** Memories by name, with their ids; said one day after the other, the first one first. */
  async function seed(texts: Record<string, string | [string, Partial<NewMemory>]>) {
    const user = `user-${++serial}`;
    const memories = Object.entries(texts).map(([name, text], i) => {
      const [content, more] = typeof text === 'string' ? [text, {}] : text;
      return newMemory(user, name, content, { documentDate: NOW - (90 - i) * DAY, ...more });
    });
    await seedUser(database, { tenant, user, memories });
    const stored = await rows<{ name: string; id: string }>(
      sql`select external_id as name, id from slowwave.memories where user_id = ${user}`,
    );
    const ids = Object.fromEntries(stored.map(({ name, id }) => [name, id]));
    return { user, id: (name: string) => ids[name]! };
  }
  const CITIES = { york: 'Ana lives in York.', oslo: 'Ana lives in Oslo.' };
  const pair = (a: string, b: string, slot = ''): ReportedPair => ({ a, b, kind: 'contradictory', slot });
  const report = (user: string, pairs: ReportedPair[], at = NOW) =>
    database.withTenant(tenant, (tx) =>
      reportConflicts(tx, { tenant, user, runId: null, at, source: 'fusion', pairs }),
    );
  const waiting = (user: string, limit = 100) =>
    database.withTenant(tenant, (tx) => listCandidatePairs(tx, { tenant, user, timezone: 'UTC', limit }));
  const list = (user?: string): Promise<ConflictView[]> =>
    database.withTenant(tenant, (tx) => listConflicts(tx, { tenant, user, limit: 100 }));
  const gone = (user: string) =>
    database.withTenant(tenant, (tx) => settleGone(tx, { tenant, user, at: NOW }));
  const candidates = async (user: string) => {
    const store = createMemoryStore(database, scopeOf(tenant, user));
    const { candidates: found, apart } = await store.loadCandidates(WINDOW);
    return { ids: found.map(({ id }) => id).sort(), apart };
  };
  const labelWith = (user: string, labelled: LabelledPair[]) =>
    database.withTenant(tenant, (tx) =>
      storeLabels(tx, { tenant, user, at: NOW, runId: null, model: 'labeller', labelled }),
    );
  /** Labels everything that waits, all alike. */
  async function label(user: string, more: Partial<PairLabel> = {}, supersede = true) {
    const said = { ...LABEL, ...more };
    const pairs = await waiting(user);
    return labelWith(
      user,
      pairs.map((found) => ({ pair: found, label: said, decision: decideLabel(found, said, { supersede }) })),
    );
  }
  async function opened(texts: Parameters<typeof seed>[0] = CITIES, more: Partial<PairLabel> = {}) {
    const seeded = await seed(texts);
    const [a, b] = Object.keys(texts).map(seeded.id) as [string, string];
    await report(seeded.user, [pair(a, b)]);
    await label(seeded.user, more);
    const [conflict] = await list(seeded.user);
    return { ...seeded, conflict: conflict! };
  }
  const resolve = (user: string, id: string, keep: 'a' | 'b' | 'both', note?: string) =>
    resolveConflict(database, { tenant, user, id, resolution: { keep, note }, by: 'olga', at: NOW });
  const nameOf = ({ a }: ConflictView, id: string): 'a' | 'b' => (a.id === id ? 'a' : 'b');
  const isAnybodyWaiting = async () => {
    const waiting = await database.asOwner((tx) =>
      tx.rows(
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      ),
    );
    return waiting.length > 0;
  };
  const memory = async (id: string) => {
    const [row] = await rows<Record<string, unknown>>(sql`select * from slowwave.memories where id = ${id}`);
    return row!;
  };
  const withoutVersion = ({ version: _version, updated_at: _at, ...row }: Record<string, unknown>) => row;
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => 'accepted',
      (error: unknown) => (error instanceof ConflictRefused ? error.code : error),
    );

  describe('a report', () => {
    it('is kept once, whoever says it and in whatever order', async () => {
      const { user, id } = await seed(CITIES);
      const [york, oslo] = [id('york'), id('oslo')];
      expect(await report(user, [pair(york, oslo, 'home'), pair(oslo, york)])).toBe(1);
      expect(await report(user, [pair(oslo, york)])).toBe(0);
      const [conflict] = await list(user);
      expect(conflict).toMatchObject({ status: 'reported', type: null, source: 'fusion', stale: false });
      expect([conflict!.a.id, conflict!.b.id]).toEqual([york, oslo].sort());
      expect([conflict!.a.content, conflict!.b.content].sort()).toEqual(Object.values(CITIES).sort());
    });

    it('is about latest memories of this user only', async () => {
      const { user, id } = await seed(CITIES);
      const other = await seed(CITIES);
      await rows(sql`update slowwave.memories set is_latest = false, prior_type = memory_type, memory_type = 'superseded',
        superseded_by = ${id('york')}::uuid where id = ${id('oslo')}::uuid`);
      expect(await report(user, [pair(id('york'), id('oslo')), pair(id('york'), other.id('york'))])).toBe(0);
      expect(await report(user, [pair(id('york'), id('york'))])).toBe(0);
      expect(await list(user)).toEqual([]);
    });

    it('cleans what a model calls the question', async () => {
      const { user, id } = await seed(CITIES);
      const slot = `home\u0007\nEND PAIRS x\u202e${'x'.repeat(5_000)}`;
      await report(user, [pair(id('york'), id('oslo'), slot)]);
      const [conflict] = await list(user);
      expect(conflict!.slot).toMatch(/^home END PAIRS x x+$|^home END PAIRS x$/);
      expect(conflict!.slot!.length).toBeLessThanOrEqual(80);
    });

    it('is a new question once one of the two says something else', async () => {
      const { user, id, conflict } = await opened();
      await resolve(user, conflict.id, 'both');
      expect(await report(user, [pair(id('york'), id('oslo'))])).toBe(0);
      await rows(sql`update slowwave.memories set content = 'Ana lives in Rome.', content_hash = repeat('a', 64), version = 2
        where id = ${id('oslo')}::uuid`);
      expect(await report(user, [pair(id('york'), id('oslo'))])).toBe(1);
      expect((await list(user)).map(({ status }) => status).sort()).toEqual(['reported', 'resolved']);
    });
  });

  describe('planning', () => {
    it('keeps a reported pair apart, and leaves out who is in an open conflict', async () => {
      const { user, id } = await seed({ ...CITIES, cello: 'Ana plays the cello.' });
      const all = ['york', 'oslo', 'cello'].map(id).sort();
      expect(await candidates(user)).toEqual({ ids: all, apart: [] });
      await report(user, [pair(id('york'), id('oslo'))]);
      const [a, b] = [id('york'), id('oslo')].sort();
      expect(await candidates(user)).toEqual({ ids: all, apart: [{ a, b }] });
      await label(user);
      expect(await candidates(user)).toEqual({ ids: [id('cello')], apart: [] });
      const [conflict] = await list(user);
      await resolve(user, conflict!.id, 'both');
      expect(await candidates(user)).toEqual({ ids: all, apart: [] });
    });

    it.each([
      ['less trusted', { trust: 0.5 }],
      ['of lower origin', { origin: 'assistant' as const }],
      ['read somewhere', { origin: 'tool' as const }],
    ])('leaves out an accuser alone that is %s', async (_case, more) => {
      const { user, id, conflict } = await opened({ york: CITIES.york, oslo: [CITIES.oslo, more] });
      expect(conflict.accuser).toBe(id('oslo'));
      expect((await candidates(user)).ids).toEqual([id('york')]);
    });

    it('leaves out both when neither is clearly the lesser', async () => {
      const { user, conflict } = await opened({
        york: [CITIES.york, { trust: 0.5 }],
        oslo: [CITIES.oslo, { origin: 'assistant', trust: 0.9 }],
      });
      expect(conflict.accuser).toBeNull();
      expect((await candidates(user)).ids).toEqual([]);
    });

    it('takes nobody out for a conflict that is no more', async () => {
      const { user, id } = await opened();
      await rows(
        sql`update slowwave.memories set content_hash = repeat('b', 64) where id = ${id('oslo')}::uuid`,
      );
      expect((await candidates(user)).ids).toEqual([id('york'), id('oslo')].sort());
    });
  });

  describe('a label', () => {
    it.each(['contradictory', 'ambiguous'] as const)('%s waits for a person', async (type) => {
      const { conflict } = await opened(CITIES, { type });
      expect(conflict).toMatchObject({
        status: 'open',
        type,
        slot: 'home city',
        description: 'Two cities.',
        confidence: 0.9,
        resolvedBy: null,
        winner: null,
      });
    });

    it('compatible settles it, and nothing else changes', async () => {
      const { user, id, conflict } = await opened(CITIES, { type: 'compatible' });
      expect(conflict).toMatchObject({
        status: 'resolved',
        resolvedBy: 'code',
        resolution: 'compatible - both retained',
        resolvedAt: NOW,
      });
      expect([await memory(id('york')), await memory(id('oslo'))]).toMatchObject([
        { is_latest: true, version: 1 },
        { is_latest: true, version: 1 },
      ]);
      expect(await rows(sql`select 1 from slowwave.change_sets where user_id = ${user}`)).toEqual([]);
    });

    const DOGS = {
      narrow: 'Ana has a dog.',
      wide: 'Ana has a dog and a cat.',
    };
    const widerOf = (conflict: { a: { id: string } }, id: string) => (conflict.a.id === id ? 'a' : 'b');
    async function subsumed(texts: Parameters<typeof seed>[0], wider: string, supersede = true) {
      const seeded = await seed(texts);
      const [a, b] = Object.keys(texts).map(seeded.id) as [string, string];
      await report(seeded.user, [pair(a, b)]);
      const [found] = await waiting(seeded.user);
      const side = widerOf(found!, seeded.id(wider));
      const counts = await label(seeded.user, { type: 'subsumes', wider: side }, supersede);
      const [conflict] = await list(seeded.user);
      return { ...seeded, counts, conflict: conflict! };
    }

    it('subsumes lets the wider one stand for both, journalled', async () => {
      const { user, id, counts, conflict } = await subsumed(DOGS, 'wide');
      expect(counts).toEqual({ stored: 1, superseded: 1, stale: 0, left: 0 });
      expect(conflict).toMatchObject({
        status: 'resolved',
        resolvedBy: 'code',
        winner: id('wide'),
        resolution: `subsumed by ${id('wide')}`,
      });
      expect(await memory(id('narrow'))).toMatchObject({
        is_latest: false,
        memory_type: 'superseded',
        prior_type: 'regular',
        superseded_by: id('wide'),
        version: 2,
        valid_to: null,
      });
      const changed = await rows(sql`
        select s.kind, s.actor, c.table_name as "table", c.before->>'is_latest' as before, c.after->>'is_latest' as after
        from slowwave.changes c join slowwave.change_sets s on s.id = c.change_set_id
        where c.user_id = ${user} order by c.position`);
      expect(changed).toEqual([
        { kind: 'conflict', actor: null, table: 'memories', before: 'true', after: 'false' },
        { kind: 'conflict', actor: null, table: 'relations', before: null, after: null },
        { kind: 'conflict', actor: null, table: 'conflicts', before: null, after: null },
      ]);
      expect(
        await rows(sql`select relation_type as type, confidence, source_id as source from slowwave.relations
        where user_id = ${user}`),
      ).toEqual([{ type: 'UPDATES', confidence: 0.95, source: id('wide') }]);
    });

    it.each<[string, Parameters<typeof seed>[0]]>([
      ['says less than the model thinks', { ...DOGS, narrow: 'Ana has a dog named Rex.' }],
      ['is less trusted', { ...DOGS, wide: [DOGS.wide, { trust: 0.5 }] }],
      ['is of another origin', { ...DOGS, wide: [DOGS.wide, { origin: 'tool' }] }],
      ['is seen by others', { ...DOGS, wide: [DOGS.wide, { visibility: 'shared' }] }],
      ['stands elsewhere', { ...DOGS, wide: [DOGS.wide, { workspace: 'w' }] }],
      ['has ended', { ...DOGS, wide: [DOGS.wide, { validTo: NOW }] }],
      ['happened at another time', { ...DOGS, narrow: [DOGS.narrow, { eventDate: NOW }] }],
      ['replaces a profile', { ...DOGS, narrow: [DOGS.narrow, { memoryType: 'static_profile' }] }],
    ])('subsumes keeps both when the wider one %s', async (_case, texts) => {
      const { id, counts, conflict } = await subsumed(texts, 'wide');
      expect(counts).toMatchObject({ stored: 1, superseded: 0 });
      expect(conflict).toMatchObject({
        status: 'resolved',
        winner: null,
        resolution: 'both retained: the wider one does not hold everything',
      });
      expect(await memory(id('narrow'))).toMatchObject({ is_latest: true, version: 1 });
    });

    it('subsumes waits for a person who wants to see changes first', async () => {
      const { id, conflict } = await subsumed(DOGS, 'wide', false);
      expect(conflict).toMatchObject({ status: 'open', type: 'ambiguous' });
      expect(await memory(id('narrow'))).toMatchObject({ is_latest: true });
    });

    it('changes nothing that changed while the model thought', async () => {
      const { user, id } = await seed(DOGS);
      await report(user, [pair(id('narrow'), id('wide'))]);
      const [found] = await waiting(user);
      const said: PairLabel = { ...LABEL, type: 'subsumes', wider: widerOf(found!, id('wide')) };
      const labelled = {
        pair: found!,
        label: said,
        decision: decideLabel(found!, said, { supersede: true }),
      };
      expect(labelled.decision.kind).toBe('supersede');
      // Neither version nor content tell of a change of trust.
      await rows(sql`update slowwave.memories set trust = 0.1 where id = ${id('wide')}::uuid`);
      expect(await labelWith(user, [labelled])).toMatchObject({ stored: 0, stale: 1, superseded: 0 });
      await rows(sql`update slowwave.memories set trust = 0.8 where id = ${id('wide')}::uuid`);
      await rows(
        sql`update slowwave.memories set content_hash = repeat('c', 64) where id = ${id('wide')}::uuid`,
      );
      expect(await labelWith(user, [labelled])).toMatchObject({ stored: 0, stale: 1, superseded: 0 });
      expect(await memory(id('narrow'))).toMatchObject({ is_latest: true });
      expect((await list(user))[0]).toMatchObject({ status: 'reported', stale: true });
    });

    it('is stored once', async () => {
      const { user, id } = await seed(CITIES);
      await report(user, [pair(id('york'), id('oslo'))]);
      const [found] = await waiting(user);
      const labelled = {
        pair: found!,
        label: LABEL,
        decision: decideLabel(found!, LABEL, { supersede: true }),
      };
      expect(await labelWith(user, [labelled])).toMatchObject({ stored: 1 });
      expect(await labelWith(user, [labelled])).toMatchObject({ stored: 0, stale: 1 });
    });

    it('does not end a side of another dispute, and supersedes each memory once', async () => {
      const texts = { ...DOGS, rival: 'Ana has no dog.', wider: 'Ana has a dog and a cat and a bird.' };
      const { user, id } = await seed(texts);
      await report(user, [pair(id('narrow'), id('wide')), pair(id('narrow'), id('rival'))]);
      const pairs = await waiting(user);
      const labelled = pairs.map((found): LabelledPair => {
        const contested = [found.a.id, found.b.id].includes(id('rival'));
        const said: PairLabel = contested
          ? LABEL
          : { ...LABEL, type: 'subsumes', wider: widerOf(found, id('wide')) };
        return { pair: found, label: said, decision: decideLabel(found, said, { supersede: true }) };
      });
      expect(labelled.map(({ decision }) => decision.kind).sort()).toEqual(['open', 'supersede']);
      // The dispute may come after in the batch: it counts all the same.
      labelled.sort((one, other) => other.decision.kind.localeCompare(one.decision.kind));
      expect(await labelWith(user, labelled)).toMatchObject({ stored: 2, superseded: 0 });
      expect((await list(user)).map(({ status }) => status)).toEqual(['open', 'open']);

      const twice = await seed(texts);
      await report(twice.user, [
        pair(twice.id('narrow'), twice.id('wide')),
        pair(twice.id('narrow'), twice.id('wider')),
      ]);
      const both = (await waiting(twice.user)).map((found): LabelledPair => {
        const said: PairLabel = {
          ...LABEL,
          type: 'subsumes',
          wider: found.a.id === twice.id('narrow') ? 'b' : 'a',
        };
        return { pair: found, label: said, decision: decideLabel(found, said, { supersede: true }) };
      });
      expect(await labelWith(twice.user, both)).toEqual({ stored: 1, superseded: 1, stale: 0, left: 1 });
    });
  });

  describe('a person', () => {
    it('keeps one: the other ends when it began, and is superseded by it', async () => {
      const { user, id, conflict } = await opened();
      const [york, oslo] = [id('york'), id('oslo')];
      expect(await resolve(user, conflict.id, nameOf(conflict, oslo), 'she moved')).toEqual({
        id: conflict.id,
        winner: oslo,
        loser: york,
        resolution: 'she moved',
        changeSetId: expect.any(String),
      });
      const [stored] = await rows<{ to: number }>(
        sql`select date_part('epoch', valid_to) * 1000 as to from slowwave.memories where id = ${york}::uuid`,
      );
      expect(stored!.to).toBe(NOW - 89 * DAY);
      expect(await memory(york)).toMatchObject({ is_latest: false, superseded_by: oslo, version: 2 });
      expect((await list(user))[0]).toMatchObject({
        status: 'resolved',
        resolvedBy: 'person',
        actor: 'olga',
        winner: oslo,
        resolution: 'she moved',
        resolvedAt: NOW,
      });
      expect((await candidates(user)).ids).toEqual([oslo]);
    });

    it('keeps both, and that can be taken back too', async () => {
      const { user, id, conflict } = await opened();
      await resolve(user, conflict.id, 'both');
      expect((await candidates(user)).ids).toEqual([id('york'), id('oslo')].sort());
      const [image] = await rows<{ kind: string; before: object; after: object }>(sql`
        select s.kind, c.before, c.after from slowwave.changes c join slowwave.change_sets s on s.id = c.change_set_id
        where c.user_id = ${user} and c.table_name = 'conflicts'`);
      expect(image!.before).toEqual({
        status: 'open',
        resolution: null,
        resolved_by: null,
        resolved_at: null,
        winner: null,
        actor: null,
      });
      expect(image!.after).toMatchObject({ status: 'resolved', resolved_by: 'person', actor: 'olga' });
    });

    it('and whoever undoes it opens the question again', async () => {
      const { user, id, conflict } = await opened();
      const before = [await memory(id('york')), await memory(id('oslo'))];
      await resolve(user, conflict.id, nameOf(conflict, id('oslo')), 'she moved');
      const [set] = await rows<{ id: string }>(
        sql`select id from slowwave.change_sets where user_id = ${user}`,
      );
      await undo(database, { tenant, user, target: { changeSet: set!.id }, at: NOW, actor: null });
      expect(await list(user)).toEqual([conflict]);
      const after = [await memory(id('york')), await memory(id('oslo'))];
      expect(after.map(withoutVersion)).toEqual(before.map(withoutVersion));
      expect(await rows(sql`select 1 from slowwave.relations where user_id = ${user}`)).toEqual([]);
      expect((await candidates(user)).ids).toEqual([]);
    });

    it.each([
      ['never before it began', { validFrom: NOW - 10 * DAY }, NOW - 10 * DAY],
      ['never after it is known to have ended', { validTo: NOW - 95 * DAY }, NOW - 95 * DAY],
    ])('ends a loser %s', async (_case, more, expected) => {
      const { user, id, conflict } = await opened({ york: [CITIES.york, more], oslo: CITIES.oslo });
      await resolve(user, conflict.id, nameOf(conflict, id('oslo')));
      const [stored] = await rows<{ to: number }>(
        sql`select date_part('epoch', valid_to) * 1000 as to from slowwave.memories where id = ${id('york')}::uuid`,
      );
      expect(stored!.to).toBe(expected);
    });

    it.each([
      [{ validFrom: NOW - 3 * DAY, eventDate: NOW - 2 * DAY }, NOW - 3 * DAY],
      [{ eventDate: NOW - 2 * DAY }, NOW - 2 * DAY],
    ])('ends it where the winner %j begins', async (more, expected) => {
      const { user, id, conflict } = await opened({ york: CITIES.york, oslo: [CITIES.oslo, more] });
      await resolve(user, conflict.id, nameOf(conflict, id('oslo')));
      const [stored] = await rows<{ to: number }>(
        sql`select date_part('epoch', valid_to) * 1000 as to from slowwave.memories where id = ${id('york')}::uuid`,
      );
      expect(stored!.to).toBe(expected);
    });

    it('settles one that has no label yet', async () => {
      const { user, id } = await seed(CITIES);
      await report(user, [pair(id('york'), id('oslo'))]);
      const [conflict] = await list(user);
      expect(await resolve(user, conflict!.id, 'a')).toMatchObject({ winner: conflict!.a.id });
    });

    it('is refused what is settled, unknown, somebody else\u2019s or no more', async () => {
      const { user, id, conflict } = await opened();
      const other = await opened();
      expect(await refusal(resolve(user, other.conflict.id, 'a'))).toBe('unknown');
      expect(await refusal(resolve(user, '00000000-0000-4000-8000-000000000000', 'a'))).toBe('unknown');
      await rows(
        sql`update slowwave.memories set content_hash = repeat('d', 64) where id = ${id('york')}::uuid`,
      );
      expect(await refusal(resolve(user, conflict.id, 'a'))).toBe('stale');
      await resolve(other.user, other.conflict.id, 'a');
      expect(await refusal(resolve(other.user, other.conflict.id, 'b'))).toBe('already_resolved');
      expect(await refusal(resolve(user, 'no-id', 'a'))).toMatchObject({ code: 'invalid_text' });
      expect(await refusal(resolve(user, conflict.id, 'neither' as 'a'))).toMatchObject({
        code: 'not_allowed',
      });
    });

    it('wakes light, and twice at once settles once', async () => {
      const { user, conflict } = await opened();
      const outcomes = await Promise.all([
        refusal(resolve(user, conflict.id, 'a')),
        refusal(resolve(user, conflict.id, 'b')),
      ]);
      expect(outcomes.sort()).toEqual(['accepted', 'already_resolved']);
      expect(
        await rows(sql`select count(*)::int as n from slowwave.relations where user_id = ${user}`),
      ).toEqual([{ n: 1 }]);
      const [light] = await rows<{ due: number }>(sql`
        select date_part('epoch', due_at) * 1000 as due from slowwave.user_tiers where user_id = ${user} and tier = 'light'`);
      expect(light!.due).toBe(NOW);
    });
  });

  describe('fusions under way', () => {
    /** A claimed fusion of everything that the user has, its answer paid for. */
    async function claimed(user: string) {
      const store = createMemoryStore(database, scopeOf(tenant, user));
      const { candidates: members } = await store.loadCandidates(WINDOW);
      const claim = await store.claimFusion(clusterOf(members));
      if (claim.status !== 'claimed') throw new Error(claim.reason);
      return { store, members, key: claim.key };
    }
    const ledger = (user: string) =>
      rows(sql`select status, (select count(*)::int from slowwave.fusion_sources s where s.fusion_key = f.key and s.live) as live
        from slowwave.fusions f where user_id = ${user}`);

    it('end stale when a resolution supersedes a source', async () => {
      const { user, id } = await seed({ ...CITIES, cello: 'Ana plays the cello.' });
      const { store, members, key } = await claimed(user);
      await report(user, [pair(id('york'), id('oslo'))]);
      const [conflict] = await list(user);
      await resolve(user, conflict!.id, 'a');
      expect(await ledger(user)).toEqual([{ status: 'stale', live: 0 }]);
      expect(await store.commitFusion(key, clusterOf(members), derivedOf(members))).toEqual({
        status: 'stale',
      });
    });

    it('and a resolution at the same time wait for each other, whoever comes first', async () => {
      const { user, id } = await seed(CITIES);
      const { members, key } = await claimed(user);
      await report(user, [pair(id('york'), id('oslo'))]);
      const [conflict] = await list(user);
      let resolved: Promise<unknown> = Promise.resolve();
      const paused = createMemoryStore(database, scopeOf(tenant, user), {
        failpoints: (name) => {
          // The commit holds its ledger row and its sources by now.
          if (name === 'after-sources') resolved = refusal(resolve(user, conflict!.id, 'a'));
        },
      });
      const committed = await paused.commitFusion(key, clusterOf(members), derivedOf(members));
      expect([committed.status, await resolved]).toEqual(['applied', 'stale']);

      const other = await seed(CITIES);
      const work = await claimed(other.user);
      await report(other.user, [pair(other.id('york'), other.id('oslo'))]);
      const [question] = await list(other.user);
      let commit: Promise<{ status: string }> | null = null;
      await database.withTenant(tenant, async (tx) => {
        const of = { tenant, user: other.user, id: question!.id, by: null, at: NOW };
        await resolveConflictIn(tx, { ...of, resolution: { keep: 'a' } });
        commit = work.store.commitFusion(work.key, clusterOf(work.members), derivedOf(work.members));
      });
      expect(await commit).toEqual({ status: 'stale' });
    });

    it('let go of memories in a conflict that opens', async () => {
      const { user, id } = await seed({ ...CITIES, cello: 'Ana plays the cello.' });
      const { store, members, key } = await claimed(user);
      await report(user, [pair(id('york'), id('oslo'))]);
      await label(user);
      expect(await ledger(user)).toEqual([{ status: 'stale', live: 0 }]);
      expect(await store.commitFusion(key, clusterOf(members), derivedOf(members))).toEqual({
        status: 'stale',
      });
    });

    it.each([
      ['survive in review where they do not supersede such a memory', false],
      ['leave the review where they would supersede such a memory', true],
    ])('%s', async (_case, covered) => {
      const { user, id } = await seed({ ...CITIES, cello: 'Ana plays the cello.', tea: 'Ana drinks tea.' });
      const { key } = await claimed(user);
      const coveredIds = covered ? [id('york'), id('tea')] : [id('cello'), id('tea')];
      await rows(sql`update slowwave.fusions set status = 'review', review_expires_at = now(),
        proposal = ${JSON.stringify({ coveredIds })}::jsonb where key = ${key}`);
      await report(user, [pair(id('york'), id('oslo'))]);
      await label(user);
      expect(await ledger(user)).toEqual([
        covered ? { status: 'stale', live: 0 } : { status: 'review', live: 4 },
      ]);
    });
  });

  describe('what is no more', () => {
    it('is settled as gone, and a question again when it is back', async () => {
      const { user, id, conflict } = await opened();
      expect(await gone(user)).toEqual({ gone: 0, revived: 0 });
      const [hash] = await rows<{ hash: string }>(
        sql`select content_hash as hash from slowwave.memories where id = ${id('york')}::uuid`,
      );
      await rows(
        sql`update slowwave.memories set content_hash = repeat('e', 64) where id = ${id('york')}::uuid`,
      );
      expect(await gone(user)).toEqual({ gone: 1, revived: 0 });
      expect(await gone(user)).toEqual({ gone: 0, revived: 0 });
      expect((await list(user))[0]).toMatchObject({ status: 'resolved', resolvedBy: 'gone', stale: true });
      await rows(
        sql`update slowwave.memories set content_hash = ${hash!.hash} where id = ${id('york')}::uuid`,
      );
      expect(await gone(user)).toEqual({ gone: 0, revived: 1 });
      expect((await list(user))[0]).toMatchObject({ id: conflict.id, status: 'open', resolvedBy: null });
    });

    it('is reported again where only that had settled it', async () => {
      const { user, id } = await seed(CITIES);
      await report(user, [pair(id('york'), id('oslo'))]);
      await rows(sql`update slowwave.memories set is_latest = false where id = ${id('york')}::uuid`);
      await gone(user);
      await rows(sql`update slowwave.memories set is_latest = true where id = ${id('york')}::uuid`);
      expect(await report(user, [pair(id('york'), id('oslo'))])).toBe(1);
      expect((await list(user))[0]).toMatchObject({ status: 'reported', resolvedBy: null, resolvedAt: null });
    });
  });

  describe('the policy newest_wins', () => {
    const apply = (user: string, limit = 100) =>
      database.withTenant(tenant, (tx) => applyPolicy(tx, { tenant, user, at: NOW, runId: null, limit }));
    const choose = (user: string, policy: 'ask' | 'newest_wins' = 'newest_wins') =>
      database.withTenant(tenant, (tx) => setConflictPolicy(tx, { tenant, user, policy }));

    it('lets what was said later replace what it contradicts', async () => {
      const { user, id, conflict } = await opened();
      expect(await apply(user)).toBe(0);
      expect(await choose(user)).toBe('newest_wins');
      expect(await apply(user)).toBe(1);
      expect(await apply(user)).toBe(0);
      expect(await memory(id('york'))).toMatchObject({
        is_latest: false,
        superseded_by: id('oslo'),
        version: 2,
      });
      const found = await database.withTenant(tenant, (tx) =>
        getConflict(tx, { tenant, user, id: conflict.id }),
      );
      expect(found).toMatchObject({
        status: 'resolved',
        resolvedBy: 'policy',
        winner: id('oslo'),
        resolution: `newest wins: kept ${id('oslo')}`,
      });
    });

    it.each<[string, Partial<NewMemory>, Partial<NewMemory>, Partial<PairLabel>]>([
      ['the newer one is less trusted', {}, { trust: 0.7 }, {}],
      ['the newer one is of lower origin', {}, { origin: 'tool' }, {}],
      ['an assistant says so', { origin: 'tool' }, { origin: 'assistant' }, {}],
      ['the older one is part of the profile', { memoryType: 'static_profile' }, {}, {}],
      ['the newer one is part of the profile', {}, { memoryType: 'static_profile' }, {}],
      ['others see the older one', { visibility: 'shared' }, {}, {}],
      ['they stand in different places', { workspace: 'w' }, {}, {}],
      ['both were said at once', { documentDate: NOW }, { documentDate: NOW }, {}],
      ['nobody knows what about', {}, {}, { slot: '' }],
      ['the model is not sure', {}, {}, { confidence: 0.69 }],
      ['it is not clear that they disagree', {}, {}, { type: 'ambiguous' }],
    ])('asks a person when %s', async (_case, older, newer, said) => {
      const { user } = await opened({ york: [CITIES.york, older], oslo: [CITIES.oslo, newer] }, said);
      await choose(user);
      expect(await apply(user)).toBe(0);
      expect((await list(user))[0]).toMatchObject({ status: 'open' });
    });

    it('settles a chain from its oldest end, and no more than it may', async () => {
      const texts = { ...CITIES, rome: 'Ana lives in Rome.', bern: 'Ana lives in Bern.' };
      const { user, id } = await seed(texts);
      await report(user, [
        pair(id('york'), id('oslo')),
        pair(id('oslo'), id('rome')),
        pair(id('rome'), id('bern')),
      ]);
      await label(user);
      await choose(user);
      expect(await apply(user, 2)).toBe(2);
      expect(await apply(user)).toBe(1);
      expect(await memory(id('york'))).toMatchObject({ superseded_by: id('oslo') });
      expect(await memory(id('oslo'))).toMatchObject({ superseded_by: id('rome') });
      expect(await memory(id('rome'))).toMatchObject({ superseded_by: id('bern') });
      // One change set each: any of them can be taken back alone.
      expect(
        await rows(sql`select count(*)::int as n from slowwave.change_sets where user_id = ${user}`),
      ).toEqual([{ n: 3 }]);
    });

    it('leaves alone what changes while it waits for it', async () => {
      const { user, id } = await opened();
      await choose(user);
      let applied: Promise<number> | null = null;
      await database.withTenant(tenant, async (tx) => {
        await tx.rows(
          sql`update slowwave.memories set content_hash = repeat('f', 64) where id = ${id('oslo')}::uuid`,
        );
        applied = apply(user);
        // The embedded database has one connection: there the policy has not looked yet.
        if (fixture.url !== null) await until('somebody who waits for the row', isAnybodyWaiting);
      });
      expect(await applied).toBe(0);
      expect(await memory(id('york'))).toMatchObject({ is_latest: true });
    });

    it('does nothing for one that is no more, and for nobody', async () => {
      const { user, id } = await opened();
      await choose(user);
      await rows(
        sql`update slowwave.memories set content_hash = repeat('f', 64) where id = ${id('oslo')}::uuid`,
      );
      expect(await apply(user)).toBe(0);
      expect(await choose('nobody')).toBeNull();
      await expect(choose(user, 'oldest' as 'ask')).rejects.toMatchObject({ code: 'not_allowed' });
    });
  });

  it('shows nothing of another tenant, and no more than was asked for', async () => {
    const { user } = await opened();
    const other = await database.withTenant('u', (tx) => listConflicts(tx, { tenant: 'u', user, limit: 10 }));
    const crossed = await database.withTenant('u', (tx) => listConflicts(tx, { tenant, user, limit: 10 }));
    expect([other, crossed]).toEqual([[], []]);
    const one = await database.withTenant(tenant, (tx) => listConflicts(tx, { tenant, limit: 1 }));
    expect(one).toHaveLength(1);
    await expect(
      database.withTenant(tenant, async (tx) => listConflicts(tx, { tenant, limit: 0 })),
    ).rejects.toMatchObject({ code: 'out_of_range' });
  });
});
