import { DelayedError, type Job, type Queue, WaitingError, Worker } from 'bullmq';
import { MAX_POSTPONES } from './defaults.ts';
import { type JobContext, jobContext } from './job-context.ts';
import type { LockWatch, WatchedJob } from './lock-watch.ts';
import type { QueueName } from './names.ts';
import { type JobOutcome, type JobResult, judge, type Verdict } from './outcome.ts';
import { type Payloads, parsePayload, payloadIds, postponedCount } from './payload.ts';
import { toThrowable } from './safe-error.ts';
import { StalledOut, stallsOf } from './stalls.ts';

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

/** What the turns of one worker's jobs need. */
export interface ProcessorParts<N extends QueueName> {
  name: N;
  handler: Handler<N>;
  watch: LockWatch;
  stopping: AbortSignal;
  queue: Queue;
  /** How long it is tried to move a job while the datastore is away, ms: as long as a lock lasts. */
  moveForMs: number;
  maxPostpones?: number | undefined;
  onOutcome?: ((event: OutcomeEvent) => void) | undefined;
  /** How many turns may end with their worker, and who is told of one too many. */
  stalledOut?: { max: number; tell: (data: Payloads[N]) => Promise<boolean> } | undefined;
}

/** One turn: read the payload, run the handler, judge, and tell BullMQ. */
export function createProcessor<N extends QueueName>(parts: ProcessorParts<N>) {
  const { name, watch } = parts;
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
        maxPostpones: parts.maxPostpones ?? MAX_POSTPONES,
        ids,
      });
      tell(parts.onOutcome, {
        queue: name,
        jobId,
        outcome: verdict.outcome,
        ids,
        code: 'failure' in verdict ? verdict.failure.code : null,
        attempt: job.attemptsMade + 1,
        durationMs: performance.now() - started,
      });
      const { queue, moveForMs: limitMs } = parts;
      return await carryOut(verdict, job, { token: token ?? '', queue, watched, limitMs });
    } finally {
      watched.release();
    }
  };
}

/** An observer's failure is not the job's, and its text has no business in the datastore. */
function tell(observer: ((event: OutcomeEvent) => void) | undefined, event: OutcomeEvent): void {
  try {
    observer?.(event);
  } catch {
    // Nothing to do: whoever watches has to look after itself.
  }
}

async function runHandler<N extends QueueName>(
  parts: ProcessorParts<N>,
  job: Job,
  token: string,
  watched: WatchedJob,
  ids: Record<string, string>,
): Promise<JobResult> {
  // A job may still arrive while the worker stops: the blocking read was under way.
  if (parts.stopping.aborted) return { outcome: 'moved_back' }; // guard: stopping-untouched
  const data = parsePayload(parts.name, job.data);
  Object.assign(ids, payloadIds(data));
  const { stalledOut } = parts;
  // guard: stalled-out
  if (stalledOut && stallsOf(job) > stalledOut.max) {
    if (await stalledOut.tell(data)) throw new StalledOut();
    return { outcome: 'completed', summary: { outcome: 'stalled_out' } };
  }
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
  return parts.handler(view, jobContext({ signal: watched.signal, stopping: parts.stopping, token }));
}

/** What a verdict is carried out with. */
interface Place {
  token: string;
  queue: Queue;
  watched: WatchedJob;
  /** How long a move is tried. */
  limitMs: number;
}

/** Tells BullMQ, in the ways it knows: a value, or an error of its own that stands for "already moved". */
async function carryOut(verdict: Verdict, job: Job, place: Place): Promise<unknown> {
  const { token, queue } = place;
  switch (verdict.outcome) {
    case 'completed':
    case 'returned':
      return verdict.value;
    case 'postponed':
      await moved(place, async () => {
        await job.updateData({ ...job.data, postponed: verdict.postponed });
        await job.moveToDelayed(Date.now() + verdict.delayMs, token);
      });
      throw new DelayedError();
    case 'moved_back':
      await moved(place, () => job.moveToWait(token));
      throw new WaitingError();
    case 'rate_limited':
      await moved(place, () => queue.rateLimit(verdict.delayMs));
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

/** Between two tries to move a job, ms: the first time, at most, and at most for one that is told to stop. */
const MOVE_AGAIN_MS = { first: 50, longest: 1_000, stopping: 200 };

/**
 * Moves a job unless it belongs to somebody else by now: then nothing is ours to say about it. A datastore that is away is no fault of the job:
 * the move is tried again for as long as a lock lasts, and then the job is left to whoever finds it.
 */
async function moved({ watched, limitMs }: Place, move: () => Promise<unknown>): Promise<void> {
  // Not only until the lock is lost: one that goes on being renewed would be waited for without end.
  const endsAt = performance.now() + limitMs;
  for (let waitMs = MOVE_AGAIN_MS.first; ; waitMs = Math.min(MOVE_AGAIN_MS.longest, 2 * waitMs)) {
    try {
      await move();
      return;
    } catch (error) {
      if (NOT_OURS.includes((error as { code?: unknown }).code)) return; // guard: not-ours
      if (watched.cause() === 'lock_lost') return;
      if (watched.cause() === 'shutdown' && waitMs > MOVE_AGAIN_MS.stopping) return;
      if (performance.now() + waitMs > endsAt) return; // guard: moved-for-a-while
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
}
