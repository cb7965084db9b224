import { COMMIT_FAILPOINTS } from '@slowwave/db';

/**
 * Every place at which a test may stop, delay, break or end a worker: around each step of a job, and between any two statements of a
 * commit. They are arguments of createWorker and inert without one; nothing outside a test can reach them.
 */
export const FAILPOINTS = [
  /** The queue has handed the job over. */
  'after-claim',
  /** The user is this job's. */
  'after-lease',
  'after-run-start',
  'before-step',
  /** What a fusion may be made of has been read. */
  'after-read',
  'before-model',
  'after-model',
  /** A paid answer is stored. */
  'after-memo',
  ...COMMIT_FAILPOINTS,
  'after-step',
  'after-run-end',
  /** The user is given back. */
  'after-release',
  /** The queue is about to be told how the job ended. */
  'before-ack',
] as const;

export type FailpointName = (typeof FAILPOINTS)[number];

/** Whose job comes by. */
export interface Passing {
  tenant: string;
  user: string;
}

/** Called wherever a job comes by one of them; inert in service. */
export type Failpoints = (name: FailpointName, of: Passing) => Promise<void> | void;
