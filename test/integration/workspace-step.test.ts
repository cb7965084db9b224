import { type Database, listWorkspaceRuns, putWorkspace } from '@slowwave/db';
import { createWorkspaceFilesOf, TIER_STEPS, type UserJobDeps } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { runTier, seedPerson } from '../fixtures/tier-runs.ts';
import { makePlace, PLACES, type Place } from '../fixtures/workspace-places.ts';

const step = TIER_STEPS.sleep.find(({ name }) => name === 'workspace')!;
const tierSteps: UserJobDeps['tierSteps'] = { light: [], deep: [], sleep: [step] };

describe.each(DATABASES)('the step workspace (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  const places: Place[] = [];
  let at = NOW;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(async () => {
    for (const place of places) await place.remove();
    await fixture?.drop();
  });

  async function made(kind: (typeof PLACES)[number]): Promise<Place> {
    const place = await makePlace(kind, database, {
      memories: (user) => [
        newMemory(user, 'a', 'Memory a-4711.', { importance: 9 }),
        newMemory(user, 'b', 'Memory b-4711.', { importance: 3 }),
      ],
    });
    places.push(place);
    // Nobody holds the user.
    await database.withTenant('t', (tx) =>
      tx.rows(sql`delete from slowwave.leases where user_id = ${place.key.user}`),
    );
    return place;
  }
  const sleepOf = (of: { tenant: string; user: string }, roots: string[] | null) => {
    at += DAY;
    const { tenant, user } = of;
    const workspaces = createWorkspaceFilesOf({ database, now: () => at, roots });
    return runTier(database, { tenant, user, tier: 'sleep', at }, { tierSteps, workspaces });
  };

  it('is the last one of sleep', () => {
    expect(TIER_STEPS.sleep.at(-1)).toBe(step);
  });

  it.each(PLACES)('projects into %s and tells counts, and no text', async (kind) => {
    const place = await made(kind);
    const roots = place.rootDir === null ? [] : [place.rootDir];
    const first = await sleepOf(place.key, roots);
    expect(first.step('workspace')).toMatchObject({
      status: 'done',
      counts: {
        workspaces: 1,
        projected: 1,
        lines: 1,
        added: 1,
        held: 1,
        gates: { confirmed: 0, recalled: 0, important: 1 },
        entries: 1,
        skipped: {},
        failed: {},
      },
    });
    expect(await place.read('MEMORY.md')).toContain('Memory a-4711.');
    expect(await place.read('DREAMS.md')).toContain(`<!-- slowwave:run ${first.run.id} -->`);
    expect(JSON.stringify(first.run.report) + first.log).not.toContain('4711');
    await sleepOf(place.key, roots);
    expect((await place.read('DREAMS.md'))!.match(/slowwave:run /g)).toHaveLength(2);
    const runs = await database.withTenant('t', (tx) => listWorkspaceRuns(tx, place.key));
    expect(runs.map(({ work, status }) => [work, status])).toEqual(
      Array(2).fill(['projection', 'completed']),
    );
  });

  it('says why it did nothing', async () => {
    await seedPerson(database, { tenant: 't', user: 'nobody' });
    const nobody = await sleepOf({ tenant: 't', user: 'nobody' }, null);
    expect(nobody.step('workspace')).toMatchObject({ status: 'skipped', reason: 'no_workspace' });
    const place = await made('folder');
    const elsewhere = await sleepOf(place.key, ['/nowhere']);
    expect(elsewhere.step('workspace')).toMatchObject({ status: 'skipped', reason: 'no_folder' });
    for (const [change, reason] of [
      [{ projectionEnabled: false }, 'disabled'],
      [{ projectionEnabled: true, memoryEnabled: false }, 'disabled'],
      [{ memoryEnabled: true, backend: 'readonly' }, 'read_only'],
    ] as const) {
      await database.withTenant('t', (tx) => putWorkspace(tx, place.key, change, at));
      const { step: of } = await sleepOf(place.key, null);
      expect(of('workspace')).toMatchObject({ status: 'skipped', reason });
    }
    expect(await place.names()).toEqual([]);
  });

  it('lets one broken document fail neither the night nor another workspace', async () => {
    const place = await made('folder');
    await place.hand('MEMORY.md', '<!-- slowwave:begin -->\n');
    const other = { ...place.key, workspace: 'other' };
    await database.withTenant('t', (tx) => putWorkspace(tx, other, {}, at));
    const night = await sleepOf(place.key, null);
    expect(night.run.status).toBe('completed');
    expect(night.step('workspace').counts).toMatchObject({ projected: 1, failed: { broken_region: 1 } });
    expect(await place.read('MEMORY.md')).toBe('<!-- slowwave:begin -->\n');
  });
});
