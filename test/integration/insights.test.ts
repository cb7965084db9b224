import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Database,
  getWorkspace,
  listWorkspaceRuns,
  newId,
  putWorkspace,
  setInsightsDue,
  setMode,
  type Transaction,
  type WorkspaceChange,
} from '@slowwave/db';
import {
  askProvider,
  createDatabaseHistory,
  createDocumentFiles,
  createFolderFiles,
  extractClaimedInsights,
  type WorkspaceFiles,
} from '@slowwave/workspace';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserJobDeps } from '../../apps/worker/src/context.ts';
import { insights } from '../../apps/worker/src/steps/insights.ts';
import { createInsightModel, type InsightModel } from '../fakes/insight-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { ownTwice } from '../fixtures/own-twice.ts';
import { runTier, seedPerson } from '../fixtures/tier-runs.ts';

const tenant = 't';
const HOUR = DAY / 24;
const CANARY = 'theorbo-canary-genet';
const OVER = `- The ${CANARY} ticket was closed on Tuesday.\n`;
const WORKING = `## Decisions\n- The ${CANARY} is fed by hand, since the machine starts too late in winter.
- Everything else is fed by the machine, which is cleaned every Monday morning.
\n## Conventions\n- Names of feeds begin with the day, and end with the animal that they are for.\n${OVER}`;
const FOUND = `Feeds of the ${CANARY} are named by day.`;
const ANSWER = {
  summary: `The ${CANARY} was found.`,
  insights: [{ category: 'convention', content: FOUND }],
  prunedMemory: WORKING.replace(OVER, ''),
};

describe.each(DATABASES)('the step of insights (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let root: string;
  let serial = 0;
  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
    root = await mkdtemp(join(tmpdir(), 'slowwave-insights-'));
  });
  afterAll(async () => {
    await fixture?.drop();
    await rm(root, { recursive: true, force: true });
  });

  const transact = <T>(work: (tx: Transaction) => Promise<T>) => database.withTenant(tenant, work);

  /** A user with one workspace whose insights are due. */
  async function seed(kind: 'folder' | 'documents', change: WorkspaceChange = {}) {
    const key = { tenant, user: `user-${++serial}`, workspace: 'notes' };
    await seedPerson(database, key);
    const rootDir = kind === 'folder' ? await mkdtemp(join(root, 'p-')) : null;
    const place = rootDir === null ? {} : { backend: 'file', rootDir };
    await transact((tx) => putWorkspace(tx, key, { insightsEnabled: true, ...place, ...change }, NOW));
    const now = () => NOW;
    const history = createDatabaseHistory({ database, key, now });
    const files: WorkspaceFiles =
      rootDir === null
        ? createDocumentFiles({ database, key, now })
        : createFolderFiles({ rootDir, history });
    await files.write('MEMORY.md', WORKING, { by: 'hand' });
    await transact((tx) => setInsightsDue(tx, key, { dueAt: NOW }));
    return {
      key,
      files,
      rootDir,
      textOf: async (path: string) => (await files.read(path))?.content ?? null,
      settings: async () => (await transact((tx) => getWorkspace(tx, key)))!,
      runs: () => transact((tx) => listWorkspaceRuns(tx, key)),
    };
  }
  type Seeded = Awaited<ReturnType<typeof seed>>;

  async function light(
    of: Seeded,
    model: InsightModel | null,
    { at = NOW, ...more }: Partial<UserJobDeps> & { at?: number } = {},
  ) {
    const ended = await runTier(
      database,
      { tenant, user: of.key.user, tier: 'light', at },
      {
        provider: model?.provider ?? null,
        workspaces: (found) =>
          found.workspace === of.key.workspace && found.user === of.key.user ? of.files : null,
        tierSteps: { light: [insights], deep: [], sleep: [] },
        ...more,
      },
    );
    const runs = await of.runs();
    expect(ended.log + JSON.stringify(ended.run.report) + JSON.stringify(runs)).not.toContain(CANARY);
    return ended.step('insights');
  }

  it.each(['folder', 'documents'] as const)(
    'draws insights into a %s, prunes, reports and plans the next',
    async (kind) => {
      const [of, model] = [await seed(kind), createInsightModel(ANSWER)];
      expect(await light(of, model)).toMatchObject({
        status: 'done',
        counts: { due: 1, extracted: 1, insights: 1, pruned: 1, failed: {}, usage: { calls: 1 } },
      });
      expect(await of.textOf('memory-insights.md')).toContain(`- ${FOUND}\n`);
      expect(await of.textOf('MEMORY.md')).toBe(WORKING.replace(OVER, ''));
      expect(await of.textOf('memory-audit.md')).toContain('# Memory Audit Report');
      if (of.rootDir !== null)
        expect(await readFile(join(of.rootDir, '.fusion/memory/MEMORY.md'), 'utf8')).toBe(
          WORKING.replace(OVER, ''),
        );
      const [run] = await of.runs();
      expect(run).toMatchObject({ work: 'insights', status: 'completed', report: { counts: { added: 1 } } });
      expect(await of.files.before(run!.id, 'MEMORY.md')).toMatchObject({ content: WORKING });
      expect((await of.settings()).insightsDueAt).toBeGreaterThan(NOW);
      expect(await light(of, model, { at: NOW + 1 })).toEqual(
        expect.objectContaining({ status: 'skipped', reason: 'nothing_due' }),
      );
      expect(model.requests).toHaveLength(1);
    },
  );

  it('says why it does nothing', async () => {
    const of = await seed('documents');
    const model = createInsightModel(ANSWER);
    expect(await light(of, null)).toMatchObject({ status: 'skipped', reason: 'no_model_provider' });
    const nowhere = { workspaces: () => null };
    expect(await light(of, model, nowhere)).toMatchObject({ status: 'skipped', reason: 'no_folder' });
    expect((await of.settings()).insightsLastRunAt).toBeNull();
    await transact((tx) => setMode(tx, { tenant, user: of.key.user, mode: 'off', at: NOW }));
    expect(await light(of, model)).toMatchObject({ status: 'skipped', reason: 'mode_off' });
    const fresh = await seed('documents');
    await transact((tx) => setInsightsDue(tx, fresh.key, { dueAt: null }));
    expect(await light(fresh, model)).toMatchObject({ status: 'done', counts: { planned: 1, due: 0 } });
    expect((await fresh.settings()).insightsDueAt).toBeGreaterThan(NOW);
    expect(model.requests).toEqual([]);
  });

  it('takes nothing away from who wants to see changes first', async () => {
    const of = await seed('documents');
    await transact((tx) => setMode(tx, { tenant, user: of.key.user, mode: 'review', at: NOW }));
    expect(await light(of, createInsightModel(ANSWER))).toMatchObject({ counts: { insights: 1, pruned: 0 } });
    expect(await of.textOf('MEMORY.md')).toBe(WORKING);
  });

  it('pays for no answer twice when the process dies before it is used', async () => {
    for (const dyingAt of ['memory-insights.md', 'MEMORY.md', 'memory-audit-state.json']) {
      const [of, model] = [await seed('documents'), createInsightModel(ANSWER)];
      const dying: WorkspaceFiles = {
        ...of.files,
        write: async (path, ...rest) => {
          if (path === dyingAt) throw new Error('the process died');
          return of.files.write(path, ...rest);
        },
      };
      expect(await light(of, model, { workspaces: () => dying })).toMatchObject({ status: 'failed' });
      expect(await light(of, model, { at: NOW + HOUR })).toMatchObject({
        counts: { extracted: 1, insights: 1, pruned: 1, reused: 1, resumed: 1, usage: { calls: 0 } },
      });
      expect(model.requests).toHaveLength(1);
      expect(await of.textOf('MEMORY.md')).toBe(WORKING.replace(OVER, ''));
      expect((await of.textOf('memory-insights.md'))!.split(FOUND)).toHaveLength(2);
      expect((await of.runs()).map(({ status }) => status)).toEqual(['completed']);
    }
  });

  it('IN-03 pays for two useless answers about one text, and for no more of them', async () => {
    const [of, model] = [
      await seed('documents', { insightsMinIntervalMs: 0, insightsMinGrowth: 0 }),
      createInsightModel('sorry'),
    ];
    expect(await light(of, model)).toMatchObject({
      counts: { failed: { not_json: 1 }, rejected: { not_json: 2 } },
    });
    await transact((tx) => setInsightsDue(tx, of.key, { dueAt: NOW }));
    expect(await light(of, model, { at: NOW + DAY })).toMatchObject({ counts: { failed: { exhausted: 1 } } });
    expect(model.requests).toHaveLength(2);
    expect(await of.textOf('MEMORY.md')).toBe(WORKING);
    expect(await of.textOf('memory-insights.md')).toBeNull();
    expect(await of.textOf('memory-audit.md')).toContain('- **Success:** ✗');
  });

  it('a schedule that is none fails by itself', async () => {
    const [of, model] = [await seed('documents'), createInsightModel(ANSWER)];
    await transact((tx) =>
      tx.rows(
        sql`update slowwave.workspaces set insights_schedule = '0 0 30 2 *' where user_id = ${of.key.user}`,
      ),
    );
    expect(await light(of, model)).toMatchObject({
      status: 'done',
      counts: { failed: { invalid_schedule: 1 } },
    });
    expect(model.requests).toEqual([]);
  });
});

