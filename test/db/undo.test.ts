import {
  archiveLowUtility,
  auditRetrieval,
  commitFusion,
  confirmMemory,
  createMemoryStore,
  type Database,
  demoteMemory,
  dropImages,
  type FusionScope,
  listChangeSets,
  pruneMemories,
  readChangeSet,
  redo,
  resolveConflict,
  restoreMemories,
  setProminence,
  storeReflection,
  storeVerdicts,
  type Transaction,
  UndoRefused,
  type UndoTarget,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { fuseMembers, membersOf, relate, seedBicycles } from '../fixtures/fused.ts';
import { clusterOf, DAY, derivedOf, NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { dumpTables } from '../fixtures/tables.ts';
import { until } from '../fixtures/wait.ts';

const RUN = '0199d0aa-0000-7000-8000-000000000001';

describe.each(DATABASES)('undo and redo (%s)', (kind, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;
  const tenant = 't';

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));
  const inTenant = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
    database.withTenant(tenant, work);
  const nextUser = () => `user-${++serial}`;
  const start = async (more: { count?: number; runId?: string } = {}) => {
    const user = nextUser();
    return { user, ...(await seedBicycles(database, { tenant, user, ...more })) };
  };
  /** A user whose first memories are fused. */
  const fused = async (count = 3, covered = count, runId?: string) => {
    const made = await start({ count, ...(runId === undefined ? {} : { runId }) });
    const members = await membersOf(database, made.scope);
    const before = await dumpTables(database, tenant, made.user);
    const fusion = await fuseMembers(database, made.scope, members, {
      coveredIds: members.slice(0, covered).map((member) => member.id),
    });
    return { ...made, before, members, key: fusion!.key, derivedId: fusion!.derivedId };
  };
  const act = (
    action: typeof undo,
    user: string,
    target: UndoTarget,
    more: { checkOnly?: boolean; at?: number } = {},
  ) => action(database, { tenant, user, target, at: NOW + DAY, actor: 'ops', ...more });
  const refusal = async (done: Promise<unknown>): Promise<UndoRefused> => {
    const error = await done.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(UndoRefused);
    return error as UndoRefused;
  };
  const dump = (user: string) => dumpTables(database, tenant, user);
  const setsOf = (user: string) => inTenant((tx) => listChangeSets(tx, { tenant, user, limit: 100 }));
  const ledger = async (user: string) =>
    rows<{ status: string; live: number; superseded: number }>(sql`
      select f.status, (select count(*)::int from slowwave.fusion_sources s where s.user_id = f.user_id and s.fusion_key = f.key and s.live) as live,
        (select count(*)::int from slowwave.fusion_sources s where s.user_id = f.user_id and s.fusion_key = f.key and s.superseded) as superseded
      from slowwave.fusions f where f.user_id = ${user} order by f.created_at, f.key`);

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
      expect(await ledger(user)).toEqual([{ status: 'undone', live: 0, superseded: 0 }]);

      const again = await act(redo, user, { fusion: key });
      expect(again).toMatchObject({ direction: 'redo', removed: [], relations: 2 });
      expect(again.restored.toSorted()).toEqual([derivedId, ...ids.slice(0, 2)].toSorted());
      expect(await dump(user)).toEqual(after);
      expect(await ledger(user)).toEqual([{ status: 'applied', live: 0, superseded: 2 }]);
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
    expect(store.isKnownSourceSet(now)).toBe(true);
    expect(await store.claimFusion(clusterOf(now))).toMatchObject({ status: 'skipped', reason: 'undone' });
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

  async function link(
    scope: FusionScope,
    source: string,
    target: string,
    runId: string | null = null,
  ): Promise<void> {
    const versions = await rows<{ id: string; version: number }>(sql`
      select id, version from slowwave.memories where user_id = ${scope.user} and id in (${source}, ${target})`);
    const of = (id: string) => versions.find((row) => row.id === id)!;
    const stored = await inTenant((tx) =>
      storeVerdicts(tx, {
        tenant,
        user: scope.user,
        at: NOW,
        runId,
        model: 'm',
        seed: of(source),
        verdicts: [
          {
            ...of(target),
            novelty: 5,
            plausibility: 5,
            usefulness: 5,
            accepted: true,
            explanation: 'why not',
          },
        ],
      }),
    );
    expect(stored).toEqual({ stored: 1, accepted: 1 });
  }

  async function dispute(user: string, one: string, other: string): Promise<string> {
    const [a, b] = [one, other].sort();
    const [made] = await rows<{ id: string }>(sql`
      insert into slowwave.conflicts (tenant, user_id, id, a_id, b_id, a_hash, b_hash, status, type, source, slot, detected_at)
      select ${tenant}, ${user}, gen_random_uuid(), x.id, y.id, x.content_hash, y.content_hash, 'open', 'ambiguous', 'person',
        'place', now()
      from slowwave.memories x, slowwave.memories y
      where x.user_id = ${user} and y.user_id = ${user} and x.id = ${a}::uuid and y.id = ${b}::uuid
      returning id`);
    return made!.id;
  }

  describe('what depends is named, and nothing is written', () => {
    it('a derived memory that came to stand for another, or is superseded itself', async () => {
      const { user, scope, ids, key, derivedId } = await fused(3, 2);
      // The third memory loses to the derived one, as a settled conflict writes it.
      await supersede(user, ids[2]!, derivedId);
      const before = await dump(user);
      const error = await refusal(act(undo, user, { fusion: key }));
      expect(error).toMatchObject({ code: 'depends', retryable: false, memoryIds: [ids[2]] });
      expect(error.dependents).toEqual([
        {
          changeSetId: expect.any(String),
          kind: 'conflict',
          fusionKey: null,
          runId: null,
          memoryIds: [ids[2]],
          createdAt: NOW,
        },
      ]);
      expect(error.message).toContain(error.dependents[0]!.changeSetId);
      expect(await dump(user)).toEqual(before);
      // Undone first, it is in the way no more.
      await act(undo, user, { changeSet: error.dependents[0]!.changeSetId });
      await act(undo, user, { fusion: key });
      expect(scope.user).toBe(user);
    });

    it('a derived memory that lost', async () => {
      const { user, ids, key, derivedId } = await fused(3, 2);
      await supersede(user, derivedId, ids[2]!);
      const error = await refusal(act(undo, user, { fusion: key }));
      expect([error.code, error.dependents.map((set) => set.kind)]).toEqual(['depends', ['conflict']]);
    });

    it('a derived memory of which another fusion was made', async () => {
      const { user, scope, key, derivedId } = await fused(3);
      await seedUser(database, { tenant, user, memories: [newMemory(user, 'x', 'Ana keeps a tandem')] });
      await rows(
        sql`update slowwave.memories set memory_type = 'regular' where id = ${derivedId} and user_id = ${user}`,
      );
      const members = await membersOf(database, scope);
      expect(members).toHaveLength(2);
      const covered = members.filter((member) => member.id !== derivedId).map((member) => member.id);
      const later = await fuseMembers(database, scope, members, { coveredIds: covered });
      await rows(
        sql`update slowwave.memories set memory_type = 'derived' where id = ${derivedId} and user_id = ${user}`,
      );
      const error = await refusal(act(undo, user, { fusion: key }));
      expect(error.dependents).toMatchObject([
        { kind: 'fusion', fusionKey: later!.key, memoryIds: [derivedId] },
      ]);
    });

    it('a change of the same column, but not one of another', async () => {
      const { user, ids } = await start();
      const of = { tenant, user, id: ids[0]!, at: NOW };
      await inTenant((tx) => demoteMemory(tx, { ...of, factor: 0.5 }));
      await inTenant((tx) => demoteMemory(tx, { ...of, factor: 0.5, at: NOW + 1 }));
      const [second, first] = await setsOf(user);
      const error = await refusal(act(undo, user, { changeSet: first!.id }));
      expect(error.dependents).toMatchObject([
        { changeSetId: second!.id, kind: 'prominence', memoryIds: [ids[0]] },
      ]);
      await inTenant((tx) =>
        tx.rows(
          sql`update slowwave.memories set access_count = 7 where user_id = ${user} and id = ${ids[0]}`,
        ),
      );
      await act(undo, user, { changeSet: second!.id });
      await act(undo, user, { changeSet: first!.id });
      const [row] = (await dump(user)).memories.filter((memory) => memory.id === ids[0]);
      expect(row).toMatchObject({ demotion: 1, access_count: 7 });
    });

    it('a source that was moved to the cold table', async () => {
      const { user, key, derivedId } = await fused(3);
      const at = NOW + 100 * DAY;
      const moved = await inTenant((tx) =>
        pruneMemories(tx, { tenant, user, at, runId: null, retentionMs: 30 * DAY, limit: 100 }),
      );
      expect(moved.pruned).toBe(3);
      const error = await refusal(act(undo, user, { fusion: key }));
      expect(error.dependents).toMatchObject([{ kind: 'prune' }]);
      await act(undo, user, { changeSet: error.dependents[0]!.changeSetId });
      expect(await act(undo, user, { fusion: key })).toMatchObject({ removed: [derivedId] });
    });

    it('a source that changed since, for a redo', async () => {
      const { user, ids, scope, key } = await fused(3);
      await act(undo, user, { fusion: key });
      await rows(sql`
        update slowwave.memories set content = 'Ana has none', content_hash = ${'0'.repeat(64)}, version = version + 1
        where user_id = ${user} and id = ${ids[0]}`);
      const error = await refusal(act(redo, user, { fusion: key }));
      expect([error.code, error.memoryIds]).toEqual(['depends', [ids[0]]]);
      expect(await ledger(user)).toMatchObject([{ status: 'undone' }]);
      expect(scope.user).toBe(user);
    });

    it('a source that was fused anew, for a redo', async () => {
      const { user, scope, key } = await fused(3);
      await act(undo, user, { fusion: key });
      const members = await membersOf(database, scope);
      const later = await fuseMembers(database, scope, members.slice(0, 2));
      const error = await refusal(act(redo, user, { fusion: key }));
      expect(error.dependents).toMatchObject([{ kind: 'fusion', fusionKey: later!.key }]);
      await act(undo, user, { fusion: later!.key });
      await act(redo, user, { fusion: key });
    });
  });

  /** A person settles a conflict between the two for the winner. */
  async function supersede(user: string, loser: string, winner: string): Promise<void> {
    const id = await dispute(user, loser, winner);
    const keep = winner < loser ? 'a' : 'b';
    const settled = await resolveConflict(database, {
      tenant,
      user,
      id,
      resolution: { keep },
      by: 'eva',
      at: NOW,
    });
    expect(settled).toMatchObject({ winner, loser });
  }

  describe('each kind of change', () => {
    /** Undo gives the first table back, redo the second, twice. */
    async function thereAndBack(user: string, before: unknown, target: UndoTarget): Promise<void> {
      const after = await dump(user);
      expect(after).not.toEqual(before);
      for (let round = 0; round < 2; round++) {
        await act(undo, user, target);
        expect(await dump(user)).toEqual(before);
        await act(redo, user, target);
        expect(await dump(user)).toEqual(after);
      }
    }
    const newest = async (user: string): Promise<UndoTarget> => ({ changeSet: (await setsOf(user))[0]!.id });

    it('prominence, by a person', async () => {
      const { user, ids } = await start();
      const before = await dump(user);
      await inTenant((tx) => confirmMemory(tx, { tenant, user, id: ids[0]!, at: NOW }));
      await thereAndBack(user, before, await newest(user));
    });

    it('an audit and an archiving, of one run together', async () => {
      const user = nextUser();
      await seedUser(database, {
        tenant,
        user,
        memories: [
          newMemory(user, 'a', 'active and unused', {
            importance: 10,
            documentDate: NOW - 40 * DAY,
            category: 'preference',
          }),
          newMemory(user, 'b', 'of no use', {
            importance: 1,
            documentDate: NOW - 900 * DAY,
            category: 'event',
          }),
        ],
      });
      const before = await dump(user);
      const counts = await inTenant(async (tx) => [
        await auditRetrieval(tx, { tenant, user, at: NOW, runId: RUN, limit: 10 }),
        await archiveLowUtility(tx, { tenant, user, at: NOW, runId: RUN }),
      ]);
      expect(counts).toMatchObject([{ demoted: 1 }, { archived: 1 }]);
      await thereAndBack(user, before, { run: RUN });
    });

    it('a hypothesis', async () => {
      const { user, scope, ids } = await start();
      const before = await dump(user);
      await link(scope, ids[0]!, ids[1]!);
      await thereAndBack(user, before, await newest(user));
    });

    it('insights of a reflection', async () => {
      const { user } = await start();
      const before = await dump(user);
      await rows(sql`
        insert into slowwave.sessions (tenant, user_id, id, started_at, last_message_at) values (${tenant}, ${user}, 's', now(), now())`);
      await rows(sql`
        insert into slowwave.session_summaries (tenant, user_id, session_id, summary, content_hash, topics, message_count, model, created_at)
        values (${tenant}, ${user}, 's', 'About bicycles.', ${'0'.repeat(64)}, '[]', 4, 'm', now())`);
      await inTenant((tx) =>
        storeReflection(tx, {
          tenant,
          user,
          runId: RUN,
          at: NOW,
          profile: null,
          insights: [{ content: 'Ana likes to repair things.', sessionIds: ['s'] }],
          sessionIds: ['s'],
          confidence: 0.5,
          trust: 0.5,
        }),
      );
      await thereAndBack(user, before, { run: RUN });
    });

    it('a settled conflict, which is open again', async () => {
      const { user, ids } = await start();
      const id = await dispute(user, ids[0]!, ids[1]!);
      const before = await dump(user);
      expect(before.conflicts).toMatchObject([{ status: 'open' }]);
      await resolveConflict(database, { tenant, user, id, resolution: { keep: 'a' }, by: 'eva', at: NOW });
      expect(await dump(user)).toMatchObject({ conflicts: [{ status: 'resolved' }] });
      await thereAndBack(user, before, await newest(user));
    });

    it('a move to the cold table, with relations and conflicts, and a return from there', async () => {
      const { user, ids, members } = await fused(4, 3);
      await relate(database, { tenant, user }, 'm0', 'm3');
      await dispute(user, ids[0]!, ids[3]!);
      const before = await dump(user);
      const at = NOW + 100 * DAY;
      const prune = () =>
        inTenant((tx) =>
          pruneMemories(tx, { tenant, user, at, runId: RUN, retentionMs: 30 * DAY, limit: 100 }),
        );
      expect(await prune()).toMatchObject({ pruned: 3 });
      expect((await dump(user)).memories).toHaveLength(2);
      await thereAndBack(user, before, { run: RUN });
      await act(undo, user, { run: RUN }, { at });
      // Brought back for a reason: not moved again at once.
      expect(await prune()).toMatchObject({ pruned: 0, held: 3 });
      await act(redo, user, { run: RUN }, { at });

      const cold = await dump(user);
      const returned = await inTenant((tx) =>
        restoreMemories(tx, { tenant, user, at, ids: members.map(({ id }) => id) }),
      );
      expect(returned).toBe(3);
      const restoring = (await setsOf(user)).find((set) => set.kind === 'restore')!;
      await thereAndBack(user, cold, { changeSet: restoring.id });
      // Of what came back pruning must know even when nothing can be undone any more.
      await inTenant((tx) =>
        dropImages(tx, { tenant, user, at: at + 500 * DAY, retentionMs: 90 * DAY, limit: 100 }),
      );
      const left = await rows<{ kind: string; before: unknown }>(sql`
        select s.kind, c.before from slowwave.changes c join slowwave.change_sets s on s.id = c.change_set_id
        where c.user_id = ${user} order by s.created_at`);
      expect(left.length).toBeGreaterThan(0);
      expect(left.every((row) => row.before === null && ['restore', 'undo', 'redo'].includes(row.kind))).toBe(
        true,
      );
    });
  });

  describe('a whole run', () => {
    it('goes and comes with everything in it, and its own changes do not block each other', async () => {
      const { user, scope, ids, key, derivedId, before } = await fused(4, 3, RUN);
      await link(scope, derivedId, ids[3]!, RUN);
      await supersede(user, ids[3]!, derivedId);
      await inTenant((tx) => demoteMemory(tx, { tenant, user, id: derivedId, factor: 0.5, at: NOW }));
      await rows(sql`update slowwave.change_sets set run_id = ${RUN} where user_id = ${user}`);
      const after = await dump(user);
      for (let round = 0; round < 2; round++) {
        const result = await act(undo, user, { run: RUN });
        expect(result.changeSets).toHaveLength(4);
        expect(result.changeSetIds).toHaveLength(4);
        expect(await dump(user)).toEqual(before);
        await act(redo, user, { run: RUN });
        expect(await dump(user)).toEqual(after);
      }
      expect(await ledger(user)).toEqual([{ status: 'applied', live: 0, superseded: 3 }]);
      expect(key).toHaveLength(64);
    });

    it('can be redone in part', async () => {
      const { user, ids, key, before } = await fused(4, 3, RUN);
      const fusedOnly = await dump(user);
      await inTenant((tx) => confirmMemory(tx, { tenant, user, id: ids[3]!, at: NOW }));
      await rows(sql`update slowwave.change_sets set run_id = ${RUN} where user_id = ${user}`);
      const after = await dump(user);
      await act(undo, user, { run: RUN });
      await act(redo, user, { fusion: key });
      expect(await dump(user)).toEqual(fusedOnly);
      await act(redo, user, { run: RUN });
      expect(await dump(user)).toEqual(after);
      await act(undo, user, { fusion: key });
      expect((await act(undo, user, { run: RUN })).changeSets).toMatchObject([{ kind: 'prominence' }]);
      expect(await dump(user)).toEqual(before);
    });

    it('is refused whole when something outside it stands on a part', async () => {
      const { user, ids, before } = await fused(4, 3, RUN);
      await inTenant((tx) => demoteMemory(tx, { tenant, user, id: ids[3]!, factor: 0.5, at: NOW }));
      await rows(sql`update slowwave.change_sets set run_id = ${RUN} where user_id = ${user}`);
      await inTenant((tx) => demoteMemory(tx, { tenant, user, id: ids[3]!, factor: 0.5, at: NOW + 5 }));
      const now = await dump(user);
      expect((await refusal(act(undo, user, { run: RUN }))).dependents).toMatchObject([
        { kind: 'prominence', runId: null },
      ]);
      expect(await dump(user)).toEqual(now);
      expect(now).not.toEqual(before);
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

  describe('beside a commit', () => {
    /** Memories of which the first is fused with two others, and a commit over the rest that counts on the undone state. */
    async function two() {
      const { user, scope, key } = await fused(5, 3);
      await act(undo, user, { fusion: key });
      const members = await membersOf(database, scope);
      const cluster = clusterOf([members[0]!, members[3]!, members[4]!]);
      const store = createMemoryStore(database, scope);
      const claim = await store.claimFusion(cluster);
      return { user, scope, key, cluster, other: claim.key };
    }

    it('that comes later, the commit is stale', async () => {
      const { user, scope, key, cluster, other } = await two();
      await act(redo, user, { fusion: key });
      const result = await commitFusion(database, scope, {
        key: other,
        cluster,
        derived: derivedOf(cluster.members),
      });
      expect(result.status).toBe('stale');
    });

    if (kind === 'server') {
      it('of another undo, only one of the two takes it back', async () => {
        const { user, key, before } = await fused(3);
        const ends = await Promise.allSettled([1, 2, 3].map(() => act(undo, user, { fusion: key })));
        expect(ends.map((end) => end.status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
        for (const end of ends) {
          if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'already_undone' });
        }
        expect(await dump(user)).toEqual(before);
      });

      it('that is under way, the redo waits and is refused', async () => {
        const { user, scope, key, cluster, other } = await two();
        let waiting: Promise<UndoRefused> | null = null;
        const result = await commitFusion(
          database,
          scope,
          { key: other, cluster, derived: derivedOf(cluster.members) },
          {
            failpoints: async (name) => {
              if (name !== 'after-supersede') return;
              waiting = refusal(act(redo, user, { fusion: key }));
              await lockedWaiters();
            },
          },
        );
        expect(result.status).toBe('applied');
        expect((await waiting)!).toMatchObject({
          code: 'depends',
          dependents: [{ kind: 'fusion', fusionKey: other }],
        });
      });

      it('that began later, the commit waits for the redo and is stale', async () => {
        const { user, scope, key, cluster, other } = await two();
        let release = () => {};
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        // A redo whose transaction stays open: somebody else holds what it needs last.
        const blocker = database.withTenant(tenant, async (tx) => {
          await tx.rows(
            sql`select 1 from slowwave.user_tiers where user_id = ${user} and tier = 'light' for update`,
          );
          await held;
        });
        const redoing = act(redo, user, { fusion: key });
        await lockedWaiters();
        const committing = commitFusion(database, scope, {
          key: other,
          cluster,
          derived: derivedOf(cluster.members),
        });
        await lockedWaiters(2);
        release();
        await blocker;
        await redoing;
        expect((await committing).status).toBe('stale');
      });
    }
  });

  /** Until so many transactions wait for a lock. */
  async function lockedWaiters(count = 1): Promise<void> {
    await until(`${count} to wait for a lock`, async () => {
      const [row] = await database.asOwner((tx) =>
        tx.rows<{ waiting: number }>(sql`
          select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`),
      );
      return row!.waiting >= count;
    });
  }
});
