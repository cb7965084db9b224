import { expect, it } from 'vitest';
import { failure, type Place, QUICK, recorder, until, wakeUp } from './harness.ts';

export function describeOutcomes(place: () => Place): void {
  it('tries a failed job again, with backoff, up to its attempts', async () => {
    const waits: number[] = [];
    const queues = await place().open({
      ...QUICK,
      attempts: { deep: 4 },
      random: () => {
        waits.push(waits.length);
        return 0.5;
      },
    });
    const { outcomes, onOutcome, list } = recorder();
    const attempts: [number, boolean][] = [];
    queues.createWorker(
      'deep',
      async (job, context) => {
        attempts.push([job.attempt, job.lastAttempt]);
        if (job.data.user === 'never' || job.attempt < 3) throw failure('overloaded', true);
        return context.completed();
      },
      { onOutcome },
    );
    await queues.add(wakeUp('third'));
    await until('it completed', () => list().includes('completed'));
    expect(list()).toEqual(['retry', 'retry', 'completed']);
    expect(attempts).toEqual([
      [1, false],
      [2, false],
      [3, false],
    ]);
    expect(waits).toHaveLength(2);
    await queues.add(wakeUp('never'));
    await until('it failed', async () => (await queues.counts('deep')).failed === 1);
    expect(list().slice(3)).toEqual(['retry', 'retry', 'retry', 'failed']);
    expect(attempts.at(-1)).toEqual([4, true]);
    expect(outcomes.at(-1)).toMatchObject({ code: 'overloaded', ids: { tenant: 't1', user: 'never' } });
  });

  it('postpones without using an attempt', async () => {
    const queues = await place().open(QUICK);
    const { onOutcome, list } = recorder();
    const seen: [number, number][] = [];
    queues.createWorker(
      'deep',
      async (job, context) => {
        seen.push([job.attempt, job.postponed]);
        return job.postponed < 4 ? context.postpone(1) : context.completed();
      },
      { onOutcome },
    );
    await queues.add(wakeUp('u1'));
    await until('it completed', () => list().includes('completed'));
    expect(list()).toEqual(['postponed', 'postponed', 'postponed', 'postponed', 'completed']);
    expect(seen).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
    ]);
  });

  it('waits as long as the postponement says and merges wake-ups meanwhile', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    queues.createWorker('deep', async (_job, context) => context.postpone(60_000), { onOutcome });
    await queues.add(wakeUp('u1'));
    await until('it is delayed', async () => (await queues.counts('deep')).delayed === 1);
    await queues.add(wakeUp('u1'));
    expect(await queues.counts('deep')).toMatchObject({ waiting: 0, delayed: 1, active: 0 });
    expect(list()).toEqual(['postponed']);
  });

  it('hands a job that was postponed too often back to the sweeper, as no failure', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    queues.createWorker('deep', async (_job, context) => context.postpone(1), { maxPostpones: 3, onOutcome });
    await queues.add(wakeUp('u1'));
    await until('it was handed back', () => list().includes('returned'));
    expect(list()).toEqual(['postponed', 'postponed', 'postponed', 'returned']);
    await until('nothing is left', async () => {
      const { waiting, active, delayed, failed } = await queues.counts('deep');
      return waiting + active + delayed + failed === 0;
    });
    await queues.add(wakeUp('u1'));
    await until('the sweeper can add it again', () => list().length > 4);
  });

  it('rests the whole queue when rate-limited, without using an attempt', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    const attempts: number[] = [];
    queues.createWorker(
      'deep',
      async (job, context) => {
        attempts.push(job.attempt);
        return attempts.length > 1 ? context.completed() : context.rateLimited(400);
      },
      { onOutcome },
    );
    await queues.add(wakeUp('u1'));
    await until('the limit stands', () => list().length > 0);
    await queues.add(wakeUp('u2'));
    await until('both completed', () => list().length === 3);
    expect(list()).toEqual(['rate_limited', 'completed', 'completed']);
    expect(attempts).toEqual([1, 1, 1]);
  });

  it('takes no job while a rate limit stands', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    await queues.rateLimit('deep', 60_000);
    await queues.add(wakeUp('u1'));
    await queues.add(wakeUp('u1', { tier: 'light' }));
    queues.createWorker('deep', async (_job, context) => context.completed(), { onOutcome });
    const other = recorder();
    queues.createWorker('light', async (_job, context) => context.completed(), {
      onOutcome: other.onOutcome,
    });
    await until('the other queue works', () => other.list().length === 1);
    expect(await queues.queues.deep.getRateLimitTtl()).toBeGreaterThan(0);
    expect(list()).toEqual([]);
    expect(await queues.counts('deep')).toMatchObject({ waiting: 1 });
  });
}
