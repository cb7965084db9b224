import { describe, expect, it } from 'vitest';
import { isOwnHost, isOwnOrigin, isSameOrigin } from './gate.ts';

describe('the Host check', () => {
  it.each(['localhost', 'localhost:8787', 'LOCALHOST:1', '127.0.0.1:8787', '127.8.9.10', '[::1]:8787'])(
    'knows %s',
    (host) => {
      expect(isOwnHost(host, [])).toBe(true);
    },
  );

  it.each([
    undefined,
    '',
    'example.org',
    'localhost.example.org',
    '127.0.0.1.example.org',
    '127.evil.example',
    'localhost@example.org',
    'localhost:8787:1',
    'localhost:port',
    'localhost/',
    '[::2]',
    '10.0.0.1',
    ' localhost',
    'localhost\n',
  ])('refuses %j', (host) => {
    expect(isOwnHost(host, [])).toBe(false);
  });

  it('knows the listed names, with any port or with theirs', () => {
    const allowed = ['Slow.Example.org', 'other.example.org:444'];
    expect(isOwnHost('slow.example.org', allowed)).toBe(true);
    expect(isOwnHost('slow.example.org:9000', allowed)).toBe(true);
    expect(isOwnHost('other.example.org:444', allowed)).toBe(true);
    expect(isOwnHost('other.example.org', allowed)).toBe(false);
    expect(isOwnHost('very.slow.example.org', allowed)).toBe(false);
  });
});

describe('the Origin check', () => {
  it('takes no origin and its own', () => {
    expect(isOwnOrigin(undefined, 'localhost:8787')).toBe(true);
    expect(isOwnOrigin('http://localhost:8787', 'localhost:8787')).toBe(true);
    expect(isOwnOrigin('https://slow.example.org', 'Slow.example.org')).toBe(true);
  });

  it.each([
    'null',
    '',
    'http://localhost:3000',
    'http://localhost',
    'http://example.org',
    'file://localhost:8787',
  ])('refuses %j', (origin) => {
    expect(isOwnOrigin(origin, 'localhost:8787')).toBe(false);
  });

  it('believes a browser that says the request comes from elsewhere', () => {
    const from = (site: string, method = 'GET', mode = 'cors') =>
      isSameOrigin({
        method,
        headers: { host: 'localhost:8787', 'sec-fetch-site': site, 'sec-fetch-mode': mode },
      });
    expect(from('same-origin')).toBe(true);
    expect(from('none')).toBe(true);
    expect(from('same-site')).toBe(false);
    expect(from('cross-site')).toBe(false);
    expect(from('cross-site', 'GET', 'navigate')).toBe(true);
    expect(from('cross-site', 'POST', 'navigate')).toBe(false);
  });
});