describe('two workers on one database', () => {
  const [{ database }, { database: other }] = ownTwice(tenant);

  it('IN-01 extract once when both begin at the same moment, and once more when the interval is over', async () => {
    const key = { tenant, user: 'ana', workspace: 'notes' };
    await seedPerson(database, key);
    await database.withTenant(tenant, (tx) =>
      putWorkspace(tx, key, { insightsEnabled: true, insightsMinGrowth: 10 }, NOW),
    );
    const files = createDocumentFiles({ database, key, now: () => NOW });
    const model = createInsightModel(ANSWER);
    for (let round = 0; round < 4; round++) {
      await files.write('MEMORY.md', `${WORKING}${'- One more line.\n'.repeat(round + 1)}`, { by: 'hand' });
      const at = NOW + round * DAY;
      const begin = (on: Database, tierRunId: string | null) =>
        extractClaimedInsights({
          key,
          files: createDocumentFiles({ database: on, key, now: () => at }),
          ask: askProvider(model.provider),
          transact: (work) => on.withTenant(tenant, work),
          schedule: '0 2 * * *',
          timezone: 'UTC',
          at,
          newId: () => newId(at),
          tierRunId,
          prune: false,
        });
      const workers = Array.from({ length: 6 }, (_, i) =>
        begin(i % 2 === 0 ? database : other, i % 3 === 0 ? null : newId(at)),
      );
      const ended = await Promise.all(workers);
      expect(ended.filter(({ status }) => status === 'ran')).toHaveLength(1);
      expect(ended.flatMap((end) => (end.status === 'refused' ? [end.reason] : []))).toEqual(
        Array(5).fill('too_soon'),
      );
      expect(model.requests).toHaveLength(round + 1);
    }
  });
});
