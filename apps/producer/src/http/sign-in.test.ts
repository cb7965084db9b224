import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cookieOf, isHttps, sessionCookie } from './cookies.ts';
import { createLoginLimit, LOGIN_LIMIT } from './login-limit.ts';
import { createSessions, SESSION_MS } from './sessions.ts';
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
  ])('%j leads to the board', (next) => {
    expect(ownPath(next)).toBe('/board');
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
  it('last for twelve hours', () => {
    let now = 1_000;
    const sessions = createSessions(() => now);
    const id = sessions.open();
    now += SESSION_MS - 1;
    expect(sessions.has(id)).toBe(true);
    now += 1;
    expect(sessions.has(id)).toBe(false);
    expect(SESSION_MS).toBe(43_200_000);
  });

  it('are unguessable, end alone and are known by nothing else', () => {
    const sessions = createSessions(() => 0);
    const [one, two] = [sessions.open(), sessions.open()];
    expect(one).toMatch(/^[\w-]{43}$/);
    expect(one).not.toBe(two);
    sessions.end(one);
    expect([sessions.has(one), sessions.has(two), sessions.has(null), sessions.has('')]).toEqual([
      false,
      true,
      false,
      false,
    ]);
  });

  it('are at most a hundred; the oldest goes', () => {
    const sessions = createSessions(() => 0);
    const ids = Array.from({ length: 101 }, () => sessions.open());
    expect(ids.filter((id) => sessions.has(id))).toEqual(ids.slice(1));
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
