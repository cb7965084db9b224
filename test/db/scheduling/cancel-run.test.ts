import { describe, expect, it } from 'vitest';
import {
  abandonRuns,
  cancelRun,
  ensureUsers,
  finishRun,
  getRun,
  getUser,
  isCancelRequested,
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
const NONE = '01900000-0000-7000-8000-000000000000';
type Of = { tenant: string; user: string };

describe('cancelling a run', () => {
  const { database, inTenant, nextUser } = ownDatabase(openInScope);

  async function newUser(): Promise<Of> {
    const of = { tenant: 't', user: nextUser() };
    await inTenant((tx) => ensureUsers(tx, [of], NOW));
    await setDue(database, { ...of, at: NOW - MINUTE });
    return of;
  }
  const deepOf = async (of: Of) => (await inTenant((tx) => getUser(tx, 't', of.user)))!.tiers.deep;
  const runOf = (of: Of, runId: string) => inTenant((tx) => getRun(tx, { ...of, runId }));
  const cancel = (of: Of, runId: string, at = NOW) => inTenant((tx) => cancelRun(tx, { ...of, runId, at }));
  const asked = (of: Of, runId: string) => inTenant((tx) => isCancelRequested(tx, { ...of, runId }));
  const finish = (of: Of, runId: string, end: RunEnd) =>
    inTenant((tx) => finishRun(tx, { ...of, runId, at: NOW + MINUTE, ...end }));
  async function requested(of: Of, preview = false): Promise<string> {
    const result = await inTenant((tx) => requestRun(tx, { ...of, tier: 'deep', at: NOW, preview }));
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
  const REPORT = { steps: [{ step: 'embed', status: 'done' }] };

  it('ends one that has not begun, which then never begins', async () => {
    const of = await newUser();
    const runId = await requested(of);
    expect(await cancel(of, runId, NOW + 5)).toEqual({ status: 'cancelled', already: false });
    expect(await runOf(of, runId)).toMatchObject({
      status: 'cancelled',
      startedAt: null,
      finishedAt: NOW + 5,
      cancelRequestedAt: NOW + 5,
    });
    expect((await deepOf(of)).requestedRun).toBeNull();
    expect(await start(of, { runId, why: 'adhoc' })).toEqual({ status: 'closed', reason: 'ended' });
    expect(await cancel(of, runId)).toEqual({ status: 'cancelled', already: true });
    // The next one is another run.
    expect(await requested(of)).not.toBe(runId);
  });

  it('leaves the request of somebody else standing', async () => {
    const of = await newUser();
    const first = await requested(of);
    await started(of, { runId: first, why: 'adhoc' });
    await finish(of, first, { status: 'abandoned', report: null });
    const before = await deepOf(of);
    expect(before.requestedRun).toBe(first);
    const scheduled = await started(of, { fence: 2 });
    expect(await cancel(of, scheduled)).toEqual({ status: 'cancelling', already: false });
    expect((await deepOf(of)).requestedRun).toBe(first);
  });

  it('tells one that is at work, and its due times stay', async () => {
    const of = await newUser();
    const runId = await started(of);
    const before = await deepOf(of);
    expect(await asked(of, runId)).toBe(false);
    expect(await cancel(of, runId, NOW + 1)).toEqual({ status: 'cancelling', already: false });
    expect(await cancel(of, runId, NOW + 2)).toEqual({ status: 'cancelling', already: true });
    expect(await asked(of, runId)).toBe(true);
    expect(await runOf(of, runId)).toMatchObject({ status: 'running', cancelRequestedAt: NOW + 1 });
    await finish(of, runId, { status: 'cancelled', report: REPORT });
    expect(await runOf(of, runId)).toMatchObject({ status: 'cancelled', report: REPORT, errorCode: null });
    expect(await deepOf(of)).toEqual(before);
    expect((await start(of, { fence: 2 })).status).toBe('started');
  });

  it('is too late for one that has ended', async () => {
    const of = await newUser();
    const done = await started(of);
    await finish(of, done, { status: 'completed', nextDueAt: NOW - 1, report: {} });
    expect(await cancel(of, done)).toEqual({ status: 'finished', runStatus: 'completed' });
    const failed = await started(of, { why: 'adhoc' });
    await finish(of, failed, { status: 'failed', errorCode: 'x', report: null, transient: true });
    expect(await cancel(of, failed)).toEqual({ status: 'finished', runStatus: 'failed' });
    // The schedule begins anew: nobody goes on with this one.
    const left = await started(of, { why: 'retry' });
    await finish(of, left, { status: 'abandoned', report: null });
    expect(await cancel(of, left)).toEqual({ status: 'finished', runStatus: 'abandoned' });
    expect(await runOf(of, done)).toMatchObject({ cancelRequestedAt: null });
  });

  it('knows its own only', async () => {
    const [ana, ben] = [await newUser(), await newUser()];
    const runId = await requested(ana);
    expect(await cancel(ben, runId)).toEqual({ status: 'unknown_run' });
    expect(await cancel(ana, NONE)).toEqual({ status: 'unknown_run' });
    expect(await asked(ana, NONE)).toBe(false);
    expect((await runOf(ana, runId))!.status).toBe('requested');
  });

  it('ends one that was put back meanwhile, or that waits to be gone on with', async () => {
    const of = await newUser();
    const runId = await requested(of);
    await started(of, { runId, why: 'adhoc' });
    await cancel(of, runId);
    await finish(of, runId, { status: 'abandoned', report: REPORT });
    expect(await runOf(of, runId)).toMatchObject({ status: 'cancelled', report: REPORT });
    expect((await deepOf(of)).requestedRun).toBeNull();
    const other = await requested(of);
    await started(of, { runId: other, why: 'adhoc' });
    await finish(of, other, { status: 'abandoned', report: null });
    expect(await cancel(of, other)).toEqual({ status: 'cancelled', already: false });
    expect((await deepOf(of)).requestedRun).toBeNull();
    expect(await start(of, { runId: other, why: 'adhoc', fence: 2 })).toMatchObject({ status: 'closed' });
  });

  it('ends one whose holder ended without a word', async () => {
    const of = await newUser();
    const runId = await requested(of);
    await started(of, { runId, why: 'adhoc' });
    const preview = await started(of, { runId: await requested(of, true), why: 'adhoc' });
    await cancel(of, runId);
    await cancel(of, preview);
    await inTenant((tx) => abandonRuns(tx, { ...of, fence: 2, at: NOW }));
    for (const id of [runId, preview])
      expect(await runOf(of, id)).toMatchObject({ status: 'cancelled', errorCode: null });
    const deep = await deepOf(of);
    // It still says something about the user that a process ended over them.
    expect([deep.requestedRun, deep.unended]).toEqual([null, 1]);
  });

  it('leaves a record that goes with the others', async () => {
    const of = await newUser();
    const runId = await requested(of);
    await cancel(of, runId);
    const pruned = await inTenant((tx) => pruneRuns(tx, { ...of, before: NOW + MINUTE, limit: 10 }));
    expect(pruned).toBe(1);
    expect(await runOf(of, runId)).toBeNull();
  });
});
