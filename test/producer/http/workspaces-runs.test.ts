import {
  acquireLease,
  claimInsights,
  finishRun,
  getUser,
  newId,
  REQUEST_GAP_MS,
  startRun,
} from '@slowwave/db';
import {
  askProvider,
  createDatabaseHistory,
  createFolderFiles,
  extractClaimedInsights,
} from '@slowwave/workspace';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInsightModel } from '../../fakes/insight-model.ts';
import { bookCall } from '../../fixtures/ledger-calls.ts';
import { CANARY } from '../harness.ts';
import { openWorkspaceStage, told, type WorkspaceStage } from '../workspace-stage.ts';

const ANSWER = {
  summary: 'one thing',
  insights: [{ category: 'pattern', content: 'Tests come first.' }],
};

describe('insights and projections of workspaces over HTTP', () => {
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

  it.each(['documents', 'folder'])('keep insights beside the memory: %s', async (kind) => {
    const name = kind === 'folder' ? (await newFolder()).name : await newDocuments();
    expect((await send('GET', at(name, '/insights'))).json()).toMatchObject({ content: '', exists: false });
    const { version } = (
      await send('PUT', at(name, '/insights'), { content: '- a\n', expectedVersion: null })
    ).json();
    expect((await send('GET', at(name, '/insights'))).json()).toMatchObject({
      content: '- a\n',
      exists: true,
      version,
    });
    expect(told(await send('PUT', at(name, '/insights'), { content: 'x', expectedVersion: null }))).toEqual([
      409,
      'CONFLICT',
    ]);
    for (const own of ['memory-insights.md', 'memory-audit.md', 'memory-audit-state.json']) {
      expect(told(await send('GET', at(name, '/file', { path: own })))).toEqual([400, 'UNSUPPORTED']);
    }
  });

  it('tell what was drawn from their memory, and take it back', async () => {
    const { name, folder } = await newFolder({ insightsEnabled: true });
    await send('PUT', at(name, ''), { content: `# Project\n\n- ${CANARY} one\n` });
    const { database } = open.stage;
    const key = { tenant: 'default', user: 'ana', workspace: name };
    const now = Date.now;
    const ran = await extractClaimedInsights({
      key,
      files: createFolderFiles({
        rootDir: folder,
        now,
        history: createDatabaseHistory({ database, key, now }),
      }),
      ask: askProvider(createInsightModel(ANSWER).provider),
      transact: (work) => database.withTenant('default', work),
      schedule: '0 2 * * *',
      timezone: 'UTC',
      at: now(),
      newId: () => newId(now()),
      tierRunId: null,
    });
    expect(ran).toMatchObject({ status: 'ran', run: { success: true, counts: { added: 1 } } });
    expect((await send('GET', at(name, '/insights'))).json().content).toContain('Tests come first.');
    expect((await send('GET', at(name, '/audit'))).json()).toMatchObject({
      backend: 'file',
      report: { workingMemory: { exists: true }, insightsMemory: { exists: true, insightCount: 1 } },
      content: expect.stringContaining('#'),
    });
    const { runs } = (await send('GET', `/v1/workspaces/${name}/runs?user=ana&work=insights`)).json();
    expect(runs).toMatchObject([{ status: 'completed', report: { counts: { added: 1 } } }]);
    const undo = `/v1/workspaces/${name}/runs/${runs[0].id}/undo`;
    expect((await send('POST', undo, { user: 'ana' })).json()).toMatchObject({
      id: runs[0].id,
      work: 'insights',
      status: 'undone',
      paths: ['memory-insights.md'],
    });
    expect((await send('POST', undo, { user: 'ana' })).json()).toMatchObject({
      status: 'already_undone',
      paths: [],
    });
    expect((await send('GET', at(name, '/insights'))).json().content).toBe('');
  });

  it('ask a light run for insights, and only when it is time', async () => {
    const name = await newDocuments();
    await send('PUT', at(name, ''), { content: 'x' });
    expect(told(await send('POST', at(name, '/extract'), {}))).toEqual([409, 'disabled']);
    expect(told(await send('POST', at(name, '/extract'), { force: true }))).toEqual([409, 'disabled']);
    await put(name, { insightsEnabled: true });
    const asked = await send('POST', at(name, '/extract'), {});
    expect([asked.statusCode, asked.json()]).toEqual([202, { status: 'queued', runId: expect.any(String) }]);
    const view = (await send('GET', `/v1/workspaces/${name}?user=ana`)).json();
    expect(view).toMatchObject({ insightsDueAt: expect.any(Number), insightsLastRunAt: null });
    const run = await send('GET', `/v1/consolidations/${asked.json().runId}?user=ana`);
    expect(run.json()).toMatchObject({ tier: 'light' });
    const key = { tenant: 'default', user: 'ana', workspace: name };
    await open.stage.database.withTenant('default', (tx) =>
      claimInsights(tx, key, { at: Date.now(), size: 1 }),
    );
    expect(told(await send('POST', at(name, '/extract'), {}))).toEqual([409, 'too_soon']);
    expect((await send('POST', at(name, '/extract'), { force: true })).statusCode).toBe(202);
    const forced = (await send('GET', `/v1/workspaces/${name}?user=ana`)).json();
    expect(forced.insightsLastRunAt).toBeNull();
  });

  it('leave insights to the schedule where a light run that was asked for has just called a model', async () => {
    const name = await newDocuments({ insightsEnabled: true });
    await send('PUT', at(name, ''), { content: 'x' });
    const { database } = open.stage;
    const of = { tenant: 'default', user: 'ana' };
    const light = () =>
      database.withTenant(of.tenant, async (tx) => (await getUser(tx, of.tenant, of.user))!.tiers.light);
    const asked = await send('POST', at(name, '/extract'), { force: true });
    const { runId } = asked.json();
    const lease = await acquireLease(database, { ...of, holder: 'w', ttlMs: 0 });
    if (lease.status !== 'held') throw new Error(lease.status);
    const { fence } = lease;
    const begun = Date.now();
    await database.withTenant(of.tenant, async (tx) => {
      await startRun(tx, { ...of, tier: 'light', why: 'adhoc', runId, fence, at: begun });
    });
    await bookCall(database, { ...of, runId, tier: 'light' });
    await database.withTenant(of.tenant, (tx) =>
      finishRun(tx, { ...of, runId, at: Date.now(), status: 'completed', nextDueAt: Infinity, report: {} }),
    );
    const again = await send('POST', at(name, '/extract'), { force: true });
    expect([again.statusCode, again.json()]).toEqual([202, { status: 'queued', runId: null }]);
    expect(await light()).toMatchObject({ requestedRun: null, dueAt: begun + REQUEST_GAP_MS });
  });

  it.each(['documents', 'folder'])(
    'show what would be written, write it, and take it back: %s',
    async (kind) => {
      const name = kind === 'folder' ? (await newFolder()).name : await newDocuments();
      const own = '# Mine\n\nmy own words\n';
      await send('PUT', at(name, ''), { content: own });
      const url = `/v1/workspaces/${name}/projection`;
      const preview = (await send('GET', `${url}?user=ana`)).json();
      expect(preview.documents[0]).toMatchObject({ path: 'MEMORY.md', before: own });
      expect((await send('GET', at(name, ''))).json().content).toBe(own);
      const done = (await send('POST', url, { user: 'ana' })).json();
      expect(done).toMatchObject({
        user: 'ana',
        workspace: name,
        status: 'completed',
        report: { dreams: null },
      });
      const after = (await send('GET', at(name, ''))).json().content;
      expect(after).toBe(preview.documents[0].after ?? own);
      expect(after.startsWith(own)).toBe(true);
      expect(after).toContain('<!-- slowwave:begin -->');
      expect(after).toContain('important to ana');
      const { runs } = (await send('GET', `/v1/workspaces/${name}/runs?user=ana&work=projection`)).json();
      expect(runs.map(({ id }: { id: string }) => id)).toEqual([done.id]);
      const undone = (
        await send('POST', `/v1/workspaces/${name}/runs/${done.id}/undo`, { user: 'ana' })
      ).json();
      expect(undone).toMatchObject({ work: 'projection', status: 'undone', paths: ['MEMORY.md'] });
      expect((await send('GET', at(name, ''))).json().content).toBe(own);
    },
  );

  it('undo nothing that somebody changed since, and write nothing where projection is off', async () => {
    const name = await newDocuments();
    const url = `/v1/workspaces/${name}/projection`;
    const { id } = (await send('POST', url, { user: 'ana' })).json();
    await send('PUT', at(name, ''), { content: 'mine' });
    const undo = `/v1/workspaces/${name}/runs/${id}/undo`;
    expect(told(await send('POST', undo, { user: 'ana' }))).toEqual([409, 'CONFLICT']);
    expect(told(await send('POST', undo, { user: 'ben' }))).toEqual([404, 'unknown_run']);
    expect(told(await send('POST', undo, { tenant: 'other', user: 'ana' }))).toEqual([404, 'unknown_run']);
    expect((await send('GET', at(name, ''))).json().content).toBe('mine');
    await put(name, { projectionEnabled: false });
    expect(told(await send('POST', url, { user: 'ana' }))).toEqual([409, 'READ_ONLY']);
    expect(told(await send('GET', `${url}?user=ana`))).toEqual([409, 'READ_ONLY']);
  });

  it('leave no text in the log', () => {
    expect(log().text()).not.toContain(CANARY);
    expect(log().text()).not.toContain(root());
    expect(log().lines()).toContainEqual(expect.objectContaining({ msg: 'a workspace was set' }));
  });
});
