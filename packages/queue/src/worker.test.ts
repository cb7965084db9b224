import { EventEmitter } from 'node:events';
import type { Job, Processor, Queue, Worker } from 'bullmq';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { JOB_DEFAULTS, SERVER_LOCK } from './defaults.ts';
import type { Engine } from './engine.ts';
import type { QueueErrorEvent } from './errors.ts';
import type { Handler, OutcomeEvent } from './processor.ts';
import { createQueueWorker } from './worker.ts';

/** A worker over an engine that only remembers the processor, so that a turn can be taken by hand. */
function byHand(handler: Handler<'deep'>, lock: { lockDurationMs?: number } = {}) {
  const emitter = new EventEmitter();
  const calls: string[] = [];
  const outcomes: OutcomeEvent[] = [];
  const errors: QueueErrorEvent[] = [];
  let processor: Processor = async () => {};
  const bull = Object.assign(emitter, {
    pause: async () => calls.push('pause'),
    close: async (force: boolean) => calls.push(`close ${force}`),
    waitUntilReady: async () => {},
  });
  const engine: Pick<Engine, 'createWorker'> = {
    createWorker(_name, given) {
      processor = given;
      return {
        worker: bull as unknown as Worker,
        ready: async () => {},
        dispose: async () => void calls.push('dispose'),
      };
    },
  };
  const worker = createQueueWorker(
    'deep',
    handler,
    {
      engine: engine as Engine,
      queue: { rateLimit: async (ms: number) => calls.push(`limit ${ms}`) } as unknown as Queue,
      lock: { ...SERVER_LOCK, ...lock },
      backoff: JOB_DEFAULTS.backoff,
      random: () => 0,
      onError: (event) => errors.push(event),
    },
    {
      onOutcome: (event) => {
        outcomes.push(event);
        throw new Error('an observer that fails changes nothing');
      },
    },
  );
  const moves: Record<string, () => Promise<void>> = {};
  function take(more: Partial<Job> = {}): Promise<unknown> {
    const job = {
      id: '7',
      data: { v: 1, tenant: 't', user: 'u', tier: 'deep', why: 'schedule' },
      opts: { attempts: 3 },
      attemptsMade: 0,
      timestamp: 5,
      updateData: async (data: unknown) => calls.push(`data ${JSON.stringify(data)}`),
      moveToDelayed: async () => {
        calls.push('delayed');
        await moves.delayed?.();
      },
      moveToWait: async () => {
        calls.push('wait');
        await moves.wait?.();
      },
      ...more,
    };
    return Promise.resolve(processor(job as unknown as Job, 'token'));
  }
  return { worker, bull, calls, outcomes, errors, moves, take };
}

