import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROLES } from '@slowwave/api';
import { endWorkspaceRun, forget, startWorkspaceRun } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BEARER, HOST, tokenFor } from '../harness.ts';
import { openWorkspaceStage, told, type WorkspaceStage } from '../workspace-stage.ts';

describe('workspaces under the token of a tenant', () => {
  let open: WorkspaceStage;
  let own: { authorization: string };
  beforeAll(async () => {
    open = await openWorkspaceStage();
    const { authorization } = await tokenFor(open.stage.database, {
      tenant: 'other',
      role: 'write',
      name: 'notes agent',
    });
    own = { authorization };
  });
  afterAll(() => open?.close());

  it('are its own tenant’s, and say who wrote', async () => {
    const made = await open.send('PUT', '/v1/workspaces/mine', { user: 'ana' }, own);
    expect([made.statusCode, made.json().workspace.tenant]).toEqual([201, 'other']);
    const written = await open.send('PUT', open.at('mine', ''), { content: '# Mine\n' }, own);
    expect(written.statusCode).toBe(200);
    const line = open.log.lines().find(({ msg }) => msg === 'the memory of a workspace was written');
    expect(line).toMatchObject({ tenant: 'other', user: 'ana', workspace: 'mine', by: 'notes agent' });
    expect(told(await open.send('GET', open.at('mine', '', { tenant: 'default' }), undefined, own))).toEqual([
      403,
      'wrong_tenant',
    ]);
    expect(told(await open.send('GET', open.at('mine', '')))).toEqual([404, 'unknown_workspace']);
  });

  it('are in no folder of the machine, which is the operator’s to give', async () => {
    const body = { user: 'ana', rootDir: open.root };
    expect(told(await open.send('PUT', '/v1/workspaces/theirs', body, own))).toEqual([403, 'operator_only']);
    const none = await open.send('PUT', '/v1/workspaces/theirs', { user: 'ana', rootDir: null }, own);
    expect(none.statusCode).toBe(201);
  });

  it('list their runs page by page, the latest first', async () => {
    const key = { tenant: 'other', user: 'ana', workspace: 'listed' };
    await open.send('PUT', '/v1/workspaces/listed', { user: 'ana' }, own);
    const ids: string[] = [];
    // Two of them began in the same moment.
    for (const at of [1_000, 2_000, 2_000, 3_000, 4_000]) {
      const id = await open.stage.database.withTenant('other', async (tx) => {
        const started = await startWorkspaceRun(tx, key, { work: 'import', at });
        await endWorkspaceRun(tx, key, { id: started, status: 'completed', at });
        return started;
      });
      ids.push(id);
    }
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = new URLSearchParams({ user: 'ana', limit: '2', ...(cursor === '' ? {} : { cursor }) });
      const page = (await open.send('GET', `/v1/workspaces/listed/runs?${query}`, undefined, own)).json();
      found.push(...page.runs.map(({ id }: { id: string }) => id));
      cursor = page.nextCursor;
    }
    expect(found).toHaveLength(5);
    expect([...found].sort()).toEqual([...ids].sort());
    expect([found[0], found[1], found[4]]).toEqual([ids[4], ids[3], ids[0]]);
    const bad = await open.send('GET', '/v1/workspaces/listed/runs?user=ana&cursor=abc', undefined, own);
    expect(told(bad)).toEqual([400, 'invalid_request']);
  });
});

