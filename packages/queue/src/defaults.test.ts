import type { MinimalJob } from 'bullmq';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullJitter, JOB_DEFAULTS, jobOptions, SERVER_LOCK } from './defaults.ts';
import { QUEUE_NAMES } from './names.ts';
import { SafeJobError } from './safe-error.ts';

const job = {} as MinimalJob;

describe('fullJitter', () => {
  const delay = (attempt: number, random: number, error?: Error) =>
    fullJitter({ baseMs: 100, maxMs: 1_000 }, () => random)(attempt, 'full-jitter', error, job);

  it('reaches from almost nothing to the doubled base, capped', () => {
    expect([1, 2, 3, 4, 5, 60].map((attempt) => delay(attempt, 0.999_999))).toEqual([
      100, 200, 400, 800, 1_000, 1_000,
    ]);
    expect(delay(3, 0)).toBe(1);
  });

  it('stays within its bounds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5, max: 10_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (attempt, at) => {
          const ms = delay(attempt, at);
          expect(Number.isInteger(ms)).toBe(true);
          expect(ms).toBeGreaterThanOrEqual(1);
          expect(ms).toBeLessThanOrEqual(1_000);
        },
      ),
    );
  });

  it('keeps a wait that was asked for, within the cap', () => {
    const asked = (retryAfterMs: number) =>
      new SafeJobError({ code: 'overloaded', retryable: true, retryAfterMs, reason: 'x', frames: '' });
    expect(delay(1, 0, asked(700))).toBe(700);
    expect(delay(1, 0, asked(60_000))).toBe(1_000);
  });
});

describe('jobOptions', () => {
  it('bounds what each job leaves behind', () => {
    for (const queue of QUEUE_NAMES) {
      const options = jobOptions(queue, JOB_DEFAULTS);
      expect(options.attempts).toBeGreaterThan(0);
      expect(options).toMatchObject({ removeOnComplete: true, sizeLimit: 4_096 });
      expect(options.removeOnFail).toHaveProperty('age');
    }
    expect(jobOptions('deep', JOB_DEFAULTS).removeOnFail).toEqual({ age: 14 * 86_400 });
    const kept = jobOptions('deep', { ...JOB_DEFAULTS, keepCompletedSeconds: 60 });
    expect(kept.removeOnComplete).toEqual({ age: 60 });
  });

  it('lets another worker take over within about 15 seconds', () => {
    expect(SERVER_LOCK).toEqual({ lockDurationMs: 10_000, stalledIntervalMs: 1_500, maxStalledCount: 5 });
  });
});
