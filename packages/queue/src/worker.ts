import { setMaxListeners } from 'node:events';
import type { Queue, Telemetry, Worker } from 'bullmq';
import { atMost } from './at-most.ts';
import { type BackoffOptions, fullJitter, type LockDefaults } from './defaults.ts';
import type { Engine } from './engine.ts';
import type { QueueErrorEvent } from './errors.ts';
import { createLockWatch, type LockWatch } from './lock-watch.ts';
import type { QueueName } from './names.ts';
import type { Payloads } from './payload.ts';
import { createProcessor, type Handler, type OutcomeEvent } from './processor.ts';
import { errorLabel } from './safe-error.ts';
import { NEVER_STALLED_OUT } from './stalls.ts';

export interface WorkerOptions<N extends QueueName = QueueName> {
  /** Jobs at a time; default 1. */
  concurrency?: number;
  lockDurationMs?: number;
  /** Default half the lock's duration. */
  renewEveryMs?: number;
  stalledIntervalMs?: number;
  maxStalledCount?: number;
  /** False while this machine's clock cannot be trusted: it would take healthy jobs away from others. Default true. */
  stalledCheck?: boolean;
  /** Postponements after which a job is handed back to the sweeper; default 60. */
  maxPostpones?: number;
  backoff?: BackoffOptions;
  /** Told how each turn ends, just before the datastore is. */
  onOutcome?: (event: OutcomeEvent) => void;
  /**
   * Told of a job whose workers ended more often than allowed, just before it fails without another turn: what it writes stands before the job
   * is in the failed list, also when this worker ends in between, and it may be told again.
   * @returns false when there is nothing to fail: then the job is done
   */
  onStalledOut?: (data: Payloads[N]) => Promise<boolean>;
}

export interface QueueWorker {
  name: QueueName;
  /** Resolves when the worker can take jobs. */
  ready(): Promise<void>;
  /** Jobs being handled. */
  active(): number;
  /**
   * Stops within `graceMs`: takes no more jobs, tells the handlers to stop, aborts those that have not when most of the
   * time is gone, and closes. Every job that did not finish is put back without using an attempt; one whose handler does not
   * react at all is taken over when its lock runs out.
   */
  drain(graceMs: number): Promise<void>;
  /** Waits for the current jobs, however long they take, and closes. */
  close(): Promise<void>;
}

export interface WorkerDeps {
  engine: Engine;
  queue: Queue;
  lock: LockDefaults;
  backoff: BackoffOptions;
  random: () => number;
  telemetry?: Telemetry | undefined;
  onError: (event: QueueErrorEvent) => void;
}

/** How long workers rest after losing the server, in milliseconds. */
const RETRY_CONNECTION_MS = 1_000;
/** Workers look at a queue's rate limit only when they have one of their own: one that is never reached. */
const NO_LIMIT = { max: 1_000_000_000, duration: 1_000 };
/** The last part of the grace time belongs to aborted handlers, at most this much. */
const ABORT_SHARE_MS = 2_000;

export function createQueueWorker<N extends QueueName>(
  name: N,
  handler: Handler<N>,
  deps: WorkerDeps,
  options: WorkerOptions<N>,
): QueueWorker {
  const lockDuration = options.lockDurationMs ?? deps.lock.lockDurationMs;
  const watch = createLockWatch(lockDuration);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const { onStalledOut, maxStalledCount = deps.lock.maxStalledCount } = options;
  const processor = createProcessor({
    name,
    handler,
    watch,
    stopping: stopping.signal,
    queue: deps.queue,
    moveForMs: lockDuration,
    maxPostpones: options.maxPostpones,
    onOutcome: options.onOutcome,
    stalledOut: onStalledOut && { max: maxStalledCount, tell: onStalledOut },
  });
  const report = (error: unknown) =>
    deps.onError({ queue: name, source: 'worker', error: errorLabel(error) });

  const { worker, ready, dispose } = deps.engine.createWorker(name, processor, {
    concurrency: options.concurrency ?? 1,
    lockDuration,
    lockRenewTime: options.renewEveryMs ?? lockDuration / 2,
    stalledInterval: options.stalledIntervalMs ?? deps.lock.stalledIntervalMs,
    // BullMQ fails such a job by itself, in one step that nothing of ours can be part of.
    maxStalledCount: onStalledOut ? NEVER_STALLED_OUT : maxStalledCount, // guard: stalled-out-told-first
    limiter: NO_LIMIT,
    ...(deps.telemetry ? { telemetry: deps.telemetry } : {}),
    skipStalledCheck: options.stalledCheck === false,
    runRetryDelay: RETRY_CONNECTION_MS,
    settings: { backoffStrategy: fullJitter(options.backoff ?? deps.backoff, deps.random) },
  });
  worker.on('error', report);
  worker.on('locksRenewed', ({ jobIds }) => watch.renewed(jobIds));
  worker.on('lockRenewalFailed', (jobIds) => watch.lost(jobIds));

  let closing: Promise<void> | null = null;
  async function finish(force: boolean): Promise<void> {
    await worker.close(force);
    await dispose().catch(report);
  }

  return {
    name,
    ready,
    active: () => watch.size(),
    drain(graceMs) {
      closing ??= drainWithin(graceMs, { worker, watch, stopping, goodbyeMs: deps.engine.goodbyeMs, finish });
      return closing;
    },
    close() {
      closing ??= finishIdle(watch, deps.engine.goodbyeMs, finish(false));
      return closing;
    },
  };
}

/** Waits for the jobs, however long they take, and for a server that may be gone no longer than its farewell. */
async function finishIdle(
  watch: LockWatch,
  goodbyeMs: number | null,
  finished: Promise<void>,
): Promise<void> {
  let over = false;
  const closed = finished.finally(() => {
    over = true;
  });
  do {
    await Promise.race([watch.idle(), closed]);
    await atMost(goodbyeMs, closed);
  } while (!over && watch.size() > 0);
  // An error after that is told by the worker's own events.
  closed.catch(() => {});
}

async function drainWithin(
  graceMs: number,
  parts: {
    worker: Worker;
    watch: LockWatch;
    stopping: AbortController;
    goodbyeMs: number | null;
    finish: (force: boolean) => Promise<void>;
  },
): Promise<void> {
  const { worker, watch, stopping } = parts;
  const abortShareMs = Math.min(ABORT_SHARE_MS, graceMs / 4);
  const ends = Date.now() + graceMs;
  stopping.abort();
  await worker.pause(true);
  await atMost(graceMs - abortShareMs, watch.idle());
  watch.abortAll('shutdown');
  await atMost(Math.max(0, ends - Date.now()), watch.idle());
  // Those that did not even react are left to their locks: closing by force does not wait for them. Nor is a server waited for that may be
  // gone without a word.
  const finished = parts.finish(watch.size() > 0);
  await atMost(parts.goodbyeMs, finished); // guard: stop-unanswered
}
