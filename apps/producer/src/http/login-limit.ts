/** Failed logins within one window, per address and in all. */
export const LOGIN_LIMIT = { windowMs: 60_000, perAddress: 5, overall: 50 } as const;
const ADDRESSES_MAX = 1_000;

export interface LoginLimit {
  /** Milliseconds until this address may try again, 0 when it may now. */
  blockedFor(address: string): number;
  failed(address: string): void;
}

interface Window {
  count: number;
  ends: number;
}

/** Slows down guessing. Counts failures only, in memory, in fixed windows. @param now epoch ms */
export function createLoginLimit(now: () => number): LoginLimit {
  const addresses = new Map<string, Window>();
  let all: Window = { count: 0, ends: 0 };

  const current = (window: Window | undefined): Window =>
    window !== undefined && window.ends > now() ? window : { count: 0, ends: now() + LOGIN_LIMIT.windowMs };

  return {
    blockedFor(address) {
      const own = current(addresses.get(address));
      const whole = current(all);
      const waits = [
        own.count >= LOGIN_LIMIT.perAddress ? own.ends - now() : 0,
        whole.count >= LOGIN_LIMIT.overall ? whole.ends - now() : 0,
      ];
      return Math.max(...waits);
    },
    failed(address) {
      const own = current(addresses.get(address));
      // Deleted first, so that the address seen last stands last.
      addresses.delete(address);
      addresses.set(address, { ...own, count: own.count + 1 });
      const oldest = addresses.keys().next().value;
      if (addresses.size > ADDRESSES_MAX && oldest !== undefined) addresses.delete(oldest);
      all = current(all);
      all.count += 1;
    },
  };
}
