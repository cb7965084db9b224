/** Every place between two states of a batch at which a test may stop, delay, break or end a worker. */
export const BATCH_FAILPOINTS = [
  /** A question is written down, and what it can cost reserved. */
  'after-collect',
  /** The batch is written down as being sent. */
  'after-sending',
  /** The provider has it. */
  'after-create',
  /** Its name there is written down. */
  'after-recorded',
  /** The results of one user, as many as came on one page, are stored and settled. */
  'after-result',
  /** All results are, and no run is asked for yet. */
  'after-results',
  /** The runs that go on with them are asked for. */
  'after-requested',
] as const;

export type BatchFailpoint = (typeof BATCH_FAILPOINTS)[number];

/** Called wherever a batch comes by one of them; inert in service. */
export type BatchFailpoints = (name: BatchFailpoint) => Promise<void> | void;
