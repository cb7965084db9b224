import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cookieOf, isHttps, sessionCookie } from './cookies.ts';
import { createLoginLimit, LOGIN_LIMIT } from './login-limit.ts';
import { OPERATOR, type Principal } from './principal.ts';
import { createSessions, RECHECK_MS, SESSION_MS, SESSIONS_PER_TOKEN } from './sessions.ts';
import { ownPath } from './sign-in.ts';

describe('the way back after signing in', () => {
  it.each([
    ['/board', '/board'],
    ['/board/queue/fusions?status=failed', '/board/queue/fusions?status=failed'],
    ['/', '/'],
    ['/board#part', '/board'],
  ])('%s leads to %s', (next, expected) => {
    expect(ownPath(next)).toBe(expected);
  });

  it.each([
    undefined,
    null,
    7,
    '',
    'board',
    '//example.org',
    '/\\example.org',
    '/\t/example.org',
    '/\n/example.org',
    'https://example.org/board',
    'javascript:alert(1)',
    '/.//example.org',
    '/..//example.org',
    `/${'x'.repeat(2_000)}`,
  ])('%j leads to the dashboard', (next) => {
    expect(ownPath(next)).toBe('/dashboard');
  });

  it('never leads out of the service', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '.',
      ':',
      '@',
      '\t',
      '\n',
      '?',
      '#',
      'http',
      'evil.example',
      '%2f',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const path = ownPath(`/${pieces.join('')}`);
        expect(new URL(path, 'http://localhost:8787').host).toBe('localhost:8787');
        expect(path.startsWith('/') && !/[\r\n]/.test(path)).toBe(true);
      }),
    );
  });
});

describe('sessions', () => {
  const tenants: Principal = {
    name: 'agent',
    tenant: 'acme',
    role: 'read',
    speaksForUser: false,
    tokenId: 'a-token',
  };
  const newSessions = (now: () => number = () => 0, stillLetIn = async (_: Principal) => true) =>
    createSessions({ now, stillLetIn });

  it('last for twelve hours', async () => {
    let now = 1_000;
    const sessions = newSessions(() => now);
    const id = sessions.open(OPERATOR);
    now += SESSION_MS - 1;
    expect(await sessions.find(id)).toBe(OPERATOR);
    now += 1;
    expect(await sessions.find(id)).toBeNull();
    expect(SESSION_MS).toBe(43_200_000);
  });

  it('are unguessable, end alone and are known by nothing else', async () => {
    const sessions = newSessions();
    const [one, two] = [sessions.open(OPERATOR), sessions.open(tenants)];
    expect(one).toMatch(/^[\w-]{43}$/);
    expect(one).not.toBe(two);
    sessions.end(one);
    expect(await Promise.all([one, two, null, ''].map((id) => sessions.find(id)))).toEqual([
      null,
      tenants,
      null,
      null,
    ]);
  });

  it('are at most ten of one token; the oldest of the same token ends, and none of another', async () => {
    const sessions = newSessions();
    const others = { ...tenants, tokenId: 'another-token' };
    const ids = [sessions.open(OPERATOR), sessions.open(others)];
    const many = Array.from({ length: 200 }, () => sessions.open(tenants));
    expect(await Promise.all(ids.map((id) => sessions.find(id)))).toEqual([OPERATOR, others]);
    const found = await Promise.all(many.map((id) => sessions.find(id)));
    expect(SESSIONS_PER_TOKEN).toBe(10);
    expect(found).toEqual(many.map((_, i) => (i < 190 ? null : tenants)));
    const own = Array.from({ length: 10 }, () => sessions.open(OPERATOR));
    expect(await sessions.find(ids[0]!)).toBeNull();
    expect(await sessions.find(own[0]!)).toBe(OPERATOR);
  });

  it('that ended make room for new ones of their token', async () => {
    let now = 0;
    const sessions = newSessions(() => now);
    for (let i = 0; i < 10; i++) sessions.open(tenants);
    now = SESSION_MS;
    const ids = Array.from({ length: 10 }, () => sessions.open(tenants));
    expect(await Promise.all(ids.map((id) => sessions.find(id)))).toEqual(ids.map(() => tenants));
  });

  it('end with the token that opened them, within ten seconds, and are not looked at more often', async () => {
    let now = 0;
    let valid = true;
    let asked = 0;
    const sessions = newSessions(
      () => now,
      async (principal) => {
        expect(principal).toBe(tenants);
        asked += 1;
        return valid;
      },
    );
    const id = sessions.open(tenants);
    expect(RECHECK_MS).toBe(10_000);
    now += RECHECK_MS;
    expect(await sessions.find(id)).toBe(tenants);
    valid = false;
    now += RECHECK_MS - 1;
    expect(await sessions.find(id)).toBe(tenants);
    expect(asked).toBe(1);
    now += 1;
    expect(await sessions.find(id)).toBeNull();
    valid = true;
    expect(await sessions.find(id)).toBeNull();
    expect(asked).toBe(2);
  });
});

describe('the limit of failed logins', () => {
  it('blocks an address, and lets it go after the window', () => {
    let now = 0;
    const limit = createLoginLimit(() => now);
    for (let i = 0; i < LOGIN_LIMIT.perAddress; i++) {
      expect(limit.blockedFor('10.0.0.1')).toBe(0);
      limit.failed('10.0.0.1');
    }
    now += 10_000;
    expect(limit.blockedFor('10.0.0.1')).toBe(LOGIN_LIMIT.windowMs - 10_000);
    expect(limit.blockedFor('10.0.0.2')).toBe(0);
    now += LOGIN_LIMIT.windowMs - 10_000;
    expect(limit.blockedFor('10.0.0.1')).toBe(0);
  });

  it('blocks everybody when many addresses guess', () => {
    const limit = createLoginLimit(() => 0);
    for (let i = 0; i < LOGIN_LIMIT.overall; i++) limit.failed(`10.0.0.${i}`);
    expect(limit.blockedFor('10.9.9.9')).toBeGreaterThan(0);
  });
});

describe('the cookie', () => {
  it('is found among others', () => {
    const of = (cookie?: string) =>
      cookieOf({ headers: { ...(cookie === undefined ? {} : { cookie }) } }, 'a');
    expect(of('b=1; a=x=y; a=2')).toBe('x=y');
    expect(of('ab=1; b=a')).toBeNull();
    expect(of()).toBeNull();
  });

  it('is for this service alone, and for https when it came by https', () => {
    expect(sessionCookie('i', { maxAgeMs: 60_000, secure: false })).toBe(
      'slowwave_session=i; Max-Age=60; Path=/; HttpOnly; SameSite=Strict',
    );
    expect(sessionCookie('i', { maxAgeMs: 60_000, secure: true })).toMatch(/; Secure$/);
    expect(isHttps({ protocol: 'http', headers: {} })).toBe(false);
    expect(isHttps({ protocol: 'https', headers: {} })).toBe(true);
    expect(isHttps({ protocol: 'http', headers: { 'x-forwarded-proto': 'https, http' } })).toBe(true);
  });
});
