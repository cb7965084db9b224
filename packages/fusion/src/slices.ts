/** Work in slices of a few milliseconds: whoever runs it decides what happens between two of them. */
export type Slices<Result> = Generator<void, Result, void>;

/** Runs the work without a pause. */
export function inOneGo<Result>(slices: Slices<Result>): Result {
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}

/**
 * Runs the work and pauses between its slices, so that a large user's plan keeps nobody else waiting.
 * @param pause absent: none is made
 * @param signal ends the work at the next pause with its reason
 */
export async function withPauses<Result>(
  slices: Slices<Result>,
  pause: (() => Promise<void>) | undefined,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!pause) return inOneGo(slices);
  for (;;) {
    const slice = slices.next();
    if (slice.done) return slice.value;
    await pause();
    signal?.throwIfAborted();
  }
}
