import {
  appendMessages,
  forget,
  getUser,
  loadImport,
  mergeDuplicates,
  pruneMemories,
  redo,
  reportConflicts,
  resolveConflict,
  restoreMemories,
  TEXT_RULES,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { forgettingPeople, forgettingTalks, REST, TEXT } from '../fixtures/forgetting.ts';
import { membersOf, relate } from '../fixtures/fused.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { stateOf } from '../fixtures/tier-runs.ts';

const tenant = 't';

describe.each(DATABASES)('forgetting (%s)', (_name, open) => {
  const people = forgettingPeople(open);
  const { database, inTenant, rows, forgetting, person, idsOf, fuse, memoryOf, whyOf, findIn } = people;
  const { talk, summarise, learn } = forgettingTalks(people);

  it('has a rule for every column that can hold words or ids', async () => {
    const columns = await database.asOwner((tx) =>
      tx.rows<{ name: string }>(sql`
        select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'slowwave' and (
          data_type in ('text', 'character varying', 'character', 'json', 'jsonb', 'uuid', 'ARRAY', 'tsvector', 'bytea', 'xml')
          or data_type = 'USER-DEFINED')`),
    );
    expect(Object.keys(TEXT_RULES).sort()).toEqual(columns.map(({ name }) => name).sort());
  });

  describe('a memory', () => {
    it('goes with what was made of it; what that had superseded stands for itself again', async () => {
      const { user, id } = await person(4);
      const first = await fuse(user, ['a', 'b', 'c']);
      // Derived memories are no candidates: what would be made of one next is written as a fusion would.
      await rows(
        sql`update slowwave.memories set memory_type = 'regular' where id = ${first.derivedId}::uuid`,
      );
      await rows(sql`update slowwave.memories set external_id = 'x' where id = ${first.derivedId}::uuid`);
      const second = await fuse(user, ['x', 'd']);
      const result = await forgetting(user, { memory: 'a' });
      expect(result.status).toBe('done');
      expect(whyOf(result)).toEqual({
        [id.a!]: 'asked',
        [first.derivedId]: 'derived',
        [second.derivedId]: 'derived',
      });
      expect([...result.reopened].sort()).toEqual([id.b, id.c, id.d].sort());
      for (const name of ['b', 'c', 'd']) {
        expect(await memoryOf(user, id[name]!)).toMatchObject({
          latest: true,
          type: 'regular',
          prior: null,
          by: null,
          version: 3,
        });
      }
      expect(result.removed).toMatchObject({ fusions: 4, relations: 5, changeSets: 2 });
      const ledger = await rows(sql`
        select status, output, proposal, answer_state as answer, (input_tokens + output_tokens)::int as tokens
        from slowwave.fusions where user_id = ${user} order by tokens`);
      const statement = { status: 'forgotten', output: null, proposal: null, answer: 'none', tokens: 0 };
      const asked = { ...statement, tokens: 15 };
      expect(ledger).toEqual([statement, statement, asked, asked]);
      const parts = await rows(
        sql`select distinct live, superseded from slowwave.fusion_sources where user_id = ${user}`,
      );
      expect(parts).toEqual([{ live: false, superseded: false }]);
      // Its id is in the tombstones alone, and in the ledger as that of what can no longer be made.
      const found = await findIn(user, ['zymurgist', id.a!, second.derivedId]);
      expect(found.sort()).toEqual(
        [`fusions: ${second.derivedId}`, `tombstones: ${id.a}`, `tombstones: ${second.derivedId}`].sort(),
      );
    });

    it('takes along what read it without covering it', async () => {
      const { user, id } = await person(3);
      const { derivedId } = await fuse(user, ['b', 'c', 'a'], 2);
      const result = await forgetting(user, { memory: id.a! });
      expect(whyOf(result)).toEqual({ [id.a!]: 'asked', [derivedId]: 'derived' });
      expect(result.reopened.sort()).toEqual([id.b, id.c].sort());
    });

    it('that was made of others goes alone; they stand for themselves again', async () => {
      const { user, id } = await person(3);
      const { derivedId, key } = await fuse(user, ['a', 'b']);
      const result = await forgetting(user, { memory: derivedId });
      expect(whyOf(result)).toEqual({ [derivedId]: 'asked' });
      expect(result.reopened.sort()).toEqual([id.a, id.b].sort());
      // The same is not made of them again.
      const again = await fuse(user, ['a', 'b']).catch((error: unknown) => error);
      expect(again).toMatchObject({ message: 'not fused' });
      expect(await rows(sql`select status from slowwave.fusions where key = ${key}`)).toEqual([
        { status: 'forgotten' },
      ]);
    });

    it('leaves no image in the journal, also of what was undone, and no redo brings it back', async () => {
      const { user, id } = await person(3);
      const { key, derivedId } = await fuse(user, ['a', 'b']);
      await undo(database, { tenant, user, target: { fusion: key }, at: NOW, actor: null });
      await rows(sql`
        insert into slowwave.change_sets (tenant, user_id, id, kind, created_at)
        values (${tenant}, ${user}, gen_random_uuid(), 'prominence', now())`);
      const result = await forgetting(user, { memory: 'a' });
      expect(whyOf(result)).toEqual({ [id.a!]: 'asked' });
      expect(result.reopened).toEqual([]);
      expect(result.removed).toMatchObject({ changeSets: 2 });
      expect(result.removed.images).toBeGreaterThan(4);
      expect(await rows(sql`select 1 from slowwave.changes where user_id = ${user}`)).toEqual([]);
      const sets = await rows<{ kind: string; dropped: boolean }>(sql`
        select kind, images_dropped_at is not null as dropped from slowwave.change_sets where user_id = ${user} order by kind`);
      expect(sets).toEqual([
        { kind: 'forget', dropped: true },
        { kind: 'fusion', dropped: true },
        { kind: 'prominence', dropped: false },
        { kind: 'undo', dropped: true },
      ]);
      const refused = redo(database, { tenant, user, target: { fusion: key }, at: NOW, actor: null });
      await expect(refused).rejects.toMatchObject({ name: 'UndoRefused' });
      expect(await memoryOf(user, derivedId)).toBeUndefined();
    });

    it('takes its merged duplicate along, whichever of the two was named', async () => {
      for (const named of ['a', 'b']) {
        const { user, scope, id } = await person(3);
        const [keep, drop] = (await membersOf(database, scope))
          .filter((member) => member.id !== id.c)
          .sort((x, y) => (x.id === id.a ? -1 : y.id === id.a ? 1 : 0));
        const merged = await mergeDuplicates(database, scope, [{ keep: keep!, drop: drop! }]);
        expect(merged).toMatchObject({ merged: 1 });
        const result = await forgetting(user, { memory: named });
        const other = named === 'a' ? 'b' : 'a';
        expect(whyOf(result)).toEqual({ [id[named]!]: 'asked', [id[other]!]: 'duplicate' });
        expect(result.reopened).toEqual([]);
      }
    });

    it('does not take along what a person took back from a merge', async () => {
      const { user, scope, id } = await person(2);
      const [a, b] = (await membersOf(database, scope)).sort((x) => (x.id === id.a ? -1 : 1));
      const { keys } = await mergeDuplicates(database, scope, [{ keep: a!, drop: b! }]);
      await undo(database, { tenant, user, target: { fusion: keys[0]! }, at: NOW, actor: null });
      expect(whyOf(await forgetting(user, { memory: 'a' }))).toEqual({ [id.a!]: 'asked' });
      expect(await memoryOf(user, id.b!)).toMatchObject({ latest: true });
    });

    it('that won a conflict frees the loser, and its validity', async () => {
      const { user, id } = await person(3);
      const pair = { a: id.a!, b: id.b!, kind: 'contradictory' as const, slot: 'about zymurgist things' };
      await inTenant((tx) =>
        reportConflicts(tx, { tenant, user, runId: null, at: NOW, source: 'twins', pairs: [pair] }),
      );
      const [conflict] = await rows<{ id: string; first: string }>(
        sql`select id, a_id as first from slowwave.conflicts where user_id = ${user}`,
      );
      await resolveConflict(database, {
        tenant,
        user,
        id: conflict!.id,
        resolution: { keep: conflict!.first === id.a ? 'a' : 'b' },
        by: null,
        at: NOW,
      });
      expect(await memoryOf(user, id.b!)).toMatchObject({ latest: false, by: id.a });
      expect((await memoryOf(user, id.b!))!.validTo).not.toBeNull();
      const result = await forgetting(user, { memory: 'a' });
      expect(result.reopened).toEqual([id.b]);
      expect(await memoryOf(user, id.b!)).toMatchObject({
        latest: true,
        type: 'regular',
        by: null,
        validTo: null,
      });
      expect(result.removed).toMatchObject({ conflicts: 1, relations: 1 });
    });

    it('takes a validity that nobody else gave, and no other', async () => {
      const { user, id } = await person(2, { validTo: NOW + 9 * DAY });
      await fuse(user, ['a', 'b']);
      await forgetting(user, { memory: 'a' });
      expect(new Date(String((await memoryOf(user, id.b!))!.validTo)).getTime()).toBe(NOW + 9 * DAY);
    });

    it('is found in the cold table, with what it had superseded there', async () => {
      const { user, id } = await person(4);
      const { derivedId } = await fuse(user, ['a', 'b', 'c']);
      await relate(database, { tenant, user }, 'c', 'd');
      const prune = (at: number) =>
        inTenant((tx) => pruneMemories(tx, { tenant, user, at, runId: null, retentionMs: DAY, limit: 10 }));
      expect(await prune(NOW + 5 * DAY)).toMatchObject({ pruned: 3 });
      const result = await forgetting(user, { memory: 'a' }, { at: NOW + 6 * DAY });
      expect(whyOf(result)).toEqual({ [id.a!]: 'asked', [derivedId]: 'derived' });
      expect(result.reopened.sort()).toEqual([id.b, id.c].sort());
      for (const name of ['b', 'c']) {
        expect(await memoryOf(user, id[name]!)).toMatchObject({ latest: true, type: 'regular', by: null });
      }
      // Its relation to what stayed is back with it.
      const ends = await rows(
        sql`select source_id as source, target_id as target from slowwave.relations where user_id = ${user}`,
      );
      expect(ends).toEqual([{ source: id.c, target: id.d }]);
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
      expect(await rows(sql`select 1 from slowwave.cold_memories where user_id = ${user}`)).toEqual([]);
      expect(await inTenant((tx) => restoreMemories(tx, { tenant, user, ids: [id.a!], at: NOW }))).toBe(0);
    });

    it('leaves nothing of it in cold memories that stay, and cannot be restored from a copy', async () => {
      const { user, id } = await person(4);
      const { key } = await fuse(user, ['a', 'b', 'c']);
      await relate(database, { tenant, user }, 'a', 'd');
      await rows(
        sql`update slowwave.memories set archived_at = ${new Date(NOW).toISOString()} where id = ${id.d}::uuid`,
      );
      const pruned = await inTenant((tx) =>
        pruneMemories(tx, { tenant, user, at: NOW + 5 * DAY, runId: null, retentionMs: DAY, limit: 10 }),
      );
      expect(pruned).toMatchObject({ pruned: 4 });
      // Somebody else's id, put there by hand: only what refers to the forgotten goes from a memory that stays cold.
      await rows(sql`
        update slowwave.cold_memories set fusion_sources = jsonb_build_array(
          jsonb_build_object('fusion_key', ${key}::text, 'live', true, 'superseded', true),
          jsonb_build_object('fusion_key', 'other', 'live', false, 'superseded', true))
        where id = ${id.d}::uuid`);
      const copy = await rows<{ row: object }>(
        sql`select to_jsonb(c) as row from slowwave.cold_memories c where id = ${id.a}::uuid`,
      );
      await forgetting(user, { memory: 'a' }, { at: NOW + 6 * DAY });
      const [left] = await rows(
        sql`select relations, fusion_sources as sources from slowwave.cold_memories where id = ${id.d}::uuid`,
      );
      expect(left).toEqual({
        relations: [],
        sources: [
          { fusion_key: key, live: false, superseded: false },
          { fusion_key: 'other', live: false, superseded: true },
        ],
      });
      await rows(sql`
        insert into slowwave.cold_memories
        select * from jsonb_populate_record(null::slowwave.cold_memories, ${JSON.stringify(copy[0]!.row)}::jsonb)`);
      await rows(
        sql`update slowwave.cold_memories set memory = memory || '{"superseded_by": null}' where id = ${id.a}::uuid`,
      );
      expect(await inTenant((tx) => restoreMemories(tx, { tenant, user, ids: [id.a!], at: NOW }))).toBe(0);
    });

    it('leaves what a person rewrote until it says something else, and takes what still says it', async () => {
      for (const [text, goes] of [
        ['Carla rides a bicycle to school.', false],
        ['The Quillbrook cellar holds it.', true],
      ] as const) {
        const { user, id } = await person(3);
        const { derivedId, key } = await fuse(user, ['a', 'b']);
        await rows(sql`
          update slowwave.memories set content = ${text}, memory_type = 'regular', learned_from = 'correction', source_chunk = null,
            metadata = jsonb_build_object('kept', 1, 'editedFrom',
              jsonb_build_object('fusion', ${key}::text, 'sources', jsonb_build_array(${id.a}::text, ${id.b}::text)))
          where id = ${derivedId}::uuid`);
        await rows(sql`delete from slowwave.relations where source_id = ${derivedId}::uuid`);
        await rows(sql`update slowwave.memories set is_latest = true, memory_type = 'regular', prior_type = null, superseded_by = null
          where superseded_by = ${derivedId}::uuid`);
        await rows(sql`update slowwave.fusions set status = 'undone' where key = ${key}`);
        const result = await forgetting(user, { memory: 'a' });
        expect(whyOf(result)).toEqual({
          [id.a!]: 'asked',
          ...(goes ? { [derivedId]: 'derived' } : {}),
        });
        if (!goes) {
          expect((await memoryOf(user, derivedId))!.metadata).toEqual({
            kept: 1,
            editedFrom: { sources: [id.b] },
          });
          expect(await findIn(user, ['zymurgist', 'Quillbrook'])).toEqual([]);
        }
      }
    });

    it('goes by what it said before it was edited as well', async () => {
      const { user, id } = await person(2);
      await rows(sql`
        with opened as (
          insert into slowwave.change_sets (tenant, user_id, id, kind, created_at)
          values (${tenant}, ${user}, gen_random_uuid(), 'edit', now()) returning id
        )
        insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
        select ${tenant}, ${user}, id, 1, 'memories', jsonb_build_object('id', ${id.a}::text),
          jsonb_build_object('content', 'Ana hums vapourware arias.'), jsonb_build_object('content', ${TEXT}::text) from opened`);
      await inTenant((tx) =>
        appendMessages(tx, {
          tenant,
          user,
          session: { id: 's' },
          at: NOW,
          messages: ['ana hums vapourware arias, she said', 'Fine.'].map((content) => ({
            role: 'user',
            content,
            saidAt: NOW,
          })),
        }),
      );
      expect((await forgetting(user, { memory: 'a' })).removed).toMatchObject({ messages: 1, images: 1 });
      expect(await findIn(user, ['vapourware'])).toEqual([]);
    });

    it('tells what still holds its text and stays', async () => {
      const { user, id } = await person(3);
      await rows(
        sql`update slowwave.memories set content = 'Note: ' || ${TEXT}::text where id = ${id.c}::uuid`,
      );
      await rows(sql`
        insert into slowwave.goals (tenant, user_id, id, title, created_at, updated_at)
        values (${tenant}, ${user}, '01890000-0000-7000-8000-000000000001', ${TEXT.toUpperCase()}, now(), now()),
          (${tenant}, ${user}, '01890000-0000-7000-8000-000000000002', 'Rest', now(), now())`);
      await rows(sql`
        insert into slowwave.scheduled_items (tenant, user_id, id, kind, content, due_at, created_at, updated_at)
        values (${tenant}, ${user}, '01890000-0000-7000-8000-000000000003', 'reminder', ${`Ask: ${TEXT}`}, now(), now(), now())`);
      const { mentions } = await forgetting(user, { memory: 'a' });
      expect(mentions).toEqual({
        memories: [id.c],
        goals: ['01890000-0000-7000-8000-000000000001'],
        scheduledItems: ['01890000-0000-7000-8000-000000000003'],
      });
    });

    it('is a thing of one user', async () => {
      const [mine, theirs] = [await person(3), await person(3)];
      await fuse(mine.user, ['a', 'b']);
      await fuse(theirs.user, ['a', 'b']);
      const before = await stateOf(database, { tenant, user: theirs.user });
      await forgetting(mine.user, { memory: 'a' });
      expect(await stateOf(database, { tenant, user: theirs.user })).toEqual(before);
      const foreign = forgetting(mine.user, { memory: theirs.id.a! });
      await expect(foreign).rejects.toMatchObject({ name: 'ForgetRefused', code: 'unknown_memory' });
      const elsewhere = forget(database, {
        tenant: 'elsewhere',
        user: theirs.user,
        target: { memory: theirs.id.a! },
        at: NOW,
        actor: null,
      });
      await expect(elsewhere).rejects.toMatchObject({ code: 'unknown_user' });
    });

    it('is not written again under its own name, on whatever day, and an import says so', async () => {
      const { user, id } = await person(1);
      await forgetting(user, { memory: 'a' });
      const load = (lines: object[]) =>
        loadImport(database, lines.map((line) => JSON.stringify(line)).join('\n'), {
          format: 'jsonl',
          defaults: { tenant, user },
          at: NOW + 2 * DAY,
          maxContentChars: 1_000,
        });
      const again = { id: 'a', content: TEXT, category: 'fact' };
      const summary = await load([
        { ...again, id: 'z' },
        again,
        { ...again, date: new Date(NOW - 90 * DAY).toISOString(), id: 'a' },
      ]);
      expect(summary).toMatchObject({ inserted: 1, forgotten: 1 });
      expect(summary.problems.map(({ line, code }) => [line, code])).toContainEqual([2, 'forgotten']);
      expect(JSON.stringify(summary.problems)).not.toContain('zymurgist');
      expect((await idsOf(user)).a).toBeUndefined();
      expect(id.a).toBeDefined();
    });

    it('wakes light, and is in the journal without a word of what it was', async () => {
      const { user } = await person(2);
      await fuse(user, ['a', 'b']);
      await rows(sql`update slowwave.user_tiers set due_at = 'infinity' where user_id = ${user}`);
      const { changeSetId } = await forgetting(user, { memory: 'a' });
      expect((await inTenant((tx) => getUser(tx, tenant, user)))!.tiers.light.dueAt).toBe(NOW + DAY);
      const [set] = await rows(sql`
        select kind, actor, run_id as run, fusion_key as key, images_dropped_at is not null as dropped
        from slowwave.change_sets where id = ${changeSetId}::uuid`);
      expect(set).toEqual({ kind: 'forget', actor: 'ana', run: null, key: null, dropped: true });
    });

    it('with checkOnly tells the same and writes nothing', async () => {
      const { user, id } = await person(4);
      await fuse(user, ['a', 'b', 'c']);
      await talk(user, 's', [TEXT, 'Fine.']);
      const before = await stateOf(database, { tenant, user });
      const would = await forgetting(user, { memory: 'a' }, { checkOnly: true });
      expect(would).toMatchObject({ status: 'would', changeSetId: null });
      expect(await stateOf(database, { tenant, user })).toEqual(before);
      const done = await forgetting(user, { memory: 'a' });
      expect({ ...would, status: 'done', changeSetId: null }).toEqual({ ...done, changeSetId: null });
      expect(would.reopened.sort()).toEqual([id.b, id.c].sort());
    });

    it.each([
      [{ memory: 'nobody' }, 'unknown_memory'],
      [{ memory: '01890000-0000-7000-8000-00000000dead' }, 'unknown_memory'],
      [{ session: 'never' }, 'unknown_session'],
    ] as const)('refuses %j', async (target, code) => {
      const { user } = await person(1);
      await expect(forgetting(user, target)).rejects.toMatchObject({
        name: 'ForgetRefused',
        code,
        retryable: false,
      });
    });

    it('once forgotten is unknown', async () => {
      const { user } = await person(2);
      await forgetting(user, { memory: 'a' });
      await expect(forgetting(user, { memory: 'a' })).rejects.toMatchObject({ code: 'unknown_memory' });
      await expect(forgetting('nobody', { memory: 'a' })).rejects.toMatchObject({ code: 'unknown_user' });
    });
  });

  describe('a user', () => {
    it('goes with every row of every table, and nobody else does', async () => {
      const [mine, theirs] = [await person(3), await person(3)];
      for (const { user } of [mine, theirs]) {
        await fuse(user, ['a', 'b']);
        await talk(user, 's', [TEXT, 'Fine.', 'x', 'y']);
        await summarise(user, 's', 'About it.', 4);
        await learn(user, 's');
      }
      const before = await stateOf(database, { tenant, user: theirs.user });
      const would = await forgetting(mine.user, { user: true }, { checkOnly: true });
      expect(would).toMatchObject({ status: 'would' });
      const result = await forgetting(mine.user, { user: true });
      expect(result.removed.tables).toMatchObject({
        memories: 5,
        messages: 4,
        sessions: 1,
        leases: 1,
        user_tiers: 3,
      });
      expect(result.removed).toEqual(would.removed);
      expect(result.removed.memories).toHaveLength(5);
      expect(result).toMatchObject({ status: 'done', changeSetId: null, reopened: [] });
      const state = await stateOf(database, { tenant, user: mine.user });
      expect(Object.values(state).flat()).toEqual([]);
      expect(await inTenant((tx) => getUser(tx, tenant, mine.user))).toBeNull();
      expect(await findIn(mine.user, ['a'])).toEqual([]);
      expect(await stateOf(database, { tenant, user: theirs.user })).toEqual(before);
      await expect(forgetting(mine.user, { user: true })).rejects.toMatchObject({ code: 'unknown_user' });
    });
  });

  it('says nothing of what it forgets when something goes wrong', async () => {
    const { user } = await person(1);
    const error = await forgetting(user, { memory: `${REST}\u0000` }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'InputError' });
    expect(`${(error as Error).message}`).not.toContain(REST);
  });
});
