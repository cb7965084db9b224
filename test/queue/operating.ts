import { expect, it } from 'vitest';
import { type Place, recorder, until, wakeUp } from './harness.ts';

/** No beat of it falls into a test. */
const HOUR_MS = 3_600_000;

export function describeOperating(place: () => Place): void {
  it('keeps one scheduler per tier, whoever asks for it and however often', async () => {
    const [one, two] = await Promise.all([place().open(), place().open()]);
    await Promise.all([one.ensureTick('deep', HOUR_MS), two.ensureTick('deep', HOUR_MS)]);
    await two.ensureTick('light', HOUR_MS);
    const jobs = async () => {
      const { waiting, delayed } = await one.counts('ticks');
      return waiting + delayed;
    };
    const added = await jobs();
    const next = await one.nextTick('deep');
    for (const queues of [one, two, one]) await queues.ensureTick('deep', HOUR_MS);
    const schedulers = await one.queues.ticks.getJobSchedulers();
    expect(schedulers.map((scheduler) => scheduler.key).sort()).toEqual(['tick-deep', 'tick-light']);
    expect(await jobs()).toBe(added);
    expect(await two.nextTick('deep')).toBe(next);
    // Two processes that start at the very same moment may cause one beat too many, once.
    expect(added).toBeLessThanOrEqual(3);
    expect(await one.nextTick('deep')).toBeGreaterThan(0);
    expect(await one.nextTick('sleep')).toBeNull();
  });

  it('beats again and again, and a lost scheduler can be restored', async () => {
    const queues = await place().open();
    const beats: string[] = [];
    queues.createWorker('ticks', async (job, context) => {
      beats.push(job.data.tier);
      return context.completed();
    });
    await queues.ensureTick('sleep', 150);
    await until('it beat three times', () => beats.length >= 3);
    await queues.queues.ticks.removeJobScheduler('tick-sleep');
    expect(await queues.nextTick('sleep')).toBeNull();
    const before = beats.length;
    await queues.ensureTick('sleep', 150);
    await until('it beats again', () => beats.length >= before + 2);
    expect(new Set(beats)).toEqual(new Set(['sleep']));
  });

  it('sets a beat up anew that a clock that was wrong has put far ahead', async () => {
    const queues = await place().open();
    const beats: string[] = [];
    queues.createWorker('ticks', async (job, context) => {
      beats.push(job.data.tier);
      return context.completed();
    });
    const far = Date.now() + 3_600_000;
    const { ticks } = queues.queues;
    await ticks.upsertJobScheduler(
      'tick-light',
      { every: 150, startDate: far },
      { name: 'tick', data: { v: 1, tier: 'light' } },
    );
    expect(await queues.nextTick('light')).toBeGreaterThanOrEqual(far - 1_000);
    await queues.ensureTick('light', 150);
    await until('it beats again and again', () => beats.length >= 2);
  });

  it('changes the beat when asked for another one', async () => {
    const queues = await place().open();
    await queues.ensureTick('deep', 60_000);
    await queues.ensureTick('deep', 30_000);
    const schedulers = await queues.queues.ticks.getJobSchedulers();
    expect(schedulers.map((scheduler) => scheduler.every)).toEqual([30_000]);
    const { waiting, delayed } = await queues.counts('ticks');
    expect(waiting + delayed).toBe(1);
  });

  it('is not held back by being asked for again and again', async () => {
    const queues = await place().open();
    let beats = 0;
    queues.createWorker('ticks', async (_job, context) => {
      beats += 1;
      return context.completed();
    });
    await until('it beat three times', async () => {
      await queues.ensureTick('deep', 300);
      return beats >= 3;
    });
  });

  it('refuses a beat that makes no sense', async () => {
    const queues = await place().open();
    for (const everyMs of [0, 0.5, 99, Number.NaN, 100_000_000]) {
      await expect(queues.ensureTick('deep', everyMs)).rejects.toThrow(RangeError);
    }
  });

  it('pauses and resumes one queue', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    const other = recorder();
    queues.createWorker('deep', async (_job, context) => context.completed(), { onOutcome });
    queues.createWorker('light', async (_job, context) => context.completed(), {
      onOutcome: other.onOutcome,
    });
    await queues.pause('deep');
    await queues.add(wakeUp('u1'));
    await queues.add(wakeUp('u1', { tier: 'light' }));
    await until('the other queue works', () => other.list().length === 1);
    expect(await queues.isPaused('deep')).toBe(true);
    expect(await queues.isPaused('light')).toBe(false);
    expect(await queues.counts('deep')).toMatchObject({ waiting: 1, active: 0 });
    expect(list()).toEqual([]);
    await queues.resume('deep');
    await until('it runs', () => list().length === 1);
    expect(await queues.isPaused('deep')).toBe(false);
  });

  it('answers a ping and names its server without a password', async () => {
    const queues = await place().open();
    expect(await queues.ping()).toBeGreaterThan(0);
    expect(queues.address ?? '').not.toContain('@');
  });

  it('goes on after its connections were cut', async () => {
    const drop = place().dropConnections;
    const errors: string[] = [];
    const queues = await place().open({ onError: ({ error }) => errors.push(error) });
    const { onOutcome, list } = recorder();
    const worker = queues.createWorker('deep', async (_job, context) => context.completed(), { onOutcome });
    await worker.ready();
    await queues.add(wakeUp('before'));
    await until('it works', () => list().length === 1);
    await drop?.();
    await until('jobs can be added', () =>
      queues.add(wakeUp('after')).then(
        () => true,
        () => false,
      ),
    );
    await until('it works again', () => list().length >= 2);
    expect(errors.join(' ')).not.toContain('@');
  });

  it('closes its workers and queues, and what was waiting is there for the next process', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    const worker = queues.createWorker('deep', async (_job, context) => context.completed(), { onOutcome });
    await worker.ready();
    await queues.add(wakeUp('u1', { tier: 'sleep' }));
    await queues.close();
    const next = await place().open();
    expect(await next.counts('sleep')).toMatchObject({ waiting: 1 });
    expect(list()).toEqual([]);
  });
}
