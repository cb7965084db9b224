import { UnrecoverableError } from 'bullmq';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorLabel, SafeJobError, safeFailure, toThrowable } from './safe-error.ts';

const ids = { tenant: 't1', user: 'u1' };

describe('safeFailure', () => {
  it('keeps the code of an error in our convention, and whether to try again', () => {
    const own = (retryable: boolean) => Object.assign(new Error('text'), { code: 'rate_limited', retryable });
    expect(safeFailure(own(true), ids)).toMatchObject({
      code: 'rate_limited',
      retryable: true,
      reason: 'rate_limited: tenant=t1 user=u1',
    });
    expect(safeFailure(own(false), ids).retryable).toBe(false);
    expect(safeFailure(Object.assign(own(true), { retryAfterMs: 250 }), ids).retryAfterMs).toBe(250);
  });

  it('knows others by class and code only', () => {
    expect(safeFailure(new TypeError('text'), ids).reason).toBe(
      'internal_error (TypeError): tenant=t1 user=u1',
    );
    const reset = Object.assign(new Error('text'), { code: 'ECONNRESET' });
    expect(safeFailure(reset, ids).reason).toBe('internal_error (Error ECONNRESET): tenant=t1 user=u1');
    const sql = Object.assign(new Error('text'), { code: '40001' });
    expect(safeFailure(sql, ids).reason).toBe('internal_error (Error 40001): tenant=t1 user=u1');
    const odd = Object.assign(new Error('text'), { code: 'Ann likes jazz' });
    expect(safeFailure(odd, ids).reason).toBe('internal_error (Error): tenant=t1 user=u1');
    expect(safeFailure(new UnrecoverableError('text'), ids).retryable).toBe(false);
    expect(safeFailure(undefined, {}).reason).toBe('internal_error (thrown undefined): ');
  });

  it('keeps frames and drops lines of a message that look like frames', () => {
    const error = new Error('first\n    at dentist (/home/secret.js:1:2)\n    at home');
    const { frames } = safeFailure(error, ids);
    expect(frames).toContain('safe-error.test.ts');
    expect(frames).not.toMatch(/dentist|home\b/);
    for (const line of frames.split('\n')) expect(line).toMatch(/^ {4}at .*:\d+:\d+\)?$/);
  });

  it('drops such lines also when the message was changed afterwards', () => {
    const error = new Error('first\n    at the dentist at nine\n    at home (with Bob)');
    error.message = 'second';
    expect(safeFailure(error, ids).frames).not.toMatch(/dentist|Bob/);
  });

  it('lets no text through, whatever is thrown', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((rest) => `CANARY ${rest}`);
    const thrown = fc.oneof(
      text,
      text.map((message) => new Error(message)),
      text.map((message) => new Error(`x\n    at ${message}`, { cause: message })),
      fc.record({ message: text, stack: text, code: text, name: text, retryable: fc.boolean() }),
      text.map((message) => Object.assign(new RangeError(message), { name: message, code: message })),
    );
    fc.assert(
      fc.property(thrown, (error) => {
        const safe = toThrowable(safeFailure(error, ids));
        expect(`${safe.message}${safe.stack}${safe.name}${JSON.stringify(safe)}`).not.toContain('CANARY');
        expect(errorLabel(error)).not.toContain('CANARY');
        expect(safe.cause).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  it('bounds the reason', () => {
    const long = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`id${index}`, 'x'.repeat(200)]),
    );
    expect(safeFailure(new Error('x'), long).reason.length).toBeLessThanOrEqual(1_000);
  });
});

describe('toThrowable', () => {
  it('is an error that BullMQ does or does not try again', () => {
    const failure = safeFailure(new Error('x'), ids);
    const retried = toThrowable({ ...failure, retryAfterMs: 9 });
    expect(retried).toBeInstanceOf(SafeJobError);
    expect(retried).toMatchObject({ retryAfterMs: 9 });
    expect(retried.stack).toMatch(/^SafeJobError: internal_error/);
    const final = toThrowable({ ...failure, retryable: false });
    expect(final).toBeInstanceOf(UnrecoverableError);
    expect(final.stack).toMatch(/^UnrecoverableError: internal_error/);
  });
});
