import type { Job } from 'bullmq';

/**
 * Stalls: turns of a job that ended with their worker. BullMQ counts them for as long as the job stands; whoever starts it again forgives
 * those so far, by writing their number into the payload.
 */
export class StalledOut extends Error {
  readonly code = 'stalled_out';
  readonly retryable = false;

  constructor() {
    super('the workers of this job ended more often than allowed');
    this.name = 'StalledOut';
  }
}

/** More stalls than BullMQ ever counts: for queues that count for themselves. */
export const NEVER_STALLED_OUT = 1_000_000_000;

/** Stalls since the job was last started by somebody. */
export function stallsOf(job: Pick<Job, 'stalledCounter' | 'data'>): number {
  const forgiven = (job.data as { stalls?: unknown } | null)?.stalls;
  return job.stalledCounter - (typeof forgiven === 'number' ? forgiven : 0);
}

/** The payload of a job that is started again, after whatever happened before. */
export function withStallsForgiven<T extends object>(
  data: T,
  { stalledCounter }: { stalledCounter: number },
): T {
  return stalledCounter === 0 ? data : { ...data, stalls: stalledCounter };
}