describe('a restore', () => {
  let open: WorkspaceStage;
  let producer: ReturnType<WorkspaceStage['stage']['newProducer']>['producer'];
  const tokens: Record<string, { authorization: string }> = { operator: BEARER };
  beforeAll(async () => {
    open = await openWorkspaceStage();
    ({ producer } = open.stage.newProducer({ folders: [open.root] }));
    for (const role of ROLES) {
      const { authorization } = await tokenFor(open.stage.database, { tenant: 'other', role, name: role });
      tokens[role] = { authorization };
    }
  });
  afterAll(() => open?.close());

  const owner = { tenant: 'other', user: 'mallory' };
  const createdAt = '2026-03-01T00:00:00Z';
  const person = {
    kind: 'user',
    ...owner,
    timezone: 'UTC',
    quietStart: '22:00',
    quietEnd: '06:00',
    state: { mode: 'auto', conflictPolicy: 'ask', createdAt },
  };
  const workspaceLine = (more: object): object => ({
    kind: 'workspace',
    ...owner,
    id: 'v',
    backend: 'file',
    memoryEnabled: true,
    projectionEnabled: true,
    importEnabled: true,
    quotaBytes: 1_000_000,
    insightsEnabled: false,
    insightsSchedule: '0 2 * * *',
    insightsMinIntervalMs: 86_400_000,
    insightsMinGrowth: 1_000,
    createdAt,
    ...more,
  });
  const textOf = (lines: object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const ofUser = (lines: object[] = [], first: object = person): string =>
    textOf([first, ...lines, { kind: 'end', ...owner, lines: lines.length + 1 }]);
  async function restore(by: string, users: string) {
    const header = { kind: 'slowwave-export', version: 1, tenant: 'other' };
    const reply = await producer.app.inject({
      method: 'POST',
      url: '/v1/imports',
      headers: { ...HOST, ...tokens[by], 'content-type': 'application/x-ndjson' },
      payload: `${textOf([header])}${users}${textOf([{ kind: 'slowwave-export-end', users: 1 }])}`,
    });
    return { status: reply.statusCode, ...reply.json() };
  }
  const stored = async (): Promise<{ rootDir: string | null; backend: string }[]> =>
    (await open.send('GET', '/v1/workspaces?user=mallory&tenant=other')).json().workspaces;
  const forgetMallory = () =>
    forget(open.stage.database, { ...owner, target: { user: true }, at: Date.now(), actor: null });

  it('by a tenant’s admin gives a workspace no folder of the machine, and keeps all the rest of it', async () => {
    const secret = path.join(open.root, 'secret');
    await mkdir(path.join(secret, '.fusion', 'memory'), { recursive: true });
    await writeFile(path.join(secret, '.fusion', 'memory', 'MEMORY.md'), 'the code of the vault');
    const version = { id: randomUUID(), path: 'MEMORY.md', content: 'before', replacedAt: createdAt };
    const lines = [
      workspaceLine({ rootDir: secret }),
      { kind: 'document-version', ...owner, workspace: 'v', ...version, replacedBy: 'ana' },
    ];
    const answer = await restore('admin', ofUser(lines));
    expect(answer).toMatchObject({
      status: 200,
      restored: { users: 1, workspace: 1, 'document-version': 1 },
    });
    expect(answer.problems).toEqual([expect.objectContaining({ line: 3, code: 'folder_not_restored' })]);
    expect(answer.problems[0].message).toContain('only the operator');
    expect(answer.problems[0].message).not.toContain(secret);
    expect(await stored()).toEqual([expect.objectContaining({ rootDir: null, backend: 'readonly' })]);
    const at = open.at('v', '', { user: 'mallory' });
    expect((await open.send('GET', at, undefined, tokens.write!)).body).not.toContain('vault');
    expect((await open.send('PUT', at, { content: 'mine' }, tokens.write!)).statusCode).not.toBe(200);
    // The operator gives it back.
    const back = { tenant: 'other', user: 'mallory', rootDir: secret, backend: 'file' };
    expect((await open.send('PUT', '/v1/workspaces/v', back)).statusCode).toBe(200);
    await forgetMallory();
  });

  it('by a token that reads or writes restores nothing, whatever the file holds', async () => {
    for (const role of ['read', 'write']) {
      expect(await restore(role, ofUser())).toMatchObject({ status: 403, code: 'role_too_low' });
      expect(await restore(role, ofUser([workspaceLine({ rootDir: open.root })]))).toMatchObject({
        status: 403,
      });
    }
    expect(await stored()).toEqual([]);
  });

  it('of what routes keep for admins and the operator, or let no caller set, is refused for every role', async () => {
    const documents = workspaceLine({ backend: 'postgres' });
    const foreign = [
      'api-token',
      'webhook',
      'tenant-settings',
      'tenant-pause',
      'tier-pause',
      'budget',
      'spend',
    ];
    const cases: [string, { lines?: object[]; first?: object }][] = [
      ...foreign.map((kind): [string, { lines: object[] }] => [
        'not_allowed',
        { lines: [{ kind, ...owner, id: 'x', role: 'admin' }] },
      ]),
      ['unknown_field', { lines: [{ ...documents, budget: 1 }] }],
      ['unknown_field', { lines: [{ ...documents, insightsAllowed: true }] }],
      ['out_of_range', { lines: [{ ...documents, quotaBytes: 2 ** 41 }] }],
      ['not_allowed', { lines: [{ ...documents, insightsSchedule: 'always' }] }],
      ['wrong_owner', { lines: [{ ...documents, tenant: 'default' }] }],
      ['wrong_owner', { lines: [{ ...documents, user: 'ana' }] }],
      ['unknown_field', { first: { ...person, budget: 1 } }],
      ['not_allowed', { first: { ...person, state: { ...person.state, mode: 'free' } } }],
    ];
    const text = cases.map(([, { lines, first }]) => ofUser(lines, first)).join('');
    for (const by of ['admin', 'operator']) {
      const { status, problems } = await restore(by, text);
      const codes = problems.map(({ code }: { code: string }) => code);
      expect([status, codes]).toEqual([422, cases.map(([code]) => code)]);
    }
    const elsewhere = await restore('admin', ofUser([], { ...person, tenant: 'default' }));
    expect(elsewhere.problems).toMatchObject([{ code: 'wrong_tenant' }]);
    expect(await stored()).toEqual([]);
  });

  it('by the operator checks a folder as the route does', async () => {
    const outside = await realpath(await mkdtemp(path.join(tmpdir(), 'slowwave-outside-')));
    try {
      const inside = path.join(open.root, 'inside');
      const link = path.join(open.root, 'link');
      await mkdir(inside);
      await symlink(outside, link);
      const cases = [inside, outside, link, path.join(open.root, 'gone'), '/etc', '/proc/self/cwd'];
      const given: string[] = [];
      for (const rootDir of cases) {
        const route = await open.send('PUT', '/v1/workspaces/asked', { user: 'ana', rootDir });
        if (route.statusCode === 201) given.push(rootDir);
        await open.send('DELETE', '/v1/workspaces/asked?user=ana');
        const answer = await restore('operator', ofUser([workspaceLine({ rootDir })]));
        const codes = answer.problems.map(({ code }: { code: string }) => code);
        const isGiven = given.includes(rootDir);
        expect([rootDir, codes]).toEqual([rootDir, isGiven ? [] : ['folder_not_restored']]);
        expect(await stored()).toEqual([
          expect.objectContaining(
            isGiven ? { rootDir, backend: 'file' } : { rootDir: null, backend: 'readonly' },
          ),
        ]);
        await forgetMallory();
      }
      expect(given).toEqual([inside]);
    } finally {
      await rm(outside, { recursive: true });
    }
  });
});
