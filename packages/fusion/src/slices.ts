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
  /** Work that began before this instant of `nowMs` ends at the first pause at or after it. */
  deadlineMs?: number | undefined;
  nowMs: () => number;
}

/**
 * Runs the work and pauses between its slices, so that a large user's plan keeps nobody else waiting.
 * @returns null for work that the deadline ended
 * @throws the signal's reason
 */
export async function withPauses<Result>(
  slices: Slices<Result>,
  { pause, signal, deadlineMs, nowMs }: Pausing,
): Promise<Result | null> {
  if (!pause) return inOneGo(slices);
  const endsMs = deadlineMs !== undefined && nowMs() < deadlineMs ? deadlineMs : Number.POSITIVE_INFINITY;
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await pause();
    signal?.throwIfAborted();
    if (nowMs() >= endsMs) return null; // guard: plan-deadline
  }
}
