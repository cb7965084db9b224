import {
  approveFusion,
  createMemoryStore,
  type FusionScope,
  LeaseLost,
  listFusions,
  listReviews,
  mergeDuplicates,
  mergeKeyOf,
  type NewMemory,
  type PlannedMerge,
  rejectFusion,
} from '@slowwave/db';
import type { Candidate } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { clusterOf, holdLease, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { overlap } from '../fixtures/overlap.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const WINDOW = { minProminence: 0.1, maxProminence: 0.5, minAgeMs: 0 };
const ALL_OFF = { ledger: false, lease: false, sources: false, rowCount: false, sourceSet: false };
const RUN = '01990000-0000-7000-8000-000000000001';

describe.each(DATABASES)('merging duplicates (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  interface Started {
    user: string;
    scope: FusionScope;
    pair: PlannedMerge;
    members: Candidate[];
  }

  /** A user of its own with two memories that say the same, and a third. */
  async function start(drop: Partial<NewMemory> = {}): Promise<Started> {
    const user = nextUser();
    const memories = [
      newMemory(user, 'keep', 'Ana is allergic to peanuts.'),
      newMemory(user, 'drop', 'Ana has a peanut allergy.', drop),
      newMemory(user, 'other', 'Ana keeps a bicycle in the shed.'),
    ];
    await seedUser(database, { tenant: 't', user, memories });
    const scope = scopeOf('t', user, { runId: RUN });
    const { candidates } = await createMemoryStore(database, scope).loadCandidates(WINDOW);
    const found = new Map(candidates.map((candidate) => [candidate.content, candidate]));
    const [keep, other] = [found.get(memories[0]!.content)!, found.get(memories[1]!.content)!];
    return { user, scope, pair: { keep, drop: other }, members: candidates };
  }

  const merge = (
    { scope, pair }: Started,
    more: Partial<FusionScope> = {},
    options: Parameters<typeof mergeDuplicates>[3] = {},
  ) => mergeDuplicates(database, { ...scope, ...more }, [pair], options);
  const RESULT = { merged: 0, proposed: 0, stale: 0, skipped: 0 };

  const memoriesOf = async (user: string) => {
    const all = await rows<{ name: string } & Record<string, unknown>>(sql`
      select external_id as name, is_latest as latest, memory_type as type, prior_type as prior, superseded_by as by, version,
        confirmations, peak, demotion, date_part('epoch', anchor_at) * 1000 as anchor
      from slowwave.memories where user_id = ${user} and external_id <> 'other'`);
    return Object.fromEntries(all.map(({ name, ...row }) => [name, row]));
  };
  async function traces(user: string) {
    const [row] = await rows<Record<string, number>>(sql`
      select (select count(*)::int from slowwave.memories where user_id = ${user} and memory_type = 'superseded') as superseded,
        (select count(*)::int from slowwave.relations where user_id = ${user}) as relations,
        (select count(*)::int from slowwave.changes where user_id = ${user}) as changes,
        (select count(*)::int from slowwave.fusion_sources where user_id = ${user} and live) as live`);
    return row!;
  }
  const UNTOUCHED = { superseded: 0, relations: 0, changes: 0, live: 0 };
  const ledgerOf = (user: string) =>
    rows<Record<string, unknown>>(sql`
      select key, kind, status, tier, model, derived_id as makes, proposal, run_id as run
      from slowwave.fusions where user_id = ${user}`);

  it('lets one stand for both: it is confirmed, the other is superseded by it', async () => {
    const started = await start();
    const { user, pair } = started;
    const [before] = await rows<{ prominence: number }>(sql`
      select slowwave.prominence(category, memory_type, importance, confirmations, peak, anchor_at, demotion,
        to_timestamp(${NOW}::float8 / 1000)) as prominence
      from slowwave.memories where user_id = ${user} and external_id = 'keep'`);
    expect(await merge(started)).toEqual({ ...RESULT, merged: 1, keys: [mergeKeyOf(started.scope, pair)] });
    const { keep, drop } = await memoriesOf(user);
    const p = before!.prominence;
    expect(keep).toMatchObject({ latest: true, type: 'regular', version: 1, confirmations: 1, demotion: 1 });
    expect(keep).toMatchObject({ anchor: NOW, peak: expect.closeTo(p + 0.3 * (1 - p), 10) });
    expect(drop).toMatchObject({ latest: false, type: 'superseded', prior: 'regular', version: 2 });
    expect(drop!.by).toBe(pair.keep.id);
    const relations = await rows(sql`
      select source_id as source, target_id as target, relation_type as type, confidence from slowwave.relations
      where user_id = ${user}`);
    expect(relations).toEqual([
      { source: pair.keep.id, target: pair.drop.id, type: 'UPDATES', confidence: 0.95 },
    ]);
    expect(await ledgerOf(user)).toEqual([
      {
        key: mergeKeyOf(started.scope, pair),
        kind: 'merge',
        status: 'applied',
        tier: 'deep',
        model: 'none',
        makes: pair.keep.id,
        proposal: null,
        run: RUN,
      },
    ]);
    const sources = await rows(sql`
      select memory_id as id, superseded, live from slowwave.fusion_sources where user_id = ${user} order by position`);
    expect(sources).toEqual([
      { id: pair.keep.id, superseded: false, live: false },
      { id: pair.drop.id, superseded: true, live: false },
    ]);
  });

  it('says in the journal how both were before', async () => {
    const started = await start();
    const { user, pair, scope } = started;
    await merge(started);
    const sets = await rows(sql`
      select kind, actor, fusion_key as key, run_id as run from slowwave.change_sets where user_id = ${user}`);
    expect(sets).toEqual([{ kind: 'merge', actor: null, key: mergeKeyOf(scope, pair), run: RUN }]);
    const changes = await rows<{
      table: string;
      id: string | null;
      before: Record<string, unknown> | null;
      after: Record<string, unknown>;
    }>(sql`
      select table_name as table, row_key->>'id' as id, before, after from slowwave.changes where user_id = ${user}
      order by table_name, row_key->>'id' = ${pair.drop.id}`);
    expect(changes.map(({ table, id }) => [table, id])).toEqual([
      ['memories', pair.keep.id],
      ['memories', pair.drop.id],
      ['relations', null],
    ]);
    expect(changes[0]!.before).toMatchObject({ confirmations: 0, demotion: 1 });
    expect(changes[0]!.after).toMatchObject({ confirmations: 1 });
    expect(changes[1]!.before).toMatchObject({
      is_latest: true,
      superseded_by: null,
      memory_type: 'regular',
    });
    expect(changes[1]!.after).toMatchObject({ is_latest: false, superseded_by: pair.keep.id });
    expect(changes[2]!.before).toBeNull();
    expect(JSON.stringify(changes)).not.toContain('peanut');
  });

  it('leaves a relation that was there before out of the journal', async () => {
    const started = await start();
    const { user, pair } = started;
    await rows(sql`
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      values ('t', ${user}, ${pair.keep.id}, ${pair.drop.id}, 'UPDATES', 0.5, now())`);
    expect(await merge(started)).toMatchObject({ merged: 1 });
    const tables = await rows(
      sql`select distinct table_name as name from slowwave.changes where user_id = ${user}`,
    );
    expect(tables).toEqual([{ name: 'memories' }]);
  });

  it('is done once, whoever asks again', async () => {
    const started = await start();
    const { user } = started;
    const both = await Promise.all([merge(started), merge(started)]);
    expect(both.map(({ merged }) => merged).sort()).toEqual([0, 1]);
    expect(await merge(started)).toMatchObject({ ...RESULT, skipped: 1 });
    expect((await memoriesOf(user)).keep).toMatchObject({ confirmations: 1 });
    expect(await traces(user)).toMatchObject({ superseded: 1, relations: 1, changes: 3 });
  });

  it('goes by what the store has loaded, and is listed with the run', async () => {
    const { user, scope, pair } = await start();
    const store = createMemoryStore(database, scope);
    const merges = [
      { keepId: pair.keep.id, dropId: pair.drop.id },
      { keepId: pair.keep.id, dropId: '01990000-0000-7000-8000-00000000ffff' },
    ];
    expect(await store.merge(merges)).toMatchObject({ merged: 0 });
    await store.loadCandidates(WINDOW);
    expect(await store.merge(merges)).toMatchObject({ merged: 1, stale: 0 });
    const listed = await inTenant((tx) => listFusions(tx, { tenant: 't', user, runId: RUN, limit: 10 }));
    expect(listed).toMatchObject([
      {
        kind: 'merge',
        status: 'applied',
        derived: { id: pair.keep.id },
        sources: [{ superseded: false }, { superseded: true }],
      },
    ]);
  });

  it.each([
    'after-opened',
    'after-lapsed',
    'after-members',
    'before-transaction',
    'after-ledger',
    'after-sources',
    'after-supersede',
    'after-marked',
    'after-applied',
  ])('leaves nothing half-written when it breaks %s', async (point) => {
    const started = await start();
    const failpoints = (name: string) => {
      if (name === point) throw new Error('broken on purpose');
    };
    await expect(merge(started, {}, { failpoints })).rejects.toThrow('broken on purpose');
    expect(await traces(started.user)).toEqual(UNTOUCHED);
    expect(await ledgerOf(started.user)).toEqual([]);
    expect(await merge(started)).toMatchObject({ merged: 1 });
  });

  it('begins no further pair once it is told to stop', async () => {
    const started = await start();
    expect(await merge(started, {}, { signal: AbortSignal.abort() })).toEqual({ ...RESULT, keys: [] });
  });

  describe('each guard alone', () => {
    it('lease: whoever lost the user writes nothing, and is told', async () => {
      const started = await start();
      const { user } = started;
      await holdLease({ rows }, { tenant: 't', user, fence: 2, holder: 'w2' });
      await expect(merge(started, {}, { guards: { ...ALL_OFF, lease: true } })).rejects.toBeInstanceOf(
        LeaseLost,
      );
      expect(await traces(user)).toEqual(UNTOUCHED);
      expect(await merge(started, {}, { guards: ALL_OFF })).toMatchObject({ merged: 1 });
    });

    it.each([
      ['content', sql`content_hash = 'changed'`, 'keep'],
      ['version', sql`version = version + 1`, 'drop'],
      ['latest', sql`is_latest = false`, 'keep'],
      ['archived', sql`archived_at = now()`, 'drop'],
      ['visibility', sql`visibility = 'shared'`, 'keep'],
    ])('sources: a changed %s makes it stale', async (_what, change, which) => {
      const started = await start();
      const { user } = started;
      await rows(
        sql`update slowwave.memories set ${change} where user_id = ${user} and external_id = ${which}`,
      );
      expect(await merge(started, {}, { guards: { ...ALL_OFF, sources: true } })).toMatchObject({
        ...RESULT,
        stale: 1,
      });
      expect(await traces(user)).toEqual(UNTOUCHED);
    });

    it('sources: what others said does not stand for what the user said', async () => {
      const started = await start({ origin: 'assistant' });
      expect(await merge(started, {}, { guards: { ...ALL_OFF, sources: true } })).toMatchObject({ stale: 1 });
      expect(await traces(started.user)).toEqual(UNTOUCHED);
      expect(await merge(started, {}, { guards: ALL_OFF })).toMatchObject({ merged: 1 });
    });

    it('row count: a memory that is no longer latest rolls back', async () => {
      const started = await start();
      const { user } = started;
      await rows(
        sql`update slowwave.memories set is_latest = false where user_id = ${user} and external_id = 'drop'`,
      );
      expect(await merge(started, {}, { guards: { ...ALL_OFF, rowCount: true } })).toMatchObject({
        stale: 1,
      });
      expect(await traces(user)).toEqual(UNTOUCHED);
    });

    it.each(['undone', 'rejected', 'forgotten'])('ledger: one that is %s stays so', async (status) => {
      const started = await start();
      const { user } = started;
      await merge(started, { mode: 'preview' });
      await rows(sql`update slowwave.fusions set status = ${status} where user_id = ${user}`);
      const guarded = await merge(started, {}, { guards: { ...ALL_OFF, ledger: true } });
      expect(guarded).toMatchObject({ ...RESULT, skipped: 1 });
      expect(await traces(user)).toEqual(UNTOUCHED);
      expect(await merge(started, {}, { guards: ALL_OFF })).toMatchObject({ merged: 1 });
    });

    it('source set: one that was undone in another tier stays so', async () => {
      const started = await start();
      const { user } = started;
      await merge(started, { mode: 'preview', tier: 'sleep' });
      await rows(sql`update slowwave.fusions set status = 'undone' where user_id = ${user}`);
      const guarded = await merge(started, {}, { guards: { ...ALL_OFF, sourceSet: true } });
      expect(guarded).toMatchObject({ ...RESULT, skipped: 1 });
      expect(await traces(user)).toEqual(UNTOUCHED);
      expect(await merge(started, {}, { guards: ALL_OFF })).toMatchObject({ merged: 1 });
    });

    it('claim: a memory in the hands of another fusion is left alone', async () => {
      const started = await start();
      const { user, scope, members } = started;
      const claim = await createMemoryStore(database, scope).claimFusion(clusterOf(members));
      expect(claim.status).toBe('claimed');
      expect(await merge(started, {}, { guards: ALL_OFF })).toMatchObject({ ...RESULT, skipped: 1 });
      expect(await traces(user)).toEqual({ ...UNTOUCHED, live: 3 });
      expect(await ledgerOf(user)).toHaveLength(1);
      // With the fence of whoever made it, a claim lapses.
      await holdLease({ rows }, { tenant: 't', user, fence: 2 });
      expect(await merge(started, { lease: { holder: 'w1', fence: 2 } })).toMatchObject({ merged: 1 });
    });
  });

  it('finds a memory stale that is changed at the same time', async () => {
    const started = await start();
    const { user } = started;
    const [, result] = await overlap(
      database,
      't',
      (tx) =>
        tx.rows(
          sql`update slowwave.memories set version = version + 1 where user_id = ${user} and external_id = 'keep'`,
        ),
      () => merge(started),
    );
    expect(result).toMatchObject({ ...RESULT, stale: 1 });
    expect(await traces(user)).toEqual(UNTOUCHED);
  });

  describe('for a user who wants to see it first', () => {
    const review = { mode: 'review' } as const;
    const free = (user: string) =>
      rows(sql`update slowwave.leases set expires_at = '-infinity' where user_id = ${user}`);
    const decision = ({ user, scope, pair }: Started) => ({
      tenant: 't',
      user,
      key: mergeKeyOf(scope, pair),
      at: NOW + 1_000,
      by: 'zoe',
    });

    it('waits, and is applied when somebody says yes', async () => {
      const started = await start();
      const { user, pair } = started;
      expect(await merge(started, review)).toMatchObject({ ...RESULT, proposed: 1 });
      expect(await traces(user)).toEqual({ ...UNTOUCHED, live: 2 });
      const [ledger] = await ledgerOf(user);
      expect(ledger).toMatchObject({
        status: 'review',
        proposal: { keepId: pair.keep.id, dropId: pair.drop.id },
      });
      const [shown] = await inTenant((tx) => listReviews(tx, { tenant: 't', user, limit: 5 }));
      expect(shown).toMatchObject({ kind: 'merge', derived: null, model: 'none' });
      expect(shown!.sources.map(({ id, fate }) => [id, fate])).toEqual([
        [pair.keep.id, 'confirmed'],
        [pair.drop.id, 'superseded'],
      ]);
      expect(await merge(started, review)).toMatchObject({ ...RESULT, skipped: 1 });
      await free(user);
      expect(await approveFusion(database, decision(started))).toEqual({
        status: 'applied',
        kind: 'merge',
        makes: pair.keep.id,
        superseded: 1,
        already: false,
      });
      const { keep, drop } = await memoriesOf(user);
      expect(keep).toMatchObject({ confirmations: 1, anchor: NOW + 1_000 });
      expect(drop).toMatchObject({ latest: false, by: pair.keep.id });
      const sets = await rows(sql`select kind, actor from slowwave.change_sets where user_id = ${user}`);
      expect(sets).toEqual([{ kind: 'merge', actor: 'zoe' }]);
    });

    it('is stale when a memory changed since', async () => {
      const started = await start();
      const { user } = started;
      await merge(started, review);
      await free(user);
      await rows(
        sql`update slowwave.memories set version = version + 1 where user_id = ${user} and external_id = 'drop'`,
      );
      expect(await approveFusion(database, decision(started))).toEqual({ status: 'stale' });
      expect(await traces(user)).toEqual(UNTOUCHED);
    });

    it('is never proposed again once it was rejected, in whatever tier', async () => {
      const started = await start();
      const { user } = started;
      await merge(started, review);
      await rejectFusion(database, decision(started));
      for (const tier of ['deep', 'sleep'] as const) {
        expect(await merge(started, { tier, mode: 'review' })).toMatchObject({ ...RESULT, skipped: 1 });
        expect(await merge(started, { tier })).toMatchObject({ ...RESULT, skipped: 1 });
      }
      expect(await traces(user)).toEqual(UNTOUCHED);
      const store = createMemoryStore(database, started.scope);
      await store.loadCandidates(WINDOW);
      const { keep, drop } = started.pair;
      const pair = started.members.filter(({ id }) => id === keep.id || id === drop.id);
      expect(store.isKnownSourceSet(pair)).toBe(true);
    });
  });

  it('of a preview only says which ones there are', async () => {
    const started = await start();
    const { user, pair, scope } = started;
    const key = mergeKeyOf(scope, pair);
    expect(await merge(started, { mode: 'preview' })).toEqual({ ...RESULT, keys: [key] });
    expect(await traces(user)).toEqual(UNTOUCHED);
    expect(await ledgerOf(user)).toMatchObject([{ key, status: 'planned' }]);
    expect(await merge(started)).toMatchObject({ merged: 1 });
  });
});
