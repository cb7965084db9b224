/** Held by one at a time in a process. */
export interface Turn {
  /**
   * Takes it, as soon as it is free and those who came before have had it.
   *
   * @param signal ends the waiting
   * @param waitMs longest wait
   * @returns whether it was taken
   */
  take(signal: AbortSignal, waitMs: number): Promise<boolean>;
  /** By whoever has taken it. */
  giveBack(): void;
}

/**
 * After a crash those who were at work begin again one after the other. Each waits so long for its turn, ms, and then leaves its place to
 * others for as long.
 */
export const TURN_MS = 1_000;

export function createTurn(): Turn {
  let taken = false;
  const waiting = new Set<() => void>();
  return {
    async take(signal, waitMs) {
      if (!taken) {
        taken = true;
        return true;
      }
      if (signal.aborted) return false;
      return new Promise((resolve) => {
        const leave = (isMine: boolean) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          waiting.delete(next);
          resolve(isMine);
        };
        const next = () => leave(true);
        const giveUp = () => leave(false);
        const timer = setTimeout(giveUp, waitMs);
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(next);
      });
    },
    giveBack() {
      const [next] = waiting;
      if (next) next();
      else taken = false;
    },
  };
}
