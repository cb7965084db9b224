import { createHash } from 'node:crypto';
import {
  confirmMemory,
  createConflictStore,
  type Database,
  ensureUsers,
  forget,
  importBlocks,
  importedFile,
  listDocumentVersions,
  markFile,
  markLinesRemoved,
  type NewBlock,
  type NewMemory,
  promotable,
  putWorkspace,
  readBlocks,
  readDocument,
  readDocumentVersion,
  readMemoryHomes,
  readProjectedLines,
  recordBlocks,
  removeBlocks,
  removeDocument,
  removeWorkspace,
  replaceProjectedLines,
  type Transaction,
  undo,
  type WorkspaceKey,
  writeDocument,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { fuseMembers, membersOf } from '../fixtures/fused.ts';
import { DAY, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { dumpTables } from '../fixtures/tables.ts';

const tenant = 't';
const TEXT = 'Ana keeps the zymurgist-4711 in the Quillbrook cellar.';
const RUN = '01890000-0000-7000-8000-0000000000aa';
const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const block = (content: string, more: Partial<NewBlock> = {}): NewBlock => ({
  blockHash: hashOf(content),
  occurrence: 1,
  content,
  category: 'fact',
  origin: 'user',
  documentDate: NOW - DAY,
  ...more,
});
const keyOf = ({ blockHash, occurrence }: NewBlock) => ({ blockHash, occurrence });

describe.each(DATABASES)('memories of workspaces (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const run = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => database.withTenant(tenant, work);
  async function made(memories: (user: string) => NewMemory[] = () => []): Promise<WorkspaceKey> {
    const key = { tenant, user: `user-${++serial}`, workspace: 'notes' };
    await run((tx) => ensureUsers(tx, [key], NOW));
    await seedUser(database, { tenant, user: key.user, memories: memories(key.user) });
    await run((tx) => putWorkspace(tx, key, {}, NOW));
    return key;
  }
  const imports = (key: WorkspaceKey, blocks: NewBlock[], more: { path?: string; at?: number } = {}) =>
    run((tx) =>
      importBlocks(tx, key, { path: '2026-06-14.md', at: NOW, actor: 'notes', runId: null, ...more, blocks }),
    );
  const removes = (key: WorkspaceKey, blocks: NewBlock[], path = '2026-06-14.md') =>
    run((tx) =>
      removeBlocks(tx, key, { path, at: NOW, actor: 'notes', runId: RUN, blocks: blocks.map(keyOf) }),
    );
  const forgets = (key: WorkspaceKey, memory: string) =>
    forget(database, { tenant, user: key.user, target: { memory }, at: NOW + DAY, actor: 'ana' });
  const states = async (key: WorkspaceKey, path = '2026-06-14.md') =>
    Object.fromEntries(
      (await run((tx) => readBlocks(tx, key, path))).map(({ blockHash, state }) => [blockHash, state]),
    );
  interface Row {
    id: string;
    content: string;
    latest: boolean;
    archived: boolean;
    by: string | null;
    workspace: string | null;
    visibility: string;
    origin: string;
    learned: string;
  }
  const memoriesOf = (key: WorkspaceKey): Promise<Row[]> =>
    run((tx) =>
      tx.rows<Row>(sql`
        select id, content, is_latest as latest, archived_at is not null as archived, superseded_by as by, workspace, visibility,
          origin, learned_from as learned
        from slowwave.memories where user_id = ${key.user} order by created_at, content`),
    );

  describe('the ledger', () => {
    it('is written by blocks at once, keeps what was forgotten, and tells files apart', async () => {
      const key = await made();
      const hashes = ['a', 'b', 'c'].map(hashOf);
      const record = (
        state: 'imported' | 'gone' | 'forgotten' | 'projected',
        at: number,
        replacedBy?: string,
      ) =>
        run((tx) =>
          recordBlocks(tx, key, {
            path: 'MEMORY.md',
            at,
            blocks: hashes.map((blockHash) => ({ blockHash, occurrence: 1, state, replacedBy })),
          }),
        );
      await record('imported', NOW);
      await record('imported', NOW + 5);
      const [first] = await run((tx) => readBlocks(tx, key, 'MEMORY.md'));
      expect(first).toMatchObject({ state: 'imported', seenAt: NOW + 5, changedAt: NOW, memoryId: null });
      await record('gone', NOW + 9, hashes[0]);
      expect((await run((tx) => readBlocks(tx, key, 'MEMORY.md')))[0]).toMatchObject({
        state: 'gone',
        seenAt: NOW + 5,
        changedAt: NOW + 9,
        replacedBy: hashes[0],
      });
      await record('forgotten', NOW + 10);
      await record('imported', NOW + 11);
      expect(Object.values(await states(key, 'MEMORY.md'))).toEqual(['forgotten', 'forgotten', 'forgotten']);
      expect(await run((tx) => readBlocks(tx, key, 'DREAMS.md'))).toEqual([]);
      await expect(
        run((tx) =>
          recordBlocks(tx, key, {
            path: 'MEMORY.md',
            at: NOW,
            blocks: [{ blockHash: 'no hash', occurrence: 1, state: 'gone' }],
          }),
        ),
      ).rejects.toEqual(expect.objectContaining({ name: 'InputError' }));
    });

    it('remembers how far a file was imported', async () => {
      const key = await made();
      expect(await run((tx) => importedFile(tx, key, 'MEMORY.md'))).toBeNull();
      const file = { path: 'MEMORY.md', sha256: hashOf('x') };
      await run((tx) => markFile(tx, key, { ...file, at: NOW }));
      await run((tx) => markFile(tx, key, { ...file, at: NOW + 1, closedAt: NOW + 1 }));
      expect(await run((tx) => importedFile(tx, key, 'MEMORY.md'))).toEqual({
        ...file,
        importedAt: NOW + 1,
        closedAt: NOW + 1,
      });
    });
  });

  describe('blocks', () => {
    it('become private memories of the workspace, once, whatever file and however often', async () => {
      const key = await made((user) => [newMemory(user, 'told', 'Ben likes green tea.')]);
      const blocks = [
        block('Ana lives in Rome.'),
        block('Ana lives in Rome.', { occurrence: 2 }),
        block('Ben likes green tea.', { origin: 'assistant' }),
      ];
      const first = await imports(key, blocks);
      expect(first.map(({ state }) => state)).toEqual(['imported', 'known', 'known']);
      expect(first[1]?.memoryId).toBe(first[0]?.memoryId);
      for (const path of ['2026-06-14.md', '2026-06-15.md', '2026-06-14.md']) {
        const again = await imports(key, blocks, { path });
        expect(again.map(({ state }) => state)).toEqual(['known', 'known', 'known']);
        expect(again.map(({ memoryId }) => memoryId)).toEqual(first.map(({ memoryId }) => memoryId));
      }
      const all = await memoriesOf(key);
      expect(all).toHaveLength(2);
      expect(all.find(({ id }) => id === first[0]?.memoryId)).toMatchObject({
        content: 'Ana lives in Rome.',
        workspace: 'notes',
        visibility: 'private',
        origin: 'user',
        learned: 'import',
        latest: true,
      });
    });

    it('that are edited supersede what they were, journalled, and that can be undone to the row', async () => {
      const key = await made();
      const [old, other] = [block('Ana lives in Rome.'), block('Ben rows.')];
      const [first] = await imports(key, [old, other]);
      const before = await dumpTables(database, tenant, key.user);
      const edited = block('Ana lives in Oslo.', { replaces: keyOf(old) });
      const [second] = await imports(key, [edited], { at: NOW + 1 });
      expect(second).toMatchObject({ state: 'imported', superseded: first?.memoryId });
      const rows = await memoriesOf(key);
      expect(rows.find(({ id }) => id === first?.memoryId)).toMatchObject({
        latest: false,
        by: second?.memoryId,
      });
      expect(await states(key)).toEqual({
        [old.blockHash]: 'gone',
        [other.blockHash]: 'imported',
        [edited.blockHash]: 'imported',
      });
      const [set] = await run((tx) =>
        tx.rows<{ id: string; kind: string; actor: string }>(
          sql`select id, kind, actor from slowwave.change_sets where user_id = ${key.user}`,
        ),
      );
      expect(set).toMatchObject({ kind: 'edit', actor: 'notes' });
      await undo(database, {
        tenant,
        user: key.user,
        target: { changeSet: set!.id },
        at: NOW + 2,
        actor: 'ana',
      });
      const after = await dumpTables(database, tenant, key.user);
      expect(after.memories.filter(({ id }) => id !== second?.memoryId)).toEqual(before.memories);
      expect(after.relations).toEqual(before.relations);
    });

    it('that are edited back and forth are said anew each time', async () => {
      const key = await made();
      const [a, b] = [block('Ana lives in Rome.'), block('Ana lives in Oslo.')];
      await imports(key, [a]);
      await imports(key, [{ ...b, replaces: keyOf(a) }], { at: NOW + 1 });
      await imports(key, [{ ...a, replaces: keyOf(b) }], { at: NOW + 2 });
      const rows = await memoriesOf(key);
      expect(rows).toHaveLength(3);
      expect(rows.filter(({ latest }) => latest).map(({ content }) => content)).toEqual([
        'Ana lives in Rome.',
      ]);
      expect(await states(key)).toEqual({ [a.blockHash]: 'imported', [b.blockHash]: 'gone' });
    });

    it('that are edited leave a memory that another block still holds', async () => {
      const key = await made();
      const a = block('Ana lives in Rome.');
      await imports(key, [a]);
      await imports(key, [a], { path: '2026-06-15.md' });
      const [edited] = await imports(key, [block('Ana lives in Oslo.', { replaces: keyOf(a) })]);
      expect(edited).toMatchObject({ state: 'imported', superseded: null });
      expect((await memoriesOf(key)).every(({ latest }) => latest)).toBe(true);
    });

    it('that are edited after their memory was fused undo that fusion', async () => {
      const key = await made();
      const blocks = ['Ana lives in Rome.', 'Ana works in Rome.', 'Ana eats in Rome.'].map((text) =>
        block(text),
      );
      const [first] = await imports(key, blocks);
      const scope = scopeOf(tenant, key.user);
      const members = await membersOf(database, scope);
      const fused = await fuseMembers(database, scope, members, {
        content: 'Ana lives, works and eats in Rome.',
        coveredIds: members.map(({ id }) => id),
      });
      expect(fused).not.toBeNull();
      const edited = block('Ana lives in Oslo.', { replaces: keyOf(blocks[0]!) });
      const [second] = await imports(key, [edited], { at: NOW + 1 });
      expect(second?.superseded).toBe(first?.memoryId);
      const latest = (await memoriesOf(key)).filter((row) => row.latest).map(({ content }) => content);
      expect(latest.sort()).toEqual(['Ana eats in Rome.', 'Ana lives in Oslo.', 'Ana works in Rome.']);
    });

    it('that are gone archive their memory, undoably, unless something else holds it; back again they bring it back', async () => {
      const key = await made((user) => [newMemory(user, 'told', 'Ben likes green tea.')]);
      const blocks = [block('Ana lives in Rome.'), block('Ben likes green tea.'), block('Cleo sings.')];
      const [first] = await imports(key, blocks);
      await imports(key, [blocks[2]!], { path: '2026-06-15.md' });
      const before = await dumpTables(database, tenant, key.user);
      expect(await removes(key, blocks)).toEqual({ gone: 3, archived: [first!.memoryId] });
      expect(await removes(key, blocks)).toEqual({ gone: 0, archived: [] });
      expect(
        (await memoriesOf(key)).filter(({ archived }) => archived).map(({ content }) => content),
      ).toEqual(['Ana lives in Rome.']);
      const [again] = await imports(key, [blocks[0]!]);
      expect(again).toMatchObject({ state: 'known', memoryId: first!.memoryId });
      expect((await memoriesOf(key)).some(({ archived }) => archived)).toBe(false);
      await removes(key, [blocks[0]!]);
      const sets = await run((tx) =>
        tx.rows<{ kind: string; run: string | null; id: string }>(
          sql`select kind, run_id as run, id from slowwave.change_sets where user_id = ${key.user} order by created_at, id`,
        ),
      );
      expect(sets.map(({ kind, run: of }) => [kind, of]).sort()).toEqual([
        ['archive', RUN],
        ['archive', RUN],
        ['restore', null],
      ]);
      const [last] = await run((tx) =>
        tx.rows<{ id: string }>(sql`
          select c.change_set_id as id from slowwave.changes c join slowwave.memories m on m.user_id = c.user_id
            and m.id::text = c.row_key->>'id' join slowwave.change_sets s on s.user_id = c.user_id and s.id = c.change_set_id
          where c.user_id = ${key.user} and s.kind = 'archive' and (c.after->>'archived_at')::timestamptz = m.archived_at
          order by s.id desc limit 1`),
      );
      await undo(database, {
        tenant,
        user: key.user,
        target: { changeSet: last!.id },
        at: NOW + 3,
        actor: null,
      });
      expect(await dumpTables(database, tenant, key.user)).toEqual(before);
    });

    it('are refused without a workspace, and then nothing is written', async () => {
      const key = await made();
      const nowhere = { ...key, workspace: 'nowhere' };
      await expect(imports(nowhere, [block('x y')])).rejects.toEqual(
        expect.objectContaining({ code: 'unknown_workspace' }),
      );
      await expect(imports(key, [block('x y'), block('x y')])).rejects.toEqual(
        expect.objectContaining({ name: 'InputError' }),
      );
      expect(await memoriesOf(key)).toEqual([]);
    });
  });

  describe('promotion', () => {
    it('DR-09 takes what passes a gate, and counts each gate', async () => {
      const key = await made((user) => [
        newMemory(user, 'plain', 'one', { documentDate: NOW }),
        newMemory(user, 'important', 'two', { importance: 9, documentDate: NOW }),
        newMemory(user, 'confirmed', 'three', { confidence: 0.2, documentDate: NOW }),
        newMemory(user, 'once', 'four', { documentDate: NOW }),
        newMemory(user, 'twice', 'five', { confidence: 0.5, documentDate: NOW }),
        newMemory(user, 'elsewhere', 'six', { importance: 9, workspace: 'other' }),
        newMemory(user, 'here', 'seven', {
          importance: 8,
          workspace: 'notes',
          documentDate: NOW - 400 * DAY,
        }),
        newMemory(user, 'shelved', 'eight', { importance: 9 }),
        newMemory(user, 'disputed', 'nine', { importance: 9 }),
        newMemory(user, 'accused', 'ten', { importance: 2 }),
      ]);
      const ids = new Map(
        (
          await run((tx) =>
            tx.rows<{ name: string; id: string }>(
              sql`select external_id as name, id from slowwave.memories where user_id = ${key.user}`,
            ),
          )
        ).map(({ name, id }) => [name, id]),
      );
      const id = (name: string): string => ids.get(name)!;
      await run(async (tx) => {
        await confirmMemory(tx, { tenant, user: key.user, id: 'confirmed', at: NOW });
        await tx.rows(
          sql`update slowwave.memories set archived_at = now() where id = ${id('shelved')}::uuid`,
        );
        // Two questions of one UTC day count as one day, two around midnight as two.
        const asked = [
          ['once', Date.UTC(2026, 5, 10, 1)],
          ['once', Date.UTC(2026, 5, 10, 23)],
          ['twice', Date.UTC(2026, 5, 10, 23, 59)],
          ['twice', Date.UTC(2026, 5, 11, 0, 1)],
        ] as const;
        for (const [i, [name, at]] of asked.entries()) {
          const event = `01890000-0000-7000-8000-${String(serial * 10 + i).padStart(12, '0')}`;
          await tx.rows(sql`
            insert into slowwave.recall_events (tenant, user_id, id, query, recalled_at, hits)
            values (${tenant}, ${key.user}, ${event}::uuid, 'what', to_timestamp(${at}::float8 / 1000), 1)`);
          await tx.rows(sql`
            insert into slowwave.recall_hits (tenant, user_id, event_id, memory_id, position, score)
            values (${tenant}, ${key.user}, ${event}::uuid, ${id(name)}::uuid, 1, 1)`);
        }
      });
      await createConflictStore(database, { tenant, user: key.user, now: () => NOW }).saveConflicts([
        {
          id: RUN,
          noteIdA: id('disputed'),
          noteIdB: id('accused'),
          type: 'contradictory',
          description: 'they differ',
          resolved: false,
          detectedAt: new Date(NOW).toISOString(),
        },
      ]);
      const promotion = await run((tx) => promotable(tx, key, { at: NOW, limit: 100 }));
      expect(promotion).toMatchObject({
        considered: 6,
        gates: { confirmed: 1, recalled: 1, important: 2 },
        passed: 4,
        held: 2,
        disputed: 2,
      });
      const names = promotion.memories.map((memory) => [...ids].find(([, one]) => one === memory.id)?.[0]);
      expect(names).toEqual(['important', 'twice', 'here', 'confirmed']);
      expect(promotion.memories[1]).toMatchObject({ recallDays: 2, gates: ['recalled'], paths: [] });
      const worth = promotion.memories.map(({ prominence, confidence }) => prominence * confidence);
      expect([...worth].sort((a, b) => b - a)).toEqual(worth);
      const one = await run((tx) => promotable(tx, key, { at: NOW, limit: 1 }));
      expect(one).toEqual({ ...promotion, memories: promotion.memories.slice(0, 1) });
    });

    it('says in which files a memory stands already', async () => {
      const key = await made();
      await imports(key, [block('Ana lives in Rome.', { importance: 8 })], { path: 'MEMORY.md' });
      const { memories } = await run((tx) => promotable(tx, key, { at: NOW, limit: 10 }));
      expect(memories).toMatchObject([{ paths: ['MEMORY.md'], workspace: 'notes' }]);
    });
  });

  it('DR-08 lines are replaced as a set; one that a hand removed stays removed', async () => {
    const key = await made((user) => ['a', 'b', 'c'].map((name) => newMemory(user, name, `text ${name}`)));
    const [a, b, c] = (await memoriesOf(key)).map(({ id }) => id);
    const line = (memoryId: string | undefined, at: number) => ({
      memoryId: memoryId!,
      line: at,
      lineHash: hashOf(`${at}`),
    });
    const replace = (lines: ReturnType<typeof line>[]) =>
      run((tx) => replaceProjectedLines(tx, key, { path: 'MEMORY.md', lines }));
    await replace([line(a, 3), line(b, 4)]);
    expect(await run((tx) => markLinesRemoved(tx, key, { memoryIds: [b!, c!], at: NOW }))).toBe(1);
    expect(await run((tx) => markLinesRemoved(tx, key, { memoryIds: [b!], at: NOW + 1 }))).toBe(0);
    await replace([line(c, 3), line(b, 4)]);
    const lines = await run((tx) => readProjectedLines(tx, key));
    expect(lines.map(({ memoryId, removedAt }) => [memoryId, removedAt])).toEqual([
      [c, null],
      [b, NOW],
    ]);
    expect((await run((tx) => readMemoryHomes(tx, key, NOW))).map(({ memoryId }) => memoryId)).toEqual([c]);
  });

  describe('forgetting', () => {
    const put = (key: WorkspaceKey, path: string, content: string, more: object = {}) =>
      run((tx) => writeDocument(tx, key, { path, content, by: 'ana', at: NOW, ...more }));
    const text = async (key: WorkspaceKey, path: string) =>
      (await run((tx) => readDocument(tx, key, path)))?.content ?? null;
    const region = (lines: string[]) =>
      `\uFEFF# Mine\r\n\n<!-- slowwave:begin -->\n${lines.map((one) => `${one}\n`).join('')}<!-- slowwave:end -->\nend`;

    it('cuts our lines out of documents, empties earlier contents, and tells where somebody says it themselves', async () => {
      const key = await made((user) => [
        newMemory(user, 'a', TEXT),
        newMemory(user, 'b', 'Ben walks dogs at noon.'),
      ]);
      const rows = await memoriesOf(key);
      const idOf = (content: string) => rows.find((row) => row.content === content)!.id;
      const lineA = `- ${TEXT} <!-- slowwave:${idOf(TEXT)} -->`;
      const lineB = `- Ben walks dogs at noon. <!-- slowwave:${idOf('Ben walks dogs at noon.')} -->`;
      await put(key, 'MEMORY.md', region([lineA, lineB]));
      await put(key, 'MEMORY.md', region([lineB, lineA]));
      const entry = (lines: string[]) =>
        `<!-- slowwave:run ${RUN} -->\n${lines.join('\n')}\n<!-- slowwave:run-end -->\n`;
      await put(key, 'DREAMS.md', `# Dreams\n${entry(['- Ben walks dogs.', `- In conflict: "${TEXT}"`])}`);
      await put(key, 'memory-insights.md', '## Patterns\n- The Zymurgist-4711 matters\n- Dogs are walked\n');
      await put(key, 'memory-audit.md', '# Report\nAna keeps the zymurgist-4711 somewhere.\n');
      await put(key, '2026-06-14.md', `- I said: ${TEXT}\n`);
      await run((tx) =>
        replaceProjectedLines(tx, key, {
          path: 'MEMORY.md',
          lines: [{ memoryId: idOf(TEXT), line: 5, lineHash: hashOf(lineA) }],
        }),
      );
      const told = await forget(database, {
        tenant,
        user: key.user,
        target: { memory: 'a' },
        at: NOW + DAY,
        actor: 'ana',
        checkOnly: true,
      });
      expect(told.removed.workspaces).toEqual({ blocks: 0, lines: 1, documents: 4, versions: 1 });
      expect(await text(key, 'MEMORY.md')).toContain(TEXT);
      const done = await forgets(key, 'a');
      expect(done.removed.workspaces).toEqual(told.removed.workspaces);
      expect(done.mentions.documents).toEqual([{ workspace: 'notes', path: '2026-06-14.md' }]);
      expect(await text(key, 'MEMORY.md')).toBe(region([lineB]));
      expect(await text(key, 'DREAMS.md')).toBe(`# Dreams\n${entry(['- Ben walks dogs.'])}`);
      expect(await text(key, 'memory-insights.md')).toBe('## Patterns\n- Dogs are walked\n');
      expect(await text(key, 'memory-audit.md')).toBeNull();
      expect(await text(key, '2026-06-14.md')).toBe(`- I said: ${TEXT}\n`);
      expect(await run((tx) => readProjectedLines(tx, key))).toEqual([]);
      const document = await run((tx) => readDocument(tx, key, 'MEMORY.md'));
      expect(document).toMatchObject({
        sha256: hashOf(region([lineB])),
        version: 3,
        updatedBy: 'forgetting',
      });
      for (const version of await run((tx) => listDocumentVersions(tx, key, 'MEMORY.md'))) {
        const kept = await run((tx) => readDocumentVersion(tx, key, version));
        expect(kept?.content ?? '').not.toContain('zymurgist');
        if (kept?.content === '') expect(kept.sha256After).toBeNull();
      }
    });

    it('tells of a file whose name says it, and keeps no earlier content under such a name', async () => {
      const key = await made((user) => [newMemory(user, 'a', TEXT)]);
      const [named, gone] = ['notes', 'gone'].map(
        (folder) => `${folder}/${TEXT.toLowerCase().replaceAll(' ', '-')}.md`,
      );
      await put(key, named!, 'x');
      await put(key, named!, 'y');
      await put(key, gone!, 'x');
      await run((tx) => removeDocument(tx, key, { path: gone!, by: 'ana', at: NOW }));
      const { removed, mentions } = await forgets(key, 'a');
      expect(removed.workspaces).toMatchObject({ documents: 0, versions: 4 });
      expect(mentions.documents).toEqual([{ workspace: 'notes', path: named }]);
      for (const path of [named!, gone!]) {
        expect(await run((tx) => listDocumentVersions(tx, key, path))).toEqual([]);
      }
    });

    it('lets nobody write a line of it again, on whatever version he counts', async () => {
      const key = await made((user) => [newMemory(user, 'a', TEXT)]);
      const [memory] = await memoriesOf(key);
      const stale = region([`- ${TEXT} <!-- slowwave:${memory!.id} -->`]);
      await forgets(key, 'a');
      await expect(put(key, 'MEMORY.md', stale)).rejects.toEqual(
        expect.objectContaining({ name: 'DocumentConflict', reason: 'forgotten' }),
      );
      await run((tx) =>
        replaceProjectedLines(tx, key, {
          path: 'MEMORY.md',
          lines: [{ memoryId: memory!.id, line: 1, lineHash: hashOf('x') }],
        }),
      );
      expect(await run((tx) => readProjectedLines(tx, key))).toEqual([]);
    });

    it('lets no file bring a block back: not the same, not another one, not after the workspace was made anew', async () => {
      const key = await made();
      const [first] = await imports(key, [block(TEXT), block('Ben rows.')]);
      await imports(key, [block(TEXT)], { path: '2026-06-13.md' });
      const { removed } = await forgets(key, first!.memoryId!);
      expect(removed.workspaces).toMatchObject({ blocks: 2 });
      const [row] = (await run((tx) => readBlocks(tx, key, '2026-06-14.md'))).filter(
        ({ blockHash }) => blockHash === hashOf(TEXT),
      );
      expect(row).toMatchObject({ state: 'forgotten', memoryId: null, replacedBy: null });
      const never = async (given: NewBlock, path: string) =>
        expect(await imports(key, [given], { path })).toMatchObject([{ state: 'forgotten', memoryId: null }]);
      await never(block(TEXT), '2026-06-14.md');
      await never(block(TEXT), '2026-06-20.md');
      await never(block(TEXT, { blockHash: hashOf('under another heading') }), 'MEMORY.md');
      await run((tx) => removeWorkspace(tx, key));
      await run((tx) => putWorkspace(tx, key, {}, NOW));
      await never(block(TEXT), '2026-06-14.md');
      expect((await memoriesOf(key)).map(({ content }) => content)).toEqual(['Ben rows.']);
    });

    it('takes the earlier wordings of a note with it', async () => {
      const key = await made();
      const texts = ['Ana keeps a key in the shed.', 'Ana keeps a key in the barn.', TEXT];
      const [one, two, three] = texts.map((content) => block(content)) as [NewBlock, NewBlock, NewBlock];
      await imports(key, [one]);
      await imports(key, [{ ...two, replaces: keyOf(one) }], { at: NOW + 1 });
      const [last] = await imports(key, [{ ...three, replaces: keyOf(two) }], { at: NOW + 2 });
      const { removed } = await forgets(key, last!.memoryId!);
      expect(removed.memories.map(({ why }) => why).sort()).toEqual(['asked', 'duplicate', 'duplicate']);
      expect(await memoriesOf(key)).toEqual([]);
      expect(new Set(Object.values(await states(key)))).toEqual(new Set(['forgotten']));
    });

    it('of a user leaves nothing of his workspaces', async () => {
      const key = await made();
      await put(key, 'MEMORY.md', TEXT);
      await put(key, 'MEMORY.md', 'other');
      await imports(key, [block(TEXT)]);
      await run((tx) => markFile(tx, key, { path: 'MEMORY.md', sha256: hashOf(''), at: NOW }));
      const { removed } = await forget(database, {
        tenant,
        user: key.user,
        target: { user: true },
        at: NOW,
        actor: null,
      });
      expect(removed.tables).toMatchObject({
        workspaces: 1,
        documents: 1,
        document_versions: 2,
        import_blocks: 1,
        import_files: 1,
      });
      const [left] = await run((tx) =>
        tx.rows<{ n: number }>(sql`
          select ((select count(*) from slowwave.workspaces where user_id = ${key.user})
            + (select count(*) from slowwave.document_versions where user_id = ${key.user}))::int as n`),
      );
      expect(left).toEqual({ n: 0 });
    });

    it('and importing at the same time end in one order: nothing comes back', async () => {
      const key = await made((user) => [newMemory(user, 'a', 'Ben rows.')]);
      const [first] = await imports(key, [block(TEXT)]);
      const work = Array.from({ length: 6 }, (_, i) =>
        imports(key, [block(TEXT), block(`Note number ${i} of today.`)], { path: `2026-06-0${i + 1}.md` }),
      );
      await Promise.all([...work, forgets(key, first!.memoryId!)]);
      const found = await memoriesOf(key);
      expect(found.filter(({ content }) => content === TEXT)).toEqual([]);
      expect(found).toHaveLength(7);
    });
  });

  it('writes memories of a workspace with those of others untouched', async () => {
    const [mine, other] = [await made(), await made()];
    await imports(mine, [block('Ana lives in Rome.')]);
    await imports(other, [block('Ana lives in Rome.')]);
    expect(await memoriesOf(mine)).toHaveLength(1);
    expect(await memoriesOf(other)).toHaveLength(1);
    await forgets(mine, (await memoriesOf(mine))[0]!.id);
    expect(await memoriesOf(other)).toHaveLength(1);
  });
});
