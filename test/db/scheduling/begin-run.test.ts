import { type SQL, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  acquireLease,
  beginRun,
  ensureUsers,
  finishRun,
  getRun,
  listRuns,
  releaseLease,
  requestRun,
  SLEEP_GRACE_MS,
  type StartInput,
  startRun,
} from '../../../packages/db/src/scheduling/index.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { setDue } from '../../fixtures/dues.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;
const TTL = 3_600_000;

type Of = { tenant: string; user: string };

/** Taking a user and beginning a run are one statement where nothing lies between the two. */
describe('a run that begins as its user is taken', () => {
  const { database, inTenant, nextUser } = ownDatabase(openInScope);

  const at = (ms: number) => sql`to_timestamp(${ms / 1000}::float8)`;
  const set = (of: Of, columns: SQL) =>
    inTenant((tx) => tx.rows(sql`update slowwave.user_tiers set ${columns} where user_id = ${of.user}`));
  async function newUser(due = NOW - MINUTE): Promise<Of> {
    const of = { tenant: 't', user: nextUser() };
    await inTenant((tx) => ensureUsers(tx, [of], NOW - MINUTE));
    await setDue(database, { ...of, at: due, enqueuedAt: NOW - 1 });
    return of;
  }
  const begin = (of: Of, more: Partial<StartInput & { holder: string }> = {}) =>
    beginRun(database, { ...of, holder: 'w1', ttlMs: TTL, tier: 'deep', why: 'schedule', at: NOW, ...more });
  const runsOf = (of: Of) => inTenant((tx) => listRuns(tx, { ...of, limit: 9 }));
  const waits = async (of: Of) => {
    const [row] = await inTenant((tx) =>
      tx.rows<{ waits: boolean }>(sql`
        select enqueued_at is not null as waits from slowwave.user_tiers where user_id = ${of.user} and tier = 'deep'`),
    );
    return row!.waits;
  };

  it('is what taking the user and beginning the run would have been', async () => {
    const [one, other] = [await newUser(), await newUser()];
    const { acquired, run } = await begin(one);
    const taken = await acquireLease(database, { ...other, holder: 'w1', ttlMs: TTL });
    const started = await inTenant((tx) =>
      startRun(tx, { ...other, tier: 'deep', why: 'schedule', fence: 1, at: NOW }),
    );
    expect(acquired).toEqual(taken);
    expect(run).toEqual({ ...started, runId: expect.any(String) });
    expect(await runsOf(one)).toMatchObject([{ status: 'running', fence: 1, startedAt: NOW }]);
    expect(await waits(one)).toBe(false);
  });

  it('is one of several that are asked for at once', async () => {
    const of = await newUser();
    const all = await Promise.all(['w1', 'w2', 'w3'].map((holder) => begin(of, { holder })));
    expect(all.filter(({ run }) => run?.status === 'started')).toHaveLength(1);
    expect(all.filter(({ acquired }) => acquired.status === 'busy')).toHaveLength(2);
    expect(await runsOf(of)).toHaveLength(1);
  });

  it('may be one that was asked for, of whom nothing is due', async () => {
    const of = await newUser();
    await set(of, sql`due_at = 'infinity'`);
    const asked = await inTenant((tx) => requestRun(tx, { ...of, tier: 'deep', at: NOW }));
    if (asked.status !== 'requested') throw new Error(asked.status);
    const { run } = await begin(of, { why: 'adhoc', runId: asked.runId });
    expect(run).toMatchObject({ status: 'started', runId: asked.runId, dueAt: Number.POSITIVE_INFINITY });
  });

  it('does not begin for whoever holds a user back', async () => {
    const of = await newUser();
    await set(of, sql`next_attempt_at = ${at(NOW + 1)}`);
    const { acquired, run } = await begin(of);
    expect(acquired).toMatchObject({ status: 'held' });
    expect(run).toEqual({ status: 'closed', reason: 'backing_off' });
    expect(await runsOf(of)).toEqual([]);
    expect(await waits(of)).toBe(false);
  });

  it('does not begin with a user who is held, or whom nobody knows', async () => {
    const of = await newUser();
    await acquireLease(database, { ...of, holder: 'other', ttlMs: TTL });
    expect(await begin(of)).toMatchObject({ acquired: { status: 'busy' }, run: null });
    expect(await runsOf(of)).toEqual([]);
    expect(await waits(of)).toBe(true);
    const nobody = { tenant: 't', user: 'nobody' };
    expect(await begin(nobody)).toEqual({ acquired: { status: 'unknown_user' }, run: null });
  });

  it('waits until somebody has looked for what an earlier holder left behind', async () => {
    const of = await newUser();
    await acquireLease(database, { ...of, holder: 'dead', ttlMs: 0 });
    const { acquired, run } = await begin(of);
    expect(acquired).toMatchObject({ status: 'held', fence: 2, takenOver: true });
    expect(run).toBeNull();
    expect(await runsOf(of)).toEqual([]);
    expect(await waits(of)).toBe(true);
  });

  it('waits for its turn after a start that never ended', async () => {
    const of = await newUser();
    await set(of, sql`unended = 1`);
    expect(await begin(of)).toMatchObject({ acquired: { suspect: true }, run: null });
    expect(await runsOf(of)).toEqual([]);
  });

  it('waits for a look at the clock when it is a sleep that is late', async () => {
    const late = await newUser(NOW - SLEEP_GRACE_MS - 1);
    expect(await begin(late, { tier: 'sleep' })).toMatchObject({ acquired: { status: 'held' }, run: null });
    const inTime = await newUser(NOW - SLEEP_GRACE_MS);
    expect((await begin(inTime, { tier: 'sleep' })).run).toMatchObject({ status: 'started' });
    const asked = await newUser(NOW - 10 * SLEEP_GRACE_MS);
    expect((await begin(asked, { tier: 'sleep', why: 'adhoc' })).run).toMatchObject({ status: 'started' });
  });

  it('gives its user back as it ends, under its own hold only', async () => {
    const of = await newUser();
    const { run } = await begin(of);
    if (run?.status !== 'started') throw new Error('not started');
    const { runId } = run;
    const end = { ...of, runId, at: NOW, status: 'completed', nextDueAt: NOW + MINUTE, report: {} } as const;
    const again = () => acquireLease(database, { ...of, holder: 'w2', ttlMs: TTL });
    const ended = await inTenant((tx) => finishRun(tx, { ...end, fence: 1, holder: 'somebody' }));
    expect(ended).toEqual({ ended: true, quarantined: false });
    expect(await again()).toMatchObject({ status: 'busy' });
    await inTenant((tx) => finishRun(tx, { ...end, fence: 1, holder: 'w1' }));
    expect(await again()).toEqual({ status: 'held', fence: 2, takenOver: false, suspect: false });
    expect(await releaseLease(database, { ...of, holder: 'w1', fence: 1 })).toBe(false);
    expect(await inTenant((tx) => getRun(tx, { ...of, runId }))).toMatchObject({ status: 'completed' });
  });
});
