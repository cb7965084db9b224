import { createHash, randomBytes } from 'node:crypto';
import type { Principal } from './principal.ts';

export const SESSION_MS = 12 * 60 * 60 * 1_000;
/** A token that was revoked lets its sessions in for this long at most. */
export const RECHECK_MS = 10_000;
/** Sessions of one token at the same time; the oldest of the same token ends for one more. */
export const SESSIONS_PER_TOKEN = 10;

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

  /** Deletes the sessions that ended, and of one token those beyond its limit, with room for one more. */
  function makeRoom({ tokenId }: Principal): void {
    const own: string[] = [];
    for (const [key, { endsAt, principal }] of sessions) {
      if (endsAt <= now()) sessions.delete(key);
      else if (principal.tokenId === tokenId) own.push(key);
    }
    // In order of opening: the oldest one goes first.
    for (const key of own.slice(0, Math.max(0, own.length + 1 - SESSIONS_PER_TOKEN))) sessions.delete(key);
  }

  return {
    open(principal) {
      makeRoom(principal);
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
