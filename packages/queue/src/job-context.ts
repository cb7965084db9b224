import type { JobResult, JobSummary } from './outcome.ts';

/** What a handler gets besides its job: when to stop, and the results it may hand back. */
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

/** The context of a job; of one that no queue has, nothing stops it and no lock is held. */
export function jobContext({
  signal = new AbortController().signal,
  stopping = new AbortController().signal,
  token = '',
}: {
  signal?: AbortSignal | undefined;
  stopping?: AbortSignal | undefined;
  token?: string;
} = {}): JobContext {
  return {
    signal,
    stopping,
    token,
    completed: (summary) => ({ outcome: 'completed', ...(summary === undefined ? {} : { summary }) }),
    postpone: (delayMs) => ({ outcome: 'postponed', delayMs }),
    rateLimited: (delayMs) => ({ outcome: 'rate_limited', delayMs }),
    moveBack: () => ({ outcome: 'moved_back' }),
  };
}
