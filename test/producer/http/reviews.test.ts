import { acquireLease, finishRun, getUser, listReviews, startRun } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endReviews, proposeFusion, touchMemory } from '../../fixtures/reviews.ts';
import { addUsers, BEARER, CANARY, HOST, openStage, type Stage } from '../harness.ts';

const KEY = 'a'.repeat(64);
const RUN = '01990000-0000-7000-8000-000000000001';

describe('reviews, previews and modes', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let serial = 0;
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
  const post = async (url: string, payload?: object) => {
    const reply = await send('POST', url, payload);
    return [reply.statusCode, reply.json()] as const;
  };
  const get = async (url: string) => {
    const reply = await send('GET', url);
    return [reply.statusCode, reply.json()] as const;
  };
  const tenant = 't';

  /** A user with one fusion that waits. */
  async function proposed(): Promise<{ user: string; key: string; ids: string[] }> {
    const user = `user-${++serial}`;
    await addUsers(stage.database, tenant, [user]);
    const texts = [0, 1, 2].map((i) => `${CANARY} number ${i}`);
    const summary = `${CANARY} numbers 0, 1 and 2`;
    return { user, ...(await proposeFusion(stage.database, { tenant, user, texts, summary })) };
  }

  it('lists what waits, of one user or of all', async () => {
    const one = await proposed();
    const two = await proposed();
    const [status, all] = await get('/v1/reviews?tenant=t');
    expect(status).toBe(200);
    const keys = all.reviews.map(({ key }: { key: string }) => key);
    expect(keys).toEqual(expect.arrayContaining([one.key, two.key]));
    const [, own] = await get(`/v1/reviews?tenant=t&user=${two.user}`);
    expect(own.reviews).toMatchObject([
      {
        key: two.key,
        user: two.user,
        kind: 'fusion',
        derived: { content: `${CANARY} numbers 0, 1 and 2` },
        sources: two.ids.map((id) => ({ id, fate: 'superseded', changed: false })),
      },
    ]);
    expect((await get('/v1/reviews?tenant=t&limit=1'))[1].reviews).toHaveLength(1);
    expect((await get('/v1/reviews?tenant=elsewhere'))[1].reviews).toEqual([]);
  });

  it('approves, once, and says who did', async () => {
    const { user, key } = await proposed();
    const [status, applied] = await post(`/v1/fusions/${key}/approve`, { tenant, user, by: 'zoe' });
    expect([status, applied]).toMatchObject([
      200,
      { tenant, user, key, status: 'applied', kind: 'fusion', superseded: 3, already: false },
    ]);
    expect(await post(`/v1/fusions/${key}/approve`, { tenant, user })).toMatchObject([
      200,
      { already: true },
    ]);
    expect(made.log.lines()).toContainEqual(
      expect.objectContaining({ action: 'approve', tenant: 't', user, key, superseded: 3 }),
    );
    expect(made.log.text()).not.toContain(CANARY);
    expect(await post(`/v1/fusions/${key}/reject`, { tenant, user })).toMatchObject([
      409,
      { code: 'not_in_review', retryable: false, fusionStatus: 'applied' },
    ]);
  });

  it('rejects', async () => {
    const { user, key } = await proposed();
    expect(await post(`/v1/fusions/${key}/reject`, { tenant, user })).toMatchObject([
      200,
      { status: 'rejected', already: false },
    ]);
    expect(await post(`/v1/fusions/${key}/reject`, { tenant, user })).toMatchObject([200, { already: true }]);
    expect(await post(`/v1/fusions/${key}/approve`, { tenant, user })).toMatchObject([
      409,
      { code: 'not_in_review', fusionStatus: 'rejected' },
    ]);
    const left = await stage.database.withTenant(tenant, (tx) => listReviews(tx, { tenant, user, limit: 5 }));
    expect(left).toEqual([]);
  });

  it('says when a source has changed since', async () => {
    const { user, key, ids } = await proposed();
    await touchMemory(stage.database, { tenant, id: ids[0]! });
    const [status, problem] = await post(`/v1/fusions/${key}/approve`, { tenant, user });
    expect([status, problem.code]).toEqual([409, 'stale']);
    expect(JSON.stringify(problem)).not.toContain(CANARY);
  });

  it('says when a run is at work', async () => {
    const { user, key } = await proposed();
    await acquireLease(stage.database, { tenant, user, holder: 'run', ttlMs: 60_000 });
    expect(await post(`/v1/fusions/${key}/approve`, { tenant, user })).toMatchObject([
      409,
      { code: 'busy', retryable: true },
    ]);
  });

  it('says when it waited for too long', async () => {
    const { user, key } = await proposed();
    await endReviews(stage.database, { tenant, user });
    expect(await post(`/v1/fusions/${key}/approve`, { tenant, user })).toMatchObject([
      409,
      { code: 'expired' },
    ]);
  });

  it.each(['approve', 'reject'])('%s knows no strangers', async (action) => {
    const { user, key } = await proposed();
    expect(await post(`/v1/fusions/${key}/${action}`, { tenant: 'elsewhere', user })).toMatchObject([
      404,
      { code: 'unknown_fusion' },
    ]);
    expect(await post(`/v1/fusions/${KEY}/${action}`, { tenant, user })).toMatchObject([
      404,
      { code: 'unknown_fusion' },
    ]);
  });

  it('asks for a preview, which is not a run, and shows what came of it', async () => {
    const user = `user-${++serial}`;
    await addUsers(stage.database, tenant, [user]);
    const ask = (preview: boolean) => post('/v1/consolidations', { tenant, user, tier: 'deep', preview });
    const [status, asked] = await ask(true);
    expect([status, asked]).toMatchObject([202, { existing: false, tier: 'deep' }]);
    expect(asked.previewUrl).toBe(`/v1/runs/${asked.runId}/preview?tenant=t&user=${user}`);
    expect(await ask(true)).toMatchObject([202, { runId: asked.runId, existing: true }]);
    expect(await ask(false)).toMatchObject([409, { code: 'busy', retryable: true, runId: asked.runId }]);
    expect(await get(asked.statusUrl)).toMatchObject([200, { preview: true, finished: false }]);
    expect(await get(asked.previewUrl)).toMatchObject([
      200,
      { status: 'requested', fusions: [], merges: [] },
    ]);
    const at = Date.now();
    await stage.database.withTenant(tenant, async (tx) => {
      const of = { tenant, user, runId: asked.runId as string };
      await startRun(tx, { ...of, tier: 'deep', why: 'adhoc', fence: 1, at });
      await finishRun(tx, { ...of, at, status: 'completed', nextDueAt: at, report: { steps: [] } });
    });
    expect(await get(asked.previewUrl)).toMatchObject([200, { runId: asked.runId, status: 'completed' }]);
    const [, real] = await ask(false);
    expect(real).not.toHaveProperty('previewUrl');
    expect(await get(`/v1/runs/${real.runId}/preview?tenant=t&user=${user}`)).toMatchObject([
      404,
      { code: 'unknown_preview' },
    ]);
    expect(await get(`/v1/runs/${asked.runId}/preview?tenant=elsewhere&user=${user}`)).toMatchObject([
      404,
      {},
    ]);
  });

  it('sets the mode, and previews nothing where nothing is fused', async () => {
    const user = `user-${++serial}`;
    await addUsers(stage.database, tenant, [user]);
    expect(await post(`/v1/users/${user}/mode`, { tenant, mode: 'off' })).toEqual([
      200,
      { tenant, user, mode: 'off' },
    ]);
    const found = await stage.database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
    expect(found!.mode).toBe('off');
    const ask = (more: object) => post('/v1/consolidations', { tenant, user, tier: 'deep', ...more });
    expect(await ask({ preview: true })).toMatchObject([409, { code: 'mode_off' }]);
    expect(await ask({})).toMatchObject([202, { existing: false }]);
    expect(await post('/v1/users/nobody/mode', { tenant, mode: 'auto' })).toMatchObject([
      404,
      { code: 'unknown_user' },
    ]);
  });

  it.each([
    ['/v1/fusions/abc/approve', { user: 'ana' }, 'key: expected the key of a fusion, 64 hexadecimal digits'],
    [`/v1/fusions/${KEY}/reject`, {}, 'user: expected text'],
    [`/v1/fusions/${KEY}/approve`, { user: 'ana', why: 'x' }, 'fields that are not known here'],
    [`/v1/fusions/${KEY}/approve`, { user: 'ana', by: 'a\nb' }, 'by: expected no control characters'],
    ['/v1/users/ana/mode', { mode: 'on' }, 'mode: expected one of auto, review, off'],
    ['/v1/consolidations', { user: 'ana', tier: 'deep', preview: 'yes' }, 'preview: expected true or false'],
    ['/v1/consolidations', { user: 'ana', tier: 'light', preview: true }, 'tier must be one of deep, sleep'],
  ])('refuses %s with %j', async (url, payload, told) => {
    const [status, problem] = await post(url, payload);
    expect([status, problem.code]).toEqual([400, 'invalid_request']);
    expect(problem.detail).toContain(told);
  });

  it.each(['/v1/reviews?limit=0', '/v1/reviews?all=1', '/v1/runs/x/preview?user=ana'])(
    'refuses %s',
    async (url) => {
      expect(await get(url)).toMatchObject([400, { code: 'invalid_request' }]);
    },
  );

  it.each([
    ['GET', '/v1/reviews'],
    ['POST', `/v1/fusions/${KEY}/approve`],
    ['POST', `/v1/fusions/${KEY}/reject`],
    ['GET', `/v1/runs/${RUN}/preview`],
    ['POST', '/v1/users/ana/mode'],
  ] as const)('is for the operator only: %s %s', async (method, url) => {
    expect((await send(method, url, undefined, {})).statusCode).toBe(401);
  });
});