/** Time goes by only where a test lets it. */
function standTime(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

const refused = (code: number) => async () => {
  throw Object.assign(new Error('CANARY'), { code });
};

describe('a turn', () => {
  it('does not start while the worker stops: the job goes back untouched', async () => {
    let handled = 0;
    const hand = byHand(async (_job, context) => {
      handled += 1;
      return context.completed();
    });
    await hand.worker.drain(50);
    await expect(hand.take()).rejects.toMatchObject({ name: 'WaitingError' });
    expect(handled).toBe(0);
    expect(hand.calls).toEqual(['pause', 'close false', 'dispose', 'wait']);
    expect(hand.outcomes).toMatchObject([{ outcome: 'moved_back' }]);
  });

  it('counts postponements in the payload', async () => {
    const hand = byHand(async (job, context) => context.postpone(job.postponed));
    const data = { v: 1, tenant: 't', user: 'u', tier: 'deep', why: 'schedule', postponed: 3 };
    await expect(hand.take({ data })).rejects.toMatchObject({ name: 'DelayedError' });
    expect(hand.calls).toEqual([`data ${JSON.stringify({ ...data, postponed: 4 })}`, 'delayed']);
  });

  it.each([-1, -2, -3, -6])('says nothing about a job that is no longer ours (%d)', async (code) => {
    const hand = byHand(async (_job, context) => context.postpone(1), { lockDurationMs: 300 });
    hand.moves.delayed = refused(code);
    await expect(hand.take()).rejects.toMatchObject({ name: 'DelayedError' });
    expect(hand.calls.filter((call) => call === 'delayed')).toEqual(['delayed']);
  });

  it('is moved once the datastore is back, which is no fault of the job', async () => {
    const hand = byHand(async (_job, context) => context.moveBack());
    let away = 3;
    hand.moves.wait = async () => {
      if (away-- > 0) await refused(-99)();
    };
    standTime();
    const taken = expect(hand.take()).rejects.toMatchObject({ name: 'WaitingError' });
    await vi.advanceTimersByTimeAsync(1_000);
    await taken;
    expect(hand.calls).toEqual(['wait', 'wait', 'wait', 'wait']);
  });

  it('is left to its lock when the datastore stays away, without a word of its error', async () => {
    const hand = byHand(async (_job, context) => context.postpone(1), { lockDurationMs: 200 });
    hand.moves.delayed = refused(-99);
    standTime();
    const taken = hand.take().catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(200);
    const error = await taken;
    expect(error).toMatchObject({ name: 'DelayedError' });
    expect(hand.calls.length).toBeGreaterThan(2);
    expect(`${String(error)}${(error as Error).stack}`).not.toContain('CANARY');
  });

  it('is left to its lock too when that is renewed and yet the job cannot be moved', async () => {
    const hand = byHand(async (_job, context) => context.postpone(1), { lockDurationMs: 200 });
    hand.moves.delayed = refused(-99);
    standTime();
    setInterval(() => hand.bull.emit('locksRenewed', { jobIds: ['7'], count: 1 }), 20);
    let error: unknown = null;
    hand.take().catch((thrown: unknown) => {
      error = thrown;
    });
    await vi.advanceTimersByTimeAsync(200);
    expect(error).toMatchObject({ name: 'DelayedError' });
  });

  it('rests the queue before the job goes back into it', async () => {
    const hand = byHand(async (_job, context) => context.rateLimited(250));
    await expect(hand.take()).rejects.toMatchObject({ name: 'RateLimitError' });
    expect(hand.calls).toEqual(['limit 250']);
  });

  it('reports how it ended, with ids, code and attempt', async () => {
    const hand = byHand(async () => {
      throw Object.assign(new Error('CANARY'), { code: 'overloaded', retryable: true });
    });
    await expect(hand.take({ attemptsMade: 1 })).rejects.toMatchObject({ name: 'SafeJobError' });
    expect(hand.outcomes).toMatchObject([
      {
        queue: 'deep',
        jobId: '7',
        outcome: 'retry',
        code: 'overloaded',
        attempt: 2,
        ids: { tenant: 't', user: 'u', tier: 'deep' },
      },
    ]);
  });
});

describe('a worker', () => {
  it('reports errors outside jobs by class and code', () => {
    const hand = byHand(async (_job, context) => context.completed());
    hand.bull.emit('error', Object.assign(new Error('redis://ann:s3cret@host'), { code: 'ECONNRESET' }));
    expect(hand.errors).toEqual([{ queue: 'deep', source: 'worker', error: 'Error ECONNRESET' }]);
  });

  it('aborts what the datastore says it lost', async () => {
    const hand = byHand(async (_job, context) => {
      hand.bull.emit('lockRenewalFailed', ['7']);
      expect(context.signal.aborted).toBe(true);
      throw context.signal.reason;
    });
    await expect(hand.take()).rejects.toMatchObject({ name: 'DelayedError' });
    expect(hand.outcomes).toMatchObject([{ outcome: 'lost' }]);
    expect(hand.calls).toEqual([]);
  });

  it('closes by force only when a handler does not come back', async () => {
    const hand = byHand(() => new Promise<never>(() => {}));
    hand.take().catch(() => {});
    expect(hand.worker.active()).toBe(1);
    await hand.worker.drain(20);
    expect(hand.calls).toEqual(['pause', 'close true', 'dispose']);
    await hand.worker.close();
    await hand.worker.drain(20);
    expect(hand.calls).toHaveLength(3);
  });
});
