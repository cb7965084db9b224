import type { Job, JobType, Queue } from 'bullmq';
import type { QueueName } from './names.ts';
import { PayloadError, parsePayload, payloadIds } from './payload.ts';
import { withStallsForgiven } from './stalls.ts';

export interface QueueCounts {
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  completed: number;
}

/** A job of the failed list, as an operator sees it. */
export interface FailedJob {
  id: string;
  queue: QueueName;
  /** `code: name=id name=id` */
  reason: string;
  attemptsMade: number;
  /** Epoch milliseconds, or null. */
  failedAt: number | null;
  /** Ids of the payload; none when the payload is not one of ours. */
  ids: Record<string, string>;
}

/** What an operator does with a queue. */
export interface Controls {
  counts(name: QueueName): Promise<QueueCounts>;
  /** The failed list, newest first; `from` and `to` are positions, both included. */
  failed(name: QueueName, from?: number, to?: number): Promise<FailedJob[]>;
  /** Runs a failed job again with fresh attempts. False when it is not (or no longer) in the failed list. */
  retryFailed(name: QueueName, id: string): Promise<boolean>;
  pause(name: QueueName): Promise<void>;
  resume(name: QueueName): Promise<void>;
  isPaused(name: QueueName): Promise<boolean>;
  /** Nobody takes jobs from this queue for `ms`. */
  rateLimit(name: QueueName, ms: number): Promise<void>;
}

const PAGE = 100;
/** BullMQ's PostgreSQL backend counts what waits in a paused queue under this name, which its types do not know. */
const PAUSED = 'paused' as JobType;

export function createControls(queues: Record<QueueName, Queue>): Controls {
  return {
    async counts(name) {
      const counts = await queues[name].getJobCounts(
        'waiting',
        'prioritized',
        PAUSED,
        'active',
        'delayed',
        'failed',
        'completed',
      );
      const {
        waiting = 0,
        prioritized = 0,
        paused = 0,
        active = 0,
        delayed = 0,
        failed = 0,
        completed = 0,
      } = counts;
      return { waiting: waiting + prioritized + paused, active, delayed, failed, completed };
    },
    async failed(name, from = 0, to = from + PAGE - 1) {
      const jobs = await queues[name].getFailed(from, to);
      // A job may be retried or removed between the list and its data.
      return jobs.filter((job) => job?.id !== undefined).map((job) => describe(name, job));
    },
    async retryFailed(name, id) {
      const job: Job | undefined = await queues[name].getJob(id);
      if (job === undefined || (await job.getState()) !== 'failed') return false;
      try {
        // The starts stay counted: a handler can tell that somebody wants this job tried again.
        await job.updateData(withStallsForgiven(job.data, job)); // guard: stalls-forgiven
        await job.retry('failed', { resetAttemptsMade: true });
        return true;
      } catch (error) {
        if (typeof (error as { code?: unknown }).code === 'number') return false;
        throw error;
      }
    },
    pause: (name) => queues[name].pause(),
    resume: (name) => queues[name].resume(),
    isPaused: (name) => queues[name].isPaused(),
    rateLimit: (name, ms) => queues[name].rateLimit(ms),
  };
}

function describe(queue: QueueName, job: Job): FailedJob {
  return {
    id: job.id ?? '',
    queue,
    reason: job.failedReason ?? '',
    attemptsMade: job.attemptsMade,
    failedAt: job.finishedOn ?? null,
    ids: idsOf(queue, job.data),
  };
}

function idsOf(queue: QueueName, data: unknown): Record<string, string> {
  try {
    return payloadIds(parsePayload(queue, data));
  } catch (error) {
    if (error instanceof PayloadError) return {};
    throw error;
  }
}
