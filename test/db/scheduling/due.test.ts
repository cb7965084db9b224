import { type SQL, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  acquireLease,
  countOverdue,
  ensureUsers,
  PAGE_MAX,
  pauseTier,
  releaseLease,
  requestRun,
  resumeTier,
  returnPage,
  startRun,
  takeDuePage,
  takeRequested,
} from '../../../packages/db/src/scheduling/index.ts';
import { clearUsers } from '../../fixtures/clear-users.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;
const PAGE = { at: NOW, limit: 10, requeueAfterMs: 10 * MINUTE };

describe('the dispatcher', () => {
  const { database } = ownDatabase(openInScope);
  beforeEach(() =>
    database.asOwner(async (tx) => {
      await clearUsers(tx);
      await tx.rows(sql`truncate slowwave.tier_pauses`);
    }),
  );

  async function addUsers(tenant: string, ...users: string[]): Promise<void> {
    const given = users.map((user) => ({ tenant, user }));
    await database.withTenant(tenant, (tx) => ensureUsers(tx, given, NOW - 60 * MINUTE));
  }
  const setLight = (user: string, columns: SQL) =>
    database.asOwner((tx) =>
      tx.rows(sql`update slowwave.user_tiers set ${columns} where user_id = ${user} and tier = 'light'`),
    );
  const ago = (ms: number) => sql`to_timestamp(${(NOW - ms) / 1000}::float8)`;
  const take = (more: Partial<typeof PAGE> = {}) =>
    database.asDispatcher((tx) => takeDuePage(tx, { ...PAGE, ...more, tier: 'light' }));
  const takeNames = async (more: Partial<typeof PAGE> = {}) => (await take(more)).map((row) => row.user);
  const lease = (tenant: string, user: string, ttlMs: number) =>
    acquireLease(database, { tenant, user, holder: 'w', ttlMs });

  it('finds due users of all tenants once, the longest due first', async () => {
    await addUsers('t1', 'ana', 'ben');
    await addUsers('t2', 'cleo');
    await setLight('ben', sql`due_at = ${ago(120 * MINUTE)}`);
    await setLight('cleo', sql`due_at = ${ago(90 * MINUTE)}`);
    expect(await take()).toEqual([
      { tenant: 't1', user: 'ben', dueAt: NOW - 120 * MINUTE },
      { tenant: 't2', user: 'cleo', dueAt: NOW - 90 * MINUTE },
      { tenant: 't1', user: 'ana', dueAt: NOW - 60 * MINUTE },
    ]);
    expect(await take()).toEqual([]);
  });

  it('takes the longest due of many', async () => {
    const users = Array.from({ length: 30 }, (_, i) => `user-${i}`);
    await addUsers('t', ...users);
    for (const [i, user] of users.entries()) await setLight(user, sql`due_at = ${ago((i + 1) * MINUTE)}`);
    const page = await database.asDispatcher(async (tx) => {
      // Without the index nothing but the statement itself puts them in order.
      await tx.rows(
        sql`select set_config(name, 'off', true) from unnest(array['enable_indexscan', 'enable_bitmapscan']) as name`,
      );
      return takeDuePage(tx, { ...PAGE, limit: 2, tier: 'light' });
    });
    expect(page.map((row) => row.user)).toEqual(['user-29', 'user-28']);
  });

  it('takes no more than the limit, and never more than a page', async () => {
    await addUsers('t', 'ana', 'ben', 'cleo');
    expect(await take({ limit: 2 })).toHaveLength(2);
    expect(await take({ limit: 2 })).toHaveLength(1);
    const many = Array.from({ length: PAGE_MAX }, (_, i) => `u${i}`);
    await addUsers('t', ...many);
    await addUsers('t', 'one more');
    expect(await take({ limit: 1e9 })).toHaveLength(PAGE_MAX);
    expect(await take({ limit: 0 })).toHaveLength(1);
  });

  it('looks at one tier only', async () => {
    await addUsers('t', 'ana');
    expect(await database.asDispatcher((tx) => takeDuePage(tx, { ...PAGE, tier: 'sleep' }))).toEqual([]);
    const tomorrow = { ...PAGE, at: NOW + 1440 * MINUTE };
    const deep = await database.asDispatcher((tx) => takeDuePage(tx, { ...tomorrow, tier: 'deep' }));
    expect(deep.map((row) => row.user)).toEqual(['ana']);
  });

  it.each([
    ['is not due', sql`due_at = ${ago(-1)}`],
    ['must not be tried yet', sql`next_attempt_at = ${ago(-1)}`],
    ['is paused', sql`paused = true`],
    ['is paused with the tenant', sql`tenant_paused = true`],
    ['is in quarantine', sql`quarantined_at = now(), quarantine_code = 'x'`],
    ['waits in the queue', sql`enqueued_at = ${ago(10 * MINUTE)}`],
  ])('passes over who %s', async (_why, columns) => {
    await addUsers('t', 'ana', 'ben');
    await setLight('ana', columns);
    expect(await takeNames()).toEqual(['ben']);
  });

  it('includes who is due, or may be tried, this very millisecond', async () => {
    await addUsers('t', 'ana');
    await setLight('ana', sql`due_at = ${ago(0)}, next_attempt_at = ${ago(0)}`);
    expect(await takeNames()).toEqual(['ana']);
  });

  it('takes again whose wake-up was lost', async () => {
    await addUsers('t', 'ana');
    expect(await takeNames()).toEqual(['ana']);
    expect(await takeNames({ at: NOW + 10 * MINUTE })).toEqual([]);
    expect(await takeNames({ at: NOW + 10 * MINUTE + 1 })).toEqual(['ana']);
  });

  it('passes over who is being worked on, by the clock of the database', async () => {
    await addUsers('t', 'ana', 'ben', 'cleo');
    await lease('t', 'ana', 60_000);
    await lease('t', 'ben', 0);
    const held = await lease('t', 'cleo', 60_000);
    if (held.status !== 'held') throw new Error(held.status);
    await releaseLease(database, { tenant: 't', user: 'cleo', holder: 'w', fence: held.fence });
    expect((await takeNames()).sort()).toEqual(['ben', 'cleo']);
  });

  it('takes marks back, but only its own', async () => {
    await addUsers('t', 'ana', 'ben');
    const users = await take();
    await setLight('ben', sql`enqueued_at = ${ago(-1)}`);
    const input = { tier: 'light' as const, takenAt: NOW, users };
    expect(await database.asDispatcher((tx) => returnPage(tx, input))).toBe(1);
    expect(await takeNames()).toEqual(['ana']);
  });

  it('finds nobody while the tier is paused, and everybody afterwards', async () => {
    await addUsers('t', 'ana');
    await database.asDispatcher((tx) => pauseTier(tx, { tier: 'light', at: NOW }));
    expect(await takeNames()).toEqual([]);
    await database.asDispatcher(async (tx) => {
      await resumeTier(tx, { tier: 'light' });
      await pauseTier(tx, { tier: 'deep', at: NOW });
    });
    expect(await takeNames()).toEqual(['ana']);
  });

  describe('counts', () => {
    const count = (graceMs: number) => database.asDispatcher((tx) => countOverdue(tx, { at: NOW, graceMs }));
    const overdue = async (graceMs: number) => (await count(graceMs)).light.overdue;

    it('who is overdue for longer than the grace', async () => {
      await addUsers('t', 'ana', 'cleo');
      await setLight('cleo', sql`due_at = ${ago(MINUTE)}`);
      expect(await overdue(0)).toBe(2);
      expect(await overdue(MINUTE)).toBe(1);
      expect(await overdue(MINUTE - 1)).toBe(2);
      expect(await overdue(24 * 60 * MINUTE)).toBe(0);
      expect((await count(0)).sleep).toEqual({ overdue: 0, quarantined: 0, paused: 0, tierPaused: false });
    });

    it.each([
      ['has just failed', sql`next_attempt_at = ${ago(5 * MINUTE)}`, {}],
      ['is paused', sql`paused = true`, { paused: 1 }],
      ['is paused with the tenant', sql`tenant_paused = true`, { paused: 1 }],
      ['is in quarantine', sql`quarantined_at = now()`, { quarantined: 1 }],
    ])('not as overdue who %s', async (_why, columns, counted) => {
      await addUsers('t', 'ana', 'ben');
      await setLight('ana', columns);
      const none = { quarantined: 0, paused: 0, tierPaused: false };
      expect((await count(5 * MINUTE)).light).toEqual({ overdue: 1, ...none, ...counted });
    });

    it('nobody as overdue in a tier that is paused', async () => {
      await addUsers('t', 'ana');
      await database.asDispatcher((tx) => pauseTier(tx, { tier: 'light', at: NOW }));
      expect((await count(0)).light).toEqual({ overdue: 0, quarantined: 0, paused: 0, tierPaused: true });
      expect((await count(0)).deep.tierPaused).toBe(false);
    });
  });

  it('may mark wake-ups and nothing else, and reads no memories and no runs', async () => {
    await addUsers('t', 'ana');
    const forbidden = [
      sql`select 1 from slowwave.memories`,
      sql`select 1 from slowwave.runs`,
      sql`select 1 from slowwave.fusions`,
      sql`update slowwave.user_tiers set due_at = now()`,
      sql`update slowwave.leases set holder = 'x'`,
      sql`delete from slowwave.users`,
    ];
    for (const statement of forbidden) {
      await expect(database.asDispatcher((tx) => tx.rows(statement))).rejects.toMatchObject({
        code: 'permission',
      });
    }
  });

  describe('requested runs', () => {
    const request = async (user: string, tier: 'light' | 'deep' | 'sleep', at: number) => {
      const result = await database.withTenant('t', (tx) => requestRun(tx, { tenant: 't', user, tier, at }));
      if (result.status !== 'requested') throw new Error(result.status);
      return result.runId;
    };
    const takeAsked = (more: Partial<typeof PAGE> & { tier?: 'deep' | 'sleep' } = {}) =>
      database.asDispatcher((tx) => takeRequested(tx, { ...PAGE, ...more }));

    it('are found at once, the oldest first, whatever the schedule says', async () => {
      await addUsers('t', 'ana', 'ben', 'cleo');
      await database.asOwner((tx) =>
        tx.rows(
          sql`update slowwave.user_tiers set paused = true, next_attempt_at = 'infinity', enqueued_at = ${ago(0)}`,
        ),
      );
      const second = await request('ana', 'sleep', NOW);
      const first = await request('ben', 'deep', NOW - 5);
      expect(await takeAsked()).toEqual([
        { tenant: 't', user: 'ben', tier: 'deep', runId: first },
        { tenant: 't', user: 'ana', tier: 'sleep', runId: second },
      ]);
      expect(await takeAsked()).toEqual([]);
      expect(await takeAsked({ at: NOW + 11 * MINUTE, limit: 1 })).toHaveLength(1);
    });

    it('wait for as long as the user is in quarantine', async () => {
      await addUsers('t', 'ana');
      const runId = await request('ana', 'deep', NOW);
      const set = (columns: SQL) =>
        database.asOwner((tx) => tx.rows(sql`update slowwave.user_tiers set ${columns}`));
      await set(sql`quarantined_at = now()`);
      expect(await takeAsked()).toEqual([]);
      await set(sql`quarantined_at = null`);
      expect(await takeAsked()).toMatchObject([{ user: 'ana', runId }]);
    });

    it('are found by tier', async () => {
      await addUsers('t', 'ana', 'ben');
      await request('ana', 'deep', NOW);
      await request('ben', 'sleep', NOW);
      expect((await takeAsked({ tier: 'sleep' })).map((row) => row.user)).toEqual(['ben']);
    });

    it('wait while somebody works on the user, and are gone once begun', async () => {
      await addUsers('t', 'ana');
      const runId = await request('ana', 'deep', NOW);
      const held = await lease('t', 'ana', 60_000);
      if (held.status !== 'held') throw new Error(held.status);
      expect(await takeAsked()).toEqual([]);
      await releaseLease(database, { tenant: 't', user: 'ana', holder: 'w', fence: held.fence });
      expect(await takeAsked()).toHaveLength(1);
      await database.withTenant('t', (tx) =>
        startRun(tx, { tenant: 't', user: 'ana', tier: 'deep', why: 'adhoc', runId, fence: 2, at: NOW }),
      );
      expect(await takeAsked({ at: NOW + 60 * MINUTE })).toEqual([]);
    });
  });
});
