import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOGIN_LIMIT } from '../../../apps/producer/src/http/login-limit.ts';
import { SESSION_MS } from '../../../apps/producer/src/http/sessions.ts';
import { OperatorTokenMissing } from '../../../apps/producer/src/producer.ts';
import { BEARER, HOST, openStage, type Stage, signIn, TOKEN, tokenFor } from '../harness.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the HTTP service', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.dispose());

  const newApp = (more: Parameters<Stage['newProducer']>[0] = {}) => {
    const { producer, log, clock } = stage.newProducer(more);
    type Headers = Record<string, string>;
    const send = (
      method: 'GET' | 'POST' | 'PUT',
      url: string,
      headers: Headers = {},
      payload?: string | Buffer,
    ) =>
      producer.app.inject({
        method,
        url,
        headers: { ...HOST, ...headers },
        ...(payload === undefined ? {} : { payload }),
      });
    return { producer, log, clock, send };
  };

  it('is not opened without an operator token', () => {
    expect(() => newApp({ operatorToken: null })).toThrow(OperatorTokenMissing);
    expect(() => newApp({ operatorToken: '' })).toThrow(OperatorTokenMissing);
  });

  it('answers to its own names only, on every address', async () => {
    const { send } = newApp({ allowedHosts: ['slow.example.org'] });
    for (const url of ['/', '/health/live', '/login', '/board', '/v1/users/ana', '/nowhere']) {
      const reply = await send('GET', url, { ...BEARER, host: 'rebound.example.org:8787' });
      expect([url, reply.statusCode, reply.json().code]).toEqual([url, 421, 'unknown_host']);
    }
    expect((await send('GET', '/health/live', { host: 'slow.example.org' })).statusCode).toBe(200);
    expect((await send('GET', '/health/live')).statusCode).toBe(200);
  });

  it('takes changes from its own pages and from no page, and from no others', async () => {
    const { producer, send } = newApp();
    const session = await signIn(producer);
    const foreign = { origin: 'http://localhost:3000' };
    for (const url of ['/login', '/logout', '/v1/consolidations', '/v1/imports', '/nowhere']) {
      const reply = await send('POST', url, { ...session, ...foreign, ...FORM }, 'x=1');
      expect([url, reply.statusCode, reply.json().code]).toEqual([url, 403, 'foreign_origin']);
    }
    const own = { origin: 'http://localhost:8787' };
    expect((await send('POST', '/login', { ...own, ...FORM }, `token=${TOKEN}`)).statusCode).toBe(303);
    // What a browser sends with a form of a page that keeps its referrer to itself.
    expect((await send('POST', '/login', { origin: 'null', ...FORM }, `token=${TOKEN}`)).statusCode).toBe(
      403,
    );
  });

  it('shows the board to no page of another origin', async () => {
    const { producer, send } = newApp();
    const session = await signIn(producer);
    const foreign = { ...session, origin: 'http://localhost:3000' };
    expect((await send('GET', '/board', foreign)).statusCode).toBe(403);
    expect((await send('GET', '/board/api/queues', foreign)).statusCode).toBe(403);
    expect((await send('PUT', '/board/api/queues/pause', foreign)).statusCode).toBe(403);
    const embedded = { ...session, 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' };
    expect((await send('GET', '/board/api/queues', embedded)).statusCode).toBe(403);
    expect((await send('GET', '/board', { ...session, origin: 'http://localhost:8787' })).statusCode).toBe(
      200,
    );
  });

  it('keeps the API for the bearer of the token, or an own page of who is signed in', async () => {
    const { producer, send } = newApp();
    const status = async (headers: Record<string, string>) =>
      (await send('GET', '/v1/users/nobody', headers)).statusCode;
    const wrong = await send('GET', '/v1/users/nobody', { authorization: `Bearer ${TOKEN}x` });
    expect([wrong.statusCode, wrong.headers['www-authenticate'], wrong.json().code]).toEqual([
      401,
      'Bearer',
      'not_signed_in',
    ]);
    expect(await status({})).toBe(401);
    expect(await status({ authorization: TOKEN })).toBe(401);
    expect(await status({ authorization: 'Bearer ' })).toBe(401);
    expect(await status({ cookie: 'slowwave_session=guess' })).toBe(401);
    expect(await status(BEARER)).toBe(404);
    const session = await signIn(producer);
    expect(await status(session)).toBe(404);
    expect(await status({ ...session, authorization: 'Bearer wrong' })).toBe(401);
    expect(await status({ ...session, origin: 'http://localhost:3000' })).toBe(403);
    expect(await status({ ...session, 'sec-fetch-site': 'same-site' })).toBe(403);
  });

  it('signs in with the token, and out again', async () => {
    const { send } = newApp();
    const page = await send('GET', '/login?next=/board/queue/fusions');
    expect(page.body).toContain('name="next" value="/board/queue/fusions"');
    const reply = await send('POST', '/login', FORM, `next=%2Fboard%2Fqueue%2Ffusions&token=${TOKEN}`);
    expect([reply.statusCode, reply.headers.location]).toEqual([303, '/board/queue/fusions']);
    const set = String(reply.headers['set-cookie']);
    expect(set).toMatch(/^slowwave_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const session = { cookie: set.split(';')[0]! };
    expect((await send('GET', '/board', session)).statusCode).toBe(200);
    expect((await send('GET', '/login', session)).headers.location).toBe('/dashboard');
    const out = await send('POST', '/logout', session);
    expect(String(out.headers['set-cookie'])).toContain('slowwave_session=; Max-Age=0');
    expect((await send('GET', '/board', session)).statusCode).toBe(302);
  });

  it('marks the cookie for https when it came by https, and leads nowhere else', async () => {
    const { send } = newApp();
    const https = { ...FORM, 'x-forwarded-proto': 'https' };
    const reply = await send('POST', '/login', https, `token=${TOKEN}&next=//example.org/board`);
    expect(String(reply.headers['set-cookie'])).toMatch(/; Secure$/);
    expect(reply.headers.location).toBe('/dashboard');
    const quoted = await send('GET', `/login?next=${encodeURIComponent('/"><script>')}`);
    expect(quoted.body).not.toContain('<script>');
  });

  it('ends sessions after twelve hours', async () => {
    const { producer, clock, send } = newApp();
    const session = await signIn(producer);
    clock.forward(SESSION_MS - 60_000);
    expect((await send('GET', '/board/api/queues', session)).statusCode).toBe(200);
    clock.forward(60_001);
    expect((await send('GET', '/board/api/queues', session)).statusCode).toBe(401);
    expect((await send('GET', '/board', session)).headers.location).toBe('/login?next=%2Fboard');
  });

  it('keeps the board for sessions: not even the token opens it', async () => {
    const { send } = newApp();
    const strangers: Record<string, string>[] = [{}, BEARER, { cookie: 'slowwave_session=guess' }];
    for (const headers of strangers) {
      for (const url of ['/board', '/board/', '/board/queue/fusions', '/board/static/favicon-32x32.png']) {
        const page = await send('GET', url, headers);
        expect([url, page.statusCode, page.headers.location]).toEqual([url, 302, '/login?next=%2Fboard']);
      }
      for (const url of ['/board/api/queues', '/board//api/queues', '/%62oard/api/queues']) {
        expect((await send('GET', url, headers)).statusCode).toBeGreaterThanOrEqual(400);
      }
      expect((await send('PUT', '/board/api/queues/pause', headers)).statusCode).toBe(401);
    }
    expect(await stage.queues.isPaused('deep')).toBe(false);
  });

  it('refuses wrong tokens beyond the limit with 429, and lets the right one in from the same address', async () => {
    const { clock, send } = newApp();
    const guess = () => send('POST', '/login', FORM, 'token=guess');
    for (let i = 0; i < LOGIN_LIMIT.perAddress; i++) {
      const reply = await guess();
      expect([reply.statusCode, reply.headers['set-cookie']]).toEqual([401, undefined]);
      expect(reply.body).toContain('role="alert"');
    }
    const blocked = await guess();
    expect(blocked.statusCode).toBe(429);
    expect(Number(blocked.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send('POST', '/login', FORM, `token=${TOKEN}`)).statusCode).toBe(303);
    const { authorization } = await tokenFor(stage.database, { tenant: 'acme', role: 'read' });
    const form = `token=${authorization.slice('Bearer '.length)}`;
    expect((await send('POST', '/login', FORM, form)).statusCode).toBe(303);
    expect((await guess()).statusCode).toBe(429);
    clock.forward(LOGIN_LIMIT.windowMs);
    expect((await guess()).statusCode).toBe(401);
  });

  it('leaves the session of the operator open, however often a token of a tenant signs in', async () => {
    const { producer, send } = newApp();
    const session = await signIn(producer);
    const { authorization } = await tokenFor(stage.database, { tenant: 'acme', role: 'read' });
    for (let i = 0; i < 101; i++) await signIn(producer, authorization.slice('Bearer '.length));
    expect((await send('GET', '/board', session)).statusCode).toBe(200);
  });

  it.each([
    ['off: the connection', false as const, '203.0.113.7', 429],
    ['one hop: what the last proxy says', 1, '203.0.113.7', 401],
    ['one hop: nothing that the caller says', 1, '203.0.113.9, 198.51.100.1', 429],
    ['by address: what they say', ['loopback'], '203.0.113.7', 401],
    ['by address: nothing that others say', ['10.0.0.1'], '203.0.113.7', 429],
  ])('trustProxy %s counts as the address of a caller', async (_what, trustProxy, forwarded, status) => {
    const { send } = newApp({ trustProxy });
    const guess = (from: string) =>
      send('POST', '/login', { ...FORM, 'x-forwarded-for': from }, 'token=guess');
    for (let i = 0; i < LOGIN_LIMIT.perAddress; i++) await guess('198.51.100.1');
    expect((await guess(forwarded)).statusCode).toBe(status);
  });

  it('guards every answer with its headers', async () => {
    const { producer, send } = newApp();
    const session = await signIn(producer);
    for (const url of ['/', '/login', '/board', '/health/live', '/nowhere', '/v1/users/a', '/%ff']) {
      const { headers } = await send('GET', url, session);
      expect([url, headers['x-content-type-options'], headers['x-frame-options']]).toEqual([
        url,
        'nosniff',
        'DENY',
      ]);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy']).not.toMatch(/script-src[^;]*unsafe/);
      expect(headers['referrer-policy']).toBe('same-origin');
    }
  });

  it('tells every error as a problem', async () => {
    const { send } = newApp();
    const json = { ...BEARER, 'content-type': 'application/json' };
    const told = async (...given: Parameters<typeof send>) => {
      const reply = await send(...given);
      expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8');
      const { type, title, status, code, detail } = reply.json();
      expect([type, status, typeof title, typeof detail]).toEqual([
        `urn:slowwave:problem:${code}`,
        reply.statusCode,
        'string',
        'string',
      ]);
      return [status, code];
    };
    expect(await told('GET', '/nowhere')).toEqual([404, 'unknown_route']);
    expect(await told('GET', '/%ff')).toEqual([400, 'invalid_request']);
    expect(await told('POST', '/v1/consolidations', json, '{"user": CANARY')).toEqual([400, 'invalid_body']);
    expect(await told('POST', '/v1/consolidations', json, '')).toEqual([400, 'invalid_body']);
    const large = JSON.stringify({ user: 'x'.repeat(1024 * 1024) });
    expect(await told('POST', '/v1/consolidations', json, large)).toEqual([413, 'body_too_large']);
    const xml = { ...BEARER, 'content-type': 'text/xml' };
    expect(await told('POST', '/v1/consolidations', xml, '<a/>')).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    [
      'bytes that are no UTF-8',
      'application/json',
      Buffer.from('{"user":"caf\xe9"}', 'latin1'),
      'invalid_body',
    ],
    ['another charset', 'application/json; charset=iso-8859-1', Buffer.from('{}'), 'unsupported_media_type'],
    ['a charset in quotes', 'application/json;charset="UTF-16"', Buffer.from('{}'), 'unsupported_media_type'],
    [
      'UTF-8 with a byte order mark',
      'application/json; charset=utf8',
      Buffer.from('\ufeff{"user":"caf\u00e9","tier":"deep"}'),
      'unknown_user',
    ],
  ])(
    'POST /v1/consolidations: a body in %s (%s), answers as it can be read',
    async (_what, type, body, code) => {
      const { send } = newApp();
      const reply = await send('POST', '/v1/consolidations', { ...BEARER, 'content-type': type }, body);
      expect(reply.json().code).toBe(code);
      expect(reply.body).not.toContain('caf');
    },
  );

  it('logs method, route, status and time of a request, and nothing of what was said', async () => {
    const { log, send } = newApp();
    const said = 'CANARY-said';
    await send('GET', `/v1/users/${said}?tenant=${said}`, { ...BEARER, cookie: said });
    await send('POST', '/login', FORM, `token=${said}`);
    await send('GET', `/${said}?q=${said}`, { 'user-agent': said });
    await send('POST', '/v1/consolidations', { ...BEARER, 'content-type': 'application/json' }, `{"${said}`);
    const requests = log.lines().filter((line) => line.msg === 'request');
    expect(requests.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['GET', '/v1/users/:user', 404],
      ['POST', '/login', 401],
      ['GET', 'unknown', 404],
      ['POST', '/v1/consolidations', 400],
    ]);
    expect(requests.every(({ durationMs }) => typeof durationMs === 'number')).toBe(true);
    expect(log.text()).not.toContain(said);
    expect(log.text()).not.toContain(TOKEN);
  });

  it('logs what open pages and collectors ask all the time as debug, unless it fails', async () => {
    const { log, producer, send } = newApp();
    const session = await signIn(producer);
    const asked = ['/health/live', '/metrics', '/openapi.json', '/board', '/dashboard', '/dashboard/users'];
    for (const url of asked) await send('GET', url, session);
    await send('GET', '/dashboard/users/nobody', session);
    await send('POST', '/dashboard/users/nobody/pause', { ...session, ...FORM }, 'form=forged');
    const requests = log.lines().filter(({ msg, route }) => msg === 'request' && route !== '/login');
    const [debug, info] = [20, 30];
    expect(requests.map(({ route, status, level }) => [route, status, level])).toEqual([
      ...asked.map((url) => [url, 200, debug]),
      ['/dashboard/users/:user', 404, info],
      ['/dashboard/users/:user/pause', 403, info],
    ]);
  });

  it('has a start page that says what runs and what to try', async () => {
    const { send } = newApp();
    const { body, headers } = await send('GET', '/');
    expect(headers['content-type']).toContain('text/html');
    for (const part of [
      '1.2.3',
      'Redis',
      'href="/board"',
      'href="/health/ready"',
      'http://localhost:8787/v1/imports',
    ]) {
      expect(body).toContain(part);
    }
    expect(body).not.toContain(TOKEN);
    expect(body).not.toMatch(/<script|https?:\/\/(?!localhost:8787)/);
  });
});
