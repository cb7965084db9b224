import type { Database } from '../database.ts';
import { type Lease, renewLease } from './leases.ts';

export interface KeepOptions {
  ttlMs: number;
  /** Between two renewals; less than ttlMs, best a third of it. */
  everyMs: number;
  /**
   * Called at most once. `taken`: another worker holds the user; `unreachable`: no renewal came through within ttlMs; `blocked`: the same, since
   * this process gave its timers no turn for half of that time or longer.
   */
  onLost: (reason: LostLease) => void;
}

export type LostLease = 'taken' | 'unreachable' | 'blocked';

/** How often in the time of a lease the keeper looks whether its process turns. */
const LOOKS = 10;
/** Share of the time of a lease without a turn from which its loss is the process's own doing. */
const BLOCKED_SHARE = 0.5;

export interface LeaseKeeper {
  /** Ends the renewals and waits for the one under way, so that a release afterwards is the last word. */
  stop(): Promise<void>;
}

/**
 * Renews a lease until stopped or lost. A renewal that fails is tried again; what counts is that one comes through in time, which
 * a timer of its own watches, so that a hanging connection is noticed too. Keeps no process alive.
 */
export function keepLease(database: Database, lease: Lease, options: KeepOptions): LeaseKeeper {
  const { ttlMs, everyMs, onLost } = options;
  if (!(everyMs > 0 && everyMs < ttlMs)) throw new RangeError('everyMs must be above 0 and below ttlMs');
  let over = false;
  let underWay: Promise<void> = Promise.resolve();
  let renewal: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let turnedAt = performance.now();
  let longestStillMs = 0;
  const looking = setInterval(look, ttlMs / LOOKS);
  looking.unref();

  function look(): void {
    const now = performance.now();
    longestStillMs = Math.max(longestStillMs, now - turnedAt);
    turnedAt = now;
  }
  function end(): void {
    over = true;
    clearInterval(looking);
    clearTimeout(renewal);
    clearTimeout(deadline);
  }
  function lose(reason: LostLease): void {
    end();
    onLost(reason);
  }
  function runOut(): void {
    look();
    const isBlocked = longestStillMs >= BLOCKED_SHARE * ttlMs; // guard: keep-blocked
    lose(isBlocked ? 'blocked' : 'unreachable');
  }
  /** The database counts from when it answers, we from when we asked: our end is not the later one. */
  function watchFrom(askedAt: number): void {
    clearTimeout(deadline);
    deadline = setTimeout(
      () => runOut(), // guard: keep-deadline
      askedAt + ttlMs - performance.now(), // guard: keep-asked
    );
    deadline.unref();
  }
  function renewLater(): void {
    renewal = setTimeout(() => {
      underWay = renew();
    }, everyMs);
    renewal.unref();
  }
  async function renew(): Promise<void> {
    const askedAt = performance.now();
    try {
      const held = await renewLease(database, { ...lease, ttlMs });
      if (over) return;
      if (!held) return lose('taken'); // guard: keep-taken
      longestStillMs = 0;
      watchFrom(askedAt);
    } catch {
      // Tried again below; the deadline decides how often.
    }
    if (!over) renewLater();
  }

  watchFrom(performance.now());
  renewLater();
  return {
    async stop() {
      end();
      await underWay;
    },
  };
}
