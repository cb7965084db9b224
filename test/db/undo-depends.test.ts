import { createMemoryStore, demoteMemory, pruneMemories, redo, type UndoRefused, undo } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement, statementOf } from '../fixtures/commit-statement.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { fuseMembers, membersOf } from '../fixtures/fused.ts';
import { clusterOf, DAY, NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { isWaiting } from '../fixtures/overlap.ts';
import { CLOSED, undoLinks, undoPeople } from '../fixtures/undoing.ts';
import { until } from '../fixtures/wait.ts';

const tenant = 't';

describe.each(DATABASES)('undo of what others stand on (%s)', (kind, open) => {
  const people = undoPeople(open);
  const { database, inTenant, rows, start, fused, act, refusal, dump, setsOf, ledger } = people;
  const { supersede } = undoLinks(people);

  describe('what depends is named, and nothing is written', () => {
    it('a derived memory that came to stand for another, or is superseded itself', async () => {
      const { user, scope, ids, key, derivedId } = await fused(3, 2);
      // The third memory loses to the derived one, as a settled conflict writes it.
      await supersede(user, ids[2]!, derivedId);
      const before = await dump(user);
      const error = await refusal(act(undo, user, { fusion: key }));
      expect(error).toMatchObject({ code: 'depends', retryable: false, memoryIds: [ids[2]] });
      expect(error.dependents).toEqual([
        {
          changeSetId: expect.any(String),
          kind: 'conflict',
          fusionKey: null,
          runId: null,
          memoryIds: [ids[2]],
          createdAt: NOW,
        },
      ]);
      expect(error.message).toContain(error.dependents[0]!.changeSetId);
      expect(await dump(user)).toEqual(before);
      // Undone first, it is in the way no more.
      await act(undo, user, { changeSet: error.dependents[0]!.changeSetId });
      await act(undo, user, { fusion: key });
      expect(scope.user).toBe(user);
    });

    it('a derived memory that lost', async () => {
      const { user, ids, key, derivedId } = await fused(3, 2);
      await supersede(user, derivedId, ids[2]!);
      const error = await refusal(act(undo, user, { fusion: key }));
      expect([error.code, error.dependents.map((set) => set.kind)]).toEqual(['depends', ['conflict']]);
    });

    it('a derived memory of which another fusion was made', async () => {
      const { user, scope, key, derivedId } = await fused(3);
      await seedUser(database, { tenant, user, memories: [newMemory(user, 'x', 'Ana keeps a tandem')] });
      await rows(
        sql`update slowwave.memories set memory_type = 'regular' where id = ${derivedId} and user_id = ${user}`,
      );
      const members = await membersOf(database, scope);
      expect(members).toHaveLength(2);
      const later = await fuseMembers(database, scope, members);
      const error = await refusal(act(undo, user, { fusion: key }));
      expect(error.dependents).toMatchObject([
        { kind: 'fusion', fusionKey: later!.key, memoryIds: [derivedId] },
      ]);
    });

    it('a change of the same column, but not one of another', async () => {
      const { user, ids } = await start();
      const of = { tenant, user, id: ids[0]!, at: NOW };
      await inTenant((tx) => demoteMemory(tx, { ...of, factor: 0.5 }));
      await inTenant((tx) => demoteMemory(tx, { ...of, factor: 0.5, at: NOW + 1 }));
      const [second, first] = await setsOf(user);
      const error = await refusal(act(undo, user, { changeSet: first!.id }));
      expect(error.dependents).toMatchObject([
        { changeSetId: second!.id, kind: 'prominence', memoryIds: [ids[0]] },
      ]);
      await inTenant((tx) =>
        tx.rows(
          sql`update slowwave.memories set access_count = 7 where user_id = ${user} and id = ${ids[0]}`,
        ),
      );
      await act(undo, user, { changeSet: second!.id });
      await act(undo, user, { changeSet: first!.id });
      const [row] = (await dump(user)).memories.filter((memory) => memory.id === ids[0]);
      expect(row).toMatchObject({ demotion: 1, access_count: 7 });
    });

    it('a source that was moved to the cold table', async () => {
      const { user, key, derivedId } = await fused(3);
      const at = NOW + 100 * DAY;
      const moved = await inTenant((tx) =>
        pruneMemories(tx, { tenant, user, at, runId: null, retentionMs: 30 * DAY, limit: 100 }),
      );
      expect(moved.pruned).toBe(3);
      const error = await refusal(act(undo, user, { fusion: key }));
      expect(error.dependents).toMatchObject([{ kind: 'prune' }]);
      await act(undo, user, { changeSet: error.dependents[0]!.changeSetId });
      expect(await act(undo, user, { fusion: key })).toMatchObject({ removed: [derivedId] });
    });

    it('a source that changed since, for a redo', async () => {
      const { user, ids, scope, key } = await fused(3);
      await act(undo, user, { fusion: key });
      await rows(sql`
        update slowwave.memories set content = 'Ana has none', content_hash = ${'0'.repeat(64)}, version = version + 1
        where user_id = ${user} and id = ${ids[0]}`);
      const error = await refusal(act(redo, user, { fusion: key }));
      expect([error.code, error.memoryIds]).toEqual(['depends', [ids[0]]]);
      expect(await ledger(user)).toMatchObject([CLOSED, { status: 'undone' }]);
      expect(scope.user).toBe(user);
    });

    it('a source that was fused anew, for a redo', async () => {
      const { user, scope, key } = await fused(3);
      await act(undo, user, { fusion: key });
      const members = await membersOf(database, scope);
      const later = await fuseMembers(database, scope, members.slice(0, 2));
      const error = await refusal(act(redo, user, { fusion: key }));
      expect(error.dependents).toMatchObject([{ kind: 'fusion', fusionKey: later!.key }]);
      await act(undo, user, { fusion: later!.key });
      await act(redo, user, { fusion: key });
    });
  });

  describe('beside a commit', () => {
    /** Memories of which the first is fused with two others, and a commit over the rest that counts on the undone state. */
    async function two() {
      const { user, scope, key } = await fused(5, 3);
      await act(undo, user, { fusion: key });
      const all = await membersOf(database, scope);
      const members = [all[0]!, all[3]!, all[4]!];
      const claim = await createMemoryStore(database, scope).claimFusion(clusterOf(members));
      return { user, scope, key, members, other: claim.key };
    }

    it('that comes later, the commit is stale', async () => {
      const { user, scope, key, members, other } = await two();
      await act(redo, user, { fusion: key });
      const result = await commitStatement(database, scope, { key: other, members });
      expect(result.status).toBe('stale');
    });

    if (kind === 'server') {
      it('of another undo, only one of the two takes it back', async () => {
        const { user, key, before } = await fused(3);
        const last = await holdLast(user);
        const undoing = Promise.allSettled([1, 2].map(() => act(undo, user, { fusion: key })));
        await lockedWaiters(2);
        await last.release();
        const ends = await undoing;
        expect(ends.map((end) => end.status).sort()).toEqual(['fulfilled', 'rejected']);
        for (const end of ends) {
          if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'already_undone' });
        }
        expect(await dump(user)).toEqual(before);
      });

      it('that is under way, the redo waits and is refused', async () => {
        const { user, scope, key, members, other } = await two();
        let waiting: Promise<UndoRefused> | null = null;
        const result = await commitStatement(
          database,
          scope,
          { key: other, members },
          {
            failpoints: async (name) => {
              if (name !== 'after-supersede') return;
              waiting = refusal(act(redo, user, { fusion: key }));
              await lockedWaiters();
            },
          },
        );
        expect(result.status).toBe('applied');
        expect((await waiting)!).toMatchObject({
          code: 'depends',
          dependents: [{ kind: 'fusion', fusionKey: await statementOf(database, scope, other) }],
        });
      });

      it('that began later, the commit waits for the redo and is stale', async () => {
        const { user, scope, key, members, other } = await two();
        const last = await holdLast(user);
        const redoing = act(redo, user, { fusion: key });
        await lockedWaiters();
        const committing = commitStatement(database, scope, { key: other, members });
        await lockedWaiters(2);
        await last.release();
        await redoing;
        expect((await committing).status).toBe('stale');
      });
    }
  });

  /** A transaction that holds what an undo or a redo needs last: theirs stay open until it is released. */
  async function holdLast(user: string): Promise<{ release(): Promise<void> }> {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let blocker: Promise<void> | null = null;
    await new Promise<void>((resolve, reject) => {
      blocker = inTenant(async (tx) => {
        await tx.rows(
          sql`select 1 from slowwave.user_tiers where user_id = ${user} and tier = 'light' for update`,
        );
        resolve();
        await released;
      });
      blocker.catch(reject);
    });
    return {
      async release() {
        release();
        await blocker;
      },
    };
  }

  /** Until so many transactions wait for a lock. */
  async function lockedWaiters(count = 1): Promise<void> {
    await until(`${count} to wait for a lock`, () => isWaiting(database, count));
  }
});
