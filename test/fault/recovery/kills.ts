import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../fixtures/wait.ts';
import type { Service } from '../limits/service.ts';
import { type Ground, type HeldModel, waitForStarts } from './ground.ts';

/** Users of one tier that a worker takes at a time by default. */
const AT_ONCE = 4;
/** A kill comes at any point between two renewals of locks and leases. */
const PHASE_MS = 10_000;
const LIMIT_MS = 180_000;

/**
 * Kills one worker after the other in the middle of its users' runs, while these wait for the model. Another worker stands by with all
 * of its places free.
 * @returns ms from each kill until each user's run was begun again, at least `samples` of them
 */
export async function measureKills(
  parts: {
    service: Service;
    ground: Ground;
    model: HeldModel;
    random: () => number;
    say: (line: string) => void;
  },
  samples: number,
): Promise<number[]> {
  const { service, ground, model, random } = parts;
  const found: number[] = [];
  let victim = service.workers[0]!;
  for (let round = 0; found.length < samples; round += 1) {
    const deep = Array.from({ length: AT_ONCE }, (_, i) => `kill-${round}-deep-${i}`);
    const night = Array.from({ length: AT_ONCE }, (_, i) => `kill-${round}-sleep-${i}`);
    const users = [...deep, ...night];
    model.hold();
    await ground.addUsers(deep, 'deep');
    await ground.addUsers(night, 'sleep');
    await ground.wake(deep, 'deep');
    await ground.wake(night, 'sleep');
    await waitForStarts(ground, users, 0, LIMIT_MS);
    const heir = await service.addWorker();
    await sleep(random() * PHASE_MS);
    const killedAt = Date.now();
    victim.process.kill('SIGKILL');
    // Whoever was at work is begun again one at a time: how long each run takes is part of how long the last one waits.
    model.letGo();
    const waits = await waitForStarts(ground, users, killedAt, LIMIT_MS);
    found.push(...waits);
    parts.say(
      `kill ${round + 1}: the last of ${users.length} runs began again after ${Math.max(...waits) / 1_000} s`,
    );
    await until(
      'all of them to be done',
      async () => (await ground.countDone(users)) === users.length,
      LIMIT_MS,
    );
    victim = heir;
  }
  return found;
}
