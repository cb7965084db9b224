import type { JobContext, Queues } from '@slowwave/queue';
import { expect, it } from 'vitest';
import { gate, type Place, recorder, until, wakeUp } from './harness.ts';

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A worker that takes jobs over from others quickly. */
function takeOver(queues: Queues, onOutcome?: ReturnType<typeof recorder>['onOutcome']) {
  const seen: { attempt: number }[] = [];
  const worker = queues.createWorker(
    'deep',
    async (job, context) => {
      seen.push({ attempt: job.attempt });
      return context.completed();
    },
    { lockDurationMs: 60_000, stalledIntervalMs: 100, ...(onOutcome && { onOutcome }) },
  );
  return { worker, seen };
}

export function describeLocks(place: () => Place): void {
  it('aborts a job whose lock somebody else has, and writes nothing about it', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    let signal: AbortSignal | undefined;
    let jobId = '';
    queues.createWorker(
      'deep',
      async (job, context) => {
        jobId = job.id;
        signal = context.signal;
        await aborted(context.signal);
        throw new Error('interrupted');
      },
      // Renewals come often and the timer would come late: it is the refused renewal that must abort.
      { lockDurationMs: 60_000, renewEveryMs: 100, onOutcome, stalledCheck: false },
    );
    await queues.add(wakeUp('u1'));
    await until('it runs', () => signal !== undefined);
    await place().stealLock('deep', jobId);
    await until('it ended', () => list().length === 1);
    expect(signal?.reason).toMatchObject({ name: 'AbortError', message: 'lock_lost' });
    expect(list()).toEqual(['lost']);
    expect(await queues.counts('deep')).toMatchObject({ active: 1, failed: 0, waiting: 0, delayed: 0 });
  });

  it('aborts a job whose lock is no longer renewed, and another worker runs it', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    // Held until the end, or it might be the first worker again that takes the job over.
    const hold = gate();
    let reason: unknown;
    const worker = queues.createWorker(
      'deep',
      async (_job, context) => {
        await aborted(context.signal);
        reason = context.signal.reason;
        await hold.opened;
        throw new Error('interrupted');
      },
      { lockDurationMs: 600, renewEveryMs: 600_000, stalledCheck: false, onOutcome },
    );
    await queues.add(wakeUp('u1'));
    await until('it runs', () => worker.active() === 1);
    await worker.ready();
    const other = recorder();
    const { seen } = takeOver(await place().open(), other.onOutcome);
    await until('the other took it over', () => other.list().includes('completed'));
    await until('the first noticed', () => reason !== undefined);
    hold.open();
    await until('the first ended', () => list().length > 0);
    expect(list()).toEqual(['lost']);
    expect(reason).toMatchObject({ message: 'lock_lost' });
    expect(seen).toEqual([{ attempt: 1 }]);
    await until('nothing is left', async () => {
      const { active, waiting, failed } = await queues.counts('deep');
      return active + waiting + failed === 0;
    });
  });

  it('keeps a long job alone as long as its lock is renewed', async () => {
    const queues = await place().open();
    const first = recorder();
    const hold = gate();
    let starts = 0;
    let interrupted = false;
    const lock = { lockDurationMs: 5_000, renewEveryMs: 500, stalledIntervalMs: 100 };
    const busy = queues.createWorker(
      'deep',
      async (_job, context) => {
        starts += 1;
        await hold.opened;
        interrupted = context.signal.aborted;
        return context.completed();
      },
      { ...lock, onOutcome: first.onOutcome },
    );
    await queues.add(wakeUp('u1'));
    await until('it runs', () => busy.active() === 1);
    const { seen } = takeOver(await place().open());
    const begun = Date.now();
    await until('its first lock would have run out', () => Date.now() - begun > lock.lockDurationMs + 1_000);
    hold.open();
    await until('it ended', () => first.list().length === 1);
    expect(first.list()).toEqual(['completed']);
    expect([starts, interrupted]).toEqual([1, false]);
    expect(seen).toEqual([]);
  });

  it('stops gracefully: what is unfinished goes back without using an attempt', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    const contexts: JobContext[] = [];
    const worker = queues.createWorker(
      'deep',
      async (job, context) => {
        contexts.push(context);
        await aborted(context.stopping);
        // One was on its last step and finishes, the others hand back.
        return job.data.user === 'u0' ? context.completed() : context.moveBack();
      },
      { concurrency: 3, onOutcome },
    );
    await queues.addBulk(['u0', 'u1', 'u2', 'u3', 'u4'].map((user) => wakeUp(user)));
    await until('three run', () => contexts.length === 3);
    await worker.drain(60_000);
    expect(list().sort()).toEqual(['completed', 'moved_back', 'moved_back']);
    expect(contexts.some((context) => context.signal.aborted)).toBe(false);
    expect(await queues.counts('deep')).toMatchObject({ active: 0, waiting: 4, failed: 0, delayed: 0 });
    const { seen } = takeOver(queues);
    await until('another worker ran them', () => seen.length === 4);
    expect(seen.every((job) => job.attempt === 1)).toBe(true);
  });

  it('aborts handlers that do not stop by themselves, and puts their jobs back', async () => {
    const queues = await place().open();
    const { onOutcome, list } = recorder();
    const worker = queues.createWorker(
      'deep',
      async (_job, context) => {
        await aborted(context.signal);
        throw context.signal.reason;
      },
      { onOutcome },
    );
    await queues.add(wakeUp('u1'));
    await until('it runs', () => worker.active() === 1);
    // A quarter of it is left to put the job back.
    await worker.drain(8_000);
    expect(list()).toEqual(['moved_back']);
    expect(await queues.counts('deep')).toMatchObject({ active: 0, waiting: 1, failed: 0 });
    const { seen } = takeOver(queues);
    await until('another worker ran it', () => seen.length === 1);
    expect(seen).toEqual([{ attempt: 1 }]);
  });

  it('closes within its grace although a handler does not react, and the job is taken over', async () => {
    const queues = await place().open();
    const worker = queues.createWorker('deep', () => new Promise<never>(() => {}), {
      lockDurationMs: 600,
      stalledCheck: false,
    });
    await queues.add(wakeUp('u1'));
    await until('it runs', () => worker.active() === 1);
    await worker.drain(100);
    const { seen } = takeOver(await place().open());
    await until('another worker ran it', () => seen.length === 1);
    expect(seen).toEqual([{ attempt: 1 }]);
  });
}
