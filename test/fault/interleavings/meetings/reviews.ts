import { type Database, releaseLease } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { commitStatement, statementOf } from '../../../fixtures/commit-statement.ts';
import * as op from '../operations.ts';
import { planFusion, seedPerson, tenant } from '../people.ts';
import { type Arranged, UNLEASED } from './arranged.ts';

/** A proposal over the first three memories that waits for a person, and nobody holds the user. */
async function arrangeProposal(database: Database, user: string) {
  const { scope, members } = await seedPerson(database, { user });
  const other = await planFusion(database, scope, members.slice(2));
  // A claim let go by hand: otherwise the two could not have been planned side by side.
  await database.withTenant(tenant, (tx) =>
    tx.rows(sql`update slowwave.fusion_sources set live = false where user_id = ${user}`),
  );
  const review = { ...scope, mode: 'review' as const };
  const proposed = members.slice(0, 3);
  const request = await planFusion(database, review, proposed);
  const result = await commitStatement(database, review, { key: request, members: proposed });
  if (result.status !== 'proposed') throw new Error(`not proposed: ${result.status}`);
  const key = await statementOf(database, review, request);
  await releaseLease(database, { tenant, user, ...scope.lease });
  return { scope, members, key, other };
}

export const REVIEWS: readonly Arranged[] = [
  [
    'a commit and the approval of a proposal over one of its sources',
    async (database, user) => {
      const { scope, members, key, other } = await arrangeProposal(database, user);
      return {
        user,
        operations: [op.commit(scope, members.slice(2), other, UNLEASED), op.approve(user, key)],
        allowed: [
          ['applied', 'stale'],
          ['stale', 'applied'],
        ],
      };
    },
  ],
  [
    'a proposal approved and rejected',
    async (database, user) => {
      const { key } = await arrangeProposal(database, user);
      return {
        user,
        operations: [op.approve(user, key), op.reject(user, key)],
        allowed: [
          ['applied', 'refused:not_in_review'],
          ['refused:not_in_review', 'rejected'],
        ],
      };
    },
  ],
];
