import { describe, expect, it } from 'vitest';
import {
  abandonRuns,
  acquireLease,
  ensureUsers,
  finishRun,
  getRun,
  getUser,
  listRuns,
  pruneRuns,
  type RunEnd,
  requestRun,
  type StartInput,
  startRun,
} from '../../../packages/db/src/scheduling/index.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { setDue } from '../../fixtures/dues.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OTHER_ID = '01900000-0000-7000-8000-000000000000';

describe('runs', () => {
  const { database, inTenant, nextUser } = ownDatabase(openInScope);

  async function newUser(): Promise<{ tenant: string; user: string }> {
    const of = { tenant: 't', user: nextUser() };
    await inTenant((tx) => ensureUsers(tx, [of], NOW));
    await makeDue(of);
    return of;
  }
  /** All tiers, for an hour already. */
  const makeDue = (of: Of) => setDue(database, { ...of, at: NOW - HOUR });
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
  const OUTAGE: RunEnd = { status: 'failed', errorCode: 'provider_error', report: null, transient: true };
  const CLOSED = { status: 'closed', reason: 'ended' };
  const ENDED = { ended: true, quarantined: false };
  const NOT_ENDED = { ended: false, quarantined: false };

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
        preview: false,
        cancelRequestedAt: null,
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
        why: 'schedule',
        preview: false,
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
      expect(await start(of, { runId, fence: 4 })).toEqual(CLOSED);
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
      expect(await start(of, { runId, fence: 9, at: NOW + HOUR })).toEqual(CLOSED);
      const asked = await requested(of);
      expect(await start(of, { runId: asked, tier: 'sleep' })).toEqual(CLOSED);
      expect(await start(of, { runId: OTHER_ID })).toEqual(CLOSED);
      expect(await tierOf(of)).toEqual({ ...before, requestedRun: asked });
    });
  });

  describe('end', () => {
    it('in success: due next time, failures forgotten', async () => {
      const of = await newUser();
      await finish(of, await started(of), OUTAGE, NOW);
      const runId = await started(of, { at: NOW + 5 * MINUTE });
      expect(await finish(of, runId, COMPLETED)).toEqual(ENDED);
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
      for (let i = 1, at = NOW; i <= 13; i++) {
        const runId = await started(of, { at });
        await finish(of, runId, OUTAGE, at);
        expect(await runOf(of, runId)).toMatchObject({ status: 'failed', errorCode: 'provider_error' });
        const tier = await tierOf(of);
        expect(tier).toMatchObject({ dueAt, failures: i, lastSuccessAt: null, faults: 0 });
        waits.push((tier.nextAttemptAt! - at) / MINUTE);
        at = tier.nextAttemptAt!;
      }
      expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360, 360, 360, 360, 360]);
    });

    it('unfinished: nothing counts', async () => {
      const of = await newUser();
      const before = await tierOf(of);
      const runId = await started(of);
      expect(await finish(of, runId, { status: 'abandoned', report: { planned: 1 } })).toEqual(ENDED);
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
      expect(await finish(of, runId, { status: 'abandoned', report: null })).toEqual(ENDED);
      expect((await tierOf(of)).requestedRun).toBe(runId);
    });

    it('once', async () => {
      const of = await newUser();
      const runId = await started(of);
      expect(await finish(of, runId, COMPLETED)).toEqual(ENDED);
      const before = await tierOf(of);
      expect(await finish(of, runId, OUTAGE)).toEqual(NOT_ENDED);
      expect(await finish(of, OTHER_ID, OUTAGE)).toEqual(NOT_ENDED);
      expect(await tierOf(of)).toEqual(before);
    });

    it('not by a holder who lost the user', async () => {
      const of = await newUser();
      const runId = await started(of, { fence: await takeUser(of) });
      await takeUser(of);
      const before = await tierOf(of);
      expect(await finish(of, runId, COMPLETED)).toEqual(NOT_ENDED);
      expect(await runOf(of, runId)).toMatchObject({ status: 'running' });
      expect(await tierOf(of)).toEqual(before);
    });

    it('not from another tenant', async () => {
      const of = await newUser();
      const runId = await started(of);
      const foreign = await database.withTenant('other', (tx) =>
        finishRun(tx, { ...of, runId, at: NOW, ...COMPLETED }),
      );
      expect(foreign).toEqual(NOT_ENDED);
      expect(await database.withTenant('other', (tx) => getRun(tx, { ...of, runId }))).toBeNull();
      expect(await database.withTenant('other', (tx) => listRuns(tx, { ...of, limit: 10 }))).toEqual([]);
      expect(await runOf(of, runId)).toMatchObject({ status: 'running' });
    });
  });

  it('of earlier holders are abandoned and count as failures of their tier', async () => {
    const of = await newUser();
    const other = await newUser();
    const done = await started(of, { fence: 1 });
    await finish(of, done, { ...COMPLETED, nextDueAt: NOW }, NOW);
    const lost = await started(of, { fence: 1 });
    const mine = await started(of, { fence: 2, tier: 'sleep' });
    const theirs = await started(other, { fence: 1 });
    const abandoned = await inTenant((tx) => abandonRuns(tx, { ...of, fence: 2, at: NOW }));
    expect(abandoned).toEqual([{ runId: lost, tier: 'deep', quarantined: false }]);
    expect(await runOf(of, lost)).toMatchObject({ status: 'abandoned', finishedAt: NOW });
    expect(await runOf(of, done)).toMatchObject({ status: 'completed' });
    expect(await runOf(of, mine)).toMatchObject({ status: 'running' });
    expect(await runOf(other, theirs)).toMatchObject({ status: 'running' });
    // One lost worker says nothing about the user: somebody goes on at once.
    expect(await tierOf(of)).toMatchObject({ failures: 1, unended: 1, nextAttemptAt: null });
    expect(await tierOf(of, 'sleep')).toMatchObject({ failures: 0, nextAttemptAt: null });
    expect(await inTenant((tx) => abandonRuns(tx, { ...of, fence: 2, at: NOW }))).toEqual([]);
  });

  it('of earlier holders that were lost twice in a row make their tier wait', async () => {
    const of = await newUser();
    await started(of, { fence: 1 });
    await inTenant((tx) => abandonRuns(tx, { ...of, fence: 2, at: NOW }));
    await started(of, { fence: 2 });
    await inTenant((tx) => abandonRuns(tx, { ...of, fence: 3, at: NOW }));
    expect(await tierOf(of)).toMatchObject({ failures: 2, unended: 2, nextAttemptAt: NOW + 10 * MINUTE });
  });

  it('are listed newest first, up to the limit', async () => {
    const of = await newUser();
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift(await started(of, { at: NOW + i * MINUTE }));
    const listed = await inTenant((tx) => listRuns(tx, { ...of, limit: 2 }));
    expect(listed.map((run) => run.id)).toEqual(ids.slice(0, 2));
  });

  describe('that ended long ago', () => {
    const prune = (of: Of, before: number, limit = 100) =>
      inTenant((tx) => pruneRuns(tx, { ...of, before, limit }));
    const ids = async (of: Of) =>
      (await inTenant((tx) => listRuns(tx, { ...of, limit: 100 }))).map((run) => run.id).sort();
    /** Ends at NOW + MINUTE and is due again. */
    async function ended(of: Of, end: RunEnd): Promise<string> {
      const runId = await started(of, { why: 'adhoc' });
      await finish(of, runId, end);
      return runId;
    }

    it('are removed, whatever their end, and nobody else\u2019s', async () => {
      const of = await newUser();
      const other = await newUser();
      const theirs = await ended(other, OUTAGE);
      await ended(of, COMPLETED);
      await ended(of, OUTAGE);
      expect(await prune(of, NOW + MINUTE)).toBe(0);
      expect(await prune(of, NOW + MINUTE + 1)).toBe(2);
      expect(await ids(of)).toEqual([]);
      expect(await ids(other)).toEqual([theirs]);
      const foreign = await database.withTenant('other', (tx) =>
        pruneRuns(tx, { ...other, before: NOW + HOUR, limit: 9 }),
      );
      expect(foreign).toBe(0);
    });

    it('are removed in parts, the oldest first', async () => {
      const of = await newUser();
      const runs: string[] = [];
      for (let i = 0; i < 3; i++) {
        const runId = await started(of, { why: 'adhoc', at: NOW + i });
        await finish(of, runId, COMPLETED);
        runs.push(runId);
      }
      expect(await prune(of, NOW + HOUR, 2)).toBe(2);
      expect(await ids(of)).toEqual(runs.slice(2));
      expect(await prune(of, NOW + HOUR, 0)).toBe(0);
    });

    it('stay when somebody waits for them, as do those that have not ended', async () => {
      const of = await newUser();
      const running = await started(of, { tier: 'light' });
      const asked = await requested(of);
      await started(of, { runId: asked, why: 'adhoc' });
      await finish(of, asked, { status: 'abandoned', report: null });
      const waiting = await inTenant((tx) => requestRun(tx, { ...of, tier: 'sleep', at: NOW }));
      if (waiting.status !== 'requested') throw new Error(waiting.status);
      expect(await prune(of, NOW + 100 * HOUR)).toBe(0);
      expect(await ids(of)).toEqual([running, asked, waiting.runId].sort());
    });
  });

  it('with an id that is none are refused without repeating it', async () => {
    const of = await newUser();
    await expect(runOf(of, 'not an id')).rejects.toMatchObject({ code: 'invalid_text' });
  });
});
