import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database, Transaction } from '../database.ts';
import { keepLease } from './keep-lease.ts';

const LEASE = { tenant: 't', user: 'u', holder: 'w', fence: 7 };

type Answer = 'held' | 'late' | 'taken' | 'error' | 'silence';

/** A database that answers renewals from a list, the last answer for ever. */
function answering(...answers: Answer[]): { database: Database; asked: () => number } {
  let asked = 0;
  const rows = async (): Promise<object[]> => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked++;
    if (answer === 'error') throw new Error('unreachable');
    if (answer === 'silence') await new Promise(() => undefined);
    if (answer === 'late') await new Promise((resolve) => setTimeout(resolve, 4_000));
    return answer === 'held' || answer === 'late' ? [{}] : [];
  };
  const database: Pick<Database, 'withTenant'> = {
    withTenant: (_tenant, work) => work({ rows } as Transaction),
  };
  return { database: database as Database, asked: () => asked };
}

describe('keepLease', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function keep(database: Database) {
    const lost: string[] = [];
    const keeper = keepLease(database, LEASE, {
      ttlMs: 10_000,
      everyMs: 3_000,
      onLost: (reason) => lost.push(reason),
    });
    return { keeper, lost };
  }

  it('renews as long as it is answered', async () => {
    const { database, asked } = answering('held');
    const { keeper, lost } = keep(database);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked()).toBe(20);
    expect(lost).toEqual([]);
    await keeper.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked()).toBe(20);
    expect(lost).toEqual([]);
  });

  it('says once that somebody else took the user, and asks no more', async () => {
    const { database, asked } = answering('held', 'taken');
    const { lost } = keep(database);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lost).toEqual(['taken']);
    expect(asked()).toBe(2);
  });

  it('gets over failures that end in time', async () => {
    const { database, asked } = answering('error', 'error', 'held');
    const { lost } = keep(database);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(lost).toEqual([]);
    expect(asked()).toBe(5);
  });

  it.each<Answer>(['error', 'silence'])('is lost when no renewal comes through (%s)', async (answer) => {
    const { database } = answering('held', answer);
    const { lost } = keep(database);
    await vi.advanceTimersByTimeAsync(12_999);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toEqual(['unreachable']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lost).toHaveLength(1);
  });

  it('says that its own process stood still, where that is why no renewal came through', () => {
    const { database } = answering('held');
    const { lost } = keep(database);
    // The clock goes on, and no timer has its turn.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 30_000);
    vi.advanceTimersByTime(10_000);
    clock.mockRestore();
    expect(lost).toEqual(['blocked']);
  });

  it('counts from when it asked, not from when it was answered', async () => {
    const { database } = answering('late', 'silence');
    const { lost } = keep(database);
    await vi.advanceTimersByTimeAsync(12_999);
    expect(lost).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toEqual(['unreachable']);
  });

  it('waits at the end for the renewal under way, and is not lost by it', async () => {
    let answer: (rows: object[]) => void = () => undefined;
    const rows = () => new Promise<object[]>((resolve) => (answer = resolve));
    const database: Pick<Database, 'withTenant'> = {
      withTenant: (_tenant, work) => work({ rows } as Transaction),
    };
    const { keeper, lost } = keep(database as Database);
    await vi.advanceTimersByTimeAsync(3_000);
    let stopped = false;
    const stopping = keeper.stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(stopped).toBe(false);
    answer([]);
    await stopping;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lost).toEqual([]);
  });

  it('keeps no process alive', async () => {
    vi.useRealTimers();
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const { database } = answering('held');
    const keeper = keepLease(database, LEASE, { ttlMs: 60_000, everyMs: 20_000, onLost: () => undefined });
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout')).toHaveLength(before);
    await keeper.stop();
  });

  it('refuses to renew less often than the lease lasts', () => {
    const { database } = answering('held');
    for (const everyMs of [0, 10_000, Number.NaN]) {
      expect(() => keepLease(database, LEASE, { ttlMs: 10_000, everyMs, onLost: () => undefined })).toThrow(
        RangeError,
      );
    }
  });
});
