import { describe, expect, it } from 'vitest';
import { MAX_POSTPONE_MS, MAX_RATE_LIMIT_MS } from './defaults.ts';
import { type AbortCause, type Ended, judge, type Turn } from './outcome.ts';

function turn(ended: Ended, more: Partial<Turn> = {}) {
  return judge({
    ended,
    aborted: null,
    attemptsMade: 0,
    attempts: 3,
    postponed: 0,
    maxPostpones: 5,
    ids: { user: 'u1' },
    ...more,
  });
}

const error = (retryable: boolean) => ({
  error: Object.assign(new Error('x'), { code: 'broken', retryable }),
});
const postponed = (delayMs: number): Ended => ({ result: { outcome: 'postponed', delayMs } });
const limited = (delayMs: number): Ended => ({ result: { outcome: 'rate_limited', delayMs } });

describe('judge', () => {
  it('tries again while attempts are left and it makes sense', () => {
    expect(turn(error(true))).toMatchObject({ outcome: 'retry', failure: { code: 'broken' } });
    expect(turn(error(true), { attemptsMade: 1 }).outcome).toBe('retry');
    expect(turn(error(true), { attemptsMade: 2 }).outcome).toBe('failed');
    expect(turn(error(false)).outcome).toBe('failed');
    expect(turn({ error: 'anything' }).outcome).toBe('retry');
  });

  it('does not blame the job for an outage of the database or the queue, however long it lasts', () => {
    const outage = (code: string, retryable = true) => ({
      error: Object.assign(new Error('x'), { code, retryable }),
    });
    for (const code of ['unavailable', 'out_of_space', 'queue_unavailable']) {
      expect(turn(outage(code), { attemptsMade: 2 })).toEqual({
        outcome: 'postponed',
        delayMs: 1_000,
        postponed: 1,
      });
      expect(turn(outage(code), { postponed: 4 })).toMatchObject({ delayMs: 5_000, postponed: 5 });
      expect(turn(outage(code), { postponed: 5 }).outcome).toBe('returned');
    }
    expect(turn(outage('unavailable'), { postponed: 40, maxPostpones: 60 })).toMatchObject({
      delayMs: 15_000,
    });
    expect(turn(outage('unavailable', false)).outcome).toBe('failed');
    expect(turn(outage('constraint'), { attemptsMade: 2 }).outcome).toBe('failed');
  });

  it.each<[AbortCause, string]>([
    ['lock_lost', 'lost'],
    ['shutdown', 'moved_back'],
  ])('does not blame the job for an interruption: %s', (aborted, outcome) => {
    expect(turn(error(false), { aborted, attemptsMade: 2 }).outcome).toBe(outcome);
    expect(turn(postponed(5), { aborted, postponed: 5 }).outcome).toBe(outcome);
    expect(turn({ result: { outcome: 'moved_back' } }, { aborted }).outcome).toBe(outcome);
    expect(turn({ result: { outcome: 'completed' } }, { aborted }).outcome).toBe('completed');
  });

  it('postpones up to the bound and then hands back', () => {
    expect(turn(postponed(10), { postponed: 4 })).toEqual({
      outcome: 'postponed',
      delayMs: 10,
      postponed: 5,
    });
    expect(turn(postponed(10), { postponed: 5 })).toEqual({
      outcome: 'returned',
      value: { outcome: 'returned', postponed: 5 },
    });
  });

  it('bounds every wait', () => {
    expect(turn(postponed(Infinity))).toMatchObject({ delayMs: MAX_POSTPONE_MS });
    expect(turn(postponed(1e12))).toMatchObject({ delayMs: MAX_POSTPONE_MS });
    expect(turn(postponed(-5))).toMatchObject({ delayMs: 1 });
    expect(turn(limited(Number.NaN))).toMatchObject({ delayMs: MAX_RATE_LIMIT_MS });
    expect(turn(limited(1e12))).toMatchObject({ delayMs: MAX_RATE_LIMIT_MS });
    expect(turn(limited(1.2))).toEqual({ outcome: 'rate_limited', delayMs: 2 });
  });

  it('keeps counts and ids of a summary, not sentences', () => {
    const summary = { fused: 2, dry: false, runId: 'r-1', none: null, note: 'likes jazz', 'a b': 1 };
    expect(turn({ result: { outcome: 'completed', summary } })).toEqual({
      outcome: 'completed',
      value: { fused: 2, dry: false, runId: 'r-1', none: null },
    });
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, index]));
    const verdict = turn({ result: { outcome: 'completed', summary: many } });
    expect('value' in verdict && Object.keys(verdict.value)).toHaveLength(20);
  });
});
