import { createHash } from 'node:crypto';
import { type Database, ensureUsers, putWorkspace } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabaseHistory } from '../../packages/workspace/src/files/database-history.ts';
import { createDocumentFiles } from '../../packages/workspace/src/files/documents.ts';
import { type DatabaseFixture, openInScope } from '../fixtures/databases.ts';

const AT = Date.UTC(2026, 4, 1, 12);
const RUN = '01890000-0000-7000-8000-000000000001';
const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const key = { tenant: 't', user: 'ana', workspace: 'notes' };

describe('documents of a workspace', () => {
  let fixture: DatabaseFixture;
  let database: Database;
  beforeAll(async () => {
    fixture = await openInScope();
    database = fixture.database;
    await database.withTenant('t', async (tx) => {
      await ensureUsers(tx, [key], AT);
      await putWorkspace(tx, key, {}, AT);
    });
  });
  afterAll(() => fixture?.drop());

  const files = () => createDocumentFiles({ database, key, now: () => AT });

  it('are read, written, listed and remembered as the port says, our own files included', async () => {
    expect(await files().read('memory-insights.md')).toBeNull();
    const first = await files().write('memory-insights.md', 'é', { by: 'light', expected: null });
    expect(first).toEqual({ content: 'é', sha256: hashOf('é') });
    expect(await files().read('memory-insights.md')).toEqual(first);
    expect(await files().list()).toEqual([{ path: 'memory-insights.md', size: 2, updatedAt: AT }]);
    expect(await files().before(RUN, 'memory-insights.md')).toBeNull();
    const expected = first.sha256;
    await files().write('memory-insights.md', 'two', { by: 'sleep', runId: RUN, expected });
    await files().write('memory-insights.md', 'three', { by: 'sleep', runId: RUN, expected: hashOf('two') });
    expect(await files().before(RUN, 'memory-insights.md')).toEqual({
      content: 'é',
      sha256After: hashOf('three'),
    });
    await expect(files().write('memory-insights.md', 'x', { by: 'a', expected })).rejects.toMatchObject({
      code: 'CONFLICT',
      backend: 'postgres',
    });
  });

  it.each(['notes.txt', '../MEMORY.md', '.fusion/memory/MEMORY.md', '2026-02-30.md', ''])(
    'refuse the path %j',
    async (path) => {
      const refused = expect.objectContaining({ code: 'UNSUPPORTED' });
      await expect(files().read(path)).rejects.toEqual(refused);
      await expect(files().write(path, 'x', { by: 'a' })).rejects.toEqual(refused);
      await expect(files().change(path, () => 'x', { by: 'a' })).rejects.toEqual(refused);
      await expect(files().before(RUN, path)).rejects.toEqual(refused);
    },
  );

  it('are unavailable without their workspace', async () => {
    const nowhere = createDocumentFiles({ database, key: { ...key, workspace: 'nowhere' }, now: () => AT });
    expect(await nowhere.read('MEMORY.md')).toBeNull();
    await expect(nowhere.write('MEMORY.md', 'x', { by: 'a' })).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
    });
  });

  it('of a folder are remembered in the database before a run changes them', async () => {
    const history = createDatabaseHistory({ database, key, now: () => AT });
    const change = { path: 'MEMORY.md', by: 'sleep', runId: RUN };
    await history.keep({ ...change, runId: null, content: 'of a writer', sha256After: hashOf('x') });
    expect(await history.before(RUN, 'MEMORY.md')).toBeNull();
    await history.keep({ ...change, content: null, sha256After: hashOf('one') });
    await history.keep({ ...change, content: 'one', sha256After: hashOf('two') });
    expect(await history.before(RUN, 'MEMORY.md')).toEqual({ content: null, sha256After: hashOf('two') });
  });
});
