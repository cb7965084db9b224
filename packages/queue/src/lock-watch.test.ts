import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLockWatch } from './lock-watch.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('createLockWatch', () => {
  it('aborts a job before its lock runs out when nobody confirms it', () => {
    const watch = createLockWatch(10_000);
    const job = watch.watch('a');
    vi.advanceTimersByTime(8_999);
    expect(job.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1_001);
    expect(job.signal.aborted).toBe(true);
    expect(job.cause()).toBe('lock_lost');
  });

  it('leaves a job alone as long as its lock is confirmed', () => {
    const watch = createLockWatch(1_000);
    const [kept, forgotten] = [watch.watch('a'), watch.watch('b')];
    for (let round = 0; round < 10; round += 1) {
      vi.advanceTimersByTime(500);
      watch.renewed(['a', 'unknown']);
    }
    expect(kept.cause()).toBeNull();
    expect(forgotten.cause()).toBe('lock_lost');
    vi.advanceTimersByTime(1_000);
    expect(kept.cause()).toBe('lock_lost');
  });

  it('aborts at once what was refused, and a later confirmation does not undo it', () => {
    const watch = createLockWatch(1_000);
    const job = watch.watch('a');
    watch.lost(['a', 'unknown']);
    watch.renewed(['a']);
    watch.abortAll('shutdown');
    expect(job.cause()).toBe('lock_lost');
    expect(job.signal.reason).toMatchObject({ name: 'AbortError' });
  });

  it('does nothing about jobs that are over', () => {
    const watch = createLockWatch(1_000);
    const job = watch.watch('a');
    job.release();
    vi.advanceTimersByTime(5_000);
    watch.lost(['a']);
    watch.abortAll('shutdown');
    expect(job.signal.aborted).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is idle when the last job is over', async () => {
    const watch = createLockWatch(1_000);
    await watch.idle();
    const jobs = [watch.watch('a'), watch.watch('a'), watch.watch('b')];
    let idle = false;
    const waiting = watch.idle().then(() => {
      idle = true;
    });
    expect(watch.size()).toBe(3);
    jobs[0]?.release();
    jobs[2]?.release();
    await Promise.resolve();
    expect(idle).toBe(false);
    jobs[1]?.release();
    await waiting;
    expect(watch.size()).toBe(0);
  });
});
