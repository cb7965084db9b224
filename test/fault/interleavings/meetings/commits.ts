import * as op from '../operations.ts';
import { later, planFusion, seedPerson } from '../people.ts';
import { type Arranged, UNLEASED } from './arranged.ts';

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
          ['applied', 'stopped:closed'],
          ['stopped:closed', 'applied'],
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
