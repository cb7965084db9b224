import { setMaxListeners } from 'node:events';
import { DelayedError, type Job, type Queue, WaitingError, Worker } from 'bullmq';
import { type BackoffOptions, fullJitter, type LockDefaults, MAX_POSTPONES } from './defaults.ts';
import type { Engine } from './engine.ts';
import type { QueueErrorEvent } from './errors.ts';
import { createLockWatch, type LockWatch, type WatchedJob } from './lock-watch.ts';
import type { QueueName } from './names.ts';
import { type JobOutcome, type JobResult, type JobSummary, judge, type Verdict } from './outcome.ts';
import { type Payloads, parsePayload, payloadIds, postponedCount } from './payload.ts';
import { errorLabel, toThrowable } from './safe-error.ts';

/** A job as its handler sees it: nothing through which text could reach the datastore. */
export interface JobView<P> {
  id: string;
  queue: QueueName;
  data: P;
  /** Number of this attempt, from 1. */
  attempt: number;
  attempts: number;
  /** A failure now is final. */
  lastAttempt: boolean;
  /** How often any worker has begun this job, from 1; more than the attempts when it was put back, or retried by a person. */
  starts: number;
  postponed: number;
  /** When the job was added, epoch milliseconds. */
  addedAt: number;
}

export interface JobContext {
  /** Aborted when the lock is lost and when the time for shutting down runs out: stop at once and throw or return. */
  signal: AbortSignal;
  /** Aborted when the worker is about to stop: finish what is being committed, then hand back `moveBack()`. */
  stopping: AbortSignal;
  /** The worker's token for this job's lock. */
  token: string;
  completed(summary?: JobSummary): JobResult;
  postpone(delayMs: number): JobResult;
  rateLimited(delayMs: number): JobResult;
  moveBack(): JobResult;
}

export type Handler<N extends QueueName> = (
  job: JobView<Payloads[N]>,
  context: JobContext,
) => Promise<JobResult>;

/** How one job's turn ended. For logs, metrics and tests; ids only. */
export interface OutcomeEvent {
  queue: QueueName;
  jobId: string;
  outcome: JobOutcome;
  ids: Record<string, string>;
  /** The code of a failure. */
  code: string | null;
  attempt: number;
  durationMs: number;
}

export interface WorkerOptions {
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
  options: WorkerOptions,
): QueueWorker {
  const lockDuration = options.lockDurationMs ?? deps.lock.lockDurationMs;
  const watch = createLockWatch(lockDuration);
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const processor = createProcessor({
    name,
    handler,
    watch,
    stopping: stopping.signal,
    queue: deps.queue,
    options,
  });
  const report = (error: unknown) =>
    deps.onError({ queue: name, source: 'worker', error: errorLabel(error) });

  const { worker, dispose } = deps.engine.createWorker(name, processor, {
    concurrency: options.concurrency ?? 1,
    lockDuration,
    lockRenewTime: options.renewEveryMs ?? lockDuration / 2,
    stalledInterval: options.stalledIntervalMs ?? deps.lock.stalledIntervalMs,
    maxStalledCount: options.maxStalledCount ?? deps.lock.maxStalledCount,
    limiter: NO_LIMIT,
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
    async ready() {
      await worker.waitUntilReady();
    },
    active: () => watch.size(),
    drain(graceMs) {
      closing ??= drainWithin(graceMs, { worker, watch, stopping, finish });
      return closing;
    },
    close() {
      closing ??= finish(false);
      return closing;
    },
  };
}

async function drainWithin(
  graceMs: number,
  parts: {
    worker: Worker;
    watch: LockWatch;
    stopping: AbortController;
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
  // Those that did not even react are left to their locks: closing by force does not wait for them.
  await parts.finish(watch.size() > 0);
}

async function atMost(ms: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, limit]);
  clearTimeout(timer);
}

interface ProcessorParts<N extends QueueName> {
  name: N;
  handler: Handler<N>;
  watch: LockWatch;
  stopping: AbortSignal;
  queue: Queue;
  options: WorkerOptions;
}

