import { setTimeout as sleep } from 'node:timers/promises';
import { COMMIT_FAILPOINTS } from '@slowwave/db';
import { FAILPOINTS } from '@slowwave/worker';
import type { Arming } from '../types.ts';
import type { Running } from './processes.ts';
import type { Random } from './random.ts';
import type { Slot } from './slots.ts';

/** How long a process may live at least, once it works. */
const LIFE_MIN_MS = 150;
const LOOK_MS = 20;
const NTH_MAX = 4;
/** At how many places a process that is to die at one waits for death. */
const PLACES = 6;
/** How many of these are inside claims and commits, where most is at stake. */
const COMMIT_SHARE = 0.6;
/** Longer than the lease, and shorter. */
const PAUSE_MAX_MS = 4_000;

/** Most processes die where it hurts; some break, wait there or die at any time. */
const WAYS = { kill: 70, none: 15, pause: 6, throw: 5, exit: 4 } as const;

/**
 * Ends one process after the other in a slot: each is armed at a failpoint and gets a time to live, after which it is killed wherever it
 * stands. What runs when the storm is over is left alone.
 * @param lifeMs how long one lives on average
 */
export async function hunt(
  slot: Slot,
  random: Random,
  options: { lifeMs: number; armed: boolean; over: AbortSignal },
): Promise<void> {
  const { lifeMs, over } = options;
  while (!over.aborted) {
    const prey = await nextReady(slot, over);
    if (prey === null) return;
    // As with decay: most die young, some live long.
    const life = LIFE_MIN_MS - Math.log(1 - random.next()) * Math.max(0, lifeMs - LIFE_MIN_MS);
    const armings = drawArmings(random);
    if (options.armed) for (const arming of armings) slot.arm(arming);
    await Promise.race([prey.ended, pause(life, over)]);
    if (!over.aborted && !prey.over() && !slot.stopping()) prey.signal('SIGKILL');
    await Promise.race([prey.ended, aborted(over)]);
  }
}

/** Several places to die at, since a short life comes by few of them; one place to break or to wait at. */
function drawArmings(random: Random): Arming[] {
  const way = random.weighted(WAYS);
  if (way === 'none') return [];
  const ms = Math.floor(random.between(100, PAUSE_MAX_MS));
  return Array.from({ length: way === 'kill' ? PLACES : 1 }, (): Arming => {
    const name = random.pick(random.chance(COMMIT_SHARE) ? COMMIT_FAILPOINTS : FAILPOINTS);
    const arming = { name, nth: 1 + random.below(NTH_MAX) };
    return { ...arming, action: way, ...(way === 'pause' ? { ms } : {}) };
  });
}

async function nextReady(slot: Slot, over: AbortSignal): Promise<Running | null> {
  while (!over.aborted) {
    const current = slot.current();
    if (current?.ready()) return current;
    await pause(LOOK_MS, over);
  }
  return null;
}

/** Time goes by, or the storm is over. */
export async function pause(ms: number, over: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: over }).catch(() => {});
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
