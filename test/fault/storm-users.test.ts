import { lookForWork } from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import { expect, it } from 'vitest';
import { serverFixture } from '../fixtures/databases.ts';
import { DAY } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { createRandom } from './storm/random.ts';
import { drawBatch, seedBatch, wakeBatch } from './storm/users.ts';

const { database } = ownDatabase(serverFixture);

it('nothing is done for the users of a storm before what they are like was written down', async () => {
  const at = Date.now();
  const batch = drawBatch(createRandom(1), { name: 'quiet', count: 6, poisoned: 0, stormMs: 1_000 });
  const anyDue = async () => {
    const looks = TIERS.map((tier) =>
      database.asDispatcher((tx) =>
        lookForWork(tx, { tier, at: at + 2 * DAY, requestedAfterMs: 0, dueAfterMs: 0, graceMs: 0 }),
      ),
    );
    return (await Promise.all(looks)).some(({ due, requested }) => due || requested);
  };
  await seedBatch(database, batch, at);
  expect(await anyDue()).toBe(false);
  await wakeBatch(database, batch);
  expect(await anyDue()).toBe(true);
});
