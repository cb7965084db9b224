import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { endWorkspaceRun, startWorkspaceRun } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEARER, CANARY, HOST } from '../harness.ts';
import { type Method, openWorkspaceStage, told, type WorkspaceStage } from '../workspace-stage.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('workspaces over HTTP', () => {
  let open: WorkspaceStage;
  beforeAll(async () => {
    open = await openWorkspaceStage();
  });
  afterAll(() => open?.close());

  const send: WorkspaceStage['send'] = (...given) => open.send(...given);
  const put: WorkspaceStage['put'] = (...given) => open.put(...given);
  const at: WorkspaceStage['at'] = (...given) => open.at(...given);
  const newDocuments: WorkspaceStage['newDocuments'] = (more) => open.newDocuments(more);
  const newFolder: WorkspaceStage['newFolder'] = (more) => open.newFolder(more);
  const root = () => open.root;
  const log = () => open.log;

  it('are made, changed, listed, shown and removed', async () => {
    const made = await put('notes', {});
    expect(made.statusCode).toBe(201);
    expect(made.json()).toMatchObject({
      created: true,
      workspace: { user: 'ana', workspace: 'notes', backend: 'postgres', rootDir: null, reachable: true },
    });
    const changed = await put('notes', {
      quotaBytes: 100_000,
      insightsEnabled: true,
      insightsTimezone: 'Asia/Tokyo',
    });
    expect(changed.statusCode).toBe(200);
    expect(changed.json().workspace).toMatchObject({
      quotaBytes: 100_000,
      insightsEnabled: true,
      backend: 'postgres',
    });
    const { workspaces } = (await send('GET', '/v1/workspaces?user=ana')).json();
    expect(workspaces.map(({ workspace }: { workspace: string }) => workspace)).toContain('notes');
    expect((await send('GET', '/v1/workspaces/notes?user=ana')).json()).toMatchObject({
      insightsTimezone: 'Asia/Tokyo',
    });
    expect(told(await send('DELETE', '/v1/workspaces/notes?user=ana'))).toEqual([409, 'not_confirmed']);
    const removed = await send('DELETE', '/v1/workspaces/notes?user=ana&confirm=notes');
    expect(removed.json()).toEqual({ tenant: 'default', user: 'ana', workspace: 'notes', removed: true });
    expect(told(await send('GET', '/v1/workspaces/notes?user=ana'))).toEqual([404, 'unknown_workspace']);
    expect(told(await send('DELETE', '/v1/workspaces/notes?user=ana&confirm=notes'))).toEqual([
      404,
      'unknown_workspace',
    ]);
  });

  it('in a folder are known by its real path, and one folder is one workspace', async () => {
    const folder = path.join(root(), 'real');
    await mkdir(folder);
    await symlink(folder, path.join(root(), 'alias'));
    const made = await put('linked', { rootDir: `${path.join(root(), 'alias')}/` });
    expect(made.json().workspace).toMatchObject({ rootDir: folder, backend: 'file', reachable: true });
    expect(told(await put('twin', { rootDir: folder }))).toEqual([409, 'folder_taken']);
    const theirs = await send('PUT', '/v1/workspaces/linked', {
      tenant: 'other',
      user: 'ben',
      rootDir: folder,
    });
    expect(told(theirs)).toEqual([409, 'folder_taken']);
    const back = await put('linked', { backend: 'postgres' });
    expect(back.json().workspace).toMatchObject({ rootDir: null, backend: 'postgres' });
    const removed = await send('DELETE', '/v1/workspaces/linked?user=ana&confirm=linked');
    expect(removed.statusCode).toBe(200);
  });

  it('of a service without folders are documents only', async () => {
    const { name, folder } = await newFolder();
    await writeFile(path.join(folder, 'x'), '');
    const { producer } = open.stage.newProducer();
    const ask = (method: Method, url: string, payload?: object) =>
      producer.app.inject({ method, url, headers: { ...HOST, ...BEARER }, ...(payload ? { payload } : {}) });
    expect(told(await ask('GET', at(name, '')))).toEqual([503, 'BACKEND_UNAVAILABLE']);
    const refused = await ask('PUT', '/v1/workspaces/more', { user: 'ana', rootDir: folder });
    expect(told(refused)).toEqual([400, 'UNSUPPORTED']);
  });

  it('show their runs', async () => {
    const name = await newDocuments();
    const key = { tenant: 'default', user: 'ana', workspace: name };
    const id = await open.stage.database.withTenant('default', async (tx) => {
      const started = await startWorkspaceRun(tx, key, { work: 'insights', at: 1_000 });
      await endWorkspaceRun(tx, key, {
        id: started,
        status: 'skipped',
        reason: 'too_soon',
        report: { size: 1 },
        at: 2_000,
      });
      return started;
    });
    const run = {
      id,
      work: 'insights',
      status: 'skipped',
      reason: 'too_soon',
      report: { size: 1 },
      paths: [],
      startedAt: 1_000,
      endedAt: 2_000,
      runId: null,
    };
    const url = `/v1/workspaces/${name}/runs`;
    expect((await send('GET', `${url}?user=ana`)).json()).toEqual({ ...key, runs: [run], nextCursor: null });
    expect((await send('GET', `${url}?user=ana&work=import`)).json().runs).toEqual([]);
    expect((await send('GET', `${url}/${id}?user=ana`)).json()).toEqual({ ...key, run });
    expect(told(await send('GET', `${url}/${NOBODY}?user=ana`))).toEqual([404, 'unknown_run']);
    expect(told(await send('GET', `${url}/${id}?user=ben`))).toEqual([404, 'unknown_run']);
    expect(told(await send('GET', '/v1/workspaces/none/runs?user=ana'))).toEqual([404, 'unknown_workspace']);
  });

  it('are one user\u2019s, of one tenant', async () => {
    const name = await newDocuments();
    await send('PUT', at(name, ''), { content: CANARY });
    await send('PUT', `/v1/workspaces/${name}`, { tenant: 'other', user: 'ana' });
    await send('PUT', at(name, '', { tenant: 'other' }), { content: 'theirs' });
    expect((await send('GET', at(name, '', { tenant: 'other' }))).json().content).toBe('theirs');
    expect((await send('GET', at(name, ''))).json().content).toBe(CANARY);
    for (const [method, url] of [
      ['GET', at(name, '', { user: 'ben' })],
      ['GET', at(name, '', { tenant: 'third' })],
      ['GET', at(name, '/file', { user: 'ben', path: 'MEMORY.md' })],
      ['GET', at(name, '/files', { user: 'ben' })],
      ['GET', at(name, '/search', { user: 'ben', query: 'plum' })],
      ['GET', at(name, '/backend', { user: 'ben' })],
      ['GET', at(name, '/insights', { user: 'ben' })],
      ['GET', at(name, '/audit', { user: 'ben' })],
      ['GET', `/v1/workspaces/${name}/projection?user=ben`],
      ['PUT', at(name, '', { user: 'ben' })],
      ['PUT', at(name, '/file', { user: 'ben', path: 'MEMORY.md' })],
      ['POST', at(name, '/file', { user: 'ben', path: 'MEMORY.md' })],
      ['PUT', at(name, '/insights', { user: 'ben' })],
      ['GET', `/v1/workspaces/${name}?user=ben`],
      ['DELETE', `/v1/workspaces/${name}?user=ben&confirm=${name}`],
    ] as [Method, string][]) {
      const reply = await send(
        method,
        url,
        method === 'GET' || method === 'DELETE' ? undefined : { content: 'x' },
      );
      expect([url, ...told(reply)]).toEqual([url, 404, 'unknown_workspace']);
    }
    expect(told(await send('PUT', '/v1/workspaces/x', { user: 'nobody' }))).toEqual([404, 'unknown_user']);
    expect((await send('GET', at(name, ''))).json().content).toBe(CANARY);
  });

  it.each<[Method, string, object | undefined, string]>([
    ['PUT', '/v1/workspaces/x', { user: 'ana', backend: 'postgers' }, 'did you mean postgres?'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', backend: 'file' }, 'needs its folder'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', quotaBytes: 0 }, 'quotaBytes must be a whole number'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', insightsSchedule: 'daily' }, 'cron expression of five fields'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', insightsSchedule: '0 0 30 2 *' }, 'that comes'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', insightsTimezone: 'Mars/Olympus' }, 'IANA name'],
    ['PUT', '/v1/workspaces/x', { user: 'ana', insightsDueAt: 1 }, 'not known here'],
    ['PUT', '/v1/workspaces/x', {}, 'user: expected text'],
    ['GET', '/api/memory?user=ana', undefined, 'workspace: expected text'],
    ['GET', '/api/memory/file?user=ana&workspace=x', undefined, 'path: expected text'],
    ['GET', '/api/memory/file?user=ana&workspace=x&path=a&path=b', undefined, 'path: expected text'],
    ['GET', '/api/memory/file?user=ana&workspace=x&path=a&lineCount=401', undefined, 'from 1 to 400'],
    ['GET', '/api/memory/search?user=ana&workspace=x&query=a&limit=21', undefined, 'from 1 to 20'],
    ['PUT', '/api/memory?user=ana&workspace=x', { text: 'a' }, 'content: expected text'],
    [
      'GET',
      '/v1/workspaces/x/runs?user=ana&work=dreams',
      undefined,
      'expected one of insights, import, projection',
    ],
  ])('refuse %s %s %j', async (method, url, payload, detail) => {
    const reply = await send(method, url, payload);
    expect(told(reply)).toEqual([400, 'invalid_request']);
    expect(reply.json().detail).toContain(detail);
  });

  it.each([
    ['GET', '/v1/workspaces?user=ana'],
    ['PUT', '/v1/workspaces/x'],
    ['DELETE', '/v1/workspaces/x?user=ana'],
    ['GET', '/v1/workspaces/x/runs?user=ana'],
    ['POST', '/v1/workspaces/x/projection'],
    ['POST', `/v1/workspaces/x/runs/${NOBODY}/undo`],
    ['POST', '/api/memory/extract?user=ana&workspace=x'],
    ['GET', '/api/memory/audit?user=ana&workspace=x'],
    ['GET', '/api/memory?user=ana&workspace=x'],
    ['PUT', '/api/memory?user=ana&workspace=x'],
    ['GET', '/api/memory/file?user=ana&workspace=x&path=MEMORY.md'],
    ['GET', '/api/memory/search?user=ana&workspace=x&query=a'],
  ] as [Method, string][])('are for the operator only: %s %s', async (method, url) => {
    expect((await send(method, url, undefined, {})).statusCode).toBe(401);
  });

  it('leave no text in the log', () => {
    expect(log().text()).not.toContain(CANARY);
    expect(log().text()).not.toContain(root());
    expect(log().lines()).toContainEqual(expect.objectContaining({ msg: 'a workspace was set' }));
  });
});
