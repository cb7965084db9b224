import { ModelError } from '@slowwave/fusion';
import { aborted, timedOut } from './errors.ts';

/**
 * Runs a call under one deadline that covers everything until its promise settles, the body of the answer included (the time
 * limits of HTTP clients often end at the headers), joined with the caller's own signal.
 * @param timeoutMs longest duration in milliseconds.
 * @param work gets the joined signal and must stop on it.
 * @throws {ModelError} `aborted` when the caller's signal fired, `timeout` when the deadline passed, else what `work` threw.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (caller?.aborted) throw aborted();
  const controller = new AbortController();
  let expired = false;
  const stop = () => controller.abort();
  const timer = setTimeout(() => {
    expired = true;
    stop();
  }, timeoutMs);
  caller?.addEventListener('abort', stop, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    // A client may wrap or rename an abort, so what fired decides and not what was thrown. An answer that was already
    // classified keeps its class.
    if (error instanceof ModelError) throw error;
    if (caller?.aborted) throw aborted();
    if (expired) throw timedOut(timeoutMs);
    throw error;
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', stop);
  }
}
