import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../../packages/db/src/database.ts';
import {
  ensureUsers,
  getUser,
  listTenantPauses,
  pauseTenant,
  pauseTier,
  pauseUser,
  resumeTenant,
  resumeTier,
  resumeUser,
  takeDuePage,
} from '../../../packages/db/src/scheduling/index.ts';
import { clearUsers } from '../../fixtures/clear-users.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const HOUR = 3_600_000;

describe('pauses', () => {
  const { database } = ownDatabase(openInScope);
  let serial = 0;
  beforeEach(() => database.asOwner(clearUsers));

  const newTenant = async (...users: string[]): Promise<string> => {
    const tenant = `tenant-${++serial}`;
    await add(tenant, ...users);
    return tenant;
  };
  const within = <T>(tenant: string, work: (tx: Transaction) => Promise<T>) =>
    database.withTenant(tenant, work);
  const add = (tenant: string, ...users: string[]) =>
    within(tenant, (tx) =>
      ensureUsers(
        tx,
        users.map((user) => ({ tenant, user })),
        NOW - HOUR,
      ),
    );
  const userOf = async (tenant: string, user: string) =>
    (await within(tenant, (tx) => getUser(tx, tenant, user)))!;
  /** Which tiers are held back by which pause. */
  async function pausesOf(tenant: string, user: string): Promise<Record<string, string[]>> {
    const { tiers } = await userOf(tenant, user);
    const found: Record<string, string[]> = {};
    for (const [tier, { paused, tenantPaused, tierPaused }] of Object.entries(tiers)) {
      const by = Object.entries({ paused, tenantPaused, tierPaused }).filter(([, held]) => held);
      if (by.length > 0) found[tier] = by.map(([name]) => name);
    }
    return found;
  }
  let looks = 0;
  /** Who would be woken. Each look is later than the one before, whose marks count as lost. */
  const dueUsers = async (tenant: string) => {
    const page = { at: NOW + ++looks, limit: 1_000, requeueAfterMs: 0, tier: 'light' } as const;
    const rows = await database.asDispatcher((tx) => takeDuePage(tx, page));
    return rows.filter((row) => row.tenant === tenant).map((row) => row.user);
  };
  const versions = (tenant: string) =>
    within(tenant, (tx) =>
      tx.rows(
        sql`select xmin::text from slowwave.user_tiers where tenant = ${tenant} order by user_id, tier`,
      ),
    );

  describe('of a user', () => {
    it('hold the chosen tiers back, or all, and nobody else', async () => {
      const tenant = await newTenant('ana', 'ben');
      const of = { tenant, user: 'ana' };
      expect(await within(tenant, (tx) => pauseUser(tx, { ...of, tiers: ['sleep', 'light'] }))).toEqual([
        'light',
        'sleep',
      ]);
      expect(await pausesOf(tenant, 'ana')).toEqual({ light: ['paused'], sleep: ['paused'] });
      expect(await pausesOf(tenant, 'ben')).toEqual({});
      expect(await dueUsers(tenant)).toEqual(['ben']);
      expect(await within(tenant, (tx) => resumeUser(tx, { ...of, tiers: ['light'] }))).toEqual(['sleep']);
      expect(await dueUsers(tenant)).toEqual(['ana', 'ben']);
      expect(await within(tenant, (tx) => pauseUser(tx, of))).toEqual(['light', 'deep', 'sleep']);
      expect(await within(tenant, (tx) => resumeUser(tx, of))).toEqual([]);
      expect(await pausesOf(tenant, 'ana')).toEqual({});
    });

    it('asked for again write nothing', async () => {
      const tenant = await newTenant('ana');
      const of = { tenant, user: 'ana' };
      await within(tenant, (tx) => pauseUser(tx, of));
      const before = await versions(tenant);
      await within(tenant, (tx) => pauseUser(tx, of));
      expect(await versions(tenant)).toEqual(before);
    });

    it('need a user of the tenant', async () => {
      const tenant = await newTenant('ana');
      expect(await within(tenant, (tx) => pauseUser(tx, { tenant, user: 'nobody' }))).toBeNull();
      expect(await within('other', (tx) => pauseUser(tx, { tenant, user: 'ana' }))).toBeNull();
      expect(await pausesOf(tenant, 'ana')).toEqual({});
    });
  });

  describe('of a tenant', () => {
    it('hold back everybody, those to come included, and no other tenant', async () => {
      const tenant = await newTenant('ana', 'ben');
      const other = await newTenant('ana');
      expect(await pauseTenant(database, { tenant, tiers: ['light', 'deep'], at: NOW })).toBe(4);
      await add(tenant, 'cleo', 'ana');
      for (const user of ['ana', 'ben', 'cleo']) {
        const held = { light: ['tenantPaused'], deep: ['tenantPaused'] };
        expect([user, await pausesOf(tenant, user)]).toEqual([user, held]);
      }
      expect(await within(tenant, (tx) => listTenantPauses(tx, tenant))).toEqual(['light', 'deep']);
      expect(await pausesOf(other, 'ana')).toEqual({});
      expect(await dueUsers(tenant)).toEqual([]);
      expect(await dueUsers(other)).toEqual(['ana']);
    });

    it('end for everybody, and leave the pauses of users alone', async () => {
      const tenant = await newTenant('ana', 'ben');
      await within(tenant, (tx) => pauseUser(tx, { tenant, user: 'ana', tiers: ['light'] }));
      await pauseTenant(database, { tenant, at: NOW });
      expect(await resumeTenant(database, { tenant, tiers: ['light', 'sleep'] })).toBe(4);
      expect(await pausesOf(tenant, 'ana')).toEqual({ light: ['paused'], deep: ['tenantPaused'] });
      expect(await dueUsers(tenant)).toEqual(['ben']);
      expect(await resumeTenant(database, { tenant })).toBe(2);
      await add(tenant, 'cleo');
      expect(await pausesOf(tenant, 'cleo')).toEqual({});
    });

    it('asked for again complete what was broken off, and write nothing else', async () => {
      const tenant = await newTenant('ana', 'ben');
      await pauseTenant(database, { tenant, at: NOW });
      await within(tenant, (tx) =>
        tx.rows(sql`update slowwave.user_tiers set tenant_paused = false where user_id = 'ben'`),
      );
      expect(await pauseTenant(database, { tenant, at: NOW })).toBe(3);
      const before = await versions(tenant);
      expect(await pauseTenant(database, { tenant, at: NOW })).toBe(0);
      expect(await versions(tenant)).toEqual(before);
    });

    it('reach every one of many users', async () => {
      const tenant = await newTenant();
      const users = Array.from({ length: 2_000 }, (_, i) => `user-${i}`);
      await add(tenant, ...users.slice(0, 1_000));
      await add(tenant, ...users.slice(1_000));
      expect(await pauseTenant(database, { tenant, at: NOW })).toBe(6_000);
      expect(await dueUsers(tenant)).toEqual([]);
      expect(await resumeTenant(database, { tenant })).toBe(6_000);
    });
  });

  it('of a tier hold it back for everybody, and are the dispatcher\u2019s', async () => {
    const tenant = await newTenant('ana');
    const pause = (tx: Transaction) => pauseTier(tx, { tier: 'light', at: NOW });
    expect(await database.asDispatcher(pause)).toBe(true);
    expect(await database.asDispatcher(pause)).toBe(false);
    expect(await pausesOf(tenant, 'ana')).toEqual({ light: ['tierPaused'] });
    expect(await dueUsers(tenant)).toEqual([]);
    await expect(within(tenant, (tx) => resumeTier(tx, { tier: 'light' }))).rejects.toMatchObject({
      code: 'permission',
    });
    expect(await database.asDispatcher((tx) => resumeTier(tx, { tier: 'light' }))).toBe(true);
    expect(await database.asDispatcher((tx) => resumeTier(tx, { tier: 'light' }))).toBe(false);
    expect(await dueUsers(tenant)).toEqual(['ana']);
  });
});
