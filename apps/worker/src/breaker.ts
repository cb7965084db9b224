import { type LLMProvider, ModelError } from '@slowwave/fusion';

/** What health says of a provider that refused our key. */
export interface BreakerState {
  open: boolean;
  /** Epoch ms until which no call is made. */
  until: number | null;
}

export interface Breaker {
  provider: LLMProvider;
  state(): BreakerState;
}

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

/**
 * Stops asking a provider that refused our key or account (401, 402, 403), instead of burning every job against it. After a pause,
 * doubled each time, one call is let through; when it succeeds all are.
 */
export function createBreaker(inner: LLMProvider, nowMs: () => number): Breaker {
  let until: number | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  let probing = false;

  const isOpen = (): boolean => until !== null && (nowMs() < until || probing);

  function trip(): void {
    until = nowMs() + pauseMs;
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }

  function reset(): void {
    until = null;
    pauseMs = FIRST_PAUSE_MS;
  }

  return {
    state: () => ({ open: isOpen(), until: isOpen() ? until : null }),
    provider: {
      ...inner,
      isAvailable: () => !isOpen() && inner.isAvailable(),
      async complete(request) {
        if (isOpen())
          throw new ModelError('auth', { retryable: false, hint: 'paused after the key was refused' });
        probing = until !== null;
        try {
          const response = await inner.complete(request);
          reset();
          return response;
        } catch (error) {
          if (error instanceof ModelError && error.code === 'auth') trip();
          throw error;
        } finally {
          probing = false;
        }
      },
    },
  };
}
