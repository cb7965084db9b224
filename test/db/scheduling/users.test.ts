import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  abandonRuns,
  acquireLease,
  DEEP_INTERVAL_MS,
  ensureUsers,
  finishRun,
  getUser,
  markLightDue,
  nextSleepDue,
  type ScheduledUser,
  setUserSettings,
  startRun,
  USERS_PER_CALL_MAX,
  userHashOf,
} from '../../../packages/db/src/scheduling/index.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const HOUR = 3_600_000;

describe('users and their settings', () => {
  const { database } = ownDatabase(openInScope);
  let serial = 0;

  const userOf = (tenant: string, user = 'ana'): Promise<ScheduledUser | null> =>
    database.withTenant(tenant, (tx) => getUser(tx, tenant, user));

  async function newTenant(more: { timezone?: string } = {}): Promise<string> {
    const tenant = `tenant-${++serial}`;
    await database.withTenant(tenant, (tx) => ensureUsers(tx, [{ tenant, user: 'ana', ...more }], NOW));
    return tenant;
  }

  it('are inserted with three due tiers', async () => {
    const tenant = `tenant-${++serial}`;
    const given = { tenant, user: 'ana', timezone: 'Asia/Kathmandu', quietStart: 60, quietEnd: 240 };
    expect(await database.withTenant(tenant, (tx) => ensureUsers(tx, [given], NOW))).toBe(1);
    const user = (await userOf(tenant))!;
    expect(user).toMatchObject({ ...given, mode: 'auto', createdAt: NOW, quarantine: null });
    const untouched = {
      nextAttemptAt: null,
      lastAttemptAt: null,
      lastSuccessAt: null,
      failures: 0,
      enqueuedAt: null,
      requestedRun: null,
      paused: false,
      tenantPaused: false,
      tierPaused: false,
      unended: 0,
      faults: 0,
    };
    const userHash = userHashOf(tenant, 'ana');
    expect(user.tiers.light).toEqual({ ...untouched, dueAt: NOW });
    expect(user.tiers.deep.dueAt).toBe(NOW + Math.floor((userHash * DEEP_INTERVAL_MS) / 1000) * 1000);
    expect(user.tiers.sleep.dueAt).toBe(nextSleepDue({ ...given, userHash, after: NOW, lastSuccess: null }));
  });

  it('stay as they are when they are there', async () => {
    const tenant = await newTenant({ timezone: 'Europe/Berlin' });
    const before = await userOf(tenant);
    const made = await database.withTenant(tenant, (tx) =>
      ensureUsers(
        tx,
        [
          { tenant, user: 'ana', timezone: 'UTC' },
          { tenant, user: 'ben' },
          { tenant, user: 'ben' },
        ],
        NOW + HOUR,
      ),
    );
    expect(made).toBe(1);
    expect(await userOf(tenant)).toEqual(before);
    expect(await userOf(tenant, 'ben')).toMatchObject({ timezone: 'UTC', quietStart: 120, quietEnd: 300 });
  });

  it('are spread by their hash', async () => {
    const tenant = `tenant-${++serial}`;
    const users = Array.from({ length: 50 }, (_, i) => ({ tenant, user: `user ${i}` }));
    await database.withTenant(tenant, (tx) => ensureUsers(tx, users, NOW));
    const [row] = await database.withTenant(tenant, (tx) =>
      tx.rows<{ deep: number; sleep: number }>(sql`
        select count(distinct due_at) filter (where tier = 'deep')::int as deep,
          count(distinct due_at) filter (where tier = 'sleep')::int as sleep
        from slowwave.user_tiers where tenant = ${tenant}`),
    );
    expect(row!.deep).toBeGreaterThan(45);
    expect(row!.sleep).toBeGreaterThan(45);
  });

  it('are refused with a schedule that cannot be kept', async () => {
    const add = (more: object) =>
      database.withTenant('t', (tx) => ensureUsers(tx, [{ tenant: 't', user: 'u', ...more }], NOW));
    await expect(add({ timezone: 'Moon/Tranquility' })).rejects.toMatchObject({ code: 'invalid_timezone' });
    await expect(add({ timezone: '+02:00' })).rejects.toMatchObject({ code: 'invalid_timezone' });
    await expect(add({ quietStart: 1440 })).rejects.toMatchObject({ code: 'invalid_quiet_hours' });
    await expect(add({ quietEnd: 1.5 })).rejects.toMatchObject({ code: 'invalid_quiet_hours' });
    expect(await userOf('t', 'u')).toBeNull();
  });

  it('are refused when there are too many at once', async () => {
    const users = Array.from({ length: USERS_PER_CALL_MAX + 1 }, (_, i) => ({ tenant: 't', user: `u${i}` }));
    await expect(database.withTenant('t', (tx) => ensureUsers(tx, users, NOW))).rejects.toMatchObject({
      code: 'too_many_users',
    });
    expect(await database.withTenant('t', (tx) => ensureUsers(tx, [], NOW))).toBe(0);
  });

  it('of another tenant are neither seen nor written', async () => {
    const tenant = await newTenant();
    const asOther = <T>(work: Parameters<typeof database.withTenant<T>>[1]) =>
      database.withTenant('somebody else', work);
    expect(await asOther((tx) => getUser(tx, tenant, 'ana'))).toBeNull();
    expect(
      await asOther((tx) => setUserSettings(tx, { tenant, user: 'ana', at: NOW, mode: 'off' })),
    ).toBeNull();
    await asOther((tx) => markLightDue(tx, tenant, ['ana'], 0));
    expect(await userOf(tenant)).toMatchObject({ mode: 'auto', tiers: { light: { dueAt: NOW } } });
    await expect(asOther((tx) => ensureUsers(tx, [{ tenant, user: 'ben' }], NOW))).rejects.toMatchObject({
      code: 'permission',
    });
  });

  it('change only what is given', async () => {
    const tenant = await newTenant({ timezone: 'Europe/Berlin' });
    const before = (await userOf(tenant))!;
    const settings = await database.withTenant(tenant, (tx) =>
      setUserSettings(tx, { tenant, user: 'ana', at: NOW + 40 * HOUR, mode: 'review', quietStart: 120 }),
    );
    expect(settings).toEqual({ timezone: 'Europe/Berlin', quietStart: 120, quietEnd: 300, mode: 'review' });
    expect(await userOf(tenant)).toEqual({ ...before, mode: 'review' });
  });

  it('move sleep into the new quiet hours', async () => {
    const tenant = await newTenant({ timezone: 'Europe/Berlin' });
    const before = (await userOf(tenant))!;
    await database.withTenant(tenant, (tx) =>
      tx.rows(
        sql`update slowwave.user_tiers set last_success_at = to_timestamp(${NOW / 1000}::float8) where tenant = ${tenant}`,
      ),
    );
    await database.withTenant(tenant, (tx) =>
      setUserSettings(tx, { tenant, user: 'ana', at: NOW, timezone: 'America/New_York', quietEnd: 240 }),
    );
    const after = (await userOf(tenant))!;
    const expected = nextSleepDue({
      timezone: 'America/New_York',
      quietStart: 120,
      quietEnd: 240,
      userHash: userHashOf(tenant, 'ana'),
      after: NOW,
      lastSuccess: NOW,
    });
    expect(after.tiers.sleep.dueAt).toBe(expected);
    expect(after.tiers.deep.dueAt).toBe(before.tiers.deep.dueAt);
  });

  it('keep the old settings when the new ones are wrong, and know no strangers', async () => {
    const tenant = await newTenant();
    const change = (more: object) =>
      database.withTenant(tenant, (tx) => setUserSettings(tx, { tenant, user: 'ana', at: NOW, ...more }));
    await expect(change({ timezone: 'nowhere' })).rejects.toMatchObject({ code: 'invalid_timezone' });
    await expect(change({ quietEnd: -1 })).rejects.toMatchObject({ code: 'invalid_quiet_hours' });
    expect(await change({ user: 'nobody', mode: 'off' })).toBeNull();
    expect(await userOf(tenant)).toMatchObject({ timezone: 'UTC', mode: 'auto' });
  });

  describe('light', () => {
    const mark = (tenant: string, at: number) =>
      database.withTenant(tenant, (tx) => markLightDue(tx, tenant, ['ana'], at));
    const lightOf = async (tenant: string) => (await userOf(tenant))!.tiers.light;

    async function start(tenant: string, at: number): Promise<string> {
      const lease = await acquireLease(database, { tenant, user: 'ana', holder: `w${at}`, ttlMs: 0 });
      if (lease.status !== 'held') throw new Error(lease.status);
      const run = await database.withTenant(tenant, async (tx) => {
        await abandonRuns(tx, { tenant, user: 'ana', fence: lease.fence, at });
        return startRun(tx, { tenant, user: 'ana', tier: 'light', why: 'schedule', fence: lease.fence, at });
      });
      if (run.status !== 'started') throw new Error(run.status);
      return run.runId;
    }
    const complete = (tenant: string, runId: string, at: number, nextDueAt: number) =>
      database.withTenant(tenant, (tx) =>
        finishRun(tx, { tenant, user: 'ana', runId, at, status: 'completed', nextDueAt, report: {} }),
      );

    it('is due at the earlier of two times', async () => {
      const tenant = await newTenant();
      await mark(tenant, NOW + HOUR);
      expect((await lightOf(tenant)).dueAt).toBe(NOW);
      await mark(tenant, NOW - HOUR);
      expect((await lightOf(tenant)).dueAt).toBe(NOW - HOUR);
    });

    it('wakes when nothing was due', async () => {
      const tenant = await newTenant();
      await complete(tenant, await start(tenant, NOW), NOW, Number.POSITIVE_INFINITY);
      expect((await lightOf(tenant)).dueAt).toBe(Number.POSITIVE_INFINITY);
      await mark(tenant, NOW + HOUR);
      expect((await lightOf(tenant)).dueAt).toBe(NOW + HOUR);
    });

    it('stays due for what was written during its run, even by a clock that is behind', async () => {
      for (const written of [NOW + 500, NOW - 2_000]) {
        const tenant = await newTenant();
        const runId = await start(tenant, NOW);
        await mark(tenant, written);
        const end = await complete(tenant, runId, NOW + 1_000, NOW + 90 * HOUR);
        expect(end.ended).toBe(true);
        expect((await lightOf(tenant)).dueAt).toBe(Math.max(written, NOW + 1));
      }
    });

    it('is not tried again within five minutes of a success', async () => {
      const tenant = await newTenant();
      await complete(tenant, await start(tenant, NOW), NOW + 1_000, NOW);
      expect(await lightOf(tenant)).toMatchObject({ nextAttemptAt: NOW + 301_000 });
    });
  });
});
