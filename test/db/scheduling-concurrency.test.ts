import {
  acquireLease,
  type Database,
  ensureUsers,
  finishRun,
  getUser,
  listRuns,
  pauseTenant,
  renewLease,
  requestRun,
  startRun,
  type Transaction,
  takeDuePage,
} from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clearUsers } from '../fixtures/clear-users.ts';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import { isWaiting } from '../fixtures/overlap.ts';
import { until } from '../fixtures/wait.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const HOUR = 3_600_000;
const PAGE = { at: NOW, requeueAfterMs: HOUR, tier: 'light' as const };

/** A point in time that a test decides on. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Two connections at the same rows: what only a server can show. */
describe('scheduling with several processes', () => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await serverFixture({ poolSize: 16 });
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());
  beforeEach(() => database.asOwner(clearUsers));

  async function newUsers(count: number): Promise<{ tenant: string; users: string[] }> {
    const tenant = `tenant-${++serial}`;
    const users = Array.from({ length: count }, (_, i) => `user-${i}`);
    await database.withTenant(tenant, (tx) =>
      ensureUsers(
        tx,
        users.map((user) => ({ tenant, user })),
        NOW - HOUR,
      ),
    );
    return { tenant, users };
  }
  async function newUser(): Promise<{ tenant: string; user: string }> {
    const { tenant } = await newUsers(1);
    return { tenant, user: 'user-0' };
  }

  const pausedOf = async (tenant: string, user: string) => {
    const found = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
    return TIERS.map((tier) => found!.tiers[tier].tenantPaused);
  };

  /** Runs `first` up to the end of its transaction, lets `second` begin and run into its locks, then lets `first` commit. */
  async function overlapping<A, B>(
    tenant: string,
    first: (tx: Transaction) => Promise<A>,
    second: () => Promise<B>,
  ): Promise<[A, B]> {
    const done = gate();
    const mayCommit = gate();
    const one = database.withTenant(tenant, async (tx) => {
      const result = await first(tx);
      done.open();
      await mayCommit.opened;
      return result;
    });
    await Promise.race([done.opened, one]);
    const other = second();
    other.catch(() => undefined);
    try {
      await until('a connection that waits for a lock', () => isWaiting(database));
    } finally {
      mayCommit.open();
    }
    return Promise.all([one, other]);
  }

  it('gives a new user to one of many who ask at once', async () => {
    for (let round = 0; round < 10; round++) {
      const of = await newUser();
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, i) => acquireLease(database, { ...of, holder: `w${i}`, ttlMs: HOUR })),
      );
      const held = results.filter((result) => result.status === 'held');
      expect(held).toEqual([{ status: 'held', fence: 1, takenOver: false, suspect: false }]);
      for (const result of results) {
        if (result.status === 'busy') expect(result.busyForMs).toBeGreaterThan(0);
      }
    }
  });

  it('gives a user whose lease ran out to one of many, and the fence grows by one', async () => {
    const of = await newUser();
    await acquireLease(database, { ...of, holder: 'w', ttlMs: 0 });
    for (let fence = 2; fence < 12; fence++) {
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, i) => acquireLease(database, { ...of, holder: `w${i}`, ttlMs: HOUR })),
      );
      const held = results.filter((result) => result.status === 'held');
      expect(held).toEqual([{ status: 'held', fence, takenOver: true, suspect: false }]);
      await database.withTenant(of.tenant, (tx) =>
        tx.rows(sql`update slowwave.leases set expires_at = clock_timestamp() - interval '1 second'
          where tenant = ${of.tenant}`),
      );
    }
  });

  it('does not renew a lease that is being taken over', async () => {
    const of = await newUser();
    await acquireLease(database, { ...of, holder: 'old', ttlMs: 0 });
    const [, renewed] = await overlapping(
      of.tenant,
      (tx) =>
        tx.rows(sql`update slowwave.leases set fence = fence + 1, holder = 'new',
          expires_at = clock_timestamp() + interval '1 hour' where tenant = ${of.tenant}`),
      () => renewLease(database, { ...of, holder: 'old', fence: 1, ttlMs: HOUR }),
    );
    expect(renewed).toBe(false);
  });

  it('gives two dispatchers pages without a common user, and neither waits for the other', async () => {
    const { tenant, users } = await newUsers(40);
    const mayCommit = gate();
    const taken = gate();
    const names = (page: { tenant: string; user: string }[]) =>
      page.filter((row) => row.tenant === tenant).map((row) => row.user);
    const first = database.asDispatcher(async (tx) => {
      const page = await takeDuePage(tx, { ...PAGE, limit: 15 });
      taken.open();
      await mayCommit.opened;
      return page;
    });
    await Promise.race([taken.opened, first]);
    // The first one's rows are locked until it commits: this answers all the same.
    const second = await database.asDispatcher((tx) => takeDuePage(tx, { ...PAGE, limit: 15 }));
    mayCommit.open();
    const rest = await database.asDispatcher((tx) => takeDuePage(tx, { ...PAGE, limit: 1_000 }));
    const pages = [names(await first), names(second), names(rest)];
    expect(pages.map((page) => page.length)).toEqual([15, 15, 10]);
    expect(pages.flat().sort()).toEqual([...users].sort());
  });

  it('shares a backlog among dispatchers that hurry, each user once', async () => {
    const { tenant, users } = await newUsers(300);
    const dispatch = async (): Promise<string[]> => {
      const mine: string[] = [];
      for (;;) {
        const page = await database.asDispatcher((tx) => takeDuePage(tx, { ...PAGE, limit: 7 }));
        if (page.length === 0) return mine;
        mine.push(...page.filter((row) => row.tenant === tenant).map((row) => row.user));
      }
    };
    const all = (await Promise.all([dispatch(), dispatch(), dispatch(), dispatch()])).flat();
    // One that found the last rows locked went home early; what it left is picked up now.
    all.push(...(await dispatch()));
    expect(all.sort()).toEqual([...users].sort());
  });

  it('makes one run of two requests at the same time', async () => {
    const of = await newUser();
    const [first, second] = await overlapping(
      of.tenant,
      (tx) => requestRun(tx, { ...of, tier: 'deep', at: NOW }),
      () => database.withTenant(of.tenant, (tx) => requestRun(tx, { ...of, tier: 'deep', at: NOW })),
    );
    if (first.status !== 'requested') throw new Error(first.status);
    expect(second).toEqual({ status: 'requested', runId: first.runId, existing: true });
    expect(await database.withTenant(of.tenant, (tx) => listRuns(tx, { ...of, limit: 9 }))).toHaveLength(1);
  });

  it('begins a requested run once when its wake-up was doubled', async () => {
    const of = await newUser();
    const asked = await database.withTenant(of.tenant, (tx) =>
      requestRun(tx, { ...of, tier: 'deep', at: NOW }),
    );
    if (asked.status !== 'requested') throw new Error(asked.status);
    const start = (tx: Transaction, fence: number) =>
      startRun(tx, { ...of, tier: 'deep', why: 'adhoc', runId: asked.runId, fence, at: NOW });
    const [first, second] = await overlapping(
      of.tenant,
      (tx) => start(tx, 2),
      () => database.withTenant(of.tenant, (tx) => start(tx, 1)),
    );
    expect(first).toMatchObject({ status: 'started' });
    expect(second).toEqual({ status: 'closed', reason: 'ended' });
  });

  it('ends a run once when its end is repeated at the same time', async () => {
    const of = await newUser();
    const run = await database.withTenant(of.tenant, (tx) =>
      startRun(tx, { ...of, tier: 'light', why: 'schedule', fence: 1, at: NOW }),
    );
    if (run.status !== 'started') throw new Error(run.status);
    const fail = (tx: Transaction) =>
      finishRun(tx, {
        ...of,
        runId: run.runId,
        at: NOW,
        status: 'failed',
        errorCode: 'x',
        report: null,
        transient: false,
      });
    const results = await overlapping(of.tenant, fail, () => database.withTenant(of.tenant, fail));
    expect(results).toMatchObject([{ ended: true }, { ended: false }]);
    const state = await database.withTenant(of.tenant, (tx) => getUser(tx, of.tenant, of.user));
    expect(state!.tiers.light.failures).toBe(1);
    expect(state!.tiers.light.faults).toBe(1);
  });

  it('lets a pause of the tenant wait for users who are being made, so that it holds for them too', async () => {
    const { tenant } = await newUsers(1);
    await overlapping(
      tenant,
      (tx) => ensureUsers(tx, [{ tenant, user: 'new' }], NOW),
      () => pauseTenant(database, { tenant, at: NOW }),
    );
    expect(await pausedOf(tenant, 'new')).toEqual([true, true, true]);
  });

  it('lets users who are made wait for a pause of the tenant that begins or ends', async () => {
    const { tenant } = await newUsers(1);
    const lock = sql`select pg_advisory_xact_lock(hashtextextended('slowwave tenant pause ' || ${tenant}::text, 0)) is null`;
    const add = (user: string) => () =>
      database.withTenant(tenant, (tx) => ensureUsers(tx, [{ tenant, user }], NOW));
    const begin = async (tx: Transaction) => {
      await tx.rows(lock);
      await tx.rows(sql`insert into slowwave.tenant_pauses values (${tenant}, 'deep', now())`);
    };
    await overlapping(tenant, begin, add('during the beginning'));
    expect(await pausedOf(tenant, 'during the beginning')).toEqual([false, true, false]);
    const end = async (tx: Transaction) => {
      await tx.rows(lock);
      await tx.rows(sql`delete from slowwave.tenant_pauses where tenant = ${tenant}`);
    };
    await overlapping(tenant, end, add('during the end'));
    expect(await pausedOf(tenant, 'during the end')).toEqual([false, false, false]);
  });

  it('locks the tiers of a user in one order, so that an end in quarantine and a pause do not wait in a circle', async () => {
    const of = await newUser();
    const run = await database.withTenant(of.tenant, (tx) =>
      startRun(tx, { ...of, tier: 'light', why: 'schedule', fence: 1, at: NOW }),
    );
    if (run.status !== 'started') throw new Error(run.status);
    const failure = { status: 'failed', errorCode: 'x', report: null, transient: false } as const;
    const end = { ...of, runId: run.runId, at: NOW, ...failure, quarantineAfter: 1 };
    const lock = (tx: Transaction, tier: string) =>
      tx.rows(
        sql`select 1 from slowwave.user_tiers where tenant = ${of.tenant} and tier = ${tier} for update`,
      );
    const ended = await database.withTenant(of.tenant, async (tx) => {
      await lock(tx, 'deep');
      const other = database.withTenant(of.tenant, (own) => finishRun(own, end));
      other.catch(() => undefined);
      await until('a connection that waits for a lock', () => isWaiting(database));
      await lock(tx, 'light');
      return { other };
    });
    expect(await ended.other).toEqual({ ended: true, quarantined: true });
  });

  it('makes the same users once when many make them in any order', async () => {
    const tenant = `tenant-${++serial}`;
    const users = Array.from({ length: 200 }, (_, i) => ({ tenant, user: `user-${i}` }));
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        database.withTenant(tenant, (tx) => ensureUsers(tx, i % 2 ? users : users.toReversed(), NOW)),
      ),
    );
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(200);
  });
});
