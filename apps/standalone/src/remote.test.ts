import { describe, expect, it } from 'vitest';
import { UsageError } from './exit.ts';
import { OWN_TENANT, remoteOf, withoutOwnTenant, withoutRemote } from './remote.ts';

describe('the service that commands ask', () => {
  it('is the one that was named, on the command line before the environment', () => {
    const environment = { SLOWWAVE_URL: 'http://a:1', SLOWWAVE_TOKEN: 'of a' };
    expect(remoteOf({}, environment)).toEqual({ url: 'http://a:1', token: 'of a' });
    expect(remoteOf({ url: 'https://b/' }, environment)).toEqual({ url: 'https://b', token: 'of a' });
    expect(remoteOf({}, { SLOWWAVE_TOKEN: 'left over' })).toBeNull();
    expect(remoteOf({}, {})).toBeNull();
    expect(withoutRemote({ ...environment, DATABASE_URL: 'x' })).toEqual({ DATABASE_URL: 'x' });
  });

  it.each([
    [{ url: 'ftp://a', token: 't' }, 'https://'],
    [{ url: 'a', token: 't' }, 'https://'],
    [{ url: 'http://u:secret@a', token: 't' }, 'https://'],
    [{ url: 'http://a/base', token: 't' }, 'https://'],
    [{ url: 'http://u:secret@a' }, 'SLOWWAVE_TOKEN'],
    [{ token: 't' }, '--url'],
  ])('is refused when it cannot be one: %j', (given, said) => {
    const refused = () => remoteOf(given, {});
    expect(refused).toThrow(UsageError);
    expect(refused).toThrow(said);
    expect(refused).not.toThrow('secret');
  });

  it('is told no tenant that nobody named', () => {
    const query = new URLSearchParams({ tenant: OWN_TENANT, user: 'a b' });
    expect(withoutOwnTenant(`/v1/x?${query}`, JSON.stringify({ tenant: OWN_TENANT, a: 1 }))).toEqual({
      path: '/v1/x?user=a+b',
      body: '{"a":1}',
    });
    expect(withoutOwnTenant('/v1/x?tenant=t', '{"tenant":"t"}')).toEqual({
      path: '/v1/x?tenant=t',
      body: '{"tenant":"t"}',
    });
    const inPath = `/v1/tenants/${encodeURIComponent(OWN_TENANT)}/pause`;
    expect(() => withoutOwnTenant(inPath, undefined)).toThrow('--tenant');
  });
});
