import { acquireLease, ensureUsers } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { holding, UserBusy } from '../../apps/producer/src/workspaces/holding.ts';
import { serverFixture } from '../fixtures/databases.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const LONG = 3_600_000;

describe('work on a workspace under a hold', () => {
  const { database, nextUser } = ownDatabase(serverFixture);

  async function newKey() {
    const key = { tenant: 't', user: nextUser(), workspace: 'w' };
    await database.withTenant('t', (tx) => ensureUsers(tx, [key], 0));
    return key;
  }
  const parts = () => ({ database, now: Date.now, waitMs: 50 });
  const acquire = (key: { tenant: string; user: string }) =>
    acquireLease(database, { ...key, holder: 'worker', ttlMs: LONG });

  it('keeps runs away while it lasts, and lets them in afterwards', async () => {
    const key = await newKey();
    const during = await holding(parts(), key, 'test', async (write) => {
      await write((tx) => tx.rows(sql`select 1`));
      return acquire(key);
    });
    expect(during.status).toBe('busy');
    expect((await acquire(key)).status).toBe('held');
  });

  it('does not begin while a run is at work, and says so', async () => {
    const key = await newKey();
    await acquire(key);
    let begun = false;
    const attempt = holding(parts(), key, 'test', async () => {
      begun = true;
      return {};
    });
    await expect(attempt).rejects.toThrow(UserBusy);
    expect(begun).toBe(false);
  });

  it('writes nothing once somebody else has the user', async () => {
    const key = await newKey();
    let wrote = false;
    const attempt = holding(parts(), key, 'test', async (write) => {
      await database.withTenant('t', (tx) =>
        tx.rows(
          sql`update slowwave.leases set fence = fence + 1, holder = 'worker' where user_id = ${key.user}`,
        ),
      );
      await write(async () => {
        wrote = true;
      });
      return {};
    });
    await expect(attempt).rejects.toThrow(UserBusy);
    expect(wrote).toBe(false);
  });

  it('is for users that there are', async () => {
    const nobody = { tenant: 't', user: 'nobody', workspace: 'w' };
    const attempt = holding(parts(), nobody, 'test', async () => ({}));
    await expect(attempt).rejects.toMatchObject({ code: 'unknown_user' });
  });
});
