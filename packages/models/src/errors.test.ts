import { describe, expect, it } from 'vitest';
import { fromConnection, fromErrorBody, fromStatus, parseRetryAfter } from './errors.ts';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const after = (value: string, name = 'retry-after') => parseRetryAfter(new Headers({ [name]: value }), NOW);

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['7', 7000],
    ['1.5', 1500],
    ['Mon, 04 May 2026 12:00:30 GMT', 30_000],
    ['Mon, 04 May 2026 11:00:00 GMT', 0],
    ['Monday, 04-May-26 12:00:30 GMT', 30_000],
  ])('reads %s', (value, expected) => expect(after(value)).toBe(expected));

  it.each(['', 'soon', '-5', '1e9', 'NaN', '99999999999999', '2026-05-04', 'Mon'])(
    'takes "%s" for absent',
    (value) => expect(after(value)).toBeNull(),
  );

  it('prefers milliseconds', () => {
    const headers = new Headers({ 'retry-after': '7', 'retry-after-ms': '250' });
    expect(parseRetryAfter(headers, NOW)).toBe(250);
    expect(after('x', 'retry-after-ms')).toBeNull();
    expect(parseRetryAfter(undefined, NOW)).toBeNull();
  });
});

describe('fromStatus', () => {
  it('keeps a wait only where waiting helps', () => {
    const headers = new Headers({ 'retry-after': '9' });
    expect(fromStatus(429, { headers }).retryAfterMs).toBe(9000);
    expect(fromStatus(400, { headers }).retryAfterMs).toBeNull();
  });

  it('repeats a request id only in the shape of one', () => {
    expect(fromStatus(500, { headers: new Headers({ 'request-id': 'req_011CabcDEF' }) }).message).toContain(
      'req_011CabcDEF',
    );
    expect(
      fromStatus(500, { headers: new Headers({ 'request-id': 'req_ my secret' }) }).message,
    ).not.toContain('secret');
  });

  it('never repeats the error code of the body', () => {
    expect(fromStatus(400, { errorCode: 'mara_plays_cello' }).message).not.toContain('mara');
  });
});

describe('fromErrorBody', () => {
  it.each([
    [{ error: { code: 429, message: 'of Mara' } }, 'rate_limited', true],
    [{ error: { code: '503' } }, 'server_error', true],
    [{ error: { code: 401 } }, 'auth', false],
    [{ error: { code: 'rate_limit_exceeded' } }, 'rate_limited', true],
    [{ type: 'error', error: { type: 'overloaded_error' } }, 'overloaded', true],
    [{ error: { code: 429, type: 'insufficient_quota' } }, 'auth', false],
    [{ error: 'of Mara' }, 'invalid_response', true],
  ])('%j: is %s', (body, code, retryable) => {
    const error = fromErrorBody(body);
    expect(error).toMatchObject({ code, retryable });
    expect(error?.message).not.toContain('Mara');
  });

  it.each([null, 'error', [], {}, { error: null }, { error: false }])('%j: holds no error', (body) => {
    expect(fromErrorBody(body)).toBeNull();
  });
});

describe('fromConnection', () => {
  it('finds the system code under what wraps it', () => {
    const cause = Object.assign(new Error('read of Mara'), { code: 'ECONNRESET' });
    const error = fromConnection(new TypeError('fetch failed for Mara', { cause }));
    expect(error).toMatchObject({ code: 'network', retryable: true });
    expect(error.message).toBe('model call failed: network (ECONNRESET)');
  });

  it('calls the time limits of the client a timeout', () => {
    for (const code of ['ETIMEDOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']) {
      expect(fromConnection({ cause: { code } }).code).toBe('timeout');
    }
    // Nothing was sent, and nothing can have been paid for.
    expect(fromConnection({ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } })).toMatchObject({
      code: 'network',
      unsent: true,
    });
  });

  it('takes anything that was thrown', () => {
    for (const thrown of [undefined, null, 'text', 5, { code: 'has spaces' }, { code: 5 }]) {
      expect(fromConnection(thrown)).toMatchObject({
        code: 'network',
        message: 'model call failed: network',
      });
    }
  });
});
