import {
  abandonRuns,
  acquireLease,
  finishRun,
  getRun,
  listRuns,
  type RunEnd,
  requestRun,
  type StartInput,
  startRun,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { setDue } from '../fixtures/dues.ts';
import { NOW } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { seedPerson } from '../fixtures/tier-runs.ts';
import { expireLease, HOUR_MS, TENANT } from './guards.ts';

const DONE: RunEnd = { status: 'completed', nextDueAt: NOW + HOUR_MS, report: { by: 'b' } };

/** A run has one holder at a time: what one that was overtaken says about it is not heard. */
describe.each(DATABASES)('a run whose holder was overtaken (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  async function newUser(): Promise<{ tenant: string; user: string }> {
    const of = { tenant: TENANT, user: nextUser() };
    await seedPerson(database, of);
    await setDue(database, { ...of, at: NOW - HOUR_MS });
    return of;
  }
  type Of = Awaited<ReturnType<typeof newUser>>;
  const start = (of: Of, fence: number, more: Partial<StartInput> = {}) =>
    inTenant((tx) => startRun(tx, { ...of, tier: 'deep', why: 'schedule', fence, at: NOW, ...more }));
  const finish = (of: Of, fence: number, runId: string, end: RunEnd) =>
    inTenant((tx) => finishRun(tx, { ...of, runId, fence, at: NOW, ...end }));
  const runsOf = (of: Of) => inTenant((tx) => listRuns(tx, { ...of, limit: 5 }));
  const tierOf = async ({ user }: Of) => {
    const [row] = await rows<{ unended: number; failures: number; due: boolean; asked: boolean }>(sql`
      select unended, failures, due_at <= to_timestamp(${NOW / 1000}::float8) as due, requested_run is not null as asked
      from slowwave.user_tiers where user_id = ${user} and tier = 'deep'`);
    return row!;
  };
  /** Takes a user whose last hold has run out, as a worker does. */
  async function take(of: Of, holder: string): Promise<number> {
    await expireLease(database, of.user);
    const taken = await acquireLease(database, { ...of, holder, ttlMs: HOUR_MS });
    if (taken.status !== 'held') throw new Error(taken.status);
    const { fence } = taken;
    if (taken.takenOver) await inTenant((tx) => abandonRuns(tx, { ...of, fence, at: NOW }));
    return fence;
  }
  async function started(of: Of, fence: number, more: Partial<StartInput> = {}): Promise<string> {
    const run = await start(of, fence, more);
    if (run.status !== 'started') throw new Error(run.reason);
    return run.runId;
  }

  it.each<RunEnd>([
    { status: 'abandoned', report: null },
    { ...DONE, report: { by: 'a' } },
    { status: 'failed', errorCode: 'outage', report: null, transient: true },
  ])('and that somebody goes on with: its end is not heard ($status)', async (late) => {
    const of = await newUser();
    const asked = await inTenant((tx) => requestRun(tx, { ...of, tier: 'deep', at: NOW }));
    if (asked.status !== 'requested') throw new Error(asked.status);
    const named = { why: 'adhoc', runId: asked.runId } as const;
    const first = await take(of, 'a');
    await started(of, first, named);
    const second = await take(of, 'b');
    await started(of, second, named);
    expect(await finish(of, first, asked.runId, late)).toEqual({ ended: false, quarantined: false });
    expect(await inTenant((tx) => getRun(tx, { ...of, runId: asked.runId }))).toMatchObject({
      status: 'running',
      fence: second,
    });
    expect(await finish(of, second, asked.runId, DONE)).toMatchObject({ ended: true });
    expect(await runsOf(of)).toMatchObject([{ status: 'completed', report: { by: 'b' } }]);
    expect(await tierOf(of)).toMatchObject({ asked: false, due: false });
  });

  it('and that was abandoned: its end is not heard', async () => {
    const of = await newUser();
    const first = await take(of, 'a');
    const runId = await started(of, first);
    await take(of, 'b');
    expect(await finish(of, first, runId, DONE)).toMatchObject({ ended: false });
    expect(await runsOf(of)).toMatchObject([{ status: 'abandoned', report: null }]);
    expect(await tierOf(of)).toMatchObject({ due: true });
  });

  it('before it began: it does not begin, and nothing is left that would count against the user', async () => {
    const of = await newUser();
    const first = await take(of, 'a');
    const second = await take(of, 'b');
    const runId = await started(of, second);
    expect(await start(of, first)).toEqual({ status: 'closed', reason: 'ended' });
    expect(await start(of, first, { why: 'adhoc' })).toEqual({ status: 'closed', reason: 'ended' });
    expect(await start(of, first, { runId })).toEqual({ status: 'closed', reason: 'ended' });
    expect(await runsOf(of)).toMatchObject([{ id: runId, status: 'running', fence: second }]);
    expect(await finish(of, second, runId, DONE)).toMatchObject({ ended: true });
    await take(of, 'c');
    expect(await tierOf(of)).toMatchObject({ unended: 0, failures: 0 });
  });
});
