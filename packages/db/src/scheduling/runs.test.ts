import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openInMemory } from '../../../../test/fixtures/in-memory.ts';
import type { Database, Transaction } from '../database.ts';
import { migrate } from '../migrate.ts';
import {
  abandonRuns,
  acquireLease,
  ensureUsers,
  finishRun,
  getRun,
  getUser,
  listRuns,
  type RunEnd,
  requestRun,
  type StartInput,
  startRun,
} from './index.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OTHER_ID = '01900000-0000-7000-8000-000000000000';

describe('runs', { timeout: 60_000 }, () => {
  let database: Database;
  let serial = 0;
  beforeAll(async () => {
    database = await openInMemory();
    await migrate(database);
  }, 60_000);
  afterAll(() => database?.close());

  const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => database.withTenant('t', work);

  async function newUser(): Promise<{ tenant: string; user: string }> {
    const of = { tenant: 't', user: `user-${++serial}` };
    await inTenant((tx) => ensureUsers(tx, [of], NOW));
    return of;
  }
  type Of = { tenant: string; user: string };
  const tierOf = async (of: Of, tier: 'light' | 'deep' | 'sleep' = 'deep') =>
    (await inTenant((tx) => getUser(tx, 't', of.user)))!.tiers[tier];
  const request = (of: Of, at = NOW) => inTenant((tx) => requestRun(tx, { ...of, tier: 'deep', at }));
  async function requested(of: Of, at = NOW): Promise<string> {
    const result = await request(of, at);
    if (result.status !== 'requested') throw new Error(result.status);
    return result.runId;
  }
  const start = (of: Of, more: Partial<StartInput> = {}) =>
    inTenant((tx) => startRun(tx, { ...of, tier: 'deep', why: 'schedule', fence: 1, at: NOW, ...more }));
  async function started(of: Of, more: Partial<StartInput> = {}): Promise<string> {
    const run = await start(of, more);
    if (run.status !== 'started') throw new Error(run.status);
    return run.runId;
  }
  const finish = (of: Of, runId: string, end: RunEnd, at = NOW + MINUTE) =>
    inTenant((tx) => finishRun(tx, { ...of, runId, at, ...end }));
  const runOf = (of: Of, runId: string) => inTenant((tx) => getRun(tx, { ...of, runId }));
  const takeUser = async (of: Of): Promise<number> => {
    const lease = await acquireLease(database, { ...of, holder: 'w', ttlMs: 0 });
    if (lease.status !== 'held') throw new Error(lease.status);
    return lease.fence;
  };
  const COMPLETED: RunEnd = { status: 'completed', nextDueAt: NOW + 6 * HOUR, report: { fused: 2 } };
  const FAILED: RunEnd = { status: 'failed', errorCode: 'provider_error', report: null };

  describe('asked for', () => {
    it('stand in the database before anything else', async () => {
      const of = await newUser();
      const result = await request(of);
      expect(result).toMatchObject({ status: 'requested', existing: false });
      const runId = await requested(of);
      expect(await runOf(of, runId)).toEqual({
        ...of,
        id: runId,
        tier: 'deep',
        why: 'adhoc',
        status: 'requested',
        fence: null,
        requestedAt: NOW,
        startedAt: null,
        finishedAt: null,
        report: null,
        errorCode: null,
      });
      expect((await tierOf(of)).requestedRun).toBe(runId);
    });

    it('twice are one, until they begin', async () => {
      const of = await newUser();
      const runId = await requested(of);
      expect(await request(of, NOW + 1)).toEqual({ status: 'requested', runId, existing: true });
      expect(await inTenant((tx) => listRuns(tx, { ...of, limit: 10 }))).toHaveLength(1);
      await started(of, { runId, why: 'adhoc' });
      expect(await request(of, NOW + 2)).toMatchObject({ existing: false });
    });

    it('for one tier leave the others alone', async () => {
      const of = await newUser();
      await requested(of);
      expect((await tierOf(of, 'sleep')).requestedRun).toBeNull();
    });

    it('for a user whom the tenant does not have are refused', async () => {
      const of = await newUser();
      expect(await request({ tenant: 't', user: 'nobody' })).toEqual({ status: 'unknown_user' });
      const foreign = await database.withTenant('other', (tx) =>
        requestRun(tx, { ...of, tier: 'deep', at: NOW }),
      );
      expect(foreign).toEqual({ status: 'unknown_user' });
    });
  });

  describe('begin', () => {
    it('by the schedule, with what their holder needs to know', async () => {
      const of = await newUser();
      const { dueAt } = await tierOf(of);
      const run = await start(of, { fence: 3, at: NOW + 5 });
      if (run.status !== 'started') throw new Error(run.status);
      expect(run).toEqual({
        status: 'started',
        runId: run.runId,
        dueAt,
        lastSuccessAt: null,
        failures: 0,
        timezone: 'UTC',
        quietStart: 120,
        quietEnd: 300,
        mode: 'auto',
      });
      const stored = {
        status: 'running',
        why: 'schedule',
        fence: 3,
        requestedAt: NOW + 5,
        startedAt: NOW + 5,
      };
      expect(await runOf(of, run.runId)).toMatchObject(stored);
      expect(await tierOf(of)).toMatchObject({ lastAttemptAt: NOW + 5, enqueuedAt: null });
    });

    it('on request, and leave a later request standing', async () => {
      const of = await newUser();
      const first = await requested(of);
      expect(await started(of, { runId: first, why: 'adhoc', at: NOW + 7 })).toBe(first);
      expect(await runOf(of, first)).toMatchObject({
        status: 'running',
        why: 'adhoc',
        requestedAt: NOW,
        startedAt: NOW + 7,
      });
      expect((await tierOf(of)).requestedRun).toBeNull();
      const second = await requested(of);
      await started(of, { fence: 2 });
      expect((await tierOf(of)).requestedRun).toBe(second);
    });

    it('again after their holder was lost, not before', async () => {
      const of = await newUser();
      const runId = await started(of, { fence: 5 });
      expect(await start(of, { runId, fence: 4 })).toEqual({ status: 'closed' });
      expect(await started(of, { runId, fence: 6 })).toBe(runId);
      await inTenant((tx) => abandonRuns(tx, { ...of, fence: 7, at: NOW }));
      expect(await started(of, { runId, fence: 7 })).toBe(runId);
      expect(await runOf(of, runId)).toMatchObject({ status: 'running', fence: 7, finishedAt: null });
    });

    it('not when they ended, are of another tier, or do not exist', async () => {
      const of = await newUser();
      const runId = await started(of);
      await finish(of, runId, COMPLETED);
      const before = await tierOf(of);
      expect(await start(of, { runId, fence: 9, at: NOW + HOUR })).toEqual({ status: 'closed' });
      const asked = await requested(of);
      expect(await start(of, { runId: asked, tier: 'sleep' })).toEqual({ status: 'closed' });
      expect(await start(of, { runId: OTHER_ID })).toEqual({ status: 'closed' });
      expect(await tierOf(of)).toEqual({ ...before, requestedRun: asked });
    });
  });

  describe('end', () => {
    it('in success: due next time, failures forgotten', async () => {
      const of = await newUser();
      await finish(of, await started(of), FAILED);
      const runId = await started(of);
      expect(await finish(of, runId, COMPLETED)).toBe(true);
      expect(await runOf(of, runId)).toMatchObject({
        status: 'completed',
        finishedAt: NOW + MINUTE,
        report: { fused: 2 },
        errorCode: null,
      });
      expect(await tierOf(of)).toMatchObject({
        dueAt: NOW + 6 * HOUR,
        lastSuccessAt: NOW + MINUTE,
        failures: 0,
        nextAttemptAt: null,
      });
    });

    it('in failure: due as before, tried again after a wait that doubles up to six hours', async () => {
      const of = await newUser();
      const { dueAt } = await tierOf(of);
      const waits: number[] = [];
      for (let i = 1; i <= 13; i++) {
        const runId = await started(of);
        await finish(of, runId, FAILED, NOW);
        expect(await runOf(of, runId)).toMatchObject({ status: 'failed', errorCode: 'provider_error' });
        const tier = await tierOf(of);
        expect(tier).toMatchObject({ dueAt, failures: i, lastSuccessAt: null });
        waits.push((tier.nextAttemptAt! - NOW) / MINUTE);
      }
      expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360, 360, 360, 360, 360]);
    });

    it('unfinished: nothing counts', async () => {
      const of = await newUser();
      const before = await tierOf(of);
      const runId = await started(of);
      expect(await finish(of, runId, { status: 'abandoned', report: { planned: 1 } })).toBe(true);
      expect(await runOf(of, runId)).toMatchObject({ status: 'abandoned', report: { planned: 1 } });
      expect(await tierOf(of)).toEqual({ ...before, lastAttemptAt: NOW });
    });

    it('unfinished, and somebody waits for it: it stays requested, so that it is found without its job', async () => {
      const of = await newUser();
      const asked = await database.withTenant(of.tenant, (tx) =>
        requestRun(tx, { ...of, tier: 'deep', at: NOW }),
      );
      const { runId } = asked as { runId: string };
      await database.withTenant(of.tenant, (tx) =>
        startRun(tx, { ...of, tier: 'deep', why: 'adhoc', runId, fence: 1, at: NOW }),
      );
      expect(await finish(of, runId, { status: 'abandoned', report: null })).toBe(true);
      expect((await tierOf(of)).requestedRun).toBe(runId);
    });

    it('once', async () => {
      const of = await newUser();
      const runId = await started(of);
      expect(await finish(of, runId, COMPLETED)).toBe(true);
      const before = await tierOf(of);
      expect(await finish(of, runId, FAILED)).toBe(false);
      expect(await finish(of, OTHER_ID, FAILED)).toBe(false);
      expect(await tierOf(of)).toEqual(before);
    });

    it('not by a holder who lost the user', async () => {
      const of = await newUser();
      const runId = await started(of, { fence: await takeUser(of) });
      await takeUser(of);
      const before = await tierOf(of);
      expect(await finish(of, runId, COMPLETED)).toBe(false);
      expect(await runOf(of, runId)).toMatchObject({ status: 'running' });
      expect(await tierOf(of)).toEqual(before);
    });

    it('not from another tenant', async () => {
      const of = await newUser();
      const runId = await started(of);
      const foreign = await database.withTenant('other', (tx) =>
        finishRun(tx, { ...of, runId, at: NOW, ...COMPLETED }),
      );
      expect(foreign).toBe(false);
      expect(await database.withTenant('other', (tx) => getRun(tx, { ...of, runId }))).toBeNull();
      expect(await database.withTenant('other', (tx) => listRuns(tx, { ...of, limit: 10 }))).toEqual([]);
      expect(await runOf(of, runId)).toMatchObject({ status: 'running' });
    });
  });

  it('of earlier holders are abandoned and count as failures of their tier', async () => {
    const of = await newUser();
    const other = await newUser();
    const done = await started(of, { fence: 1 });
    await finish(of, done, COMPLETED, NOW);
    const lost = await started(of, { fence: 1 });
    const mine = await started(of, { fence: 2, tier: 'sleep' });
    const theirs = await started(other, { fence: 1 });
    const abandoned = await inTenant((tx) => abandonRuns(tx, { ...of, fence: 2, at: NOW }));
    expect(abandoned).toEqual([{ runId: lost, tier: 'deep' }]);
    expect(await runOf(of, lost)).toMatchObject({ status: 'abandoned', finishedAt: NOW });
    expect(await runOf(of, done)).toMatchObject({ status: 'completed' });
    expect(await runOf(of, mine)).toMatchObject({ status: 'running' });
    expect(await runOf(other, theirs)).toMatchObject({ status: 'running' });
    expect(await tierOf(of)).toMatchObject({ failures: 1, nextAttemptAt: NOW + 5 * MINUTE });
    expect(await tierOf(of, 'sleep')).toMatchObject({ failures: 0, nextAttemptAt: null });
    expect(await inTenant((tx) => abandonRuns(tx, { ...of, fence: 2, at: NOW }))).toEqual([]);
  });

  it('are listed newest first, up to the limit', async () => {
    const of = await newUser();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(await started(of, { at: NOW + i * MINUTE }));
    const listed = await inTenant((tx) => listRuns(tx, { ...of, limit: 2 }));
    expect(listed.map((run) => run.id)).toEqual(ids.slice(0, 2));
  });

  it('with an id that is none are refused without repeating it', async () => {
    const of = await newUser();
    await expect(runOf(of, 'not an id')).rejects.toMatchObject({ code: 'invalid_text' });
  });
});
