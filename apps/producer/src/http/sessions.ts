import { createHash, randomBytes } from 'node:crypto';
import type { Principal } from './principal.ts';

export const SESSION_MS = 12 * 60 * 60 * 1_000;
/** A token that was revoked lets its sessions in for this long at most. */
export const RECHECK_MS = 10_000;
const SESSIONS_MAX = 100;

/** Who is signed in. Sessions live in this process only: a restart signs everybody out. */
export interface Sessions {
  /** @returns the id for the cookie */
  open(principal: Principal): string;
  /** @returns who opened it, or null when it ended or does not exist */
  find(id: string | null): Promise<Principal | null>;
  end(id: string | null): void;
}

export interface SessionOptions {
  /** Epoch ms. */
  now: () => number;
  /** Whether the token that opened a session would still let its owner in. */
  stillLetIn: (principal: Principal) => Promise<boolean>;
}

interface Session {
  principal: Principal;
  endsAt: number;
  checkedAt: number;
}

export function createSessions({ now, stillLetIn }: SessionOptions): Sessions {
  // Looked up by hash, so that nothing about an id can be learned from how long the look-up takes.
  const sessions = new Map<string, Session>();
  const keyOf = (id: string) => createHash('sha256').update(id).digest('hex');

  function forgetOld(): void {
    for (const [key, { endsAt }] of sessions) if (endsAt <= now()) sessions.delete(key);
    // In order of opening: the oldest one goes first.
    for (const key of sessions.keys()) {
      if (sessions.size < SESSIONS_MAX) return;
      sessions.delete(key);
    }
  }

  return {
    open(principal) {
      forgetOld();
      const id = randomBytes(32).toString('base64url');
      sessions.set(keyOf(id), { principal, endsAt: now() + SESSION_MS, checkedAt: now() });
      return id;
    },
    async find(id) {
      if (id === null) return null;
      const key = keyOf(id);
      const session = sessions.get(key);
      if (session === undefined || session.endsAt <= now()) return null;
      if (now() - session.checkedAt >= RECHECK_MS) {
        if (!(await stillLetIn(session.principal))) {
          sessions.delete(key);
          return null;
        }
        session.checkedAt = now();
      }
      return session.principal;
    },
    end(id) {
      if (id !== null) sessions.delete(keyOf(id));
    },
  };
}
