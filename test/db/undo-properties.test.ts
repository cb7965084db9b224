import {
  confirmMemory,
  demoteMemory,
  EditRefused,
  editMemory,
  listChangeSets,
  MemoryRefused,
  mergeDuplicates,
  redo,
  resolveConflict,
  UndoRefused,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { fuseMembers, membersOf, relate, seedBicycles } from '../fixtures/fused.ts';
import { NOW } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { dumpTables } from '../fixtures/tables.ts';

const MEMORIES = 6;
const RUNS = ['0199d0aa-0000-7000-8000-000000000001', '0199d0aa-0000-7000-8000-000000000002'];

type Action =
  | { do: 'confirm'; memory: number }
  | { do: 'demote'; memory: number }
  | { do: 'edit'; memory: number; words: number }
  | { do: 'fuse'; from: number; count: number; covered: number }
  | { do: 'merge'; keep: number; drop: number }
  | { do: 'settle'; one: number; other: number; keep: 'a' | 'b' | 'both' }
  | { do: 'undo' | 'redo'; set: number; whole: boolean };

const index = fc.nat(30);
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('confirm' as const), memory: index }),
  fc.record({ do: fc.constant('demote' as const), memory: index }),
  fc.record({ do: fc.constant('edit' as const), memory: index, words: fc.nat(3) }),
  fc.record({
    do: fc.constant('fuse' as const),
    from: fc.nat(2),
    count: fc.integer({ min: 2, max: 4 }),
    covered: fc.integer({ min: 2, max: 4 }),
  }),
  fc.record({ do: fc.constant('merge' as const), keep: index, drop: index }),
  fc.record({
    do: fc.constant('settle' as const),
    one: index,
    other: index,
    keep: fc.constantFrom('a' as const, 'b' as const, 'both' as const),
  }),
  // Half of what is done is undone: by a change set, or with its whole run.
  ...Array.from({ length: 3 }, () =>
    fc.record({ do: fc.constantFrom('undo' as const, 'redo' as const), set: index, whole: fc.boolean() }),
  ),
);

