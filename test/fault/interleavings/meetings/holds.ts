import { acquireLease, type Database, releaseLease, startRun } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { NOW } from '../../../fixtures/memories.ts';
import * as op from '../operations.ts';
import { seedPerson, tenant } from '../people.ts';
import type { Arranged } from './arranged.ts';

export const HOLDS: readonly Arranged[] = [
  [
    'two who take the same user',
    async (database, user) => {
      const { scope } = await seedPerson(database, { user, count: 1 });
      await releaseLease(database, { tenant, user, ...scope.lease });
      return {
        user,
        operations: [op.acquire(user, 'w2'), op.acquire(user, 'w3')],
        allowed: [
          ['held 2', 'busy'],
          ['busy', 'held 2'],
        ],
      };
    },
  ],
  [
    'two who take a user whom nobody ever held',
    async (database, user) => {
      await seedPerson(database, { user, count: 1 });
      await database.withTenant(tenant, (tx) =>
        tx.rows(sql`delete from slowwave.leases where user_id = ${user}`),
      );
      return {
        user,
        operations: [op.acquire(user, 'w2'), op.acquire(user, 'w3')],
        allowed: [
          ['held 1', 'busy'],
          ['busy', 'held 1'],
        ],
      };
    },
  ],
  ...(['completed', 'failed'] as const).map(
    (end): Arranged => [
      `a run that ends as ${end} and somebody who takes its user over`,
      async (database, user) => {
        await seedPerson(database, { user, count: 1 });
        await runOut(database, user);
        const held = await acquireLease(database, { tenant, user, holder: 'w1', ttlMs: 3_600_000 });
        if (held.status !== 'held') throw new Error(held.status);
        const run = await database.withTenant(tenant, (tx) =>
          startRun(tx, { tenant, user, tier: 'deep', why: 'adhoc', fence: held.fence, at: NOW }),
        );
        if (run.status !== 'started') throw new Error(run.reason);
        await runOut(database, user);
        return {
          user,
          operations: [op.finish(user, run.runId, end), op.takeOver(user, 'w2')],
          allowed: [
            [end, 'held, 0 lost'],
            ['not its to end', 'held, 1 lost'],
          ],
        };
      },
    ],
  ),
];

/** The hold is over, as after its time without a renewal. */
async function runOut(database: Database, user: string): Promise<void> {
  await database.withTenant(tenant, (tx) =>
    tx.rows(sql`update slowwave.leases set expires_at = now() - interval '1 minute' where user_id = ${user}`),
  );
}
