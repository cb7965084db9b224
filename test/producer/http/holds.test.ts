import { ensureUsers, finishRun, getRun, requestRun, startRun } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUsers, BEARER, HOST, openStage, type Stage } from '../harness.ts';

describe('holding back', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
  });
  afterAll(() => stage.dispose());

  const send = (method: 'GET' | 'POST', url: string, payload?: object, headers: object = BEARER) =>
    made.producer.app.inject({
      method,
      url,
      headers: { ...HOST, ...headers, ...(payload ? { 'content-type': 'application/json' } : {}) },
      ...(payload ? { payload: JSON.stringify(payload) } : {}),
    });
  const post = (url: string, payload?: object) => send('POST', url, payload);
  const get = async (url: string) => (await send('GET', url)).json();
  const tiersOf = async (tenant: string, user: string) =>
    (await get(`/v1/users/${user}?tenant=${tenant}`)).tiers;

  it('pauses and resumes a user, by tier or whole', async () => {
    await addUsers(stage.database, 'u', ['ana', 'ben']);
    const paused = await post('/v1/users/ana/pause', { tenant: 'u', tiers: ['sleep', 'deep'] });
    expect([paused.statusCode, paused.json()]).toEqual([
      200,
      { tenant: 'u', user: 'ana', paused: ['deep', 'sleep'] },
    ]);
    expect(await tiersOf('u', 'ana')).toMatchObject({ light: { paused: false }, deep: { paused: true } });
    expect(await tiersOf('u', 'ben')).toMatchObject({ deep: { paused: false } });
    const resumed = await post('/v1/users/ana/resume', { tenant: 'u' });
    expect(resumed.json()).toEqual({ tenant: 'u', user: 'ana', paused: [] });
    expect(made.log.lines()).toContainEqual(
      expect.objectContaining({ action: 'pause', tenant: 'u', user: 'ana' }),
    );
  });

  it('pauses and resumes a tenant, for users to come too', async () => {
    await addUsers(stage.database, 'corp', ['ana']);
    const paused = await post('/v1/tenants/corp/pause');
    expect(paused.json()).toEqual({
      tenant: 'corp',
      tiers: ['light', 'deep', 'sleep'],
      paused: true,
      changed: 3,
    });
    await stage.database.withTenant('corp', (tx) =>
      ensureUsers(tx, [{ tenant: 'corp', user: 'ben' }], Date.now()),
    );
    expect(await tiersOf('corp', 'ben')).toMatchObject({ light: { tenantPaused: true, paused: false } });
    const resumed = await post('/v1/tenants/corp/resume', { tiers: ['light'] });
    expect(resumed.json()).toEqual({ tenant: 'corp', tiers: ['light'], paused: false, changed: 2 });
  });

  it('pauses and resumes a tier for everybody', async () => {
    await addUsers(stage.database, 'x', ['ana']);
    const paused = await post('/v1/tiers/sleep/pause');
    expect(paused.json()).toEqual({ tier: 'sleep', paused: true, changed: true });
    expect((await post('/v1/tiers/sleep/pause', {})).json()).toMatchObject({ changed: false });
    expect(await tiersOf('x', 'ana')).toMatchObject({ sleep: { tierPaused: true, paused: false } });
    expect((await post('/v1/tiers/sleep/resume')).json()).toEqual({
      tier: 'sleep',
      paused: false,
      changed: true,
    });
    expect(await tiersOf('x', 'ana')).toMatchObject({ sleep: { tierPaused: false } });
  });

  /** Fails a user's deep tier once, which is once too often. */
  async function quarantineOne(tenant: string, user: string): Promise<void> {
    const at = Date.now();
    await stage.database.withTenant(tenant, async (tx) => {
      const run = await startRun(tx, { tenant, user, tier: 'deep', why: 'adhoc', fence: 1, at });
      if (run.status !== 'started') throw new Error(run.status);
      const failure = { status: 'failed', errorCode: 'bad_rows', report: null, transient: false } as const;
      await finishRun(tx, { tenant, user, runId: run.runId, at, ...failure, quarantineAfter: 1 });
    });
  }

  it('lists users in quarantine, refuses their runs, and releases them', async () => {
    await addUsers(stage.database, 'q', ['ana', 'ben']);
    await quarantineOne('q', 'ana');
    const quarantine = { code: 'bad_rows', since: expect.any(Number) };
    expect(await get('/v1/quarantine?tenant=q')).toMatchObject({
      tenant: 'q',
      users: [{ user: 'ana', ...quarantine, faults: 1 }],
    });
    expect(await get('/v1/users/ana?tenant=q')).toMatchObject({ quarantine });
    expect(await get('/v1/users/ben?tenant=q')).toMatchObject({ quarantine: null });
    const ask = () => post('/v1/consolidations', { tenant: 'q', user: 'ana', tier: 'light' });
    const refused = await ask();
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      {
        code: 'quarantined',
        title: 'Refused as things stand',
        quarantine,
        detail: expect.stringContaining('/release'),
      },
    ]);
    const released = await post('/v1/users/ana/release', { tenant: 'q' });
    expect(released.json()).toEqual({ tenant: 'q', user: 'ana', released: true, ...quarantine });
    expect((await post('/v1/users/ana/release', { tenant: 'q' })).json()).toEqual({
      tenant: 'q',
      user: 'ana',
      released: false,
    });
    expect((await ask()).statusCode).toBe(202);
    expect(await get('/v1/quarantine?tenant=q')).toEqual({ tenant: 'q', users: [] });
  });

  it('leaves a run standing that was asked for before', async () => {
    await addUsers(stage.database, 'stand', ['ana']);
    const of = { tenant: 'stand', user: 'ana' };
    const asked = await stage.database.withTenant('stand', (tx) =>
      requestRun(tx, { ...of, tier: 'light', at: Date.now() }),
    );
    if (asked.status !== 'requested') throw new Error(asked.status);
    await quarantineOne('stand', 'ana');
    const run = await stage.database.withTenant('stand', (tx) => getRun(tx, { ...of, runId: asked.runId }));
    expect(run?.status).toBe('requested');
  });

  it.each([
    ['/v1/users/ana/pause', {}],
    ['/v1/users/ana/resume', {}],
    ['/v1/users/ana/release', {}],
  ])('knows no strangers: %s', async (url, payload) => {
    await addUsers(stage.database, 'elsewhere', ['ana']);
    const reply = await post(url, { tenant: 'strangers', ...payload });
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'unknown_user']);
  });

  it('reaches users with the longest ids', async () => {
    const user = '🐕'.repeat(200);
    await addUsers(stage.database, 'long', [user]);
    const reply = await post(`/v1/users/${encodeURIComponent(user)}/pause`, { tenant: 'long' });
    expect([reply.statusCode, reply.json().user]).toEqual([200, user]);
  });

  it.each([
    ['/v1/users/ana/pause', { tiers: ['rem'] }, 'tiers.0: expected one of light, deep, sleep'],
    ['/v1/users/ana/pause', { tiers: [] }, 'tiers: expected at least one tier'],
    ['/v1/users/ana/resume', { tiers: 'deep' }, 'tiers: expected a list of tiers'],
    ['/v1/users/ana/release', { tiers: ['deep'] }, 'fields that are not known here'],
    [`/v1/users/${'x'.repeat(201)}/pause`, {}, 'user: expected 1 to 200 characters'],
    ['/v1/tenants/a%00b/pause', {}, 'tenant: expected no control characters'],
    ['/v1/tenants/t/resume', { tenant: 't' }, 'fields that are not known here'],
    ['/v1/tiers/rem/pause', {}, 'tier: expected one of light, deep, sleep'],
    ['/v1/tiers/deep/resume', { tiers: ['deep'] }, 'fields that are not known here'],
  ])('refuses %s with %j', async (url, payload, told) => {
    const reply = await post(url, payload);
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'invalid_request']);
    expect(reply.json().detail).toContain(told);
  });

  it.each([
    ['POST', '/v1/users/ana/pause'],
    ['POST', '/v1/users/ana/release'],
    ['POST', '/v1/tenants/t/pause'],
    ['POST', '/v1/tiers/deep/pause'],
    ['GET', '/v1/quarantine'],
  ] as const)('is for the operator only: %s %s', async (method, url) => {
    expect((await send(method, url, undefined, {})).statusCode).toBe(401);
  });
});
