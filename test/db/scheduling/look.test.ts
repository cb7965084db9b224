import { type SQL, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import { dropExpiredRepeats, REPEAT_KEPT_MS, reserveRepeat } from '../../../packages/db/src/access/index.ts';
import {
  acquireLease,
  ensureUsers,
  listLeftHolds,
  lookForWork,
  pauseTier,
  releaseLease,
  requestRun,
  takeDuePage,
  takeRequested,
} from '../../../packages/db/src/scheduling/index.ts';
import { clearUsers } from '../../fixtures/clear-users.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;
const NOTHING = { requested: false, due: false, leftHolds: false, expiredRepeats: false };
const LOOK = {
  tier: 'light',
  at: NOW,
  requestedAfterMs: 5 * MINUTE,
  dueAfterMs: 10 * MINUTE,
  graceMs: 10_000,
} as const;
const ROLLED_BACK = new Error('rolled back');

describe('the look of a beat', () => {
  const { database } = ownDatabase(openInScope);
  beforeEach(() =>
    database.asOwner(async (tx) => {
      await clearUsers(tx);
      await tx.rows(sql`truncate slowwave.tier_pauses`);
    }),
  );

  const ago = (ms: number) => sql`to_timestamp(${(NOW - ms) / 1000}::float8)`;
  const addUsers = (...users: string[]) =>
    database.withTenant('t', (tx) =>
      ensureUsers(
        tx,
        users.map((user) => ({ tenant: 't', user })),
        NOW - 60 * MINUTE,
      ),
    );
  const setLight = (columns: SQL) =>
    database.asOwner((tx) => tx.rows(sql`update slowwave.user_tiers set ${columns} where tier = 'light'`));
  const request = (tier: 'light' | 'deep') =>
    database.withTenant('t', (tx) => requestRun(tx, { tenant: 't', user: 'ana', tier, at: NOW }));
  const look = () => database.asDispatcher((tx) => lookForWork(tx, LOOK));

  /** What the statements themselves would find, without their effects. */
  async function found() {
    const { tier, at, graceMs } = LOOK;
    const page = { tier, at, limit: 1 };
    let seen = NOTHING;
    const work = database.asDispatcher(async (tx) => {
      const due = await takeDuePage(tx, { ...page, requeueAfterMs: LOOK.dueAfterMs });
      if (due.length > 0)
        await tx.rows(sql`update slowwave.user_tiers set enqueued_at = null where enqueued_at = ${ago(0)}`);
      seen = {
        requested: (await takeRequested(tx, { ...page, requeueAfterMs: LOOK.requestedAfterMs })).length > 0,
        due: due.length > 0,
        leftHolds: (await listLeftHolds(tx, { limit: 1, graceMs })).length > 0,
        expiredRepeats: (await dropExpiredRepeats(tx, { at, limit: 1 })) > 0,
      };
      throw ROLLED_BACK;
    });
    await expect(work).rejects.toBe(ROLLED_BACK);
    return seen;
  }

  it('finds nothing where nobody is', async () => {
    expect(await look()).toEqual(NOTHING);
    expect(await found()).toEqual(NOTHING);
  });

  it.each<[string, Partial<typeof NOTHING>, SQL | null]>([
    ['is due', { due: true }, null],
    ['is due this very millisecond', { due: true }, sql`due_at = ${ago(0)}, next_attempt_at = ${ago(0)}`],
    ['is not due', {}, sql`due_at = ${ago(-1)}`],
    ['must not be tried yet', {}, sql`next_attempt_at = ${ago(-1)}`],
    ['is paused', {}, sql`paused = true`],
    ['is paused with the tenant', {}, sql`tenant_paused = true`],
    ['is in quarantine', {}, sql`quarantined_at = now(), quarantine_code = 'x'`],
    ['waits in the queue', {}, sql`enqueued_at = ${ago(10 * MINUTE)}`],
    ['was lost in the queue', { due: true }, sql`enqueued_at = ${ago(10 * MINUTE + 1)}`],
  ])('agrees with what would be taken of a user who %s', async (_who, expected, columns) => {
    await addUsers('ana');
    if (columns) await setLight(columns);
    expect(await look()).toEqual({ ...NOTHING, ...expected });
    expect(await found()).toEqual({ ...NOTHING, ...expected });
  });

  it.each<[string, Partial<typeof NOTHING>, SQL | null]>([
    ['that waits', { requested: true }, sql`due_at = 'infinity'`],
    ['of somebody who is paused', { requested: true }, sql`due_at = 'infinity', paused = true`],
    ['of somebody in quarantine', {}, sql`quarantined_at = now(), quarantine_code = 'x'`],
    ['that is in the queue', {}, sql`enqueued_at = ${ago(5 * MINUTE)}`],
    ['that the queue lost', { requested: true }, sql`enqueued_at = ${ago(5 * MINUTE + 1)}`],
  ])('agrees about a run %s', async (_which, expected, columns) => {
    await addUsers('ana');
    expect(await request('light')).toMatchObject({ status: 'requested' });
    if (columns) await setLight(columns);
    expect(await look()).toEqual({ ...NOTHING, ...expected });
    expect(await found()).toEqual({ ...NOTHING, ...expected });
  });

  it('looks at one tier only', async () => {
    await addUsers('ana');
    await setLight(sql`due_at = 'infinity'`);
    await request('deep');
    expect(await look()).toEqual(NOTHING);
  });

  it('finds nobody due while the tier is paused', async () => {
    await addUsers('ana');
    await database.asDispatcher((tx) => pauseTier(tx, { tier: 'light', at: NOW }));
    expect(await look()).toEqual(NOTHING);
  });

  it('sees past those who are worked on to the next one, and holds that ran out', async () => {
    await addUsers('ana', 'ben');
    const who = (user: string) => ({ tenant: 't', user, holder: 'w' });
    const held = await acquireLease(database, { ...who('ana'), ttlMs: 3_600_000 });
    await acquireLease(database, { ...who('ben'), ttlMs: 3_600_000 });
    if (held.status !== 'held') throw new Error(held.status);
    expect(await look()).toEqual(NOTHING);
    await releaseLease(database, { ...who('ana'), fence: held.fence });
    expect(await look()).toEqual({ ...NOTHING, due: true });
    const expire = (seconds: number) =>
      database.asOwner((tx) =>
        tx.rows(sql`
          update slowwave.leases set expires_at = now() - ${seconds}::float8 * interval '1 second' where user_id = 'ben'`),
      );
    await expire(1);
    expect(await look()).toMatchObject({ leftHolds: false });
    await expire(60);
    expect(await look()).toEqual({ ...NOTHING, due: true, leftHolds: true });
    expect(await found()).toEqual({ ...NOTHING, due: true, leftHolds: true });
  });

  it('sees kept answers whose time is over', async () => {
    const of = { tenant: 't', caller: 'operator', requestHash: 'a'.repeat(64), user: null };
    const reserve = (key: string, at: number) =>
      database.withTenant('t', (tx) => reserveRepeat(tx, { ...of, key: key.repeat(64), at }));
    await reserve('1', NOW - REPEAT_KEPT_MS + 1);
    expect(await look()).toEqual(NOTHING);
    await reserve('2', NOW - REPEAT_KEPT_MS);
    expect(await look()).toEqual({ ...NOTHING, expiredRepeats: true });
    expect(await found()).toEqual({ ...NOTHING, expiredRepeats: true });
  });
});
