import { createHash, randomBytes } from 'node:crypto';

export const SESSION_MS = 12 * 60 * 60 * 1_000;
const SESSIONS_MAX = 100;

/** Signed-in operators. They live in this process only: a restart signs everybody out. */
export interface Sessions {
  /** @returns the id for the cookie */
  open(): string;
  has(id: string | null): boolean;
  end(id: string | null): void;
}

/** @param now epoch ms */
export function createSessions(now: () => number): Sessions {
  // Looked up by hash, so that nothing about an id can be learned from how long the look-up takes.
  const ends = new Map<string, number>();
  const keyOf = (id: string) => createHash('sha256').update(id).digest('hex');

  function forgetOld(): void {
    for (const [key, end] of ends) if (end <= now()) ends.delete(key);
    // In order of opening: the oldest one goes first.
    for (const key of ends.keys()) {
      if (ends.size < SESSIONS_MAX) return;
      ends.delete(key);
    }
  }

  return {
    open() {
      forgetOld();
      const id = randomBytes(32).toString('base64url');
      ends.set(keyOf(id), now() + SESSION_MS);
      return id;
    },
    has: (id) => id !== null && (ends.get(keyOf(id)) ?? 0) > now(),
    end(id) {
      if (id !== null) ends.delete(keyOf(id));
    },
  };
}
