import {
  archiveLowUtility,
  confirmMemory,
  createMemoryStore,
  demoteMemory,
  dropImages,
  listChangeSets,
  readChangeSet,
  redo,
  setProminence,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { membersOf } from '../fixtures/fused.ts';
import { clusterOf, DAY, NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { CLOSED, RUN, undoLinks, undoPeople } from '../fixtures/undoing.ts';

const tenant = 't';

describe.each(DATABASES)('undo and redo (%s)', (_name, open) => {
  const people = undoPeople(open);
  const { database, inTenant, rows, start, fused, act, refusal, dump, setsOf, ledger } = people;
  const { link, dispute } = undoLinks(people);

  it('takes a fusion back and makes it good again, any number of times, exactly', async () => {
    const { user, ids, before, key, derivedId } = await fused(3, 2);
    const after = await dump(user);
    for (let round = 0; round < 3; round++) {
      const result = await act(undo, user, { fusion: key });
      expect(result).toMatchObject({
        status: 'done',
        direction: 'undo',
        changeSets: [{ kind: 'fusion', fusionKey: key, runId: null }],
        removed: [derivedId],
        relations: 2,
        conflicts: 0,
      });
      expect(result.restored.toSorted()).toEqual(ids.slice(0, 2).toSorted());
      expect(await dump(user)).toEqual(before);
      expect(await ledger(user)).toEqual([CLOSED, { status: 'undone', live: 0, superseded: 0 }]);

      const again = await act(redo, user, { fusion: key });
      expect(again).toMatchObject({ direction: 'redo', removed: [], relations: 2 });
      expect(again.restored.toSorted()).toEqual([derivedId, ...ids.slice(0, 2)].toSorted());
      expect(await dump(user)).toEqual(after);
      expect(await ledger(user)).toEqual([CLOSED, { status: 'applied', live: 0, superseded: 2 }]);
    }
    expect((await setsOf(user)).map((set) => set.kind).sort()).toEqual(
      ['fusion', ...Array(3).fill('redo'), ...Array(3).fill('undo')].sort(),
    );
  });

  it('lets versions grow and never go back', async () => {
    const { user, ids, key } = await fused(3);
    const versions = async () =>
      (
        await rows<{ version: number }>(sql`
        select version from slowwave.memories where user_id = ${user} and id = any(${`{${ids}}`}::uuid[])`)
      ).map((row) => row.version);
    expect(await versions()).toEqual([2, 2, 2]);
    await act(undo, user, { fusion: key });
    expect(await versions()).toEqual([3, 3, 3]);
    await act(redo, user, { fusion: key });
    expect(await versions()).toEqual([4, 4, 4]);
  });

  it('does not plan an undone fusion again, and only redo opens it', async () => {
    const { user, scope, members, key } = await fused(3);
    await act(undo, user, { fusion: key });
    const now = await membersOf(database, scope);
    const store = createMemoryStore(database, scope);
    await store.loadCandidates({ minProminence: 0, maxProminence: 1, minAgeMs: 0 });
    expect([store.isKnownSourceSet(now), store.isTakenBack(now)]).toEqual([true, true]);
    expect(await store.claimFusion(clusterOf(now))).toMatchObject({ status: 'skipped', reason: 'closed' });
    expect(members).toHaveLength(3);
    expect((await refusal(act(undo, user, { fusion: key }))).code).toBe('already_undone');
    await act(redo, user, { fusion: key });
    expect((await refusal(act(redo, user, { fusion: key }))).code).toBe('not_undone');
  });

  it('names what there is not, and what changed nothing', async () => {
    const { user, scope, members, key } = await fused(3);
    for (const target of [
      { fusion: 'f'.repeat(64) },
      { fusion: 'x' },
      { run: RUN },
      { run: 'x' },
      { changeSet: RUN },
    ]) {
      expect((await refusal(act(undo, user, target))).code).toBe('unknown');
    }
    // Another user's fusion is nobody's here.
    expect((await refusal(act(undo, 'somebody-else', { fusion: key }))).code).toBe('unknown');
    expect(
      (
        await refusal(
          undo(database, { tenant: 'other', user, target: { fusion: key }, at: NOW, actor: null }),
        )
      ).code,
    ).toBe('unknown');
    const other = await start({ count: 3 });
    const store = createMemoryStore(database, other.scope);
    const claim = await store.claimFusion(clusterOf(await membersOf(database, other.scope)));
    expect((await refusal(act(undo, other.user, { fusion: claim.key }))).code).toBe('nothing_to_undo');
    expect([scope.user, members.length]).toEqual([user, 3]);
  });

  it('only tells what would happen when that is asked', async () => {
    const { user, key, derivedId } = await fused(3);
    const tables = async () => ({
      ...(await dump(user)),
      sets: await setsOf(user),
      ledger: await ledger(user),
      versions: await rows(
        sql`select id, version, updated_at from slowwave.memories where user_id = ${user} order by id`,
      ),
    });
    const before = await tables();
    const would = await act(undo, user, { fusion: key }, { checkOnly: true });
    expect(would).toMatchObject({
      status: 'would',
      removed: [derivedId],
      changeSetId: null,
      changeSetIds: [],
    });
    expect(await tables()).toEqual(before);
    expect(await act(undo, user, { fusion: key })).toMatchObject({
      restored: would.restored,
      removed: would.removed,
    });
  });

  describe('what fades goes along', () => {
    it('a derived memory is taken away with its prominence, archive mark, hypotheses and conflicts, and comes back with them', async () => {
      const { user, scope, ids, before, key, derivedId } = await fused(3, 2);
      await inTenant(async (tx) => {
        await confirmMemory(tx, { tenant, user, id: derivedId, at: NOW });
        await demoteMemory(tx, { tenant, user, id: derivedId, factor: 0.5, at: NOW });
        await setProminence(tx, { tenant, user, id: derivedId, value: 0, at: NOW });
        await archiveLowUtility(tx, { tenant, user, at: NOW + 20 * DAY, runId: null });
      });
      await link(scope, derivedId, ids[2]!);
      await dispute(user, derivedId, ids[2]!);
      const after = await dump(user);
      expect(after.memories.find((row) => row.id === derivedId)).toMatchObject({
        archived_at: expect.any(String),
        peak: 0,
      });
      expect(after.relations).toHaveLength(3);
      const result = await act(undo, user, { fusion: key });
      expect(result).toMatchObject({ relations: 3, conflicts: 1 });
      expect(await dump(user)).toEqual(before);
      await act(redo, user, { fusion: key });
      expect(await dump(user)).toEqual(after);
    });

    it('and so do recalls, vectors and neighbours', async () => {
      const { user, key, derivedId, before } = await fused(3);
      await rows(sql`
        with model as (insert into slowwave.embedding_models values ('undo-model', 2) on conflict do nothing)
        insert into slowwave.embeddings (tenant, user_id, memory_id, model, content_hash, vector, created_at)
        select tenant, user_id, id, 'undo-model', content_hash, '[1,0]', now() from slowwave.memories where user_id = ${user}`);
      await rows(sql`
        with event as (
          insert into slowwave.recall_events (tenant, user_id, id, query, recalled_at, hits) values (${tenant}, ${user}, ${RUN}, 'q', now(), 1))
        select 1`);
      await rows(
        sql`insert into slowwave.recall_hits values (${tenant}, ${user}, ${RUN}, ${derivedId}, 1, 0.5)`,
      );
      await act(undo, user, { fusion: key });
      expect(await dump(user)).toEqual(before);
      const [left] = await rows<{ vectors: number }>(sql`
        select count(*)::int as vectors from slowwave.embeddings where user_id = ${user}`);
      // Those of the sources still say what they say.
      expect(left).toEqual({ vectors: 3 });
    });
  });

  it('undoing an undo is a redo, and only of the one that holds', async () => {
    const { user, before, key } = await fused(3);
    const after = await dump(user);
    const first = await act(undo, user, { fusion: key });
    const back = await act(undo, user, { changeSet: first.changeSetId! });
    expect(back.direction).toBe('redo');
    expect(await dump(user)).toEqual(after);
    expect((await refusal(act(undo, user, { changeSet: first.changeSetId! }))).code).toBe('already_undone');
    const second = await act(undo, user, { changeSet: back.changeSetId! });
    expect(second.direction).toBe('undo');
    expect(await dump(user)).toEqual(before);
    expect((await refusal(act(undo, user, { changeSet: back.changeSetId! }))).code).toBe('already_undone');
    expect((await refusal(act(redo, user, { changeSet: first.changeSetId! }))).code).toBe('not_undone');
    await act(redo, user, { changeSet: second.changeSetId! });
    expect(await dump(user)).toEqual(after);
  });

  it('makes a fusion stale that counts on what changed, and wakes light', async () => {
    const { user, key, scope } = await fused(4, 3);
    const members = await membersOf(database, scope);
    expect(members).toHaveLength(1);
    await seedUser(database, { tenant, user, memories: [newMemory(user, 'm9', 'Ana keeps a scooter')] });
    await act(undo, user, { fusion: key });
    const open = await createMemoryStore(database, scope).claimFusion(
      clusterOf((await membersOf(database, scope)).slice(0, 2)),
    );
    await rows(sql`update slowwave.user_tiers set due_at = 'infinity' where user_id = ${user}`);
    await act(redo, user, { fusion: key });
    const [row] = await rows<{ status: string; live: number; due: number }>(sql`
      select f.status, (select count(*)::int from slowwave.fusion_sources s where s.fusion_key = f.key and s.user_id = f.user_id and s.live) as live,
        (select date_part('epoch', due_at) * 1000 from slowwave.user_tiers t where t.user_id = f.user_id and t.tier = 'light') as due
      from slowwave.fusions f where f.user_id = ${user} and f.key = ${open.key}`);
    expect(row).toEqual({ status: 'stale', live: 0, due: NOW + DAY });
  });

  it('a forgotten memory and dropped images do not come back', async () => {
    const one = await fused(3);
    await rows(sql`insert into slowwave.tombstones values (${tenant}, ${one.user}, ${one.ids[0]}, now())`);
    expect((await refusal(act(undo, one.user, { fusion: one.key }))).code).toBe('forgotten');
    const other = await fused(3);
    const drop = (at: number) =>
      inTenant((tx) => dropImages(tx, { tenant, user: other.user, at, retentionMs: 90 * DAY, limit: 10 }));
    expect(await drop(NOW + 90 * DAY)).toBe(0);
    expect(await drop(NOW + 90 * DAY + 1)).toBe(1);
    expect(await drop(NOW + 90 * DAY + 1)).toBe(0);
    const [left] = await rows<{ images: number }>(sql`
      select count(*)::int as images from slowwave.changes where user_id = ${other.user}`);
    expect(left).toEqual({ images: 0 });
    expect((await refusal(act(undo, other.user, { fusion: other.key }))).code).toBe('images_dropped');
    expect((await setsOf(other.user))[0]).toMatchObject({
      kind: 'fusion',
      imagesDroppedAt: NOW + 90 * DAY + 1,
    });
  });

  it('the journal is listed in pages and read row by row', async () => {
    const { user, ids, key, derivedId } = await fused(3, 2, RUN);
    await inTenant((tx) => confirmMemory(tx, { tenant, user, id: ids[2]!, at: NOW + 5 }));
    await act(undo, user, { fusion: key });
    const list = (more: object) => inTenant((tx) => listChangeSets(tx, { tenant, user, limit: 10, ...more }));
    const [undone, confirmed, made] = await list({});
    expect([undone!.kind, confirmed!.kind, made!.kind]).toEqual(['undo', 'prominence', 'fusion']);
    expect(undone).toMatchObject({
      actor: 'ops',
      undoes: made!.id,
      counts: { memories: 3, relations: 2, conflicts: 0 },
    });
    expect(made).toMatchObject({ undoneBy: undone!.id, runId: RUN, fusionKey: key, actor: null });
    expect(await list({ limit: 1 })).toHaveLength(1);
    expect((await list({ before: confirmed!.id })).map((set) => set.id)).toEqual([made!.id]);
    expect((await list({ memory: 'm2' })).map((set) => set.id)).toEqual([confirmed!.id]);
    expect((await list({ memory: derivedId })).map((set) => set.id)).toEqual([undone!.id, made!.id]);
    expect((await list({ fusionKey: key })).map((set) => set.kind)).toEqual(['undo', 'fusion']);
    expect(await list({ runId: 'none' })).toEqual([]);
    const read = await inTenant((tx) => readChangeSet(tx, { tenant, user, id: made!.id }));
    expect(read!.rows.map(({ table, how }) => `${table} ${how}`)).toEqual([
      'memories added',
      'memories changed',
      'memories changed',
      'relations added',
      'relations added',
    ]);
    expect(Object.keys(read!.rows[1]!.columns).sort()).toEqual(
      ['is_latest', 'memory_type', 'prior_type', 'superseded_by', 'version'].sort(),
    );
    expect(await inTenant((tx) => readChangeSet(tx, { tenant, user, id: RUN }))).toBeNull();
  });
});
