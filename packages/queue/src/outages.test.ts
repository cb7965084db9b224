import { ReplyError } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { outageOf } from './outages.ts';
import { PayloadError } from './payload.ts';
import { diagnose } from './redis-probe.ts';

const server = { kind: 'redis', address: 'h:6379', diagnose } as const;

describe('outageOf: an error of a call', () => {
  it.each([
    ['OOM', "OOM command not allowed when used memory > 'maxmemory'."],
    [
      'OOM',
      'ERR Error running script (call to f_1): @user_script:7: @user_script: 7: -OOM command not allowed',
    ],
    ['READONLY', "READONLY You can't write against a read only replica."],
    ['MOVED', 'MOVED 3999 127.0.0.1:6381'],
    ['MISCONF', 'MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk.'],
    ['BUSY', 'BUSY Redis is busy running a script.'],
    ['CLUSTERDOWN', 'CLUSTERDOWN The cluster is down'],
    ['LOADING', 'LOADING Redis is loading the dataset in memory'],
  ])('reply %s: an outage that passes', (detail, message) => {
    const told = outageOf(new ReplyError(message), server);
    expect(told).toMatchObject({ code: 'queue_unavailable', retryable: true, detail });
    expect((told as Error).message).not.toContain(message);
  });

  it('another reply, and no answer at all: an outage too', () => {
    const told = outageOf(new ReplyError('ERR unknown'), server);
    expect(told).toMatchObject({ code: 'queue_unavailable', retryable: true, detail: 'ERR' });
    const reset = Object.assign(new Error('read'), { code: 'ECONNRESET' });
    expect(outageOf(reset, server)).toMatchObject({ reason: 'unreachable', detail: 'ECONNRESET' });
    expect(outageOf(new Error('Connection is closed.'), server)).toMatchObject({ reason: 'unreachable' });
  });

  it('our own refusal, a number of BullMQ, a mistake in the program: stays as it is', () => {
    const own = [
      new PayloadError('missing', 'runId'),
      Object.assign(new Error('x'), { code: -3 }),
      new TypeError('x'),
    ];
    for (const error of own) expect(outageOf(error, server)).toBe(error);
  });
});
