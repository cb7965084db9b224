import { listUsersRoute, pauseUserRoute, readUserRoute, updateUserRoute } from '@slowwave/api';
import { ensureUsers, finishRun, startRun } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setDue } from '../../fixtures/dues.ts';
import { callerOf } from '../declared.ts';
import { openStage, type Stage, tokenFor } from '../harness.ts';

const HOUR = 3_600_000;

describe('users', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let call: Awaited<ReturnType<typeof callerOf>>;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer({ overdueMs: HOUR });
    call = await callerOf(made.producer);
  });
  afterAll(() => stage.dispose());

  /** Users whose tiers are due in a day, so that nobody is overdue. */
  async function add(tenant: string, ...users: string[]): Promise<void> {
    const made = users.map((user) => ({ tenant, user }));
    await stage.database.withTenant(tenant, (tx) => ensureUsers(tx, made, Date.now()));
    await setDue(stage.database, { tenant, at: Date.now() + 24 * HOUR });
  }
  const makeOverdue = (tenant: string, user: string) =>
    setDue(stage.database, { tenant, user, tier: 'deep', at: Date.now() - 2 * HOUR });
  async function quarantine(tenant: string, user: string): Promise<void> {
    const at = Date.now();
    await stage.database.withTenant(tenant, async (tx) => {
      const run = await startRun(tx, { tenant, user, tier: 'deep', why: 'adhoc', fence: 1, at });
      if (run.status !== 'started') throw new Error(run.status);
      const failure = { status: 'failed', errorCode: 'bad_rows', report: null, transient: false } as const;
      await finishRun(tx, { tenant, user, runId: run.runId, at, ...failure, quarantineAfter: 1 });
    });
  }
  const list = async (query: Record<string, string | number | boolean>) => {
    const { status, body } = await call(listUsersRoute, { query });
    expect(status).toBe(200);
    return listUsersRoute.answers[200].schema.parse(body);
  };
  const namesOf = ({ users }: { users: { user: string }[] }) => users.map(({ user }) => user);
  const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

  it('are listed by their ids, page by page, with settings and tiers', async () => {
    const long = '🐕'.repeat(200);
    await add('l', 'cleo', 'ana', 'ben', long);
    await add('other', 'dora');
    const all = await list({ tenant: 'l' });
    expect(namesOf(all).toSorted()).toEqual(['ana', 'ben', 'cleo', long].toSorted());
    expect(all).toMatchObject({ tenant: 'l', nextCursor: null });
    expect(all.users[0]).toMatchObject({
      tenant: 'l',
      timezone: 'UTC',
      quietStart: 120,
      mode: 'auto',
      conflictPolicy: 'ask',
      quarantine: null,
      tiers: { deep: { dueAt: expect.any(Number), paused: false, failures: 0 } },
    });
    const seen: string[] = [];
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const page = await list({ tenant: 'l', limit: 1, ...(cursor === null ? {} : { cursor }) });
      seen.push(...namesOf(page));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(namesOf(all));
  });

  it('are listed by what holds them back', async () => {
    await add('h', 'fine', 'late', 'paused', 'sick');
    await makeOverdue('h', 'late');
    await makeOverdue('h', 'paused');
    await makeOverdue('h', 'sick');
    await call(pauseUserRoute, { params: { user: 'paused' }, body: { tenant: 'h', tiers: ['deep'] } });
    await quarantine('h', 'sick');
    expect(namesOf(await list({ tenant: 'h', overdue: true }))).toEqual(['late']);
    expect(namesOf(await list({ tenant: 'h', overdue: false }))).toEqual(['fine', 'paused', 'sick']);
    expect(namesOf(await list({ tenant: 'h', paused: true }))).toEqual(['paused']);
    expect(namesOf(await list({ tenant: 'h', quarantined: true }))).toEqual(['sick']);
    expect(namesOf(await list({ tenant: 'h', quarantined: false, paused: false }))).toEqual(['fine', 'late']);
    expect((await list({ tenant: 'h', quarantined: true })).users[0]!.quarantine).toMatchObject({
      code: 'bad_rows',
    });
  });

  it('whose light tier has nothing ahead are due never', async () => {
    await add('n', 'ana');
    await setDue(stage.database, { tenant: 'n', user: 'ana', tier: 'light', at: null });
    const { body } = await call(readUserRoute, { params: { user: 'ana' }, query: { tenant: 'n' } });
    expect(body).toMatchObject({ tiers: { light: { dueAt: null } }, bands: { total: 0 } });
  });

  it('get new settings in one, and sleep moves with them', async () => {
    await add('s', 'ana');
    const sleepOf = async () => (await list({ tenant: 's' })).users[0]!.tiers.sleep.dueAt;
    const before = await sleepOf();
    const settings = {
      timezone: 'Asia/Tokyo',
      quietStart: 600,
      quietEnd: 720,
      mode: 'review',
      conflictPolicy: 'newest_wins',
    };
    const reply = await call(updateUserRoute, {
      params: { user: 'ana' },
      body: { tenant: 's', ...settings },
    });
    expect([reply.status, reply.body]).toEqual([200, { tenant: 's', user: 'ana', ...settings }]);
    expect(await sleepOf()).not.toBe(before);
    const one = await call(updateUserRoute, { params: { user: 'ana' }, body: { tenant: 's', mode: 'off' } });
    expect(one.body).toMatchObject({ ...settings, mode: 'off' });
    expect((await list({ tenant: 's' })).users[0]).toMatchObject({ ...settings, mode: 'off' });
    expect(made.log.lines()).toContainEqual(expect.objectContaining({ user: 'ana', mode: 'off' }));
  });

  it('keep all their settings when one cannot be kept', async () => {
    await add('k', 'ana');
    const body = { tenant: 'k', mode: 'off', conflictPolicy: 'newest_wins', timezone: 'Mars/Olympus' };
    const refused = await call(updateUserRoute, { params: { user: 'ana' }, body });
    expect(codeOf(refused)).toEqual([400, 'invalid_request']);
    expect(refused.body.detail).toContain('Europe/Berlin');
    expect((await list({ tenant: 'k' })).users[0]).toMatchObject({
      timezone: 'UTC',
      mode: 'auto',
      conflictPolicy: 'ask',
    });
  });

  it('are of one tenant', async () => {
    await add('own', 'ana');
    const { authorization } = await tokenFor(stage.database, { tenant: 'elsewhere', role: 'admin' });
    const headers = { authorization };
    const change = (body: object, more: { headers?: Record<string, string> } = {}) =>
      call(updateUserRoute, { params: { user: 'ana' }, body, ...more });
    expect(codeOf(await change({ tenant: 'own', mode: 'off' }, { headers }))).toEqual([403, 'wrong_tenant']);
    expect(codeOf(await change({ mode: 'off' }, { headers }))).toEqual([404, 'unknown_user']);
    expect(codeOf(await change({ mode: 'off' }))).toEqual([404, 'unknown_user']);
    const foreign = await call(listUsersRoute, { query: { tenant: 'own' }, headers });
    expect(codeOf(foreign)).toEqual([403, 'wrong_tenant']);
    expect((await call(listUsersRoute, { headers })).body).toMatchObject({ tenant: 'elsewhere', users: [] });
    const reader = await tokenFor(stage.database, { tenant: 'own', role: 'read' });
    const low = { headers: { authorization: reader.authorization } };
    expect(codeOf(await change({ mode: 'off' }, low))).toEqual([403, 'role_too_low']);
  });

  it.each([
    [{}, 'expected something to change: timezone'],
    [{ mode: 'on' }, 'mode: expected one of auto, review, off'],
    [{ conflictPolicy: 'oldest' }, 'conflictPolicy: expected one of ask, newest_wins'],
    [{ quietStart: 1_440 }, 'quietStart: expected whole minutes after midnight'],
    [{ quietEnd: '05:00' }, 'quietEnd: expected whole minutes after midnight'],
    [{ timezone: '' }, 'timezone: expected the name of a time zone'],
    [{ timezone: '+02:00' }, 'an IANA name like Europe/Berlin is expected'],
    [{ mode: 'off', name: 'x' }, 'fields that are not known here'],
  ])('refuse the settings %j', async (settings, told) => {
    await add('r', 'ana');
    const { status, body } = await call(updateUserRoute, {
      params: { user: 'ana' },
      body: { tenant: 'r', ...settings },
    });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain(told);
  });

  it.each([
    [{ overdue: 'perhaps' }, 'overdue: expected'],
    [{ limit: 0 }, 'limit: expected a whole number from 1 to 200'],
    [{ cursor: 'e30' }, 'cursor must be the nextCursor of the page before'],
    [{ user: 'ana' }, 'fields that are not known here'],
  ])('refuse the list %j', async (query, told) => {
    const { status, body } = await call(listUsersRoute, { query });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain(told);
  });
});
