import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  abandonRuns,
  acquireLease,
  databaseClockSkewMs,
  ensureUsers,
  expireLeases,
  type Lease,
  releaseLease,
  renewLease,
  startRun,
} from '../../../packages/db/src/scheduling/index.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const LONG = 3_600_000;

describe('leases', () => {
  const { database, nextUser } = ownDatabase(openInScope);

  async function newUser(): Promise<{ tenant: string; user: string }> {
    const of = { tenant: 't', user: nextUser() };
    await database.withTenant('t', (tx) => ensureUsers(tx, [of], 0));
    return of;
  }
  const acquire = (of: { tenant: string; user: string }, holder: string, ttlMs = LONG) =>
    acquireLease(database, { ...of, holder, ttlMs });
  async function hold(of: { tenant: string; user: string }, holder: string, ttlMs = LONG): Promise<Lease> {
    const result = await acquire(of, holder, ttlMs);
    if (result.status !== 'held') throw new Error(result.status);
    return { ...of, holder, fence: result.fence };
  }

  it('hold a user for one, and tell the others for how long', async () => {
    const of = await newUser();
    expect(await acquire(of, 'w1')).toEqual({ status: 'held', fence: 1, takenOver: false, suspect: false });
    for (const holder of ['w2', 'w1']) {
      const refused = await acquire(of, holder);
      if (refused.status !== 'busy') throw new Error(refused.status);
      expect(refused.busyForMs).toBeGreaterThan(0);
      expect(refused.busyForMs).toBeLessThanOrEqual(LONG);
    }
  });

  it('run out at once for whoever has the database alone, and what was left behind is looked for', async () => {
    const [held, free] = [await newUser(), await newUser()];
    await hold(held, 'gone');
    await releaseLease(database, await hold(free, 'done'));
    expect(await expireLeases(database)).toBeGreaterThanOrEqual(1);
    expect(await expireLeases(database)).toBe(0);
    expect(await acquire(held, 'next')).toMatchObject({ status: 'held', fence: 2, takenOver: true });
    expect(await acquire(free, 'next')).toMatchObject({ status: 'held', fence: 2, takenOver: false });
  });

  it('are taken over when they run out, with a higher fence', async () => {
    const of = await newUser();
    await hold(of, 'w1', 0);
    expect(await acquire(of, 'w2', 0)).toEqual({ status: 'held', fence: 2, takenOver: true, suspect: false });
    expect(await acquire(of, 'w2')).toEqual({ status: 'held', fence: 3, takenOver: true, suspect: false });
  });

  it('tell of a user one of whose tiers began and never ended', async () => {
    const of = await newUser();
    await database.withTenant('t', (tx) =>
      tx.rows(sql`update slowwave.user_tiers set unended = 1 where user_id = ${of.user} and tier = 'sleep'`),
    );
    expect(await acquire(of, 'w1')).toMatchObject({ status: 'held', suspect: true });
  });

  it('are free after release, and the fence goes on growing', async () => {
    const of = await newUser();
    const lease = await hold(of, 'w1');
    expect(await releaseLease(database, lease)).toBe(true);
    expect(await acquire(of, 'w2')).toEqual({ status: 'held', fence: 2, takenOver: false, suspect: false });
  });

  it('that were released before their run had ended are taken over', async () => {
    const of = await newUser();
    const lease = await hold(of, 'w1');
    await database.withTenant('t', (tx) =>
      startRun(tx, { ...of, tier: 'deep', why: 'retry', fence: lease.fence, at: 0 }),
    );
    await releaseLease(database, lease);
    const next = await acquire(of, 'w2');
    expect(next).toMatchObject({ status: 'held', fence: 2, takenOver: true });
    const left = await database.withTenant('t', (tx) => abandonRuns(tx, { ...of, fence: 2, at: 0 }));
    expect(left).toHaveLength(1);
    await releaseLease(database, { ...of, holder: 'w2', fence: 2 });
    expect(await acquire(of, 'w3')).toMatchObject({ status: 'held', fence: 3, takenOver: false });
  });

  it('are renewed by their holder and fence only', async () => {
    const of = await newUser();
    const lease = await hold(of, 'w1', 50);
    expect(await renewLease(database, { ...lease, holder: 'w2', ttlMs: LONG })).toBe(false);
    expect(await renewLease(database, { ...lease, fence: 2, ttlMs: LONG })).toBe(false);
    expect(await renewLease(database, { ...lease, ttlMs: LONG })).toBe(true);
    const refused = await acquire(of, 'w2');
    if (refused.status !== 'busy') throw new Error(refused.status);
    expect(refused.busyForMs).toBeGreaterThan(LONG / 2);
  });

  it('that ran out can be renewed while nobody took them, and not afterwards', async () => {
    const of = await newUser();
    const lease = await hold(of, 'w1', 0);
    expect(await renewLease(database, { ...lease, ttlMs: 0 })).toBe(true);
    await hold(of, 'w1');
    expect(await renewLease(database, { ...lease, ttlMs: LONG })).toBe(false);
    expect(await releaseLease(database, lease)).toBe(false);
    expect(await acquire(of, 'w2')).toMatchObject({ status: 'busy' });
  });

  it('do not rise again after release', async () => {
    const lease = await hold(await newUser(), 'w1');
    await releaseLease(database, lease);
    expect(await renewLease(database, { ...lease, ttlMs: LONG })).toBe(false);
    expect(await releaseLease(database, lease)).toBe(false);
  });

  it('exist for known users of the tenant only', async () => {
    const of = await newUser();
    expect(await acquire({ tenant: 't', user: 'nobody' }, 'w1')).toEqual({ status: 'unknown_user' });
    expect(await acquire({ ...of, tenant: 'other' }, 'w1')).toEqual({ status: 'unknown_user' });
  });

  it('follow the clock of the database, not ours', async () => {
    const of = await newUser();
    const [before] = await database.withTenant('t', (tx) =>
      tx.rows<{ at: string }>(sql`select clock_timestamp()::text as at`),
    );
    await hold(of, 'w1', LONG);
    const [row] = await database.withTenant('t', (tx) =>
      tx.rows<{ meanwhile: boolean }>(sql`
        select expires_at - ${LONG / 1_000} * interval '1 second' between ${before!.at}::timestamptz and clock_timestamp() as meanwhile
        from slowwave.leases where tenant = 't' and user_id = ${of.user}`),
    );
    expect(row).toEqual({ meanwhile: true });
  });

  // Coarser than any answer is late that a test waits for.
  const quartersOf = (ms: number) => Math.round((4 * ms) / LONG);

  it('the skew of two clocks has its sign and size', async () => {
    expect(quartersOf(await databaseClockSkewMs(database))).toBeCloseTo(0);
    expect(quartersOf(await databaseClockSkewMs(database, () => Date.now() - LONG))).toBe(4);
  });

  it('compare clocks by the quickest of a few answers, since a busy machine may take its time once', async () => {
    let asked = 0;
    const late = () => Date.now() + (asked++ === 1 ? LONG : 0);
    expect(quartersOf(await databaseClockSkewMs(database, late))).toBeCloseTo(0);
  });
});
