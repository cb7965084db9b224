import { acquireLease, releaseLease } from '@slowwave/db';
import type { TierJob } from '@slowwave/queue';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { wakeLeftHolds } from '../../apps/producer/src/left-holds.ts';
import { until } from '../fixtures/wait.ts';
import { addUsers, openStage, type Stage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.dispose());

async function hold(user: string) {
  const who = { tenant: 't', user, holder: 'gone' };
  const taken = await acquireLease(stage.database, { ...who, ttlMs: 3_600_000 });
  if (taken.status !== 'held') throw new Error(taken.status);
  return { ...who, fence: taken.fence };
}
const ranOut = (user: string, seconds: number) =>
  stage.database.asOwner((tx) =>
    tx.rows(sql`
      update slowwave.leases set expires_at = now() - ${seconds}::float8 * interval '1 second' where user_id = ${user}`),
  );

it('wakes whoever was left by a worker that is gone, and nobody else, as one job', async () => {
  await addUsers(stage.database, 't', ['left', 'held', 'released', 'renewing']);
  for (const user of ['left', 'held', 'renewing']) await hold(user);
  await releaseLease(stage.database, await hold('released'));
  await ranOut('left', 60);
  await ranOut('renewing', 1);
  expect(await wakeLeftHolds(stage)).toBe(1);
  expect(await wakeLeftHolds(stage)).toBe(1);
  const jobs = (await stage.queues.queues.light.getWaiting()).map((job) => job.data as TierJob);
  expect(jobs).toEqual([{ v: 1, tenant: 't', user: 'left', tier: 'light', why: 'sweep' }]);
});

it('are looked for with the beats of light', async () => {
  await addUsers(stage.database, 't', ['behind']);
  await hold('behind');
  await ranOut('behind', 60);
  // Nothing else than the hold that was left leads to this user.
  await stage.database.asOwner((tx) => tx.rows(sql`update slowwave.user_tiers set due_at = 'infinity'`));
  const { producer } = stage.newProducer({ tickMs: 200 });
  await producer.startTicks();
  await until('a wake-up', async () =>
    (await stage.queues.queues.light.getWaiting()).some((job) => (job.data as TierJob).user === 'behind'),
  );
  await producer.close(2_000);
});
