import { setTimeout as sleep } from 'node:timers/promises';
import type { FailpointName, Failpoints } from '@slowwave/worker';
import type { Arming } from './types.ts';

/** The failpoints of one process, and what it is to do at them. */
export interface Armed {
  failpoints: Failpoints;
  /** Counts from now on; acts once. */
  arm(arming: Arming): void;
  /** Ends every pause. */
  resume(): void;
  /** How often each was come by since the start. */
  passed(): Partial<Record<FailpointName, number>>;
}

/** How a process ends or breaks at a failpoint. */
export interface Acts {
  kill(): void;
  exit(): void;
}

const OF_THIS_PROCESS: Acts = {
  kill: () => void process.kill(process.pid, 'SIGKILL'),
  exit: () => process.exit(1),
};

/** Never settles: whoever ends does not get any further. */
const forever = () => new Promise<never>(() => {});

/**
 * @param tell resolves when the conductor has been told that one was reached, so that nobody dies with it on their lips
 * @param acts what kills and ends; default this process
 */
export function createArmed(
  armed: readonly Arming[],
  tell: (arming: Arming) => Promise<void>,
  acts: Acts = OF_THIS_PROCESS,
): Armed {
  let waiting = armed.map((arming) => ({ arming, left: arming.nth }));
  const passed = new Map<FailpointName, number>();
  const paused = new Set<() => void>();

  async function act(arming: Arming): Promise<void> {
    const resumed = new Promise<void>((resolve) => paused.add(resolve));
    await tell(arming);
    switch (arming.action) {
      case 'kill':
        acts.kill();
        return forever();
      case 'exit':
        acts.exit();
        return forever();
      case 'throw':
        throw new Error('broken on purpose');
      case 'pause':
        await Promise.race([resumed, ...(arming.ms === undefined ? [] : [sleep(arming.ms)])]);
    }
  }

  return {
    async failpoints(name) {
      passed.set(name, (passed.get(name) ?? 0) + 1);
      for (const one of waiting) if (one.arming.name === name) one.left -= 1;
      const due = waiting.find(({ arming, left }) => arming.name === name && left <= 0);
      if (!due) return;
      waiting = waiting.filter((one) => one !== due);
      await act(due.arming);
    },
    arm(arming) {
      waiting.push({ arming, left: arming.nth });
    },
    resume() {
      for (const go of paused) go();
      paused.clear();
    },
    passed: () => Object.fromEntries(passed),
  };
}
