import type { Database } from '../database.ts';
import { type Lease, renewLease } from './leases.ts';

export interface KeepOptions {
  ttlMs: number;
  /** Between two renewals; less than ttlMs, best a third of it. */
  everyMs: number;
  /** Called at most once. `taken`: somebody else holds the user; `unreachable`: no renewal came through within ttlMs. */
  onLost: (reason: 'taken' | 'unreachable') => void;
}

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

  function end(): void {
    over = true;
    clearTimeout(renewal);
    clearTimeout(deadline);
  }
  function lose(reason: 'taken' | 'unreachable'): void {
    end();
    onLost(reason);
  }
  /** The database counts from when it answers, we from when we asked: our end is not the later one. */
  function watchFrom(askedAt: number): void {
    clearTimeout(deadline);
    deadline = setTimeout(
      () => lose('unreachable'), // guard: keep-deadline
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
