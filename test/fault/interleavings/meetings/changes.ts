import { mergeDuplicates } from '@slowwave/db';
import { fuseMembers } from '../../../fixtures/fused.ts';
import * as op from '../operations.ts';
import { planFusion, seedPerson } from '../people.ts';
import type { Arranged } from './arranged.ts';

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
        operations: [op.commit(scope, members, made!.request), op.undoFusion(user, made!.key)],
        allowed: [['stopped:closed', 'done']],
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