describe.each(DATABASES)('any sequence of changes, undos and redos (%s)', (_name, open) => {
  const tenant = 't';
  const { database, inTenant, nextUser } = ownDatabase(open);

  const setsOf = (user: string) => inTenant((tx) => listChangeSets(tx, { tenant, user, limit: 200 }));
  const idsOf = async (user: string) =>
    (
      await inTenant((tx) =>
        tx.rows<{ id: string }>(sql`select id from slowwave.memories where user_id = ${user} order by id`),
      )
    ).map((row) => row.id);

  /** What is refused is refused with its reason, and changes nothing. */
  async function perform(user: string, step: Action, at: number): Promise<void> {
    const before = await dumpTables(database, tenant, user);
    try {
      await act(user, step, at);
    } catch (error) {
      const refused =
        error instanceof UndoRefused || error instanceof EditRefused || error instanceof MemoryRefused;
      if (!refused) throw error;
      expect(await dumpTables(database, tenant, user)).toEqual(before);
    }
  }

  async function act(user: string, step: Action, at: number): Promise<void> {
    switch (step.do) {
      case 'undo':
      case 'redo':
        return takeBack(user, step, at);
      case 'fuse':
        return fuse(user, step, at);
      case 'merge':
        return merge(user, step, at);
      case 'settle':
        return settle(user, step, at);
      case 'confirm':
      case 'demote':
      case 'edit': {
        const ids = await idsOf(user);
        const of = { tenant, user, id: ids[step.memory % ids.length]!, at };
        await inTenant(async (tx) => {
          if (step.do === 'confirm') await confirmMemory(tx, of);
          else if (step.do === 'demote') await demoteMemory(tx, { ...of, factor: 0.5 });
          else await editMemory(tx, { ...of, actor: null, content: `Ana says ${step.words}` });
        });
      }
    }
  }

  async function takeBack(user: string, step: Extract<Action, { set: number }>, at: number): Promise<void> {
    const sets = await setsOf(user);
    const target = sets.at(step.set % Math.max(1, sets.length));
    if (!target) return;
    const run = step.whole ? RUNS.find((id) => id === target.runId) : undefined;
    const what = run === undefined ? { changeSet: target.id } : { run };
    const input = { tenant, user, target: what, at, actor: null };
    await (step.do === 'undo' ? undo(database, input) : redo(database, input));
  }

  async function fuse(user: string, step: Extract<Action, { from: number }>, at: number): Promise<void> {
    const scope = { ...scopes.get(user)!, at, runId: RUNS[step.count % RUNS.length]! };
    const members = (await membersOf(database, scope)).slice(step.from, step.from + step.count);
    if (members.length < 2) return;
    const coveredIds = members.slice(0, step.covered).map((member) => member.id);
    await fuseMembers(database, scope, members, { coveredIds, content: `fused ${members.length} at ${at}` });
  }

  async function merge(user: string, step: Extract<Action, { drop: number }>, at: number): Promise<void> {
    const scope = { ...scopes.get(user)!, at, runId: RUNS[step.keep % RUNS.length]! };
    const members = await membersOf(database, scope);
    const keep = members[step.keep % Math.max(1, members.length)];
    const drop = members[step.drop % Math.max(1, members.length)];
    if (keep && drop && keep !== drop) await mergeDuplicates(database, scope, [{ keep, drop }]);
  }

  /** Two memories that are latest turn out to disagree, and somebody says which is right. */
  async function settle(user: string, step: Extract<Action, { one: number }>, at: number): Promise<void> {
    const id = await inTenant(async (tx) => {
      const latest = await tx.rows<{ id: string; hash: string }>(sql`
        select id, content_hash as hash from slowwave.memories where user_id = ${user} and is_latest order by id`);
      const [a, b] = [latest[step.one % latest.length]!, latest[step.other % latest.length]!].sort((x, y) =>
        x.id < y.id ? -1 : 1,
      );
      if (a!.id === b!.id) return null;
      const [made] = await tx.rows<{ id: string }>(sql`
        insert into slowwave.conflicts (tenant, user_id, id, a_id, b_id, a_hash, b_hash, status, type, source, detected_at)
        values (${tenant}, ${user}, gen_random_uuid(), ${a!.id}, ${b!.id}, ${a!.hash}, ${b!.hash}, 'open', 'ambiguous', 'person', now())
        on conflict do nothing returning id`);
      return made?.id ?? null;
    });
    if (id === null) return;
    await resolveConflict(database, { tenant, user, id, resolution: { keep: step.keep }, by: null, at });
  }

  /**
   * Undoes the newest change that stands and lets itself be undone. What was done to a memory that an undo has taken away went with it, and has nothing left to be
   * undone.
   */
  async function undoNewest(user: string, at: number): Promise<boolean> {
    const standing = (await setsOf(user)).filter(
      (set) => !['undo', 'redo'].includes(set.kind) && set.undoneBy === null,
    );
    for (const { id } of standing) {
      try {
        await undo(database, { tenant, user, target: { changeSet: id }, at, actor: null });
        return true;
      } catch (error) {
        if (!(error instanceof UndoRefused)) throw error;
        // Nothing that was undone is in the way; what a redo has brought back since is younger than its date.
        const stands = (of: string) => standing.some((set) => set.id === of);
        expect(
          error.dependents.filter(({ kind, changeSetId }) => kind !== 'undo' && !stands(changeSetId)),
        ).toEqual([]);
      }
    }
    return false;
  }

  const scopes = new Map<string, Awaited<ReturnType<typeof seedBicycles>>['scope']>();

  it('is undone back to the first table, newest first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 16 }), async (steps) => {
        const user = nextUser();
        const { scope } = await seedBicycles(database, { tenant, user, count: MEMORIES });
        scopes.set(user, scope);
        await relate(database, { tenant, user }, 'm0', 'm4');
        const first = await dumpTables(database, tenant, user);
        let at = NOW;
        for (const step of steps) {
          at += 1_000;
          await perform(user, step, at);
        }
        let undone = true;
        while (undone) {
          at += 1_000;
          undone = await undoNewest(user, at);
        }
        const last = await dumpTables(database, tenant, user);
        expect({ ...last, conflicts: [] }).toEqual(first);
        // Who found a disagreement is no change of a memory: it waits again.
        expect(last.conflicts.every(({ status }) => status === 'open')).toBe(true);
      }),
      { numRuns: 15, endOnFailure: true },
    );
  }, 240_000);
});
