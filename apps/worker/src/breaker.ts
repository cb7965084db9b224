import { type LLMProvider, ModelError } from '@slowwave/fusion';

/** What health says of a provider account that refused our key. */
export interface BreakerState {
  open: boolean;
  /** How long no call is made yet, ms; 0 while one call is let through. Null when closed. */
  leftMs: number | null;
}

/** One breaker for all models of one provider account. */
export interface Breaker {
  /** The provider behind this breaker: paused when any model of the account was refused, asked again when any succeeds. */
  guard(inner: LLMProvider): LLMProvider;
  state(): BreakerState;
}

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

/**
 * Stops asking a provider that refused our key or account (401, 402, 403), instead of burning every job against it. After a pause,
 * doubled each time, one call is let through, to whichever model; when it succeeds all are.
 *
 * @param nowMs a clock for durations
 */
export function createBreaker(nowMs: () => number): Breaker {
  let until: number | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let probing = false;
  /** How often it has tripped: what a call of an earlier time comes back with says nothing about now. */
  let trips = 0;

  const isOpen = (): boolean =>
    until !== null &&
    (nowMs() < until ||
      // guard: breaker-probe
      probing);

  function trip(): void {
    trips += 1;
    until = nowMs() + pauseMs; // guard: breaker
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  function reset(): void {
    until = null;
    pauseMs = FIRST_PAUSE_MS;
  }

  async function letThrough<T>(call: () => Promise<T>): Promise<T> {
    if (isOpen())
      throw new ModelError('auth', { retryable: false, hint: 'paused after the key was refused' });
    const probe = until !== null;
    const tripsBefore = trips;
    if (probe) probing = true;
    try {
      const response = await call();
      if (trips === tripsBefore) reset();
      return response;
    } catch (error) {
      // Several calls may be under way when a key is refused: together they are one refusal.
      if (error instanceof ModelError && error.code === 'auth' && trips === tripsBefore) trip();
      throw error;
    } finally {
      if (probe) probing = false;
    }
  }

  return {
    state: () => ({ open: isOpen(), leftMs: isOpen() ? Math.max(0, (until ?? 0) - nowMs()) : null }),
    guard: (inner) => ({
      ...inner,
      isAvailable: () => !isOpen() && inner.isAvailable(),
      complete: (request) => letThrough(() => inner.complete(request)),
    }),
  };
}
