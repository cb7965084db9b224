import {
  dropImages,
  type EditInput,
  EditRefused,
  editMemory,
  forget,
  listChangeSets,
  type NewMemory,
  pruneMemories,
  redo,
  resolveConflict,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { openConflict, settleAsSubsumed } from '../fixtures/conflicts.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { dumpTables } from '../fixtures/tables.ts';

const tenant = 't';
const LATER = NOW + 400 * DAY;

describe.each(DATABASES)('editing what a settled conflict is about (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  /** Two dogs and a bird; the wider memory stands for the narrower one. */
  async function subsumed(more: { both?: Partial<NewMemory>; description?: string } = {}) {
    const user = nextUser();
    const memories = [
      newMemory(user, 'narrow', 'Ana has a dog.', more.both),
      newMemory(user, 'wide', 'Ana has a dog and a cat.', more.both),
      newMemory(user, 'third', 'Ana has a parrot called Zebedee.'),
    ];
    await seedUser(database, { tenant, user, memories });
    const stored = await rows<{ name: string; id: string }>(
      sql`select external_id as name, id from slowwave.memories where user_id = ${user}`,
    );
    const id = (name: string) => stored.find((row) => row.name === name)!.id;
    const { description } = more;
    const of = { tenant, user, wide: id('wide'), narrow: id('narrow'), at: NOW };
    const before = await dump(user);
    await settleAsSubsumed(database, { ...of, ...(description === undefined ? {} : { description }) });
    return { user, wide: id('wide'), narrow: id('narrow'), third: id('third'), before };
  }
  const dump = (user: string) => dumpTables(database, tenant, user);
  const edit = (user: string, id: string, more: Partial<EditInput> = { content: 'Ana has a tortoise.' }) =>
    inTenant((tx) => editMemory(tx, { tenant, user, id, at: LATER, actor: 'eva', ...more }));
  const refusal = async (done: Promise<unknown>): Promise<EditRefused> => {
    const error = await done.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EditRefused);
    return error as EditRefused;
  };
  const dropAll = (user: string) =>
    inTenant((tx) => dropImages(tx, { tenant, user, at: LATER, retentionMs: 90 * DAY, limit: 100 }));
  const images = (user: string) =>
    rows<{ table: string; before: unknown; after: unknown }>(sql`
      select table_name as table, before, after from slowwave.changes where user_id = ${user} order by position`);

  it('lets the narrower one stand for itself again when the wider one says something else', async () => {
    const { user, wide, narrow } = await subsumed();
    expect(await edit(user, wide)).toMatchObject({ undoneFusion: null, reopened: [narrow] });
    expect((await dump(user)).memories.find((row) => row.id === narrow)).toMatchObject({
      is_latest: true,
      superseded_by: null,
    });
  });

  it('takes nothing back for another importance, and names what superseded the narrower one', async () => {
    const { user, wide, narrow } = await subsumed();
    expect(await edit(user, wide, { importance: 9 })).toMatchObject({ reopened: [] });
    const [settled] = (await inTenant((tx) => listChangeSets(tx, { tenant, user, limit: 10 }))).filter(
      ({ kind }) => kind === 'conflict',
    );
    expect(await refusal(edit(user, narrow))).toMatchObject({
      code: 'superseded',
      why: null,
      dependents: [{ changeSetId: settled!.id, kind: 'conflict' }],
    });
  });

  describe('after the journal has lost its images', () => {
    it.each([['where they are'], ['with the narrower one in the cold table']])(
      'neither may say something else, %s',
      async (where) => {
        const { user, wide, narrow } = await subsumed();
        if (where !== 'where they are') {
          const pruned = await inTenant((tx) =>
            pruneMemories(tx, { tenant, user, at: NOW + 50 * DAY, runId: null, retentionMs: DAY, limit: 10 }),
          );
          expect(pruned.pruned).toBe(1);
        }
        expect(await dropAll(user)).toBeGreaterThan(0);
        const before = await dump(user);
        expect(await refusal(edit(user, wide))).toMatchObject({
          code: 'derived',
          why: 'images_dropped',
          dependents: [],
        });
        if (where === 'where they are') {
          expect(await refusal(edit(user, narrow))).toMatchObject({
            code: 'superseded',
            why: 'images_dropped',
            dependents: [],
          });
        }
        expect(await dump(user)).toEqual(before);
        expect(await edit(user, wide, { importance: 9 })).toMatchObject({ reopened: [] });
      },
    );

    it('keeps who stands for whom, and no words', async () => {
      const { user, wide } = await subsumed({ description: 'Zebedee' });
      await dropAll(user);
      const valid_to = null;
      expect(await images(user)).toEqual([
        {
          table: 'memories',
          before: { superseded_by: null, valid_to },
          after: { superseded_by: wide, valid_to },
        },
        { table: 'conflicts', before: { resolved_by: null }, after: { resolved_by: 'code' } },
      ]);
    });

    it('what was undone binds nobody, until it is made good again', async () => {
      const { user, wide, before } = await subsumed();
      const [set] = await inTenant((tx) => listChangeSets(tx, { tenant, user, limit: 1 }));
      const back = (action: typeof undo) =>
        action(database, { tenant, user, target: { changeSet: set!.id }, at: LATER - DAY, actor: null });
      await back(undo);
      expect((await dump(user)).memories).toEqual(before.memories);
      await dropAll(user);
      const edited = await edit(user, wide);
      expect(edited).toMatchObject({ reopened: [], version: 2 });
      const [own] = await inTenant((tx) => listChangeSets(tx, { tenant, user, limit: 1 }));
      await undo(database, { tenant, user, target: { changeSet: own!.id }, at: LATER, actor: null });
      await back(redo);
      expect(await refusal(edit(user, wide))).toMatchObject({ code: 'derived', why: 'images_dropped' });
    });

    it('the winner of what a person settled may still be edited, the loser may not', async () => {
      const { user, wide, third } = await subsumed();
      const id = await openConflict(database, { tenant, user, one: wide, other: third });
      const keep = third < wide ? 'a' : 'b';
      const settled = { tenant, user, id, resolution: { keep }, by: null, at: NOW } as const;
      await resolveConflict(database, settled);
      await dropAll(user);
      expect(await refusal(edit(user, wide))).toMatchObject({ code: 'superseded', why: 'images_dropped' });
      expect(await edit(user, third)).toMatchObject({ reopened: [] });
    });

    it('forgetting the wider one gives the narrower one back the end that it had', async () => {
      const validTo = NOW + DAY;
      const { user, wide, narrow, before } = await subsumed({ both: { validTo } });
      await dropAll(user);
      await forget(database, { tenant, user, target: { memory: wide }, at: LATER, actor: null });
      const old = before.memories.find((row) => row.id === narrow);
      expect((await dump(user)).memories).toContainEqual(old);
      expect(await images(user)).toEqual([]);
    });
  });

  it('may not say something else either when what was forgotten took the images', async () => {
    const { user, wide, narrow, third } = await subsumed({ description: 'Ana has a parrot called Zebedee.' });
    await forget(database, { tenant, user, target: { memory: third }, at: NOW + DAY, actor: null });
    expect(JSON.stringify(await images(user))).not.toContain('Zebedee');
    expect(await refusal(edit(user, wide))).toMatchObject({ code: 'derived', why: 'images_dropped' });
    expect(await refusal(edit(user, narrow))).toMatchObject({ code: 'superseded', why: 'images_dropped' });
  });
});
