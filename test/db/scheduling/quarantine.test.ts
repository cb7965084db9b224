import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../../packages/db/src/database.ts';
import {
  abandonRuns,
  countUnended,
  ensureUsers,
  finishRun,
  getRun,
  getUser,
  listQuarantined,
  QUARANTINE_AFTER,
  type RunEnd,
  releaseUser,
  requestRun,
  startRun,
  takeRequested,
} from '../../../packages/db/src/scheduling/index.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const DAY = 86_400_000;

describe('quarantine', () => {
  const { database, nextUser } = ownDatabase(openInScope);

  type Of = { tenant: string; user: string };
  type TierName = 'light' | 'deep' | 'sleep';
  const within = <T>(of: Of, work: (tx: Transaction) => Promise<T>) => database.withTenant(of.tenant, work);
  async function newUser(tenant = 't'): Promise<Of> {
    const of = { tenant, user: nextUser() };
    await within(of, (tx) => ensureUsers(tx, [of], NOW - DAY));
    return of;
  }
  const stateOf = async (of: Of) => (await within(of, (tx) => getUser(tx, of.tenant, of.user)))!;
  // A day each, so that no wait after a failure is in the way.
  async function start(of: Of, day: number, tier: TierName = 'deep', runId?: string): Promise<string> {
    const why = runId === undefined ? 'schedule' : 'adhoc';
    const run = await within(of, (tx) =>
      startRun(tx, { ...of, tier, why, runId, fence: day, at: NOW + day * DAY }),
    );
    if (run.status !== 'started') throw new Error(`${run.status} ${run.reason}`);
    return run.runId;
  }
  async function attempt(of: Of, day: number, end: RunEnd, tier: TierName = 'deep') {
    const runId = await start(of, day, tier);
    return within(of, (tx) => finishRun(tx, { ...of, runId, at: NOW + day * DAY, ...end }));
  }
  /** What the next holder does after one whose process is gone. */
  const lose = (of: Of, day: number) =>
    within(of, (tx) => abandonRuns(tx, { ...of, fence: day + 1, at: NOW + day * DAY }));
  const fault = (more: { quarantineAfter?: number } = {}): RunEnd => ({
    status: 'failed',
    errorCode: 'bad_rows',
    report: null,
    transient: false,
    ...more,
  });
  const OUTAGE: RunEnd = { status: 'failed', errorCode: 'unavailable', report: null, transient: true };
  const SUCCESS: RunEnd = { status: 'completed', nextDueAt: NOW, report: {} };
  const PUT_BACK: RunEnd = { status: 'abandoned', report: null };
  const QUIET = { ended: true, quarantined: false };

  describe('countUnended', () => {
    it('three turns without a run of their own: the user is held back with the third, beside runs without an end', async () => {
      const of = await newUser();
      const count = (day: number) =>
        within(of, (tx) => countUnended(tx, { ...of, tier: 'deep', at: NOW + day * DAY }));
      expect(await count(1)).toEqual({ quarantined: false });
      expect((await stateOf(of)).tiers.deep).toMatchObject({ unended: 1, failures: 1, faults: 0 });
      await start(of, 2);
      await lose(of, 2);
      expect(await count(3)).toEqual({ quarantined: true });
      expect((await stateOf(of)).quarantine).toEqual({ code: 'never_ended', since: NOW + 3 * DAY });
      expect(await count(4)).toEqual({ quarantined: false });
    });

    it('one turn before a run that ends: counts no more', async () => {
      const of = await newUser();
      await within(of, (tx) => countUnended(tx, { ...of, tier: 'deep', at: NOW }));
      await attempt(of, 1, SUCCESS);
      expect((await stateOf(of)).tiers.deep).toMatchObject({ unended: 0 });
    });
  });

  describe('after runs that never ended', () => {
    it('holds back a user with the third in a row, with all tiers, and says so once', async () => {
      const of = await newUser();
      for (const day of [1, 2]) {
        const runId = await start(of, day);
        expect(await lose(of, day)).toEqual([{ runId, tier: 'deep', quarantined: false }]);
        expect((await stateOf(of)).quarantine).toBeNull();
      }
      const runId = await start(of, 3);
      expect(await lose(of, 3)).toEqual([{ runId, tier: 'deep', quarantined: true }]);
      const { quarantine, tiers } = await stateOf(of);
      expect(quarantine).toEqual({ code: 'never_ended', since: NOW + 3 * DAY });
      expect(tiers.deep).toMatchObject({ unended: 3, failures: 3, faults: 0 });
      expect(tiers.light).toMatchObject({ unended: 0, failures: 0 });
      for (const tier of ['light', 'deep', 'sleep'] as const) {
        const closed = await within(of, (tx) =>
          startRun(tx, { ...of, tier, why: 'schedule', fence: 9, at: NOW + 9 * DAY }),
        );
        expect(closed).toEqual({ status: 'closed', reason: 'quarantined' });
      }
    });

    it.each([
      ['a success', SUCCESS],
      ['a failure', OUTAGE],
      ['being put back', PUT_BACK],
    ])('counts anew after %s', async (_what, end) => {
      const of = await newUser();
      for (const day of [1, 2]) {
        await start(of, day);
        await lose(of, day);
      }
      await attempt(of, 3, end);
      expect((await stateOf(of)).tiers.deep.unended).toBe(0);
      for (const day of [4, 5]) {
        await start(of, day);
        await lose(of, day);
      }
      expect((await stateOf(of)).quarantine).toBeNull();
    });

    it('counts each tier for itself', async () => {
      const of = await newUser();
      for (const [day, tier] of [
        [1, 'deep'],
        [2, 'deep'],
        [3, 'sleep'],
        [4, 'sleep'],
      ] as const) {
        await start(of, day, tier);
        await lose(of, day);
      }
      expect((await stateOf(of)).quarantine).toBeNull();
    });

    it('keeps a lost run requested that somebody asked for', async () => {
      const of = await newUser();
      const asked = await within(of, (tx) => requestRun(tx, { ...of, tier: 'deep', at: NOW }));
      if (asked.status !== 'requested') throw new Error(asked.status);
      await start(of, 1, 'deep', asked.runId);
      expect((await stateOf(of)).tiers.deep.requestedRun).toBeNull();
      await lose(of, 1);
      expect((await stateOf(of)).tiers.deep.requestedRun).toBe(asked.runId);
    });
  });

  describe('after failures that no outage explains', () => {
    it('holds back a user with the fifth in a row, under the code of the last', async () => {
      const of = await newUser();
      for (let day = 1; day < QUARANTINE_AFTER; day++) expect(await attempt(of, day, fault())).toEqual(QUIET);
      expect(await attempt(of, 5, fault())).toEqual({ ended: true, quarantined: true });
      const { quarantine, tiers } = await stateOf(of);
      expect(quarantine).toEqual({ code: 'bad_rows', since: NOW + 5 * DAY });
      expect(tiers.deep).toMatchObject({ faults: 5, failures: 5 });
    });

    it('holds back after as many as it is told', async () => {
      const of = await newUser();
      expect(await attempt(of, 1, fault({ quarantineAfter: 2 }))).toEqual(QUIET);
      expect(await attempt(of, 2, fault({ quarantineAfter: 2 }))).toMatchObject({ quarantined: true });
    });

    it('does not count an outage, and does not forget for it', async () => {
      const of = await newUser();
      for (let day = 1; day <= 20; day++) expect(await attempt(of, day, OUTAGE)).toEqual(QUIET);
      expect((await stateOf(of)).tiers.deep).toMatchObject({ faults: 0, failures: 20 });
      await attempt(of, 21, fault({ quarantineAfter: 2 }));
      await attempt(of, 22, OUTAGE);
      expect(await attempt(of, 23, fault({ quarantineAfter: 2 }))).toMatchObject({ quarantined: true });
    });

    it('forgets them after a success', async () => {
      const of = await newUser();
      await attempt(of, 1, fault({ quarantineAfter: 2 }));
      await attempt(of, 2, SUCCESS);
      expect((await stateOf(of)).tiers.deep).toMatchObject({ faults: 0, failures: 0 });
      expect(await attempt(of, 3, fault({ quarantineAfter: 2 }))).toEqual(QUIET);
    });

    it('keeps the first reason and time of a user who is there already', async () => {
      const of = await newUser();
      const runId = await start(of, 1);
      await within(of, (tx) =>
        tx.rows(
          sql`update slowwave.user_tiers set quarantined_at = now(), quarantine_code = 'first' where user_id = ${of.user}`,
        ),
      );
      const end = fault({ quarantineAfter: 1 });
      expect(await within(of, (tx) => finishRun(tx, { ...of, runId, at: NOW, ...end }))).toEqual(QUIET);
      expect((await stateOf(of)).quarantine).toMatchObject({ code: 'first' });
    });
  });

  it('refuses requests and says why, and keeps the one that stood', async () => {
    const of = await newUser();
    const ask = () => within(of, (tx) => requestRun(tx, { ...of, tier: 'sleep', at: NOW }));
    const first = await ask();
    if (first.status !== 'requested') throw new Error(first.status);
    await attempt(of, 1, fault({ quarantineAfter: 1 }));
    expect(await ask()).toEqual({ status: 'quarantined', code: 'bad_rows', since: NOW + DAY });
    expect((await stateOf(of)).tiers.sleep.requestedRun).toBe(first.runId);
    const page = { at: NOW + DAY, limit: 100, requeueAfterMs: 1 };
    const found = async () =>
      (await database.asDispatcher((tx) => takeRequested(tx, page))).map((row) => row.runId);
    expect(await found()).not.toContain(first.runId);
    await within(of, (tx) => releaseUser(tx, of));
    expect(await found()).toContain(first.runId);
    expect(await within(of, (tx) => getRun(tx, { ...of, runId: first.runId }))).toMatchObject({
      status: 'requested',
    });
  });

  describe('ends', () => {
    const release = (of: Of) => within(of, (tx) => releaseUser(tx, of));

    it('by one release, and nothing counts any more', async () => {
      const of = await newUser();
      const other = await newUser();
      for (const user of [of, other]) await attempt(user, 1, fault({ quarantineAfter: 1 }));
      expect(await release(of)).toEqual({ status: 'released', code: 'bad_rows', since: NOW + DAY });
      const { quarantine, tiers } = await stateOf(of);
      expect(quarantine).toBeNull();
      expect(tiers.deep).toMatchObject({ faults: 0, unended: 0, failures: 0, nextAttemptAt: null });
      await start(of, 1);
      expect((await stateOf(other)).quarantine).not.toBeNull();
    });

    it('only where it was: others stay as they are', async () => {
      const of = await newUser();
      await attempt(of, 1, OUTAGE);
      const before = await stateOf(of);
      expect(await release(of)).toEqual({ status: 'not_quarantined' });
      expect(await stateOf(of)).toEqual(before);
      expect(await release({ ...of, user: 'nobody' })).toEqual({ status: 'unknown_user' });
      const foreign = await database.withTenant('other', (tx) => releaseUser(tx, of));
      expect(foreign).toEqual({ status: 'unknown_user' });
    });
  });

  it('is listed by tenant, the latest first', async () => {
    const [first, second] = [await newUser('listed'), await newUser('listed')];
    await newUser('listed');
    await attempt(first, 1, fault({ quarantineAfter: 1 }));
    for (const day of [1, 2, 3]) {
      await start(second, day, 'sleep');
      await lose(second, day);
    }
    const list = (tenant: string, limit = 10) =>
      database.withTenant(tenant, (tx) => listQuarantined(tx, { tenant, limit }));
    const rows = [
      {
        user: second.user,
        code: 'never_ended',
        since: NOW + 3 * DAY,
        unended: 3,
        faults: 0,
        failures: 3,
        lastAttemptAt: NOW + 3 * DAY,
      },
      {
        user: first.user,
        code: 'bad_rows',
        since: NOW + DAY,
        unended: 0,
        faults: 1,
        failures: 1,
        lastAttemptAt: NOW + DAY,
      },
    ];
    expect(await list('listed')).toEqual(rows);
    expect(await list('listed', 1)).toEqual(rows.slice(0, 1));
    expect(await list('nobody')).toEqual([]);
  });
});
