/** Work in slices of a few milliseconds: whoever runs it decides what happens between two of them. */
export type Slices<Result> = Generator<void, Result, void>;

/** Runs the work without a pause. */
export function inOneGo<Result>(slices: Slices<Result>): Result {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}

/** What happens between two slices. */
export interface Pausing {
  /** Lets others have their turn. Absent: the work is done in one go. */
  pause?: (() => Promise<void>) | undefined;
  /** Ends the work at the next pause with its reason. */
  signal?: AbortSignal | undefined;
  /** The work ends at the first pause at or after this instant of `nowMs`. */
  deadlineMs?: number | undefined;
  nowMs: () => number;
}

/** The plan of a user took longer than its step may. It says something against this user, as a step without an end does. */
export class PlanTimeout extends Error {
  readonly code = 'plan_timeout';
  readonly retryable = false;

  constructor() {
    super('the plan did not end in the time of its step');
    this.name = 'PlanTimeout';
  }
}

/**
 * Runs the work and pauses between its slices, so that a large user's plan keeps nobody else waiting.
 * @throws PlanTimeout at a pause past the deadline; the signal's reason
 */
export async function withPauses<Result>(
  slices: Slices<Result>,
  { pause, signal, deadlineMs, nowMs }: Pausing,
): Promise<Result> {
  if (!pause) return inOneGo(slices);
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await pause();
    signal?.throwIfAborted();
    if (deadlineMs !== undefined && nowMs() >= deadlineMs) throw new PlanTimeout(); // guard: plan-deadline
  }
}
