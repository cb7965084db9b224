import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  type Database,
  ensureUsers,
  forget,
  importedFile,
  insertMemories,
  listWorkspaceRuns,
  putWorkspace,
  readBlocks,
  recordBlocks,
  setUserSettings,
  type Transaction,
  undo,
  type WorkspaceKey,
  writeDocument,
} from '@slowwave/db';
import type { WorkspaceFilesOf } from '@slowwave/worker';
import {
  contentOfBlock,
  createDocumentFiles,
  createFolderFiles,
  createNotesImport,
  hashOfBlock,
  type NotesReport,
  readBlocks as readBlocksOf,
  type WorkspaceFiles,
} from '@slowwave/workspace';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notes } from '../../apps/worker/src/steps/notes.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { newMemory } from '../fixtures/memories.ts';
import { runTier, stateOf } from '../fixtures/tier-runs.ts';

const tenant = 't';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** In the middle of a day in UTC. */
const NOON = Date.UTC(2026, 4, 10, 12);
const TODAY = '2026-05-10.md';
const YESTERDAY = '2026-05-09.md';
const ID = '01890000-0000-7000-8000-0000000000aa';

describe.each(DATABASES)('the import of notes (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const run = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => database.withTenant(tenant, work);

  async function made(): Promise<WorkspaceKey> {
    const key = { tenant, user: `user-${++serial}`, workspace: 'notes' };
    await run(async (tx) => {
      await ensureUsers(tx, [key], NOON);
      await putWorkspace(tx, key, {}, NOON);
    });
    return key;
  }
  const put = (key: WorkspaceKey, file: string, content: string, at = NOON) =>
    run((tx) => writeDocument(tx, key, { path: file, content, by: 'ana', at }));
  const filesOf = (key: WorkspaceKey): WorkspaceFiles =>
    createDocumentFiles({ database, key, now: () => NOON });
  const imports = (
    key: WorkspaceKey,
    at = NOON,
    more: Partial<Parameters<typeof createNotesImport>[0]> = {},
  ): Promise<NotesReport> =>
    createNotesImport({ files: filesOf(key), database, key, now: () => at, timezone: 'UTC', ...more }).run();

  interface Row {
    content: string;
    state: string;
    documentDate: number;
    category: string;
  }
  const memories = (key: WorkspaceKey): Promise<Row[]> =>
    run((tx) =>
      tx.rows<Row>(sql`
        select content, category, extract(epoch from document_date)::float8 * 1000 as "documentDate",
          case when not is_latest then 'superseded' when archived_at is not null then 'archived' else 'latest' end as state
        from slowwave.memories where user_id = ${key.user} order by document_date, content`),
    );
  const told = async (key: WorkspaceKey): Promise<string[]> =>
    (await memories(key))
      .map(({ content, state }) => (state === 'latest' ? content : `${content} [${state}]`))
      .sort();

  it('makes private memories of the long-term file and of days, dated by their day, and costs nothing the second time', async () => {
    const key = await made();
    await put(key, 'MEMORY.md', '# Project Memory\n\n## Decisions\n- We use pnpm.\n');
    await put(key, '2026-05-01.md', '# Daily Memory 2026-05-01\n\n- met Ben in Rome\n');
    await put(key, 'DREAMS.md', '- a diary is no source\n');
    const report = await imports(key);
    expect(report).toMatchObject({
      files: { found: 2, imported: 2, closed: 1 },
      blocks: { found: 2, imported: 2 },
    });
    expect(await memories(key)).toEqual([
      {
        content: 'met Ben in Rome',
        state: 'latest',
        documentDate: Date.UTC(2026, 4, 2) - 1,
        category: 'event',
      },
      { content: 'We use pnpm.', state: 'latest', documentDate: NOON, category: 'fact' },
    ]);
    const before = await stateOf(database, key);
    expect(await imports(key, NOON + HOUR)).toMatchObject({
      files: { imported: 0, skipped: { unchanged: 1, closed: 1 } },
      blocks: { found: 0, imported: 0 },
    });
    expect(await stateOf(database, key)).toEqual(before);
    const runs = await run((tx) => listWorkspaceRuns(tx, key));
    expect(runs).toEqual([expect.objectContaining({ work: 'import', status: 'completed' })]);
    expect(JSON.stringify(runs)).not.toContain('Rome');
  });

  it("DR-01 processes yesterday's late notes once, and closes a day only after it ended where the user lives", async () => {
    const key = await made();
    const zone = { timezone: 'America/Los_Angeles' };
    await put(key, TODAY, '- early\n');
    // The day has ended in UTC, not in California.
    const evening = Date.UTC(2026, 4, 11, 5);
    expect((await imports(key, evening, zone)).files).toMatchObject({ imported: 1, closed: 0 });
    await put(key, TODAY, '- early\n- late\n');
    const morning = Date.UTC(2026, 4, 11, 10);
    expect(await imports(key, morning, zone)).toMatchObject({
      files: { imported: 1, closed: 1 },
      blocks: { imported: 1, unchanged: 1 },
    });
    expect(await imports(key, morning + HOUR, zone)).toMatchObject({ files: { imported: 0, closed: 0 } });
    expect(await told(key)).toEqual(['early', 'late']);
    // Written after midnight into the notes of yesterday: within the days that are looked at again.
    await put(key, TODAY, '- early\n- late\n- later\n');
    expect((await imports(key, morning + DAY, zone)).blocks.imported).toBe(1);
    expect((await imports(key, morning + 5 * DAY, zone)).files.skipped).toEqual({ closed: 1 });
  });

  it('closes a day that did not change since it was last read', async () => {
    const key = await made();
    await put(key, TODAY, '- a note\n');
    await imports(key);
    expect((await run((tx) => importedFile(tx, key, TODAY)))?.closedAt).toBeNull();
    expect((await imports(key, NOON + DAY)).files).toMatchObject({ closed: 1, skipped: { unchanged: 1 } });
    expect((await run((tx) => importedFile(tx, key, TODAY)))?.closedAt).toBe(NOON + DAY);
  });

  it('DR-03 keeps a note that is added while it reads, and processes it the next time', async () => {
    const key = await made();
    await put(key, TODAY, '- first\n');
    const files = filesOf(key);
    const during: WorkspaceFiles = {
      ...files,
      async read(file) {
        const found = await files.read(file);
        await put(key, TODAY, '- first\n- added meanwhile\n');
        return found;
      },
    };
    expect((await imports(key, NOON, { files: during })).blocks.imported).toBe(1);
    expect((await files.read(TODAY))?.content).toBe('- first\n- added meanwhile\n');
    expect((await imports(key)).blocks).toMatchObject({ imported: 1, unchanged: 1 });
    expect(await told(key)).toEqual(['added meanwhile', 'first']);
  });

  it('understands an edit as one, and marks of Markdown as none', async () => {
    const key = await made();
    await put(key, 'MEMORY.md', '## Ana\n- Ana lives in Rome near the river.\n- [ ] Ana rows.\n');
    await imports(key);
    await put(key, 'MEMORY.md', '## Ana\n- Ana lives in Oslo near the river.\n- [x] **Ana** rows.\n');
    expect(await imports(key, NOON + HOUR)).toMatchObject({
      blocks: { imported: 1, unchanged: 1, removed: 0 },
      memories: { superseded: 1, archived: 0 },
    });
    expect(await told(key)).toEqual([
      'Ana lives in Oslo near the river.',
      'Ana lives in Rome near the river. [superseded]',
      'Ana rows.',
    ]);
  });

  it('keeps the memory of a block that only moved to another heading or file', async () => {
    const key = await made();
    await put(key, 'MEMORY.md', '## Decisions\n- We use pnpm everywhere.\n');
    await imports(key);
    await put(key, 'MEMORY.md', '## Conventions\n- We use pnpm everywhere.\n');
    await imports(key, NOON + HOUR);
    await put(key, 'MEMORY.md', '## Conventions\n');
    await put(key, TODAY, '- We use pnpm everywhere.\n');
    await imports(key, NOON + 2 * HOUR);
    await imports(key, NOON + 3 * HOUR);
    expect((await told(key)).filter((text) => !text.endsWith(']'))).toHaveLength(1);
    expect(await told(key)).toHaveLength(1);
  });

  it('makes a memory of each day of a bullet that stands in the notes of several days', async () => {
    const key = await made();
    const zone = { timezone: 'America/Los_Angeles' };
    const at = NOON + 2 * DAY;
    const run = '- Ran 5 km along the canal\n';
    const files = ['2026-05-07.md', '2026-05-08.md', YESTERDAY, TODAY];
    await put(key, 'MEMORY.md', '- Prefers tea\n', NOON - 9 * DAY);
    for (const file of files) await put(key, file, `# Daily\n\n${run}${run}- Prefers tea\n`);
    expect((await imports(key, at, zone)).blocks).toMatchObject({ imported: 9, known: 4 });
    const runs = (await memories(key)).filter(({ content }) => content.startsWith('Ran'));
    // The end of each day where the user lives.
    expect(runs.map(({ documentDate, state }) => [documentDate, state])).toEqual(
      files.map((file) => [Date.parse(`${file.slice(0, 10)}T06:59:59.999Z`) + DAY, 'latest']),
    );
    expect((await imports(key, at + 1, zone)).files.imported).toBe(0);
    // A line that goes takes the memory of its day alone, and brings it back.
    await put(key, TODAY, '# Daily\n');
    await imports(key, at + 2, zone);
    const states = async () =>
      (await memories(key)).filter(({ content }) => content.startsWith('Ran')).map(({ state }) => state);
    expect(await states()).toEqual(['latest', 'latest', 'latest', 'archived']);
    await put(key, TODAY, `# Daily\n\n${run}`);
    await imports(key, at + 3, zone);
    expect(await states()).toEqual(['latest', 'latest', 'latest', 'latest']);
  });

  it('knows a bullet of a day by what was said on that day in whatever way, and by nothing else', async () => {
    const key = await made();
    const record = (externalId: string, documentDate: number) =>
      newMemory(key.user, externalId, 'Ran 5 km along the canal', { documentDate });
    await run((tx) =>
      insertMemories(tx, {
        tenant,
        memories: [record('start', Date.UTC(2026, 4, 9)), record('end', Date.UTC(2026, 4, 9) - 1)],
        at: NOON,
      }),
    );
    await put(key, YESTERDAY, '- Ran 5 km along the canal\n');
    expect((await imports(key)).blocks).toMatchObject({ imported: 0, known: 1 });
    await put(key, TODAY, '- Ran 5 km along the canal\n');
    expect((await imports(key)).blocks).toMatchObject({ imported: 1, known: 0 });
  });

  it('DR-08 archives the memory of a line that a hand deleted, and brings it back with the line', async () => {
    const key = await made();
    await put(key, TODAY, '- keep this note\n- drop that thing\n');
    await imports(key);
    await put(key, TODAY, '- keep this note\n');
    expect(await imports(key, NOON + HOUR)).toMatchObject({
      blocks: { removed: 1 },
      memories: { archived: 1 },
    });
    await imports(key, NOON + 2 * HOUR);
    expect(await told(key)).toEqual(['drop that thing [archived]', 'keep this note']);
    await put(key, TODAY, '- keep this note\n- drop that thing\n');
    await imports(key, NOON + 3 * HOUR);
    expect(await told(key)).toEqual(['drop that thing', 'keep this note']);
    // Also where it had moved to another file before.
    await put(key, TODAY, '- keep this note\n');
    await put(key, 'MEMORY.md', '- drop that thing\n');
    await imports(key, NOON + 3 * HOUR + 1);
    await put(key, 'MEMORY.md', '');
    await imports(key, NOON + 3 * HOUR + 2);
    expect(await told(key)).toEqual(['drop that thing [archived]', 'keep this note']);
    await put(key, TODAY, '- keep this note\n- drop that thing\n');
    await imports(key, NOON + 3 * HOUR + 3);
    // A file that was tidied away is no deletion.
    const files = filesOf(key);
    const tidied = { ...files, list: async () => [] };
    await imports(key, NOON + 4 * HOUR, { files: tidied });
    expect(await told(key)).toEqual(['drop that thing', 'keep this note']);
  });

  it('DR-08 never imports again what was forgotten, in whatever file it stands', async () => {
    const key = await made();
    await put(key, TODAY, '- Ana keeps a secret\n- Ana rows\n');
    await imports(key);
    const [row] = await run((tx) =>
      tx.rows<{ id: string }>(
        sql`select id from slowwave.memories where user_id = ${key.user} and content like '%secret'`,
      ),
    );
    await forget(database, {
      tenant,
      user: key.user,
      target: { memory: row!.id },
      at: NOON + HOUR,
      actor: 'ana',
    });
    await put(key, TODAY, '- Ana keeps a secret\n- Ana rows\n- new\n');
    await put(key, YESTERDAY, '- Ana keeps a secret\n');
    const report = await imports(key, NOON + 2 * HOUR);
    expect(report.blocks).toMatchObject({ imported: 1 });
    expect(await told(key)).toEqual(['Ana rows', 'new']);
  });

  it('leaves it at what a person undid', async () => {
    const key = await made();
    await put(key, TODAY, '- Ana lives in Rome near the river\n');
    await imports(key);
    await put(key, TODAY, '- Ana lives in Oslo near the river\n');
    await imports(key, NOON + HOUR);
    const [set] = await run((tx) =>
      tx.rows<{ id: string }>(
        sql`select id from slowwave.change_sets where user_id = ${key.user} and kind = 'edit'`,
      ),
    );
    await undo(database, {
      tenant,
      user: key.user,
      target: { changeSet: set!.id },
      at: NOON + 2 * HOUR,
      actor: 'ana',
    });
    const after = await told(key);
    await put(key, TODAY, '- Ana lives in Oslo near the river\n- another\n');
    await imports(key, NOON + 3 * HOUR);
    expect(await told(key)).toEqual([...after, 'another'].sort());
  });

  it('DR-07 never imports what a projection wrote: by region, by mark, by ledger, by what a memory says already', async () => {
    const key = await made();
    await put(key, TODAY, '- Ana rows on the lake\n');
    await imports(key);
    const projected = { headings: [], content: 'Ben was fused out of three' };
    await run((tx) =>
      recordBlocks(tx, key, {
        path: 'MEMORY.md',
        at: NOON,
        blocks: [{ blockHash: hashOfBlock(projected), occurrence: 1, state: 'projected' }],
      }),
    );
    await put(
      key,
      'MEMORY.md',
      `- mine\n- Ben was fused out of three\n- Ana rows on the lake\n<!-- slowwave:begin -->\n- ours <!-- slowwave:${ID} -->\n<!-- slowwave:end -->\n- moved <!-- slowwave:${ID} -->\n`,
    );
    expect((await imports(key, NOON + HOUR)).blocks).toMatchObject({ imported: 1, known: 1, projected: 1 });
    expect(await told(key)).toEqual(['Ana rows on the lake', 'mine']);
    const again = await imports(key, NOON + 2 * HOUR);
    expect(again.blocks).toMatchObject({ found: 0, imported: 0 });
  });

  it('does nothing twice and leaves nothing half done, wherever it breaks off', async () => {
    const [calm, shaken] = [await made(), await made()];
    const steps: [number, Record<string, string>][] = [
      [NOON, { 'MEMORY.md': '## A\n- one thing\n- another matter\n', [YESTERDAY]: '- met Ben\n' }],
      [NOON + HOUR, { 'MEMORY.md': '## A\n- one thing more\n- third\n', [TODAY]: '- met Cleo\n' }],
    ];
    let broken = 0;
    for (const [at, contents] of steps) {
      for (const key of [calm, shaken])
        for (const [file, content] of Object.entries(contents)) await put(key, file, content, at);
      await imports(calm, at);
      for (let point = 1; ; point++) {
        let left = point;
        const tick = (): void => {
          if (--left === 0) throw new Error('broken off');
        };
        const write = async <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => {
          tick();
          const result = await run((tx) => {
            const shaky: Transaction = Object.assign(Object.create(tx), {
              rows: (...given: Parameters<Transaction['rows']>) => {
                tick();
                return tx.rows(...given);
              },
            });
            return work(shaky);
          });
          tick();
          return result;
        };
        const end = await imports(shaken, at, { write }).catch((error: Error) => error);
        if (!(end instanceof Error)) break;
        expect(end.message).toBe('broken off');
        broken++;
      }
      expect(await memories(shaken)).toEqual(await memories(calm));
    }
    expect(broken).toBeGreaterThan(20);
    const ledger = async (key: WorkspaceKey) =>
      (
        await Promise.all(
          ['MEMORY.md', TODAY, YESTERDAY].map((file) => run((tx) => readBlocks(tx, key, file))),
        )
      )
        .flat()
        .map(({ blockHash, state }) => `${blockHash} ${state}`)
        .sort();
    expect(await ledger(shaken)).toEqual(await ledger(calm));
  });

  it('comes to the memories of what stands there, whatever was written, edited, moved and removed before, and however often', async () => {
    const line = fc.tuple(
      fc.constantFrom('- ', '- **', '## ', '  - '),
      fc.constantFrom(
        'Ana lives in Rome',
        'Ana lives in Oslo',
        'Ben rows',
        'Ben rows daily',
        'port 8443',
        'port 8444',
      ),
    );
    const text = fc
      .array(line, { maxLength: 6 })
      .map((lines) =>
        lines.map(([mark, words]) => `${mark}${words}${mark.endsWith('**') ? '**' : ''}\n`).join(''),
      );
    const states = fc.array(fc.record({ lasting: text, today: text }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(states, async (written) => {
        const key = await made();
        for (const [hour, { lasting, today }] of written.entries()) {
          const at = NOON + hour * HOUR;
          await put(key, 'MEMORY.md', lasting, at);
          await put(key, TODAY, today, at);
          await imports(key, at);
          const standing = [
            ...readBlocksOf(lasting, { path: 'MEMORY.md', day: null }),
            ...readBlocksOf(today, { path: TODAY, day: TODAY.slice(0, 10) }),
          ];
          const latest = (await memories(key))
            .filter(({ state }) => state === 'latest')
            .map(({ content }) => content);
          expect(latest.sort()).toEqual([...new Set(standing.map(contentOfBlock))].sort());
          const after = await memories(key);
          expect((await imports(key, at + 1)).files.imported).toBe(0);
          expect(await memories(key)).toEqual(after);
        }
      }),
      { numRuns: 8 },
    );
  }, 180_000);

  it('is a step of the tiers: each workspace of the user, with counts and reasons and no text', async () => {
    const key = await made();
    await run(async (tx) => {
      await setUserSettings(tx, { tenant, user: key.user, timezone: 'Europe/Berlin', at: NOON });
      await putWorkspace(tx, { ...key, workspace: 'off' }, { importEnabled: false }, NOON);
      await putWorkspace(
        tx,
        { ...key, workspace: 'elsewhere' },
        { backend: 'file', rootDir: `/srv/${key.user}` },
        NOON,
      );
    });
    await put(key, TODAY, '- Zymurgist in Quillbrook\n');
    const workspaces: WorkspaceFilesOf = (settings) =>
      settings.rootDir === null ? createDocumentFiles({ database, key: settings, now: () => NOON }) : null;
    const tierSteps = { light: [], deep: [notes], sleep: [notes] };
    const first = await runTier(
      database,
      { tenant, user: key.user, tier: 'deep', at: NOON },
      { tierSteps, workspaces },
    );
    expect(first.step('notes')).toMatchObject({
      status: 'done',
      counts: {
        workspaces: 3,
        read: 1,
        skipped: { disabled: 1, no_folder: 1 },
        files: { found: 1, imported: 1 },
        blocks: { imported: 1 },
      },
    });
    expect(first.log + JSON.stringify(first.run)).not.toContain('Quillbrook');
    const [workspaceRun] = await run((tx) => listWorkspaceRuns(tx, key));
    expect(workspaceRun).toMatchObject({ work: 'import', runId: first.run.id });
    const second = await runTier(
      database,
      { tenant, user: key.user, tier: 'sleep', at: NOON + HOUR },
      { tierSteps, workspaces },
    );
    expect(second.step('notes').counts).toMatchObject({ files: { imported: 0, skipped: { unchanged: 1 } } });
    const stranger = await runTier(
      database,
      { tenant, user: (await made()).user, tier: 'deep', at: NOON },
      { tierSteps },
    );
    expect(stranger.step('notes').counts).toMatchObject({ skipped: { no_folder: 1 } });
  });

  it('reads a folder and leaves it byte for byte; a file that it may not read leaves the others', async () => {
    const key = await made();
    const root = await mkdtemp(path.join(tmpdir(), 'notes-'));
    try {
      const folder = path.join(root, '.fusion', 'memory');
      await mkdir(folder, { recursive: true });
      const text = '\ufeff# Daily Memory 2026-05-10\r\n\r\n- [ ] a  note\r\n';
      await writeFile(path.join(folder, TODAY), text);
      await writeFile(path.join(folder, 'MEMORY.md'), '- lasting\n');
      await utimes(path.join(folder, 'MEMORY.md'), NOON / 1000, (NOON - DAY) / 1000);
      await writeFile(path.join(folder, YESTERDAY), Buffer.from([0xff, 0xfe, 0x41]));
      const files = createFolderFiles({ rootDir: root, now: () => NOON });
      const report = await imports(key, NOON, { files });
      expect(report.files).toMatchObject({ found: 3, imported: 2 });
      expect(Object.values(report.files.failed)).toEqual([1]);
      expect(await readFile(path.join(folder, TODAY), 'utf8')).toBe(text);
      expect(await memories(key)).toEqual([
        expect.objectContaining({ content: 'lasting', documentDate: NOON - DAY }),
        expect.objectContaining({ content: 'a note', documentDate: NOON }),
      ]);
      const [run0] = await run((tx) => listWorkspaceRuns(tx, key));
      expect(run0).toMatchObject({ status: 'failed', reason: 'unreadable_files' });
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
