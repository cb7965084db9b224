import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECHECK_MS } from '../../../apps/producer/src/http/sessions.ts';
import { addUsers, BEARER, HOST, openStage, type Stage, signIn, tokenFor } from '../harness.ts';

describe('tokens of tenants', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    await addUsers(stage.database, 'acme', ['ana']);
    await addUsers(stage.database, 'other', ['ana']);
  });
  afterAll(() => stage.dispose());

  const newApp = () => {
    const { producer, clock, log } = stage.newProducer();
    type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
    const send = (method: Method, url: string, headers: Record<string, string>, body?: unknown) =>
      producer.app.inject({
        method,
        url,
        headers: { ...HOST, ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      });
    return { producer, clock, log, send };
  };
  const token = async (role: 'read' | 'write' | 'admin', tenant = 'acme') => {
    const { authorization } = await tokenFor(stage.database, { tenant, role });
    return { authorization };
  };

  it('are made, listed, used and revoked', async () => {
    const { send, log } = newApp();
    const made = await send('POST', '/v1/tokens', BEARER, { tenant: 'acme', name: 'agent', role: 'admin' });
    expect(made.statusCode).toBe(201);
    const { secret, token } = made.json();
    expect(token).toMatchObject({ name: 'agent', role: 'admin', createdBy: 'operator', expiresAt: null });
    const own = { authorization: `Bearer ${secret}` };
    const listed = await send('GET', '/v1/tokens', own);
    expect(listed.json()).toMatchObject({ tenant: 'acme', tokens: [{ id: token.id }], nextCursor: null });
    expect(listed.body).not.toContain(secret.slice(-43));
    expect((await send('GET', '/v1/access', own)).json()).toEqual({
      name: 'agent',
      tenant: 'acme',
      role: 'admin',
      speaksForUser: false,
    });
    expect((await send('GET', '/v1/access', BEARER)).json()).toMatchObject({
      name: 'operator',
      tenant: null,
    });
    const given = { name: 'reader', role: 'read', speaksForUser: true };
    const second = await send('POST', '/v1/tokens', own, given);
    const speaker = { authorization: `Bearer ${second.json().secret}` };
    expect((await send('GET', '/v1/access', speaker)).json()).toMatchObject({ speaksForUser: true });
    expect(second.json()).toMatchObject({ tenant: 'acme', token: { createdBy: 'agent', role: 'read' } });
    const revoked = await send('DELETE', `/v1/tokens/${token.id}?tenant=acme`, BEARER);
    expect([revoked.statusCode, typeof revoked.json().token.revokedAt]).toEqual([200, 'number']);
    expect((await send('GET', '/v1/tokens', own)).statusCode).toBe(401);
    expect(log.text()).not.toContain(secret.slice(-43));
  });

  it('are made by the admin of a tenant for that tenant only', async () => {
    const { send } = newApp();
    const admin = await token('admin');
    const asked = { tenant: 'other', name: 'x', role: 'read' };
    const refused = await send('POST', '/v1/tokens', admin, asked);
    expect([refused.statusCode, refused.json().code]).toEqual([403, 'wrong_tenant']);
    expect((await send('GET', '/v1/tokens?tenant=other', admin)).statusCode).toBe(403);
    const others = await tokenFor(stage.database, { tenant: 'other', role: 'read' });
    const gone = await send('DELETE', `/v1/tokens/${others.id}`, admin);
    expect([gone.statusCode, gone.json().code]).toEqual([404, 'unknown_token']);
    for (const role of ['read', 'write'] as const) {
      const low = await send('POST', '/v1/tokens', await token(role), { name: 'x', role });
      expect([low.statusCode, low.json().code]).toEqual([403, 'role_too_low']);
    }
  });

  it('are refused with what is wrong', async () => {
    const { send } = newApp();
    const told = async (body: object) => {
      const reply = await send('POST', '/v1/tokens', BEARER, body);
      expect(reply.statusCode).toBe(400);
      return reply.json().detail as string;
    };
    expect(await told({ name: 'x', role: 'owner' })).toContain('expected one of read, write, admin');
    expect(await told({ role: 'read' })).toContain('name: expected text');
    expect(await told({ name: 'x', role: 'read', expiresAt: 1 })).toContain('must lie in the future');
    expect(await told({ name: 'x', role: 'read', expiresAt: '2030' })).toContain('epoch milliseconds');
    expect(await told({ name: 'x', role: 'read', scope: 'all' })).toContain('not known here');
  });

  it('all fail the same way, whatever is wrong with them', async () => {
    const { send, clock } = newApp();
    const { secret, token } = (await send('POST', '/v1/tokens', BEARER, { name: 'x', role: 'read' })).json();
    const ending = await tokenFor(stage.database, {
      tenant: 'acme',
      role: 'read',
      expiresAt: Date.now() + 60_000,
    });
    await send('DELETE', `/v1/tokens/${token.id}`, BEARER);
    clock.forward(60_000);
    const replies = await Promise.all(
      [secret, ending.authorization.slice(7), `swt_${'0'.repeat(32)}_${'A'.repeat(43)}`, 'swt_', 'guess'].map(
        (given) => send('GET', '/v1/tokens', { authorization: `Bearer ${given}` }),
      ),
    );
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1);
    for (const reply of replies) {
      expect([reply.statusCode, reply.json().code, reply.headers['www-authenticate']]).toEqual([
        401,
        'not_signed_in',
        'Bearer',
      ]);
    }
  });

  it('are refused before the body is read', async () => {
    const { send } = newApp();
    const reply = await send('POST', '/v1/tokens', await token('read'), 'x'.repeat(2 * 1024 * 1024) as never);
    expect([reply.statusCode, reply.json().code]).toEqual([403, 'role_too_low']);
  });

  it('open sessions that end with them', async () => {
    const { producer, clock, send } = newApp();
    const { secret, token } = (await send('POST', '/v1/tokens', BEARER, { name: 'x', role: 'admin' })).json();
    const session = await signIn(producer, secret);
    const status = async () => (await send('GET', '/v1/tokens', session)).statusCode;
    expect(await status()).toBe(200);
    expect((await send('GET', '/v1/tokens?tenant=other', session)).statusCode).toBe(403);
    await send('DELETE', `/v1/tokens/${token.id}`, BEARER);
    clock.forward(RECHECK_MS);
    expect(await status()).toBe(401);
  });

  it('do not show the board, which is about all tenants', async () => {
    const { producer, send } = newApp();
    const admin = await token('admin');
    const session = await signIn(producer, admin.authorization.slice(7));
    const page = await send('GET', '/board', session);
    expect([page.statusCode, page.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
    expect(page.body).toContain('use the operator token');
    const queues = await send('GET', '/board/api/queues', session);
    expect([queues.statusCode, queues.json().code]).toEqual([403, 'wrong_tenant']);
    expect((await send('PUT', '/board/api/queues/pause', session)).statusCode).toBe(403);
    expect((await send('GET', '/board', await signIn(producer))).statusCode).toBe(200);
  });
});
