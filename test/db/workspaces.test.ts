import { createHash } from 'node:crypto';
import {
  claimInsights,
  type Database,
  DOCUMENTS_MAX,
  DocumentConflict,
  documentBefore,
  dueInsights,
  endWorkspaceRun,
  ensureUsers,
  FILE_CHANGES_MAX,
  findWorkspaceAt,
  forget,
  getWorkspace,
  getWorkspaceRun,
  keepVersion,
  listDocuments,
  listDocumentVersions,
  listWorkspaceRuns,
  listWorkspaces,
  makeFolders,
  moveWithin,
  putWorkspace,
  readDocument,
  readDocumentVersion,
  releaseInsights,
  removeDocument,
  removeWithin,
  removeWorkspace,
  requireCount,
  setInsightsDue,
  startFileChange,
  startWorkspaceRun,
  type Transaction,
  versionsOfRun,
  type WorkspaceKey,
  writeDocument,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';

const AT = Date.UTC(2026, 4, 1, 12);
const DAY = 86_400_000;
const RUN = '01890000-0000-7000-8000-000000000001';
const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

describe.each(DATABASES)('workspaces (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const inTenant = <T>(tenant: string, work: (tx: Transaction) => Promise<T>): Promise<T> =>
    database.withTenant(tenant, work);
  async function made(
    change: Parameters<typeof putWorkspace>[2] = {},
    more: Partial<WorkspaceKey> = {},
  ): Promise<WorkspaceKey> {
    const key = { tenant: 't', user: `user-${++serial}`, workspace: 'notes', ...more };
    await inTenant(key.tenant, async (tx) => {
      await ensureUsers(tx, [key], AT);
      await putWorkspace(tx, key, change, AT);
    });
    return key;
  }
  const inKey = <T>(key: WorkspaceKey, work: (tx: Transaction) => Promise<T>): Promise<T> =>
    inTenant(key.tenant, work);
  const write = (
    key: WorkspaceKey,
    content: string,
    more: Partial<Parameters<typeof writeDocument>[2]> = {},
  ) => inKey(key, (tx) => writeDocument(tx, key, { path: 'MEMORY.md', content, by: 'ana', at: AT, ...more }));
  const read = async (key: WorkspaceKey, path = 'MEMORY.md') =>
    (await inKey(key, (tx) => readDocument(tx, key, path)))?.content ?? null;

  describe('settings', () => {
    it('are as the columns have them, change one by one, and are listed by name', async () => {
      const key = await made();
      const first = await inKey(key, (tx) => getWorkspace(tx, key));
      expect(first).toEqual({
        ...key,
        backend: 'postgres',
        rootDir: null,
        memoryEnabled: true,
        projectionEnabled: true,
        importEnabled: true,
        quotaBytes: 16_777_216,
        insightsEnabled: false,
        insightsSchedule: '0 2 * * *',
        insightsTimezone: null,
        insightsMinIntervalMs: 86_400_000,
        insightsMinGrowth: 1_000,
        insightsDueAt: null,
        insightsLastRunAt: null,
        insightsLastSize: null,
        createdAt: AT,
      });
      const changed = await inKey(key, (tx) =>
        putWorkspace(tx, key, { quotaBytes: 5, importEnabled: false }, AT + DAY),
      );
      expect(changed).toEqual({ ...first, quotaBytes: 5, importEnabled: false });
      await made({}, { user: key.user, workspace: 'a' });
      const names = (await inKey(key, (tx) => listWorkspaces(tx, key))).map(({ workspace }) => workspace);
      expect(names).toEqual(['a', 'notes']);
    });

    it('refuse a folder that another workspace has, also one of another tenant', async () => {
      const folder = `/srv/${_name}/taken`;
      const key = await made({ backend: 'file', rootDir: folder });
      expect((await inKey(key, (tx) => findWorkspaceAt(tx, key, folder)))?.user).toBe(key.user);
      for (const tenant of ['t', 'another']) {
        const refused = expect.objectContaining({ name: 'WorkspaceRefused', code: 'folder_taken' });
        await expect(made({ backend: 'qmd', rootDir: folder }, { tenant })).rejects.toEqual(refused);
      }
      expect(
        await inTenant('another', (tx) => findWorkspaceAt(tx, { tenant: 'another' }, folder)),
      ).toBeNull();
    });

    it.each([
      ['quotaBytes', { quotaBytes: 0 }],
      ['insightsSchedule', { insightsSchedule: '0 2 * *' }],
      ['insightsTimezone', { insightsTimezone: 'Mars/Olympus' }],
      ['insightsMinIntervalMs', { insightsMinIntervalMs: -1 }],
      ['rootDir', { backend: 'file' }],
      ['rootDir', { backend: 'file', rootDir: 'relative/folder' }],
      ['rootDir', { backend: 'file', rootDir: '/srv/../etc' }],
      ['rootDir', { backend: 'file', rootDir: '/srv/project/' }],
      ['rootDir', { backend: 'postgres', rootDir: '/srv/project' }],
      ['backend', { backend: ' ' }],
    ])('refuse a bad %s', async (field, change) => {
      await expect(made(change)).rejects.toEqual(expect.objectContaining({ name: 'InputError', field }));
    });

    it('need their user, and go with all documents, but not with another one of the same name', async () => {
      const nobody = { tenant: 't', user: 'nobody', workspace: 'notes' };
      await expect(inKey(nobody, (tx) => putWorkspace(tx, nobody, {}, AT))).rejects.toEqual(
        expect.objectContaining({ code: 'unknown_user' }),
      );
      const [key, other] = [await made(), await made()];
      await write(key, 'mine');
      await write(other, 'of the other');
      expect(await inKey(key, (tx) => removeWorkspace(tx, key))).toBe(true);
      expect(await inKey(key, (tx) => removeWorkspace(tx, key))).toBe(false);
      expect(await read(key)).toBeNull();
      expect(await read(other)).toBe('of the other');
    });
  });

  describe('documents', () => {
    it('hold any text byte for byte, with its hash and a new version for each change', async () => {
      const key = await made();
      let version = 0;
      let last: string | null = null;
      await fc.assert(
        fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 300 }), async (text) => {
          const content = text.replaceAll('\0', '');
          const entry = await write(key, content);
          if (content !== last) version++;
          last = content;
          expect(entry).toMatchObject({
            sha256: hashOf(content),
            bytes: Buffer.byteLength(content),
            version,
          });
          expect(await read(key)).toBe(content);
        }),
        { numRuns: 25, examples: [[''], ['\uFEFFbegins with a mark'], ['a\r\nb\n\n']] },
      );
    });

    it('keep what stood before, by version and by run', async () => {
      const key = await made();
      const standing = (path: string, runId = RUN) =>
        inKey(key, (tx) => documentBefore(tx, key, { runId, path }));
      expect(await standing('MEMORY.md')).toBeNull();
      await write(key, 'one');
      await write(key, 'two', { runId: RUN, at: AT + 1 });
      await write(key, 'three', { runId: RUN, at: AT + 2 });
      expect(await standing('MEMORY.md')).toEqual({ content: 'one', sha256After: hashOf('three') });
      await write(key, 'new', { path: 'DREAMS.md', runId: RUN });
      expect(await standing('DREAMS.md')).toEqual({ content: null, sha256After: hashOf('new') });
      expect(await standing('MEMORY.md', '01890000-0000-7000-8000-000000000002')).toBeNull();
      await write(key, 'four', { at: AT + 3 });
      const versions = await inKey(key, (tx) => listDocumentVersions(tx, key, 'MEMORY.md'));
      expect(versions.map(({ version, runId, size }) => [version, runId, size])).toEqual([
        [3, null, 5],
        [1, RUN, 3],
        [null, null, null],
      ]);
      const kept = await inKey(key, (tx) =>
        readDocumentVersion(tx, key, { path: 'MEMORY.md', id: versions[0]!.id }),
      );
      expect(kept?.content).toBe('three');
      expect(
        await inKey(key, (tx) => removeDocument(tx, key, { path: 'DREAMS.md', by: 'ana', at: AT })),
      ).toBe(true);
      expect((await inKey(key, (tx) => listDocuments(tx, key))).map(({ path }) => path)).toEqual([
        'MEMORY.md',
      ]);
    });

    it('keep the first content of a file under a run, with the hash of the last one', async () => {
      const key = await made();
      const file = { path: 'MEMORY.md', runId: RUN, by: 'sleep', at: AT };
      await inKey(key, (tx) =>
        keepVersion(tx, key, { ...file, content: '\uFEFFold', sha256After: hashOf('a') }),
      );
      await inKey(key, (tx) => keepVersion(tx, key, { ...file, content: 'a', sha256After: hashOf('b') }));
      expect(await inKey(key, (tx) => documentBefore(tx, key, file))).toEqual({
        content: '\uFEFFold',
        sha256After: hashOf('b'),
      });
      const odd = { ...file, path: 'DREAMS.md', content: 'a\0b', sha256After: null };
      expect(await inKey(key, (tx) => keepVersion(tx, key, odd))).toBe(false);
    });

    it('are dropped from the oldest on when there are too many of them', async () => {
      const key = await made();
      for (let i = 0; i < 104; i++) await write(key, `content ${i}`, { at: AT + i });
      const versions = await inKey(key, (tx) => listDocumentVersions(tx, key, 'MEMORY.md'));
      expect(versions).toHaveLength(100);
      expect(versions[0]?.version).toBe(103);
    });

    it('CT-16 are written only over what was expected', async () => {
      const key = await made();
      const conflict = (stands: { sha256: string | null; version: number | null }) =>
        expect.objectContaining({
          name: 'DocumentConflict',
          reason: 'changed',
          path: 'MEMORY.md',
          ...stands,
        });
      await expect(write(key, 'x', { expectedVersion: 1 })).rejects.toEqual(
        conflict({ sha256: null, version: null }),
      );
      await write(key, 'one', { expectedSha256: null, expectedVersion: 0 });
      const stands = conflict({ sha256: hashOf('one'), version: 1 });
      await expect(write(key, 'x', { expectedSha256: null })).rejects.toEqual(stands);
      await expect(write(key, 'x', { expectedSha256: hashOf('x') })).rejects.toEqual(stands);
      await expect(write(key, 'x', { expectedVersion: 0 })).rejects.toEqual(stands);
      await write(key, 'two', { expectedSha256: hashOf('one'), expectedVersion: 1 });
      expect(await read(key)).toBe('two');
      const error = await write(key, 'secret words', { expectedVersion: 7 }).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(DocumentConflict);
      expect(JSON.stringify(error) + String(error) + (error as Error).stack).not.toContain('secret');
    });

    it('CT-17 stay within the quota together, whoever writes at the same time', async () => {
      const key = await made({ quotaBytes: 1_000 });
      await write(key, 'é'.repeat(450));
      const quota = expect.objectContaining({ name: 'QuotaExceeded', quotaBytes: 1_000, bytes: 1_001 });
      await expect(write(key, 'x'.repeat(101), { path: 'DREAMS.md' })).rejects.toEqual(quota);
      expect(await read(key, 'DREAMS.md')).toBeNull();
      await write(key, 'x'.repeat(1_000));
      await write(key, '');
      const paths = Array.from({ length: 12 }, (_, i) => `2026-04-${10 + i}.md`);
      const results = await Promise.allSettled(paths.map((path) => write(key, 'x'.repeat(300), { path })));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    });

    it('are removed and renamed with what stands below them, and what stood where is kept under the run', async () => {
      const key = await made();
      const change = { runId: RUN, by: 'ana', at: AT };
      await write(key, 'x', { path: 'a/b.md' });
      await write(key, 'y', { path: 'a/c/d.md' });
      await write(key, 'z', { path: 'ab.md' });
      const moved = await inKey(key, (tx) => moveWithin(tx, key, { from: 'a', to: 'n/e/w' }, change));
      const paths = async () => (await inKey(key, (tx) => listDocuments(tx, key))).map(({ path }) => path);
      expect(await paths()).toEqual(['ab.md', 'n/', 'n/e/', 'n/e/w/b.md', 'n/e/w/c/d.md']);
      const kept = await inKey(key, (tx) => versionsOfRun(tx, key, RUN));
      expect(moved).toBe(kept.length);
      expect(kept).toEqual([
        { path: 'a/b.md', content: 'x', sha256After: '' },
        { path: 'a/c/d.md', content: 'y', sha256After: '' },
        { path: 'n/', content: null, sha256After: hashOf('') },
        { path: 'n/e/', content: null, sha256After: hashOf('') },
        { path: 'n/e/w/b.md', content: null, sha256After: hashOf('x') },
        { path: 'n/e/w/c/d.md', content: null, sha256After: hashOf('y') },
      ]);
      const runId = '01890000-0000-7000-8000-000000000002';
      expect(await inKey(key, (tx) => removeWithin(tx, key, 'n/e', { ...change, runId }))).toBe(3);
      expect(await paths()).toEqual(['ab.md', 'n/']);
      expect(await inKey(key, (tx) => removeWithin(tx, key, 'n/e', { ...change, runId }))).toBe(0);
      expect(await inKey(key, (tx) => moveWithin(tx, key, { from: 'a', to: 'q/r' }, change))).toBe(0);
      expect(await paths()).toEqual(['ab.md', 'n/']);
    });

    it('have nothing below a file, and no file where a folder is', async () => {
      const key = await made();
      await write(key, 'x', { path: 'a/b' });
      const conflict = expect.objectContaining({ name: 'DocumentConflict' });
      for (const path of ['a', 'a/b/c', 'a/b/', 'a/b/c/d']) {
        await expect(write(key, 'y', { path })).rejects.toEqual(conflict);
      }
      await write(key, 'y', { path: 'c' });
      for (const to of ['a', 'a/b', 'a/b/c']) {
        const change = { runId: RUN, by: 'ana', at: AT };
        await expect(inKey(key, (tx) => moveWithin(tx, key, { from: 'c', to }, change))).rejects.toEqual(
          conflict,
        );
      }
    });

    it('are at most so many, and so many changes of files can be undone', async () => {
      const key = await made();
      const many = (count: number) =>
        inKey(key, (tx) => makeFolders(tx, key, 'x/'.repeat(count), { runId: RUN, by: 'ana', at: AT }));
      await many(100);
      await inKey(key, (tx) => requireCount(tx, key, 'x'));
      await inKey(key, (tx) =>
        tx.rows(sql`
          insert into slowwave.documents (tenant, user_id, workspace, path, content, sha256, bytes, updated_at, updated_by)
          select ${key.tenant}, ${key.user}, ${key.workspace}, 'n' || i, '', ${hashOf('')}, 0, now(), 'ana'
          from generate_series(1, ${DOCUMENTS_MAX}) as i`),
      );
      await expect(inKey(key, (tx) => requireCount(tx, key, 'x'))).rejects.toEqual(
        expect.objectContaining({ name: 'QuotaExceeded' }),
      );
      const [first, second] = [AT - 2, AT - 1];
      const oldest = await inKey(key, (tx) => startFileChange(tx, key, first));
      await inKey(key, (tx) => removeWithin(tx, key, 'n1', { runId: oldest, by: 'ana', at: first }));
      await inKey(key, (tx) => startFileChange(tx, key, second));
      await inKey(key, (tx) =>
        tx.rows(sql`
          insert into slowwave.workspace_runs (tenant, user_id, workspace, id, work, status, started_at)
          select ${key.tenant}, ${key.user}, ${key.workspace}, gen_random_uuid(), 'files', 'completed', now()
          from generate_series(1, ${FILE_CHANGES_MAX - 2})`),
      );
      expect(await inKey(key, (tx) => versionsOfRun(tx, key, oldest))).toHaveLength(1);
      await inKey(key, (tx) => startFileChange(tx, key, AT));
      expect(await inKey(key, (tx) => versionsOfRun(tx, key, oldest))).toEqual([]);
      expect(await inKey(key, (tx) => getWorkspaceRun(tx, key, oldest))).toBeNull();
    });

    it('CT-03 let one writer after the other change them', async () => {
      const key = await made();
      await Promise.all(Array.from({ length: 20 }, (_, i) => write(key, `writer ${i}`)));
      const versions = await inKey(key, (tx) => listDocumentVersions(tx, key, 'MEMORY.md'));
      const contents = await Promise.all(
        versions.map(({ id }) => inKey(key, (tx) => readDocumentVersion(tx, key, { path: 'MEMORY.md', id }))),
      );
      const all = [...contents.map((version) => version?.content ?? null), await read(key)];
      // Nobody's content was lost unseen: each stood there once.
      expect(all.filter((content) => content !== null).sort()).toEqual(
        Array.from({ length: 20 }, (_, i) => `writer ${i}`).sort(),
      );
      expect((await inKey(key, (tx) => readDocument(tx, key, 'MEMORY.md')))?.version).toBe(20);
    });

    it('are refused without a workspace, and with text that cannot be stored', async () => {
      const nowhere = { tenant: 't', user: `user-${serial}`, workspace: 'nowhere' };
      await expect(write(nowhere, 'x')).rejects.toEqual(
        expect.objectContaining({ code: 'unknown_workspace' }),
      );
      const key = await made();
      for (const content of ['a\0b', '\uD83C']) {
        await expect(write(key, content)).rejects.toEqual(
          expect.objectContaining({ name: 'InputError', code: 'invalid_text', field: 'content' }),
        );
      }
      await expect(write(key, 'x', { path: '' })).rejects.toEqual(expect.objectContaining({ field: 'path' }));
    });

    it('CT-15 of two tenants and two users with workspaces of the same name never meet', async () => {
      const keys = [
        await made({}, { tenant: 'p', user: 'mara' }),
        await made({}, { tenant: 'q', user: 'mara' }),
        await made({}, { tenant: 'p', user: 'olli' }),
      ];
      const textOf = (key: WorkspaceKey) => `${key.tenant} ${key.user}`;
      for (const key of keys) {
        await write(key, textOf(key), { runId: RUN });
        await inKey(key, (tx) => startWorkspaceRun(tx, key, { id: RUN, work: 'projection', at: AT }));
      }
      for (const key of keys) {
        expect(await read(key)).toBe(textOf(key));
        const runs = await inKey(key, (tx) => listWorkspaceRuns(tx, key));
        expect(runs.map(({ id }) => id)).toEqual([RUN]);
      }
      // Somebody who names another tenant's rows in a transaction of his own tenant finds nothing, and writes nothing.
      const [mine, theirs] = [keys[0]!, keys[1]!];
      expect(await inKey(mine, (tx) => readDocument(tx, theirs, 'MEMORY.md'))).toBeNull();
      expect(await inKey(mine, (tx) => getWorkspace(tx, theirs))).toBeNull();
      const write2 = { path: 'MEMORY.md', content: 'x', by: 'mara', at: AT };
      await expect(inKey(mine, (tx) => writeDocument(tx, theirs, write2))).rejects.toEqual(
        expect.objectContaining({ code: 'unknown_workspace' }),
      );
      expect(await inKey(mine, (tx) => removeWorkspace(tx, theirs))).toBe(false);
      await forget(database, { tenant: 'p', user: 'mara', target: { user: true }, at: AT, actor: null });
      expect(await inKey(mine, (tx) => getWorkspace(tx, mine))).toBeNull();
      expect(await read(theirs)).toBe('q mara');
      expect(await read(keys[2]!)).toBe('p olli');
    });
  });

  describe('insights', () => {
    const claim = (key: WorkspaceKey, at: number, size: number, force = false) =>
      inKey(key, (tx) => claimInsights(tx, key, { at, size, force }));

    it('IN-01 are claimed once of many workers at once, and then not within the interval or without growth', async () => {
      const key = await made({ insightsEnabled: true });
      const claims = await Promise.all(Array.from({ length: 8 }, () => claim(key, AT, 5_000)));
      expect(claims.filter(({ claimed }) => claimed)).toEqual([
        { claimed: true, lastRunAt: null, lastSize: null },
      ]);
      expect(claims.filter(({ claimed }) => !claimed)).toHaveLength(7);
      expect(await claim(key, AT + DAY - 1, 9_000)).toEqual({ claimed: false, reason: 'too_soon' });
      expect(await claim(key, AT + DAY, 5_999)).toEqual({ claimed: false, reason: 'too_small' });
      expect(await claim(key, AT + DAY, 6_000)).toEqual({ claimed: true, lastRunAt: AT, lastSize: 5_000 });
    });

    it('IN-02 are claimed by force whatever the schedule says, but not of nothing', async () => {
      const key = await made();
      expect(await claim(key, AT, 10)).toEqual({ claimed: false, reason: 'disabled' });
      expect(await claim(key, AT, 10, true)).toMatchObject({ claimed: true });
      expect(await claim(key, AT, 10, true)).toMatchObject({ claimed: true, lastRunAt: AT });
      expect(await claim(key, AT, 0, true)).toEqual({ claimed: false, reason: 'empty' });
      await inKey(key, (tx) => putWorkspace(tx, key, { memoryEnabled: false }, AT));
      expect(await claim(key, AT, 10, true)).toEqual({ claimed: false, reason: 'disabled' });
      const nowhere = { ...key, workspace: 'nowhere' };
      expect(await claim(nowhere, AT, 10)).toEqual({ claimed: false, reason: 'unknown_workspace' });
    });

    it('are given back by whoever claimed them last, and nobody else', async () => {
      const key = await made({ insightsEnabled: true });
      const first = { at: AT, lastRunAt: null, lastSize: null };
      await claim(key, AT, 5_000);
      expect(await inKey(key, (tx) => releaseInsights(tx, key, { ...first, at: AT - 1 }))).toBe(false);
      expect(await inKey(key, (tx) => releaseInsights(tx, key, first))).toBe(true);
      expect(await claim(key, AT, 5_000)).toEqual({ claimed: true, lastRunAt: null, lastSize: null });
    });

    it('IN-12 are due as somebody said, in the zone of the workspace or the user, and never when they are off', async () => {
      const key = await made({ insightsEnabled: true });
      await inKey(key, (tx) =>
        tx.rows(sql`update slowwave.users set timezone = 'Asia/Tokyo' where id = ${key.user}`),
      );
      const due = (at: number) => inKey(key, (tx) => dueInsights(tx, key, at));
      expect(await due(AT)).toEqual([{ ...key, schedule: '0 2 * * *', timezone: 'Asia/Tokyo', dueAt: null }]);
      await inKey(key, (tx) => setInsightsDue(tx, key, { dueAt: AT + 5 }));
      expect(await due(AT + 4)).toEqual([]);
      expect(await due(AT + 5)).toMatchObject([{ dueAt: AT + 5 }]);
      await inKey(key, (tx) => putWorkspace(tx, key, { quotaBytes: 7 }, AT));
      expect(await due(AT + 5)).toMatchObject([{ dueAt: AT + 5 }]);
      await inKey(key, (tx) => putWorkspace(tx, key, { insightsTimezone: 'Europe/Rome' }, AT));
      expect(await due(AT)).toMatchObject([{ timezone: 'Europe/Rome', dueAt: null }]);
      await inKey(key, (tx) => putWorkspace(tx, key, { insightsEnabled: false }, AT));
      expect(await due(AT + DAY)).toEqual([]);
      await inKey(key, (tx) => setInsightsDue(tx, key, { dueAt: AT, size: 12 }));
      expect(await inKey(key, (tx) => getWorkspace(tx, key))).toMatchObject({
        insightsDueAt: null,
        insightsLastSize: 12,
      });
    });
  });

  it('remembers runs with what they did and why not, newest first', async () => {
    const key = await made();
    const start = (work: 'insights' | 'import', at: number) =>
      inKey(key, (tx) => startWorkspaceRun(tx, key, { work, at, runId: RUN }));
    const first = await start('insights', AT);
    const second = await start('import', AT + 1);
    const end = { id: first, status: 'skipped' as const, reason: 'too_soon', report: { in: 3 }, at: AT + 2 };
    expect(await inKey(key, (tx) => endWorkspaceRun(tx, key, end))).toBe(true);
    expect(await inKey(key, (tx) => endWorkspaceRun(tx, key, { ...end, id: RUN }))).toBe(false);
    expect(await inKey(key, (tx) => getWorkspaceRun(tx, key, first))).toEqual({
      id: first,
      work: 'insights',
      status: 'skipped',
      reason: 'too_soon',
      runId: RUN,
      report: { in: 3 },
      paths: [],
      startedAt: AT,
      endedAt: AT + 2,
    });
    expect((await inKey(key, (tx) => listWorkspaceRuns(tx, key))).map(({ id }) => id)).toEqual([
      second,
      first,
    ]);
    const imports = await inKey(key, (tx) => listWorkspaceRuns(tx, key, { work: 'import', limit: 1 }));
    expect(imports).toMatchObject([{ id: second, status: 'running', report: {}, endedAt: null }]);
  });
});
