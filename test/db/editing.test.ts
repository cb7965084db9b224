import {
  createMemoryStore,
  type EditInput,
  EditRefused,
  editMemory,
  type FailpointName,
  InputError,
  insertMemories,
  listChangeSets,
  listMissingEmbeddings,
  mergeDuplicates,
  redo,
  resolveConflict,
  UndoRefused,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement, statementOf } from '../fixtures/commit-statement.ts';
import { openConflict } from '../fixtures/conflicts.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { fuseMembers, membersOf, seedBicycles } from '../fixtures/fused.ts';
import { clusterOf, DAY, NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { isWaiting } from '../fixtures/overlap.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { dumpTables } from '../fixtures/tables.ts';
import { until } from '../fixtures/wait.ts';

const AT = NOW + DAY;

describe.each(DATABASES)('editing a memory (%s)', (kind, open) => {
  const tenant = 't';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  const start = async (count = 3) => {
    const user = nextUser();
    return { user, ...(await seedBicycles(database, { tenant, user, count })) };
  };
  const fused = async (count = 3, covered = count) => {
    const made = await start(count);
    const members = await membersOf(database, made.scope);
    const before = await dump(made.user);
    const fusion = await fuseMembers(database, made.scope, members, {
      coveredIds: members.slice(0, covered).map((member) => member.id),
    });
    return { ...made, before, key: fusion!.key, derivedId: fusion!.derivedId };
  };
  const edit = (user: string, id: string, more: Partial<EditInput>) =>
    inTenant((tx) => editMemory(tx, { tenant, user, id, at: AT, actor: 'eva', ...more }));
  const dump = (user: string) => dumpTables(database, tenant, user);
  const memory = async (user: string, id: string) =>
    (await dump(user)).memories.find((row) => row.id === id)!;
  const setsOf = (user: string) => inTenant((tx) => listChangeSets(tx, { tenant, user, limit: 100 }));
  const back = (action: typeof undo, user: string, changeSet: string) =>
    action(database, { tenant, user, target: { changeSet }, at: AT, actor: null });
  const refusal = async (done: Promise<unknown>): Promise<EditRefused> => {
    const error = await done.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(EditRefused);
    return error as EditRefused;
  };

  it('makes a new version, journalled, that is undone and redone exactly', async () => {
    const { user, ids } = await start();
    await rows(sql`update slowwave.memories set metadata = '{"a": {"b": [1, 2]}}' where user_id = ${user}`);
    const before = await dump(user);
    const result = await edit(user, 'm0', {
      content: 'Ana keeps a tandem',
      category: 'preference',
      importance: 9,
      validFrom: NOW - DAY,
      validTo: NOW,
      eventDate: NOW,
    });
    expect(result).toEqual({
      id: ids[0],
      before: 1,
      version: 2,
      undoneFusion: null,
      reopened: [],
      changeSetId: expect.any(String),
    });
    const after = await dump(user);
    const old = before.memories.find((row) => row.id === ids[0])!;
    expect(await memory(user, ids[0]!)).toEqual({
      ...old,
      content: 'Ana keeps a tandem',
      content_hash: expect.not.stringMatching(old.content_hash as string),
      category: 'preference',
      importance: 9,
      valid_from: expect.any(String),
      valid_to: expect.any(String),
      event_date: expect.any(String),
      learned_from: 'correction',
    });
    const [set] = await setsOf(user);
    expect(set).toMatchObject({ kind: 'edit', actor: 'eva', runId: null, counts: { memories: 1 } });
    expect(set!.id).toBe(result!.changeSetId);
    await back(undo, user, set!.id);
    expect(await dump(user)).toEqual(before);
    await back(redo, user, set!.id);
    expect(await dump(user)).toEqual(after);
  });

  it('refuses another version than the editor read', async () => {
    const { user, ids } = await start();
    await edit(user, 'm0', { content: 'Ana keeps a tandem', expectedVersion: 1 });
    const stale = { content: 'Ana keeps a canoe', expectedVersion: 1 };
    const error = await edit(user, 'm0', stale).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'version_changed', memory: ids[0] });
    expect((await memory(user, ids[0]!)).content).toBe('Ana keeps a tandem');
    await edit(user, 'm0', { ...stale, expectedVersion: 2 });
    expect((await memory(user, ids[0]!)).content).toBe('Ana keeps a canoe');
  });

  it('writes nothing when nothing changes, and knows no other user’s memory', async () => {
    const { user, ids } = await start();
    const { content } = await memory(user, ids[0]!);
    const result = await edit(user, ids[0]!, {
      content: content as string,
      category: 'fact',
      importance: 5,
      validTo: null,
    });
    expect(result).toEqual({
      id: ids[0],
      before: 1,
      version: 1,
      undoneFusion: null,
      reopened: [],
      changeSetId: null,
    });
    expect(await setsOf(user)).toEqual([]);
    const other = await start();
    expect(await edit(other.user, ids[0]!, { content: 'x' })).toBeNull();
    expect(await edit(user, 'none', { content: 'x' })).toBeNull();
  });

  it.each([
    [{ content: '' }, 'empty', 'content'],
    [{ content: ' \n' }, 'empty', 'content'],
    [{ content: 'x'.repeat(11), maxContentChars: 10 }, 'too_long', 'content'],
    [{ content: 'x'.repeat(32_769) }, 'too_long', 'content'],
    [{ content: 'a\u0000b' }, 'invalid_text', 'content'],
    [{ category: 'mood' as never }, 'not_allowed', 'category'],
    [{ importance: 11 }, 'out_of_range', 'importance'],
    [{ importance: 1.5 }, 'out_of_range', 'importance'],
    [{ validFrom: Number.NaN }, 'invalid_time', 'validFrom'],
    [{ validFrom: NOW, validTo: NOW - 1 }, 'out_of_range', 'validTo'],
    [{ content: 'x', actor: '' }, 'empty', 'actor'],
  ])('refuses %j', async (more, code, field) => {
    const { user } = await start(1);
    const error = await edit(user, 'm0', more).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ code, field });
    expect(await setsOf(user)).toEqual([]);
  });

  it('never uses the vector or the neighbours of other words again, and wakes light', async () => {
    const { user, ids } = await start();
    await rows(sql`
      with model as (insert into slowwave.embedding_models values ('edit-model', 2) on conflict do nothing)
      insert into slowwave.embeddings (tenant, user_id, memory_id, model, content_hash, vector, created_at)
      select tenant, user_id, id, 'edit-model', content_hash, '[1,0]', now() from slowwave.memories where user_id = ${user}`);
    await rows(
      sql`insert into slowwave.neighbours values (${tenant}, ${user}, 'edit-model', ${ids[1]}, ${ids[0]}, 0.9)`,
    );
    await edit(user, ids[0]!, { content: 'Ana keeps a tandem' });
    const missing = () =>
      inTenant((tx) => listMissingEmbeddings(tx, { tenant, user, model: 'edit-model', limit: 10 }));
    expect(await missing()).toMatchObject([{ id: ids[0], content: 'Ana keeps a tandem' }]);
    const left = await rows(sql`select 1 from slowwave.neighbours where user_id = ${user}`);
    expect(left).toEqual([]);
    const [light] = await rows<{ due: number }>(sql`
      select date_part('epoch', due_at) * 1000 as due from slowwave.user_tiers where user_id = ${user} and tier = 'light'`);
    expect(light).toEqual({ due: AT });
    // A new importance says nothing new.
    await edit(user, ids[1]!, { importance: 9 });
    expect((await missing()).map((row) => row.id)).toEqual([ids[0]]);
    expect(await memory(user, ids[1]!)).toMatchObject({ learned_from: 'conversation', importance: 9 });
    // And undoing puts the old words back without a vector of the new ones.
    await rows(sql`
      insert into slowwave.embeddings (tenant, user_id, memory_id, model, content_hash, vector, created_at)
      select tenant, user_id, id, 'edit-model', content_hash, '[0,1]', now() from slowwave.memories where user_id = ${user} and id = ${ids[0]}`);
    const set = (await setsOf(user)).find((entry) => entry.kind === 'edit' && entry.counts.memories === 1)!;
    for (const entry of await setsOf(user)) if (entry.undoneBy === null) await back(undo, user, entry.id);
    expect((await missing()).map((row) => row.id)).toEqual([ids[0]]);
    expect(set.kind).toBe('edit');
  });

  it('lets a fusion that counts on it begin anew', async () => {
    const { user, ids, scope } = await start();
    const store = createMemoryStore(database, scope);
    const claim = await store.claimFusion(clusterOf(await membersOf(database, scope)));
    expect(claim.status).toBe('claimed');
    await edit(user, ids[0]!, { content: 'Ana keeps a tandem' });
    const [fusion] = await rows(sql`
      select f.status, (select count(*)::int from slowwave.fusion_sources s where s.user_id = ${user} and s.live) as live
      from slowwave.fusions f where f.user_id = ${user}`);
    expect(fusion).toEqual({ status: 'stale', live: 0 });
  });

  it('takes the proposal of a fusion that waits for a person', async () => {
    const { user, ids, scope } = await start();
    const members = await membersOf(database, scope);
    const claim = await createMemoryStore(database, scope).claimFusion(clusterOf(members));
    await rows(
      sql`update slowwave.fusions set status = 'review', proposal = '{}', review_expires_at = now() where user_id = ${user}`,
    );
    await edit(user, ids[0]!, { validTo: NOW });
    const [fusion] = await rows(
      sql`select key, status, proposal from slowwave.fusions where user_id = ${user}`,
    );
    expect(fusion).toEqual({ key: claim.key, status: 'stale', proposal: null });
  });

  it('settles questions about its old words, and asks them again when it is undone', async () => {
    const { user, ids } = await start();
    await dispute(user, ids[0]!, ids[1]!);
    const before = await dump(user);
    await edit(user, ids[0]!, { importance: 2 });
    expect((await dump(user)).conflicts).toMatchObject([{ status: 'open' }]);
    await edit(user, ids[0]!, { content: 'Ana keeps a tandem' });
    expect((await dump(user)).conflicts).toMatchObject([{ status: 'resolved', resolved_by: 'gone' }]);
    for (const { id } of await setsOf(user)) await back(undo, user, id);
    expect(await dump(user)).toEqual(before);
  });

  const dispute = (user: string, one: string, other: string) =>
    openConflict(database, { tenant, user, one, other });

  /** Undoing an edit makes good again what was undone for it, and redoing it the other way round; the fusion can be undone after that. */
  async function thereAndBack(
    user: string,
    key: string,
    fusedTables: unknown,
    before: unknown,
  ): Promise<void> {
    const edited = await dump(user);
    const set = (await setsOf(user)).find((entry) => entry.kind === 'edit')!;
    const status = async () =>
      (
        await rows<{ status: string }>(
          sql`select status from slowwave.fusions where user_id = ${user} and key = ${key}`,
        )
      )[0]!.status;
    for (let round = 0; round < 2; round++) {
      const undone = await back(undo, user, set.id);
      expect(undone.changeSets.map(({ kind }) => kind)).toEqual(['edit', 'fusion']);
      expect(await dump(user)).toEqual(fusedTables);
      expect(await status()).toBe('applied');
      await back(redo, user, set.id);
      expect(await dump(user)).toEqual(edited);
      expect(await status()).toBe('undone');
    }
    await back(undo, user, set.id);
    await undo(database, { tenant, user, target: { fusion: key }, at: AT, actor: null });
    expect(await dump(user)).toEqual(before);
  }

  describe('that is superseded', () => {
    it('undoes its fusion first, in the same transaction', async () => {
      const { user, ids, key, derivedId, before } = await fused(4, 3);
      const fusedTables = await dump(user);
      const result = await edit(user, ids[0]!, { content: 'Ana keeps a tandem' });
      expect(result).toMatchObject({ id: ids[0], before: 2, version: 4, undoneFusion: key });
      expect(result!.reopened.toSorted()).toEqual([ids[1], ids[2]].toSorted());
      const now = await dump(user);
      expect(now.memories.find((row) => row.id === derivedId)).toBeUndefined();
      expect(now.memories.find((row) => row.id === ids[0])).toMatchObject({
        content: 'Ana keeps a tandem',
        is_latest: true,
        memory_type: 'regular',
        superseded_by: null,
      });
      // The words are others now: the fusion cannot be redone before the edit is undone.
      const again = await redo(database, {
        tenant,
        user,
        target: { fusion: key },
        at: AT,
        actor: null,
      }).catch((e: unknown) => e);
      expect(again).toBeInstanceOf(UndoRefused);
      expect(again).toMatchObject({ code: 'depends', dependents: [{ kind: 'edit', memoryIds: [ids[0]] }] });
      await thereAndBack(user, key, fusedTables, before);
    });

    it('is refused when the fusion cannot be undone, saying why', async () => {
      const { user, ids, derivedId } = await fused(4, 3);
      const conflict = await dispute(user, ids[3]!, derivedId);
      const keep = derivedId < ids[3]! ? 'a' : 'b';
      await resolveConflict(database, {
        tenant,
        user,
        id: conflict,
        resolution: { keep },
        by: 'eva',
        at: NOW,
      });
      const before = await dump(user);
      const error = await refusal(edit(user, ids[0]!, { content: 'x' }));
      expect(error).toMatchObject({
        code: 'superseded',
        retryable: false,
        memory: ids[0],
        why: 'depends',
        dependents: [{ kind: 'conflict', memoryIds: [ids[3]] }],
      });
      expect(await dump(user)).toEqual(before);
      // The one that lost the conflict has no fusion to undo.
      const lost = await refusal(edit(user, ids[3]!, { content: 'x' }));
      expect(lost).toMatchObject({ code: 'superseded', why: null, dependents: [{ kind: 'conflict' }] });
      expect(lost.message).toContain(derivedId);
    });

    it('changes nothing when it already says so', async () => {
      const { user, ids, before } = await fused(3);
      const now = await dump(user);
      const same = before.memories.find((row) => row.id === ids[0])!.content as string;
      expect(await edit(user, ids[0]!, { content: same })).toMatchObject({
        undoneFusion: null,
        before: 2,
        version: 2,
      });
      expect(await dump(user)).toEqual(now);
    });
  });

  describe('that is derived', () => {
    it('leaves the lineage: what it was made of is latest again', async () => {
      const { user, ids, key, derivedId, before } = await fused(4, 3);
      const fusedTables = await dump(user);
      const result = await edit(user, derivedId, { content: 'Ana keeps three bicycles' });
      expect(result).toMatchObject({ id: derivedId, before: 1, version: 2, undoneFusion: key });
      expect(result!.reopened.toSorted()).toEqual(ids.slice(0, 3).toSorted());
      const now = await dump(user);
      expect(now.relations).toEqual([]);
      expect(now.memories.filter((row) => row.id !== derivedId)).toEqual(before.memories);
      expect(now.memories.find((row) => row.id === derivedId)).toMatchObject({
        content: 'Ana keeps three bicycles',
        memory_type: 'regular',
        learned_from: 'correction',
        source_chunk: null,
        is_latest: true,
        metadata: { sourceCount: 4, editedFrom: { fusion: key, sources: result!.reopened } },
      });
      const target = { fusion: key };
      const early = await redo(database, { tenant, user, target, at: AT, actor: null }).catch(
        (e: unknown) => e,
      );
      expect(early).toMatchObject({ code: 'depends', dependents: [{ kind: 'edit' }] });
      await thereAndBack(user, key, fusedTables, before);
      // What the edit was made to is gone: it cannot be made again before the fusion is.
      const edited = (await setsOf(user)).find((entry) => entry.kind === 'edit')!;
      const late = await back(redo, user, edited.id).catch((e: unknown) => e);
      expect(late).toMatchObject({ code: 'depends', dependents: [{ kind: 'undo', fusionKey: key }] });
    });

    it('stays where it is when only its importance changes', async () => {
      const { user, derivedId } = await fused(3);
      const result = await edit(user, derivedId, { importance: 9 });
      expect(result).toMatchObject({ undoneFusion: null, reopened: [] });
      expect(await memory(user, derivedId)).toMatchObject({
        memory_type: 'derived',
        learned_from: 'consolidation',
        importance: 9,
      });
    });

    it('is refused when its fusion can no longer be undone', async () => {
      const { user, derivedId } = await fused(3);
      await rows(sql`update slowwave.change_sets set images_dropped_at = now() where user_id = ${user}`);
      const error = await refusal(edit(user, derivedId, { content: 'x' }));
      expect(error).toMatchObject({ code: 'derived', why: 'images_dropped', dependents: [] });
    });

    it('and never becomes what the user said', async () => {
      const user = nextUser();
      await seedUser(database, {
        tenant,
        user,
        memories: [newMemory(user, 'i', 'Ana likes to tinker', { origin: 'assistant' })],
      });
      await rows(sql`update slowwave.memories set memory_type = 'derived' where user_id = ${user}`);
      const result = await edit(user, 'i', { content: 'Ana likes to repair' });
      expect(await memory(user, result!.id)).toMatchObject({
        memory_type: 'regular',
        origin: 'assistant',
        metadata: { editedFrom: { fusion: null, sources: [] } },
      });
    });
  });

  it('that stands for a duplicate lets the duplicate stand for itself again', async () => {
    const { user, ids, scope } = await start(2);
    const [keep, drop] = await membersOf(database, scope);
    const merged = await mergeDuplicates(database, scope, [{ keep: keep!, drop: drop! }]);
    expect(merged).toMatchObject({ merged: 1 });
    const result = await edit(user, ids[0]!, { content: 'Ana keeps a tandem' });
    expect(result).toMatchObject({
      undoneFusion: expect.stringMatching(/^[0-9a-f]{64}$/),
      reopened: [ids[1]],
    });
    expect(await memory(user, ids[1]!)).toMatchObject({ is_latest: true, superseded_by: null });
    expect((await dump(user)).relations).toEqual([]);
    const set = (await setsOf(user)).find((entry) => entry.kind === 'edit')!;
    await back(undo, user, set.id);
    expect(await memory(user, ids[1]!)).toMatchObject({ is_latest: false, superseded_by: ids[0] });
  });

  it('that had won a conflict already is put back to what it said then', async () => {
    const { user, ids, scope } = await start(3);
    const [keep, drop] = await membersOf(database, scope);
    await mergeDuplicates(database, scope, [{ keep: keep!, drop: drop! }]);
    const conflict = await dispute(user, ids[0]!, ids[2]!);
    const won = ids[0]! < ids[2]! ? 'a' : 'b';
    await resolveConflict(database, {
      tenant,
      user,
      id: conflict,
      resolution: { keep: won },
      by: null,
      at: NOW,
    });
    const before = await dump(user);
    await edit(user, ids[0]!, { content: 'Ana keeps a tandem' });
    const set = (await setsOf(user)).find((entry) => entry.kind === 'edit')!;
    await back(undo, user, set.id);
    expect(await dump(user)).toEqual(before);
  });

  it('that won a conflict keeps its winner’s place, and is not put back to words that another lost to', async () => {
    const { user, ids } = await start(2);
    await edit(user, ids[0]!, { content: 'Ana keeps a tandem' });
    const edited = (await setsOf(user))[0]!;
    const conflict = await dispute(user, ids[0]!, ids[1]!);
    const keep = ids[0]! < ids[1]! ? 'a' : 'b';
    await resolveConflict(database, { tenant, user, id: conflict, resolution: { keep }, by: 'eva', at: AT });
    const error = await back(undo, user, edited.id).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'depends', dependents: [{ kind: 'conflict', memoryIds: [ids[1]] }] });
    // A later edit of the winner is the person's own business.
    expect(await edit(user, ids[0]!, { content: 'Ana keeps two tandems' })).toMatchObject({
      undoneFusion: null,
    });
    expect(await memory(user, ids[1]!)).toMatchObject({ is_latest: false });
  });

  if (kind === 'server') {
    it('waits for a commit that is under way, and undoes what that has done', async () => {
      const { user, ids, scope } = await start();
      const members = await membersOf(database, scope);
      const { key } = await createMemoryStore(database, scope).claimFusion(clusterOf(members));
      let editing: ReturnType<typeof edit> | null = null;
      const failpoints = async (name: FailpointName) => {
        if (name !== 'after-supersede') return;
        editing = edit(user, ids[0]!, { content: 'Ana keeps a tandem' });
        await until('the edit to wait', () => isWaiting(database));
      };
      const result = await commitStatement(database, scope, { key, members }, { failpoints });
      expect(result.status).toBe('applied');
      const undoneFusion = await statementOf(database, scope, key);
      expect(await editing!).toMatchObject({ undoneFusion, before: 2, version: 4 });
      expect((await dump(user)).memories).toHaveLength(3);
    });
  }

  it('keeps metadata that it does not know', async () => {
    const user = nextUser();
    const odd = { deep: { list: [1, null, { x: 'ü' }] }, big: 9007199254740991, text: '\\"' };
    await seedUser(database, { tenant, user, memories: [] });
    await inTenant((tx) =>
      insertMemories(tx, {
        tenant,
        at: NOW,
        memories: [newMemory(user, 'o', 'Ana has a bell', { metadata: odd })],
      }),
    );
    const result = await edit(user, 'o', { content: 'Ana has two bells' });
    const [set] = await setsOf(user);
    expect((await memory(user, result!.id)).metadata).toEqual(odd);
    await back(undo, user, set!.id);
    expect((await memory(user, result!.id)).metadata).toEqual(odd);
  });
});
