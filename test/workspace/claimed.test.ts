import {
  type Database,
  dueInsights,
  ensureUsers,
  getWorkspace,
  listWorkspaceRuns,
  newId,
  putWorkspace,
  type Transaction,
  type WorkspaceChange,
} from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocumentFiles } from '../../packages/workspace/src/files/documents.ts';
import { type AskInsights, askProvider } from '../../packages/workspace/src/insights/ask.ts';
import {
  type ClaimedInsightsOptions,
  extractClaimedInsights,
  RETRY_MS,
  undoClaimedInsights,
} from '../../packages/workspace/src/insights/claimed.ts';
import { InvalidInsightSchedule } from '../../packages/workspace/src/insights/cron.ts';
import { createInsightModel } from '../fakes/insight-model.ts';
import { type DatabaseFixture, openInScope } from '../fixtures/databases.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AT = Date.UTC(2026, 4, 1, 12);
const NEXT = Date.UTC(2026, 4, 2, 2);
const TIER_RUN = '01890000-0000-7000-8000-0000000000aa';
const LONG = `## Decisions\n${'- A point that was decided.\n'.repeat(60)}`;
const ANSWER = {
  summary: 'One was found.',
  insights: [{ category: 'pattern', content: 'Points are decided.' }],
};

let fixture: DatabaseFixture;
let database: Database;
let serial = 0;
beforeAll(async () => {
  fixture = await openInScope();
  database = fixture.database;
});
afterAll(() => fixture?.drop());

