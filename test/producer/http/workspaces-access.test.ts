import { endWorkspaceRun, startWorkspaceRun } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenFor } from '../harness.ts';
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
