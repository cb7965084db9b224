import * as op from '../operations.ts';
import { later, planFusion, seedPerson } from '../people.ts';
import type { Arranged } from './arranged.ts';

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
