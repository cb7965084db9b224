import {
  acquireLease,
  createMemoryStore,
  type Database,
  mergeDuplicates,
  releaseLease,
  startRun,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { fuseMembers } from '../../fixtures/fused.ts';
import { clusterOf, derivedOf, NOW } from '../../fixtures/memories.ts';
import type { Meeting } from './examine.ts';
import * as op from './operations.ts';
import { later, planFusion, seedPerson, tenant } from './people.ts';

/** Two or three operations that meet, by name; each makes its own user. */
export type Arranged = readonly [
  name: string,
  arrange: (database: Database, user: string) => Promise<Meeting>,
];

/** The guard of the lease would keep two commits apart before anything else does: off, so that they meet at all. */
const UNLEASED = { lease: false };

export const COMMITS: readonly Arranged[] = [
  [
    'two commits over some of the same sources',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user });
      const [one, other] = [members.slice(0, 3), members.slice(1)];
      const first = await planFusion(database, scope, one);
      const second = await planFusion(database, later(scope), other);
      return {
        user,
        operations: [
          op.commit(scope, one, first, UNLEASED),
          op.commit(later(scope), other, second, UNLEASED),
        ],
        allowed: [
          ['applied', 'stale'],
          ['stale', 'applied'],
        ],
      };
    },
  ],
  [
    'the same fusion committed twice',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 3 });
      const key = await planFusion(database, scope, members);
      return {
        user,
        operations: [op.commit(scope, members, key), op.commit(scope, members, key)],
        allowed: [
          ['applied', 'already'],
          ['already', 'applied'],
        ],
      };
    },
  ],
  [
    'three commits over some of the same sources',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 4 });
      const sets = [members.slice(0, 2), members.slice(1, 3), members.slice(2, 4)];
      const scopes = [1, 2, 3].map((fence) => ({ ...scope, lease: { holder: `w${fence}`, fence } }));
      const operations = [];
      for (const [i, set] of sets.entries()) {
        const key = await planFusion(database, scopes[i]!, set);
        operations.push(op.commit(scopes[i]!, set, key, UNLEASED));
      }
      const allowed = [
        ['applied', 'stale', 'applied'],
        ['stale', 'applied', 'stale'],
      ];
      return { user, operations, allowed };
    },
  ],
  [
    'a commit and a merge of one of its sources',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user });
      const key = await planFusion(database, scope, members.slice(0, 3));
      const [keep, drop] = [members[3]!, members[2]!];
      return {
        user,
        operations: [
          op.commit(scope, members.slice(0, 3), key, UNLEASED),
          op.merge(later(scope), keep, drop, UNLEASED),
        ],
        allowed: [
          ['applied', 'stale'],
          ['stale', 'merged'],
        ],
      };
    },
  ],
  [
    'two merges that share a memory',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 3 });
      const [a, b, c] = members;
      return {
        user,
        operations: [op.merge(scope, a!, b!), op.merge(scope, b!, c!)],
        allowed: [
          ['merged', 'stale'],
          // The other way round the shared one is confirmed, and then superseded itself.
          ['merged', 'merged'],
        ],
      };
    },
  ],
  [
    'the same two memories merged from both sides',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 2 });
      const [a, b] = members;
      return {
        user,
        operations: [op.merge(scope, a!, b!), op.merge(scope, b!, a!)],
        allowed: [
          ['merged', 'skipped'],
          ['skipped', 'merged'],
        ],
      };
    },
  ],
  [
    'a commit and a new holder who claims some of its sources',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user });
      const key = await planFusion(database, scope, members.slice(0, 3));
      return {
        user,
        operations: [
          op.commit(scope, members.slice(0, 3), key, UNLEASED),
          op.claim(later(scope), members.slice(1)),
        ],
        allowed: [['applied', 'claimed']],
      };
    },
  ],
  [
    'a commit and a new holder who takes over and commits another fusion',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user });
      const key = await planFusion(database, scope, members.slice(0, 3));
      return {
        user,
        operations: [
          op.commit(scope, members.slice(0, 3), key),
          op.takeOverAndCommit(scope, later(scope), members.slice(1)),
        ],
        allowed: [
          ['applied', 'stale'],
          ['lease_lost', 'applied'],
        ],
      };
    },
  ],
];

export const CLAIMS: readonly Arranged[] = [
  [
    'two claims that share sources',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user });
      return {
        user,
        operations: [op.claim(scope, members.slice(0, 3)), op.claim(scope, members.slice(1))],
        allowed: [
          ['claimed', 'skipped:claimed'],
          ['skipped:claimed', 'claimed'],
        ],
      };
    },
  ],
  [
    'an old holder who claims again and a new one who claims the same sources',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user });
      await planFusion(database, scope, members.slice(0, 3));
      return {
        user,
        operations: [op.claim(scope, members.slice(0, 3)), op.claim(later(scope), members.slice(0, 4))],
        allowed: [
          ['claimed', 'claimed'],
          ['skipped:claimed', 'claimed'],
        ],
      };
    },
  ],
  [
    'an answer on its way and its source forgotten',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 3 });
      return {
        user,
        operations: [op.think(scope, members), op.forgetMemory(user, 'm1')],
        allowed: [
          ['answered', 'forgot 1'],
          ['skipped:stale', 'forgot 1'],
        ],
      };
    },
  ],
];

export const CHANGES: readonly Arranged[] = [
  [
    'a commit and the undo of an earlier merge into one of its sources',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 3 });
      const [keep, drop] = [members[0]!, members[1]!];
      const earlier = await mergeDuplicates(database, scope, [{ keep, drop }]);
      const sources = [keep, members[2]!];
      const key = await planFusion(database, scope, sources);
      return {
        user,
        operations: [op.commit(scope, sources, key), op.undoFusion(user, earlier.keys[0]!)],
        // Neither changes what the other one counts on: what the source says stays, and so does what confirmed it.
        allowed: [['applied', 'done']],
      };
    },
  ],
  [
    'a commit that comes again and the undo of what it wrote',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 2 });
      const made = await fuseMembers(database, scope, members);
      return {
        user,
        operations: [op.commit(scope, members, made!.key), op.undoFusion(user, made!.key)],
        allowed: [
          ['already', 'done'],
          ['stopped:undone', 'done'],
        ],
      };
    },
  ],
  [
    'a commit and an edit of one of its sources',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 2 });
      const key = await planFusion(database, scope, members);
      return {
        user,
        operations: [op.commit(scope, members, key), op.edit(user, members[0]!.id)],
        allowed: [
          ['applied', 'edited after undo'],
          ['stale', 'edited'],
        ],
      };
    },
  ],
  [
    'a commit and one of its sources forgotten',
    async (database, user) => {
      const { scope, members } = await seedPerson(database, { user, count: 3 });
      const key = await planFusion(database, scope, members);
      return {
        user,
        operations: [op.commit(scope, members, key), op.forgetMemory(user, 'm1')],
        allowed: [
          ['applied', 'forgot 2'],
          ['stopped:forgotten', 'forgot 1'],
        ],
      };
    },
  ],
];

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
  const key = await planFusion(database, review, proposed);
  const result = await createMemoryStore(database, review).commitFusion(
    key,
    clusterOf(proposed),
    derivedOf(proposed),
  );
  if (result.status !== 'proposed') throw new Error(`not proposed: ${result.status}`);
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

export const MEETINGS: readonly Arranged[] = [...COMMITS, ...CLAIMS, ...CHANGES, ...REVIEWS, ...HOLDS];
