import { type SQL, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  ensureUsers,
  getRun,
  getUser,
  listRuns,
  pauseTier,
  type RunWhy,
  requestRun,
  resumeTier,
  type StartInput,
  startRun,
} from '../../../packages/db/src/scheduling/index.ts';
import { openInScope } from '../../fixtures/databases.ts';
import { setDue } from '../../fixtures/dues.ts';
import { ownDatabase } from '../../fixtures/own-database.ts';

const NOW = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;

/** A wake-up is a hint: what stands in the database decides whether anything begins. */
describe('a wake-up', () => {
  const { database, inTenant, nextUser } = ownDatabase(openInScope);

  type Of = { tenant: string; user: string };
  const at = (ms: number) => sql`to_timestamp(${ms / 1000}::float8)`;
  const set = (of: Of, columns: SQL) =>
    inTenant((tx) => tx.rows(sql`update slowwave.user_tiers set ${columns} where user_id = ${of.user}`));
  /** Somebody whose tiers are due and wait in the queue. */
  async function newUser(): Promise<Of> {
    const of = { tenant: 't', user: nextUser() };
    await inTenant((tx) => ensureUsers(tx, [of], NOW - MINUTE));
    await setDue(database, { ...of, at: NOW - MINUTE, enqueuedAt: NOW - 1 });
    return of;
  }
  const deepOf = async (of: Of) => (await inTenant((tx) => getUser(tx, 't', of.user)))!.tiers.deep;
  const start = (of: Of, more: Partial<StartInput> = {}) =>
    inTenant((tx) => startRun(tx, { ...of, tier: 'deep', why: 'schedule', fence: 1, at: NOW, ...more }));
  async function requested(of: Of): Promise<string> {
    const result = await inTenant((tx) => requestRun(tx, { ...of, tier: 'deep', at: NOW }));
    if (result.status !== 'requested') throw new Error(result.status);
    return result.runId;
  }

  const HELD: [string, SQL][] = [
    ['paused', sql`paused = true`],
    ['paused', sql`tenant_paused = true`],
    ['backing_off', sql`next_attempt_at = ${at(NOW + 1)}`],
    ['not_due', sql`due_at = ${at(NOW + 1)}`],
  ];
  const QUARANTINED = sql`quarantined_at = ${at(NOW)}, quarantine_code = 'never_ended'`;

  describe.each(['schedule', 'sweep'] as const)('of the %s', (why) => {
    it.each([...HELD, ['quarantined', QUARANTINED] as [string, SQL]])(
      'begins nothing when the tier is %s, and the mark is taken back',
      async (reason, columns) => {
        const of = await newUser();
        await set(of, columns);
        const before = await deepOf(of);
        expect(before.enqueuedAt).not.toBeNull();
        expect(await start(of, { why })).toEqual({ status: 'closed', reason });
        expect(await deepOf(of)).toEqual({ ...before, enqueuedAt: null });
        expect(await inTenant((tx) => listRuns(tx, { ...of, limit: 5 }))).toEqual([]);
      },
    );

    it('begins nothing while its tier is paused for everybody', async () => {
      const of = await newUser();
      await database.asDispatcher((tx) => pauseTier(tx, { tier: 'deep', at: NOW }));
      expect(await start(of, { why })).toEqual({ status: 'closed', reason: 'paused' });
      expect(await start(of, { why, tier: 'sleep' })).toMatchObject({ status: 'started' });
      await database.asDispatcher((tx) => resumeTier(tx, { tier: 'deep' }));
      expect(await start(of, { why })).toMatchObject({ status: 'started' });
    });

    it('begins what is due, and may be tried, this very millisecond', async () => {
      const of = await newUser();
      await set(of, sql`due_at = ${at(NOW)}, next_attempt_at = ${at(NOW)}`);
      expect(await start(of, { why })).toMatchObject({ status: 'started', dueAt: NOW });
      expect(await deepOf(of)).toMatchObject({ lastAttemptAt: NOW, enqueuedAt: null });
    });
  });

  it.each(HELD)('of somebody who asked begins what is %s', async (_reason, columns) => {
    const of = await newUser();
    const runId = await requested(of);
    await set(of, columns);
    expect(await start(of, { why: 'adhoc', runId })).toMatchObject({ status: 'started', runId });
    expect(await deepOf(of)).toMatchObject({ requestedRun: null, lastAttemptAt: NOW });
  });

  it.each([...HELD])(
    'that is doubled resumes a run that was left behind, though it is %s',
    async (_reason, columns) => {
      const of = await newUser();
      const run = await start(of);
      if (run.status !== 'started') throw new Error(run.status);
      await set(of, columns);
      expect(await start(of, { runId: run.runId, fence: 2 })).toMatchObject({ status: 'started' });
    },
  );

  it.each(['adhoc', 'schedule'] as RunWhy[])(
    'of a user in quarantine leaves the run that was asked for standing (%s)',
    async (why) => {
      const of = await newUser();
      const runId = await requested(of);
      await set(of, QUARANTINED);
      expect(await start(of, { why, runId })).toEqual({ status: 'closed', reason: 'quarantined' });
      expect(await deepOf(of)).toMatchObject({ requestedRun: runId, lastAttemptAt: null, enqueuedAt: null });
      expect(await inTenant((tx) => getRun(tx, { ...of, runId }))).toMatchObject({ status: 'requested' });
    },
  );
});