function createProcessor<N extends QueueName>(parts: ProcessorParts<N>) {
  const { name, watch, options } = parts;
  return async (job: Job, token?: string): Promise<unknown> => {
    const started = performance.now();
    const jobId = job.id ?? '';
    const watched = watch.watch(jobId);
    const ids: Record<string, string> = {};
    try {
      const ended = await runHandler(parts, job, token ?? '', watched, ids).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
      const verdict = judge({
        ended,
        aborted: watched.cause(),
        attemptsMade: job.attemptsMade,
        attempts: job.opts.attempts ?? 1,
        postponed: postponedCount(job.data),
        maxPostpones: options.maxPostpones ?? MAX_POSTPONES,
        ids,
      });
      options.onOutcome?.({
        queue: name,
        jobId,
        outcome: verdict.outcome,
        ids,
        code: 'failure' in verdict ? verdict.failure.code : null,
        attempt: job.attemptsMade + 1,
        durationMs: performance.now() - started,
      });
      return await carryOut(verdict, job, token ?? '', parts.queue);
    } finally {
      watched.release();
    }
  };
}

async function runHandler<N extends QueueName>(
  parts: ProcessorParts<N>,
  job: Job,
  token: string,
  watched: WatchedJob,
  ids: Record<string, string>,
): Promise<JobResult> {
  // A job may still arrive while the worker stops: the blocking read was under way.
  if (parts.stopping.aborted) return { outcome: 'moved_back' };
  const data = parsePayload(parts.name, job.data);
  Object.assign(ids, payloadIds(data));
  const attempts = job.opts.attempts ?? 1;
  const view: JobView<Payloads[N]> = {
    id: job.id ?? '',
    queue: parts.name,
    data,
    attempt: job.attemptsMade + 1,
    attempts,
    lastAttempt: job.attemptsMade + 1 >= attempts,
    starts: Math.max(1, job.attemptsStarted),
    postponed: postponedCount(job.data),
    addedAt: job.timestamp,
  };
  return parts.handler(view, {
    signal: watched.signal,
    stopping: parts.stopping,
    token,
    completed: (summary) => ({ outcome: 'completed', ...(summary === undefined ? {} : { summary }) }),
    postpone: (delayMs) => ({ outcome: 'postponed', delayMs }),
    rateLimited: (delayMs) => ({ outcome: 'rate_limited', delayMs }),
    moveBack: () => ({ outcome: 'moved_back' }),
  });
}

/** Tells BullMQ, in the ways it knows: a value, or an error of its own that stands for "already moved". */
async function carryOut(verdict: Verdict, job: Job, token: string, queue: Queue): Promise<unknown> {
  switch (verdict.outcome) {
    case 'completed':
    case 'returned':
      return verdict.value;
    case 'postponed':
      await ifStillOurs(async () => {
        await job.updateData({ ...job.data, postponed: verdict.postponed });
        await job.moveToDelayed(Date.now() + verdict.delayMs, token);
      });
      throw new DelayedError();
    case 'moved_back':
      await ifStillOurs(() => job.moveToWait(token));
      throw new WaitingError();
    case 'rate_limited':
      await queue.rateLimit(verdict.delayMs);
      throw Worker.RateLimitError();
    case 'lost':
      throw new DelayedError();
    case 'retry':
    case 'failed':
      throw toThrowable(verdict.failure);
  }
}

// BullMQ's codes for: no such job, no lock, not active, somebody else's lock.
const NOT_OURS: readonly unknown[] = [-1, -2, -3, -6];

/** Moves a job unless it belongs to somebody else by now: then nothing is ours to say about it. */
async function ifStillOurs(move: () => Promise<unknown>): Promise<void> {
  try {
    await move();
  } catch (error) {
    if (NOT_OURS.includes((error as { code?: unknown }).code)) return;
    throw toThrowable({
      code: 'queue_unavailable',
      retryable: true,
      retryAfterMs: null,
      reason: `queue_unavailable (${errorLabel(error)}): the job could not be moved`,
      frames: '',
    });
  }
}
