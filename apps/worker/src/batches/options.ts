import type { Batches } from '@slowwave/models';
import type { BatchFailpoints } from './failpoints.ts';

/** How questions of the night wait for a batch. */
export interface BatchingOptions {
  /** The body of a request as the provider takes it. */
  bodyOf: Batches['bodyOf'];
  /** False: nothing new is collected, but what waits is still waited for. */
  collect: boolean;
  /** After this the question is asked directly, ms. */
  deadlineMs: number;
  /** How long what was reserved for a question is kept without a word, ms: longer than any batch lives. */
  holdMs: number;
  /** Tests only. */
  failpoints?: BatchFailpoints;
}

/** When batches are sent. */
export interface BatchSettings {
  /** With so many questions a batch is sent at once. */
  minCalls: number;
  /** After so long it is sent with fewer, ms. */
  waitMs: number;
  deadlineMs: number;
}

const DAY_MS = 86_400_000;

/** A batch ends within a day of being sent; that is long over by then. */
export function holdMsOf(deadlineMs: number): number {
  return deadlineMs + 3 * DAY_MS;
}
