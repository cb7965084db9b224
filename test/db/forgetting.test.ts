import {
  appendMessages,
  type Database,
  type ForgetInput,
  type ForgetResult,
  type ForgetTarget,
  findAnswer,
  forget,
  getUser,
  getUserProfile,
  listIdleSessions,
  loadImport,
  mergeDuplicates,
  type NewMemory,
  pruneMemories,
  redo,
  reportConflicts,
  resolveConflict,
  restoreMemories,
  storeAnswer,
  storeBehaviour,
  storeReflection,
  storeSessionSummary,
  storeVerdicts,
  TEXT_RULES,
  undo,
} from '@slowwave/db';
import { updateBehaviour } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { fuseMembers, membersOf, relate } from '../fixtures/fused.ts';
import { DAY, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { stateOf } from '../fixtures/tier-runs.ts';

const tenant = 't';
const TEXT = 'Ana keeps the zymurgist-4711 in the Quillbrook cellar.';
const ANSWER = { stopReason: 'end_turn', inputTokens: 7, outputTokens: 3, model: 'm' };

describe.each(DATABASES)('forgetting (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));
  const inTenant: Database['withTenant'] extends (t: string, work: infer W) => unknown
    ? <T>(work: W extends (tx: infer Tx) => unknown ? (tx: Tx) => Promise<T> : never) => Promise<T>
    : never = (work) => database.withTenant(tenant, work);

  const forgetting = (user: string, target: ForgetTarget, more: Partial<ForgetInput> = {}) =>
    forget(database, { tenant, user, target, at: NOW + DAY, actor: 'ana', ...more });

  /** A user whose memories are TEXT (a) and others (b, c, …). */
  async function person(count: number, more: Partial<NewMemory> = {}) {
    const user = `user-${++serial}`;
    const texts = [
      TEXT,
      ...Array.from({ length: count - 1 }, (_, i) => `Ben walks dog number ${i} at noon.`),
    ];
    const memories = texts.map((text, i) => newMemory(user, 'abcdefgh'[i]!, text, more));
    await seedUser(database, { tenant, user, memories });
    return { user, scope: scopeOf(tenant, user), id: await idsOf(user) };
  }
  async function idsOf(user: string): Promise<Record<string, string>> {
    const found = await rows<{ name: string; id: string }>(
      sql`select external_id as name, id from slowwave.memories where user_id = ${user} and external_id is not null`,
    );
    return Object.fromEntries(found.map(({ name, id }) => [name, id]));
  }
  /** Fuses memories by their writer's ids; the first ones are covered. */
  async function fuse(user: string, names: string[], covered = names.length) {
    const scope = scopeOf(tenant, user);
    const id = await idsOf(user);
    const members = (await membersOf(database, scope)).filter((member) =>
      names.some((name) => id[name] === member.id),
    );
    const inOrder = names.map((name) => members.find((member) => member.id === id[name])!);
    const coveredIds = inOrder.slice(0, covered).map((member) => member.id);
    const content = `Of ${inOrder.map((member) => member.content.slice(0, 30)).join(' and ')}`;
    const made = await fuseMembers(database, scope, members, {
      content,
      coveredIds,
      metadata: { sourceIds: coveredIds, uncoveredIds: inOrder.slice(covered).map((member) => member.id) },
    });
    if (!made) throw new Error('not fused');
    return made;
  }
  const memoryOf = async (user: string, id: string) => {
    const [row] = await rows<Record<string, unknown>>(sql`
      select is_latest as latest, memory_type as type, prior_type as prior, superseded_by as by, version, valid_to as "validTo",
        metadata from slowwave.memories where user_id = ${user} and id = ${id}::uuid`);
    return row;
  };
  const whyOf = (result: ForgetResult) =>
    Object.fromEntries(result.removed.memories.map(({ id, why }) => [id, why]));

  /** Every value of every column about a user that holds one of the strings. */
  async function findIn(user: string, needles: string[]): Promise<string[]> {
    const tables = await database.asOwner((tx) =>
      tx.rows<{ name: string }>(sql`
        select table_name as name from information_schema.columns
        where table_schema = 'slowwave' and column_name in ('user_id') order by 1`),
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const hits = await rows<{ row: string }>(sql`
        select t::text as row from ${sql.raw(`slowwave.${name}`)} t where t.user_id = ${user}`);
      for (const { row } of hits)
        for (const needle of needles)
          if (row.toLowerCase().includes(needle.toLowerCase())) found.push(`${name}: ${needle}`);
    }
    return [...new Set(found)];
  }
  const REST = 'Ben walks dog';

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
      expect(result.removed).toMatchObject({ fusions: 2, relations: 5, changeSets: 2 });
      const ledger = await rows(sql`
        select status, output, proposal, answer_state as answer, (input_tokens + output_tokens)::int as tokens
        from slowwave.fusions where user_id = ${user}`);
      const ended = { status: 'forgotten', output: null, proposal: null, answer: 'none', tokens: 15 };
      expect(ledger).toEqual([ended, ended]);
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

  async function talk(user: string, session: string, texts: string[]): Promise<void> {
    const messages = texts.map((content, i) => ({
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content,
      saidAt: NOW - DAY + i * 60_000,
    }));
    await inTenant((tx) => appendMessages(tx, { tenant, user, session: { id: session }, at: NOW, messages }));
  }
  async function summarise(user: string, session: string, summary: string, count: number): Promise<boolean> {
    return inTenant((tx) =>
      storeSessionSummary(tx, {
        tenant,
        user,
        sessionId: session,
        summary,
        topics: ['zymurgist-4711', 'cellar'],
        messageCount: count,
        model: 'm',
        at: NOW,
      }),
    );
  }
  const said = async (user: string, session: string) =>
    (
      await rows<{ said: string }>(sql`
        select position || ' ' || content as said from slowwave.messages
        where user_id = ${user} and session_id = ${session} order by position`)
    ).map((row) => row.said);
  async function learn(user: string, session: string): Promise<void> {
    const day = { day: '2026-06-14', messages: 4, characters: 80, questions: 1, topics: ['zymurgist-4711'] };
    const hours = Array.from({ length: 24 }, () => 0);
    const behaviour = updateBehaviour(null, [{ ...day, hours, at: NOW }])!;
    await inTenant(async (tx) => {
      await storeBehaviour(tx, { tenant, user, behaviour, through: NOW, at: NOW });
      await storeReflection(tx, {
        tenant,
        user,
        runId: null,
        at: NOW,
        profile: 'Talks of the zymurgist-4711.',
        insights: [{ content: 'Thinks of the zymurgist-4711 at night.', sessionIds: [session] }],
        sessionIds: [session],
        confidence: 0.6,
        trust: 0.5,
      });
    });
  }

  describe('what was said of it', () => {
    it('goes: in its own session what says the same, elsewhere what holds its words', async () => {
      const { user } = await person(2, { session: 'own' });
      await talk(user, 'own', ['i was in quillbrook', 'How nice.', 'The weather is fine.', `So: ${TEXT}`]);
      await talk(user, 'other', [
        'i was in quillbrook',
        `ANA keeps the zymurgist-4711 in the quillbrook  CELLAR!`,
        'Bye.',
      ]);
      await talk(user, 'apart', ['Nothing of it.']);
      await summarise(user, 'own', 'About the zymurgist-4711.', 4);
      await summarise(user, 'other', 'About something.', 3);
      await summarise(user, 'apart', 'About nothing.', 1);
      const { removed } = await forgetting(user, { memory: 'a' });
      expect(removed).toMatchObject({ messages: 3, summaries: 2, sessions: 0 });
      expect(await said(user, 'own')).toEqual(['1 How nice.', '2 The weather is fine.']);
      expect(await said(user, 'other')).toEqual(['1 i was in quillbrook', '2 Bye.']);
      const sessions = await rows(sql`
        select id, message_count as count, summarized_count as covered from slowwave.sessions where user_id = ${user} order by id`);
      expect(sessions).toEqual([
        { id: 'apart', count: 1, covered: 1 },
        { id: 'other', count: 2, covered: 0 },
        { id: 'own', count: 2, covered: 0 },
      ]);
      // What follows goes on from there, and what is left is summarised anew.
      await talk(user, 'own', ['One more.', 'And more.']);
      expect(await said(user, 'own')).toHaveLength(4);
      const idle = await inTenant((tx) =>
        listIdleSessions(tx, { tenant, user, at: NOW + DAY, idleMs: 0, minMessages: 4, limit: 9 }),
      );
      expect(idle).toMatchObject([{ id: 'own', messageCount: 4, summarizedCount: 0 }]);
    });

    it('goes from what was learned of it: insights, profile, behaviour', async () => {
      const { user } = await person(2, { session: 's' });
      await talk(user, 's', [TEXT, 'Fine.', 'x', 'y']);
      await summarise(user, 's', 'About the zymurgist-4711.', 4);
      await learn(user, 's');
      const result = await forgetting(user, { memory: 'a' });
      expect(Object.values(whyOf(result)).sort()).toEqual(['asked', 'derived']);
      expect(result.removed.profiles).toBe(1);
      const profile = await inTenant((tx) => getUserProfile(tx, { tenant, user }));
      expect(profile).toMatchObject({
        profile: null,
        profileAt: null,
        behaviour: null,
        behaviourThrough: null,
      });
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
    });

    it('stays untouched where nothing of it was said', async () => {
      const { user } = await person(2, { session: 's' });
      await talk(user, 'far', ['Something else.', 'Fine.', 'x', 'y']);
      await summarise(user, 'far', 'About birds.', 4);
      await inTenant((tx) =>
        storeReflection(tx, {
          tenant,
          user,
          runId: null,
          at: NOW,
          profile: 'Is brief.',
          insights: [{ content: 'Likes birds.', sessionIds: ['far'] }],
          sessionIds: ['far'],
          confidence: 0.6,
          trust: 0.5,
        }),
      );
      const { removed } = await forgetting(user, { memory: 'a' });
      expect(removed).toMatchObject({ messages: 0, summaries: 0, profiles: 0 });
      expect(removed.memories).toHaveLength(1);
      expect(await inTenant((tx) => getUserProfile(tx, { tenant, user }))).toMatchObject({
        profile: 'Is brief.',
      });
    });

    it('goes from questions: those that brought it back, hold it, or are a part of it', async () => {
      const { user, id } = await person(3);
      const ask = (query: string, hit: string | null) =>
        rows(sql`
          with asked as (
            insert into slowwave.recall_events (tenant, user_id, id, query, recalled_at, hits)
            values (${tenant}, ${user}, gen_random_uuid(), ${query}, now(), 1) returning id
          )
          insert into slowwave.recall_hits (tenant, user_id, event_id, memory_id, position, score)
          select ${tenant}, ${user}, asked.id, ${hit}::uuid, 1, 1 from asked where ${hit}::uuid is not null`);
      await ask('what brought it back', id.a!);
      await ask(`is it so that ${TEXT}`, null);
      await ask('QUILLBROOK  cellar', null);
      await ask('what brought another back', id.b!);
      await ask('?', null);
      expect((await forgetting(user, { memory: 'a' })).removed.recallEvents).toBe(3);
      const left = await rows(
        sql`select query from slowwave.recall_events where user_id = ${user} order by 1`,
      );
      expect(left).toEqual([{ query: '?' }, { query: 'what brought another back' }]);
    });
  });

  describe('what models made of it', () => {
    const answer = (
      user: string,
      key: string,
      of: { memoryIds?: string[]; sessionIds?: string[]; step?: 'rem' },
    ) =>
      inTenant((tx) =>
        storeAnswer(tx, {
          tenant,
          user,
          key: key.repeat(64),
          attempt: 1,
          step: of.step ?? 'summaries',
          runId: null,
          answer: { ...ANSWER, text: `{"zymurgist":"${key}"}` },
          memoryIds: of.memoryIds ?? [],
          sessionIds: of.sessionIds ?? [],
          at: NOW,
        }),
      );

    it('is emptied, and what it cost stays on record', async () => {
      const { user, id } = await person(3, { session: 's' });
      await talk(user, 's', [TEXT, 'Fine.']);
      await talk(user, 'far', ['Something else.']);
      await answer(user, 'a', { sessionIds: ['s'] });
      await answer(user, 'b', { memoryIds: [id.a!, id.b!] });
      await answer(user, 'c', { memoryIds: [id.b!, id.c!], sessionIds: ['far'] });
      expect((await forgetting(user, { memory: 'a' })).removed.answers).toBe(2);
      const kept = await rows(sql`
        select left(key, 1) as key, output, state, input_tokens::int as tokens, cardinality(memory_ids) as ids
        from slowwave.model_answers where user_id = ${user} order by 1`);
      expect(kept).toEqual([
        { key: 'a', output: '', state: 'rejected', tokens: 7, ids: 0 },
        { key: 'b', output: '', state: 'rejected', tokens: 7, ids: 0 },
        { key: 'c', output: '{"zymurgist":"c"}', state: 'unjudged', tokens: 7, ids: 2 },
      ]);
      const found = await inTenant((tx) => findAnswer(tx, { tenant, user, key: 'a'.repeat(64) }));
      expect(found.answer).toBeNull();
    });

    it('goes even where it is about others: hypotheses and verdicts of the same answer', async () => {
      const { user, id } = await person(4);
      await answer(user, 'a', { step: 'rem', memoryIds: [id.a!, id.b!, id.c!] });
      const verdict = (other: string, explanation: string) => ({
        id: other,
        version: 1,
        novelty: 4,
        plausibility: 4,
        usefulness: 4,
        accepted: true,
        explanation,
      });
      const store = (seed: string, verdicts: ReturnType<typeof verdict>[]) =>
        inTenant((tx) =>
          storeVerdicts(tx, {
            tenant,
            user,
            at: NOW,
            runId: null,
            model: 'm',
            seed: { id: seed, version: 1 },
            verdicts,
          }),
        );
      await store(id.b!, [verdict(id.a!, 'zymurgist one'), verdict(id.c!, 'as the zymurgist, so the dog')]);
      await store(id.d!, [verdict(id.c!, 'Dogs both.')]);
      const { removed } = await forgetting(user, { memory: 'a' });
      expect(removed).toMatchObject({ relations: 2, verdicts: 2, changeSets: 1, images: 2 });
      const left = await rows(sql`select explanation from slowwave.relations where user_id = ${user}`);
      expect(left).toEqual([{ explanation: 'Dogs both.' }]);
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
    });

    it('takes its words off conflicts between others, which are labelled anew', async () => {
      const { user, id } = await person(4);
      const pair = { a: id.b!, b: id.c!, kind: 'ambiguous' as const, slot: 'where the zymurgist is' };
      await inTenant((tx) =>
        reportConflicts(tx, { tenant, user, runId: null, at: NOW, source: 'fusion', pairs: [pair] }),
      );
      await rows(sql`
        update slowwave.conflicts set status = 'open', type = 'ambiguous', confidence = 0.9, description = 'Both name the zymurgist.'
        where user_id = ${user}`);
      await inTenant((tx) =>
        storeAnswer(tx, {
          tenant,
          user,
          key: 'd'.repeat(64),
          attempt: 1,
          step: 'conflicts',
          runId: null,
          answer: { ...ANSWER, text: 'zymurgist' },
          memoryIds: [id.a!, id.b!, id.c!, id.d!],
          sessionIds: [],
          at: NOW,
        }),
      );
      expect((await forgetting(user, { memory: 'a' })).removed.conflicts).toBe(0);
      const [conflict] = await rows(sql`
        select status, type, slot, description, confidence from slowwave.conflicts where user_id = ${user}`);
      expect(conflict).toEqual({
        status: 'reported',
        type: null,
        slot: null,
        description: null,
        confidence: null,
      });
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
    });
  });

  describe('a session', () => {
    it('goes with all that was said in it and made of it', async () => {
      const { user, id } = await person(3);
      await rows(sql`update slowwave.memories set session = 's' where id in (${id.a}::uuid, ${id.b}::uuid)`);
      const { derivedId } = await fuse(user, ['b', 'c']);
      await talk(user, 's', ['Anything.', 'At all.', 'x', 'y']);
      await talk(user, 'far', [TEXT, 'Bye.']);
      await summarise(user, 's', 'About anything.', 4);
      await learn(user, 's');
      await rows(sql`
        insert into slowwave.feedback (tenant, user_id, id, kind, session_id, given_at)
        values (${tenant}, ${user}, gen_random_uuid(), 'accepted', 's', now())`);
      const result = await forgetting(user, { session: 's' });
      const why = whyOf(result);
      expect(why).toMatchObject({ [id.a!]: 'session', [id.b!]: 'session', [derivedId]: 'derived' });
      expect(Object.keys(why)).toHaveLength(4);
      expect(result.reopened).toEqual([id.c]);
      expect(result.removed).toMatchObject({
        sessions: 1,
        messages: 5,
        summaries: 1,
        feedback: 1,
        profiles: 1,
      });
      expect(
        await rows(sql`select session_id as session from slowwave.feedback where user_id = ${user}`),
      ).toEqual([{ session: null }]);
      expect(await said(user, 'far')).toEqual(['1 Bye.']);
      expect(await rows(sql`select id from slowwave.sessions where user_id = ${user}`)).toEqual([
        { id: 'far' },
      ]);
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
      await expect(forgetting(user, { session: 's' })).rejects.toMatchObject({ code: 'unknown_session' });
    });

    it('may have memories alone, or messages alone', async () => {
      const { user, id } = await person(2);
      await rows(sql`update slowwave.memories set session = 'only' where id = ${id.a}::uuid`);
      await talk(user, 'talk', ['Fine.']);
      expect(whyOf(await forgetting(user, { session: 'only' }))).toEqual({ [id.a!]: 'session' });
      expect((await forgetting(user, { session: 'talk' })).removed).toMatchObject({
        sessions: 1,
        messages: 1,
      });
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