describe('insights that the database lets be extracted', () => {
  async function workspace(text: string, change: WorkspaceChange = { insightsEnabled: true }) {
    const key = { tenant: 't', user: 'ana', workspace: `w-${++serial}` };
    await database.withTenant('t', async (tx) => {
      await ensureUsers(tx, [key], AT);
      await putWorkspace(tx, key, change, AT);
    });
    const files = createDocumentFiles({ database, key, now: () => AT });
    const put = (content: string) => files.write('MEMORY.md', content, { by: 'hand' });
    await put(text);
    const transact = <T>(work: (tx: Transaction) => Promise<T>) => database.withTenant('t', work);
    return {
      key,
      files,
      put,
      transact,
      extract(at: number, ask: AskInsights, more: Partial<ClaimedInsightsOptions> = {}) {
        const given = {
          key,
          files,
          ask,
          transact,
          at,
          schedule: '0 2 * * *',
          timezone: 'UTC',
          tierRunId: TIER_RUN,
        };
        return extractClaimedInsights({ ...given, newId: () => newId(at), ...more });
      },
      settings: async () => (await transact((tx) => getWorkspace(tx, key)))!,
      runs: () => transact((tx) => listWorkspaceRuns(tx, key)),
    };
  }
  const asking = (...answers: Parameters<typeof createInsightModel>) =>
    askProvider(createInsightModel(...answers).provider);
  const ask = asking(ANSWER);

  it('IN-01 interval and growth hold for the schedule, a retry and a person alike', async () => {
    const w = await workspace(LONG);
    expect(await w.extract(AT, ask)).toMatchObject({ status: 'ran', run: { success: true } });
    expect(await w.settings()).toMatchObject({
      insightsLastRunAt: AT,
      insightsLastSize: LONG.length,
      insightsDueAt: NEXT,
    });
    for (const more of [{}, { tierRunId: null }]) {
      expect(await w.extract(AT + DAY - 1, ask, more)).toEqual({ status: 'refused', reason: 'too_soon' });
      expect(await w.extract(AT + DAY, ask, more)).toEqual({ status: 'refused', reason: 'too_small' });
    }
    await w.put(LONG + 'x'.repeat(999));
    expect(await w.extract(AT + DAY, ask)).toEqual({ status: 'refused', reason: 'too_small' });
    await w.put(LONG + 'x'.repeat(1_000));
    expect(await w.extract(AT + DAY, ask)).toMatchObject({ status: 'ran' });
    const runs = (await w.runs()).filter(({ startedAt }) => startedAt > AT);
    expect(runs.map(({ status, reason }) => reason ?? status).sort()).toEqual([
      'completed',
      'too_small',
      'too_small',
      'too_soon',
    ]);
  });

  it('IN-02 a person who forces it waits for neither, but an empty memory stays one', async () => {
    const w = await workspace(LONG, { insightsEnabled: false });
    expect(await w.extract(AT, ask)).toEqual({ status: 'refused', reason: 'disabled' });
    const forced = { force: true, tierRunId: null };
    expect(await w.extract(AT, ask, forced)).toMatchObject({ status: 'ran', run: { success: true } });
    expect(await w.extract(AT + 1, ask, forced)).toMatchObject({
      status: 'ran',
      run: { counts: { added: 0 } },
    });
    await w.put('\n');
    expect(await w.extract(AT + 2, ask, forced)).toEqual({ status: 'refused', reason: 'empty' });
    expect((await w.settings()).insightsDueAt).toBeNull();
  });

  it('IN-03 an answer that was paid for in vain counts for the interval, and the growth counts again', async () => {
    const w = await workspace(LONG);
    expect(await w.extract(AT, asking('nonsense'))).toMatchObject({ status: 'ran', run: { success: false } });
    expect(await w.settings()).toMatchObject({
      insightsLastRunAt: AT,
      insightsLastSize: 0,
      insightsDueAt: NEXT,
    });
    expect(await w.extract(AT + HOUR, ask)).toEqual({ status: 'refused', reason: 'too_soon' });
    expect(await w.extract(AT + DAY, ask)).toMatchObject({ status: 'ran', run: { success: true } });
    expect((await w.runs()).find(({ status }) => status === 'failed')?.reason).toBe('not_json');
  });

  it('a run without a model gives its claim back and is tried again soon', async () => {
    const w = await workspace(LONG);
    const none: AskInsights = async () => ({ status: 'stopped', code: 'unavailable', transient: true });
    expect(await w.extract(AT, none)).toMatchObject({
      status: 'ran',
      run: { success: false, code: 'unavailable' },
    });
    expect(await w.settings()).toMatchObject({ insightsLastRunAt: null, insightsDueAt: AT + RETRY_MS });
    expect(await w.extract(AT + RETRY_MS, ask)).toMatchObject({ status: 'ran', run: { success: true } });
  });

  it('a run that was broken off is taken up by who holds the user, without another claim', async () => {
    const w = await workspace(LONG);
    const crash: AskInsights = () => Promise.reject(new Error('crash'));
    await expect(w.extract(AT, crash)).rejects.toThrow('crash');
    expect(await w.extract(AT + 1, ask)).toEqual({ status: 'refused', reason: 'too_soon' });
    await expect(w.extract(AT + DAY + 1, crash)).resolves.toEqual({ status: 'refused', reason: 'too_small' });
    const v = await workspace(LONG);
    await expect(v.extract(AT, crash)).rejects.toThrow('crash');
    expect(await v.extract(AT + 1, ask, { resume: true })).toMatchObject({
      status: 'ran',
      resumed: true,
      run: { success: true },
    });
    expect((await v.runs()).map(({ status }) => status)).toEqual(['completed']);
  });

  it('IN-07 a run is undone, and its record says so', async () => {
    const text = `${LONG}\n## Conventions\n- Short lines.\n- A note that is over.\n`;
    const w = await workspace(text);
    const pruning = asking({ ...ANSWER, prunedMemory: text.replace('- A note that is over.\n', '') });
    await w.extract(AT, pruning);
    expect((await w.files.read('MEMORY.md'))?.content).not.toContain('is over');
    expect((await w.settings()).insightsLastSize).toBe(text.length - '- A note that is over.\n'.length);
    const [run] = await w.runs();
    const { key, files, transact } = w;
    await undoClaimedInsights({ key, files, transact, runId: run!.id, at: AT, by: 'ana' });
    expect((await w.files.read('MEMORY.md'))?.content).toBe(text);
    expect(await w.runs()).toMatchObject([
      { id: run!.id, status: 'undone', report: { counts: { added: 1 } } },
    ]);
  });

  it('IN-12 switched off it is never due, switched on it is planned anew, and a schedule that is none is refused', async () => {
    const w = await workspace(LONG);
    const due = () => w.transact((tx) => dueInsights(tx, w.key, AT + 10 * DAY));
    const isDue = async () => (await due()).some(({ workspace }) => workspace === w.key.workspace);
    await w.extract(AT, ask);
    expect(await isDue()).toBe(true);
    await w.transact((tx) => putWorkspace(tx, w.key, { insightsEnabled: false }, AT));
    expect((await w.settings()).insightsDueAt).toBeNull();
    expect(await isDue()).toBe(false);
    await w.transact((tx) => putWorkspace(tx, w.key, { insightsEnabled: true }, AT));
    expect((await due()).find(({ workspace }) => workspace === w.key.workspace)?.dueAt).toBeNull();
    const before = await w.runs();
    await expect(w.extract(AT + 2 * DAY, ask, { schedule: '61 * * * *' })).rejects.toBeInstanceOf(
      InvalidInsightSchedule,
    );
    expect(await w.runs()).toEqual(before);
  });
});
