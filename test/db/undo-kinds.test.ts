import {
  archiveLowUtility,
  auditRetrieval,
  confirmMemory,
  demoteMemory,
  dropImages,
  pruneMemories,
  redo,
  resolveConflict,
  restoreMemories,
  storeReflection,
  type UndoTarget,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { relate } from '../fixtures/fused.ts';
import { DAY, NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { CLOSED, RUN, undoLinks, undoPeople } from '../fixtures/undoing.ts';

const tenant = 't';

describe.each(DATABASES)('undo of each kind of change (%s)', (_name, open) => {
  const people = undoPeople(open);
  const { database, inTenant, rows, nextUser, start, fused, act, refusal, dump, setsOf, ledger } = people;
  const { link, dispute, supersede } = undoLinks(people);

  describe('each kind of change', () => {
    /** Undo gives the first table back, redo the second, twice. */
    async function thereAndBack(user: string, before: unknown, target: UndoTarget): Promise<void> {
      const after = await dump(user);
      expect(after).not.toEqual(before);
      for (let round = 0; round < 2; round++) {
        await act(undo, user, target);
        expect(await dump(user)).toEqual(before);
        await act(redo, user, target);
        expect(await dump(user)).toEqual(after);
      }
    }
    const newest = async (user: string): Promise<UndoTarget> => ({ changeSet: (await setsOf(user))[0]!.id });

    it('prominence, by a person', async () => {
      const { user, ids } = await start();
      const before = await dump(user);
      await inTenant((tx) => confirmMemory(tx, { tenant, user, id: ids[0]!, at: NOW }));
      await thereAndBack(user, before, await newest(user));
    });

    it('an audit and an archiving, of one run together', async () => {
      const user = nextUser();
      await seedUser(database, {
        tenant,
        user,
        memories: [
          newMemory(user, 'a', 'active and unused', {
            importance: 10,
            documentDate: NOW - 40 * DAY,
            category: 'preference',
          }),
          newMemory(user, 'b', 'of no use', {
            importance: 1,
            documentDate: NOW - 900 * DAY,
            category: 'event',
          }),
        ],
      });
      const before = await dump(user);
      const counts = await inTenant(async (tx) => [
        await auditRetrieval(tx, { tenant, user, at: NOW, runId: RUN, limit: 10 }),
        await archiveLowUtility(tx, { tenant, user, at: NOW, runId: RUN }),
      ]);
      expect(counts).toMatchObject([{ demoted: 1 }, { archived: 1 }]);
      await thereAndBack(user, before, { run: RUN });
    });

    it('a hypothesis', async () => {
      const { user, scope, ids } = await start();
      const before = await dump(user);
      await link(scope, ids[0]!, ids[1]!);
      await thereAndBack(user, before, await newest(user));
    });

    it('insights of a reflection', async () => {
      const { user } = await start();
      const before = await dump(user);
      await rows(sql`
        insert into slowwave.sessions (tenant, user_id, id, started_at, last_message_at) values (${tenant}, ${user}, 's', now(), now())`);
      await rows(sql`
        insert into slowwave.session_summaries (tenant, user_id, session_id, summary, content_hash, topics, message_count, model, created_at)
        values (${tenant}, ${user}, 's', 'About bicycles.', ${'0'.repeat(64)}, '[]', 4, 'm', now())`);
      await inTenant((tx) =>
        storeReflection(tx, {
          tenant,
          user,
          runId: RUN,
          at: NOW,
          profile: null,
          insights: [{ content: 'Ana likes to repair things.', sessionIds: ['s'] }],
          sessionIds: ['s'],
          confidence: 0.5,
          trust: 0.5,
        }),
      );
      await thereAndBack(user, before, { run: RUN });
    });

    it('a settled conflict, which is open again', async () => {
      const { user, ids } = await start();
      const id = await dispute(user, ids[0]!, ids[1]!);
      const before = await dump(user);
      expect(before.conflicts).toMatchObject([{ status: 'open' }]);
      await resolveConflict(database, { tenant, user, id, resolution: { keep: 'a' }, by: 'eva', at: NOW });
      expect(await dump(user)).toMatchObject({ conflicts: [{ status: 'resolved' }] });
      await thereAndBack(user, before, await newest(user));
    });

    it('a move to the cold table, with relations and conflicts, and a return from there', async () => {
      const { user, ids, members } = await fused(4, 3);
      await relate(database, { tenant, user }, 'm0', 'm3');
      await dispute(user, ids[0]!, ids[3]!);
      const before = await dump(user);
      const at = NOW + 100 * DAY;
      const prune = () =>
        inTenant((tx) =>
          pruneMemories(tx, { tenant, user, at, runId: RUN, retentionMs: 30 * DAY, limit: 100 }),
        );
      expect(await prune()).toMatchObject({ pruned: 3 });
      expect((await dump(user)).memories).toHaveLength(2);
      await thereAndBack(user, before, { run: RUN });
      await act(undo, user, { run: RUN }, { at });
      // Brought back for a reason: not moved again at once.
      expect(await prune()).toMatchObject({ pruned: 0, held: 3 });
      await act(redo, user, { run: RUN }, { at });

      const cold = await dump(user);
      const returned = await inTenant((tx) =>
        restoreMemories(tx, { tenant, user, at, ids: members.map(({ id }) => id) }),
      );
      expect(returned).toBe(3);
      const restoring = (await setsOf(user)).find((set) => set.kind === 'restore')!;
      await thereAndBack(user, cold, { changeSet: restoring.id });
      // Of what came back pruning must know even when nothing can be undone any more.
      await inTenant((tx) =>
        dropImages(tx, { tenant, user, at: at + 500 * DAY, retentionMs: 90 * DAY, limit: 100 }),
      );
      const left = await rows<{ kind: string; before: unknown }>(sql`
        select s.kind, c.before from slowwave.changes c join slowwave.change_sets s on s.id = c.change_set_id
        where c.user_id = ${user} order by s.created_at`);
      expect(left.length).toBeGreaterThan(0);
      expect(left.every((row) => row.before === null && ['restore', 'undo', 'redo'].includes(row.kind))).toBe(
        true,
      );
    });
  });

  describe('a whole run', () => {
    it('goes and comes with everything in it, and its own changes do not block each other', async () => {
      const { user, scope, ids, key, derivedId, before } = await fused(4, 3, RUN);
      await link(scope, derivedId, ids[3]!, RUN);
      await supersede(user, ids[3]!, derivedId);
      await inTenant((tx) => demoteMemory(tx, { tenant, user, id: derivedId, factor: 0.5, at: NOW }));
      await rows(sql`update slowwave.change_sets set run_id = ${RUN} where user_id = ${user}`);
      const after = await dump(user);
      for (let round = 0; round < 2; round++) {
        const result = await act(undo, user, { run: RUN });
        expect(result.changeSets).toHaveLength(4);
        expect(result.changeSetIds).toHaveLength(4);
        expect(await dump(user)).toEqual(before);
        await act(redo, user, { run: RUN });
        expect(await dump(user)).toEqual(after);
      }
      expect(await ledger(user)).toEqual([CLOSED, { status: 'applied', live: 0, superseded: 3 }]);
      expect(key).toHaveLength(64);
    });

    it('can be redone in part', async () => {
      const { user, ids, key, before } = await fused(4, 3, RUN);
      const fusedOnly = await dump(user);
      await inTenant((tx) => confirmMemory(tx, { tenant, user, id: ids[3]!, at: NOW }));
      await rows(sql`update slowwave.change_sets set run_id = ${RUN} where user_id = ${user}`);
      const after = await dump(user);
      await act(undo, user, { run: RUN });
      await act(redo, user, { fusion: key });
      expect(await dump(user)).toEqual(fusedOnly);
      await act(redo, user, { run: RUN });
      expect(await dump(user)).toEqual(after);
      await act(undo, user, { fusion: key });
      expect((await act(undo, user, { run: RUN })).changeSets).toMatchObject([{ kind: 'prominence' }]);
      expect(await dump(user)).toEqual(before);
    });

    it('is refused whole when something outside it stands on a part', async () => {
      const { user, ids, before } = await fused(4, 3, RUN);
      await inTenant((tx) => demoteMemory(tx, { tenant, user, id: ids[3]!, factor: 0.5, at: NOW }));
      await rows(sql`update slowwave.change_sets set run_id = ${RUN} where user_id = ${user}`);
      await inTenant((tx) => demoteMemory(tx, { tenant, user, id: ids[3]!, factor: 0.5, at: NOW + 5 }));
      const now = await dump(user);
      expect((await refusal(act(undo, user, { run: RUN }))).dependents).toMatchObject([
        { kind: 'prominence', runId: null },
      ]);
      expect(await dump(user)).toEqual(now);
      expect(now).not.toEqual(before);
    });
  });
});
