/** A signal that fires when nothing was heard for some time, or when the caller's signal fires. */
export interface Patience {
  signal: AbortSignal;
  /** Something was heard: the time begins anew. */
  renew(): void;
  /** Ends the timer. */
  end(): void;
}

/** @param ms longest silence, in milliseconds */
export function createPatience(ms: number, caller: AbortSignal | undefined): Patience {
  const controller = new AbortController();
  const stop = () => controller.abort();
  let timer: NodeJS.Timeout | undefined;
  const renew = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, ms);
  };
  if (caller?.aborted) stop();
  caller?.addEventListener('abort', stop, { once: true });
  renew();
  return {
    signal: controller.signal,
    renew,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
  };
}
