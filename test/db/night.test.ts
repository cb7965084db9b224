import { createConflictStore, type Database, ensureUsers, putWorkspace, readNight } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { fuseMembers, membersOf, seedBicycles } from '../fixtures/fused.ts';
import { NOW } from '../fixtures/memories.ts';

const tenant = 't';
const RUN = '01890000-0000-7000-8000-0000000000aa';
const OTHER = '01890000-0000-7000-8000-0000000000bb';

describe.each(DATABASES)('what a night did (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  it('is told of one run: fusions, conflicts, thoughts, and the texts that stand and may be shown here', async () => {
    const user = 'ana';
    const key = { tenant, user, workspace: 'notes' };
    await database.withTenant(tenant, (tx) => ensureUsers(tx, [key], NOW));
    const { scope, ids } = await seedBicycles(database, { tenant, user, count: 8, runId: RUN });
    await database.withTenant(tenant, (tx) => putWorkspace(tx, key, {}, NOW));
    const members = await membersOf(database, scope);
    const fused = await fuseMembers(database, scope, members.slice(0, 3), { content: 'Bicycles 0 to 2.' });
    const hidden = await fuseMembers(database, scope, members.slice(3, 5), { content: 'Of another place.' });
    await fuseMembers(database, { ...scope, runId: OTHER }, members.slice(5, 7), {
      content: 'Another night.',
    });
    await createConflictStore(database, { tenant, user, now: () => NOW }).saveConflicts([
      {
        id: OTHER,
        noteIdA: ids[6]!,
        noteIdB: ids[7]!,
        type: 'contradictory',
        description: 'they differ',
        resolved: false,
        detectedAt: new Date(NOW).toISOString(),
      },
    ]);
    const set = '01890000-0000-7000-8000-0000000000cc';
    await database.withTenant(tenant, async (tx) => {
      await tx.rows(
        sql`update slowwave.memories set workspace = 'elsewhere' where id = ${hidden!.derivedId}::uuid`,
      );
      await tx.rows(sql`update slowwave.conflicts set run_id = ${RUN}::uuid where user_id = ${user}`);
      for (const [kind, id, table, row] of [
        ['reflection', set, 'memories', ids[7]],
        ['rem', OTHER, 'relations', ids[6]],
      ] as const) {
        await tx.rows(sql`
          insert into slowwave.change_sets (tenant, user_id, id, run_id, kind, created_at)
          values (${tenant}, ${user}, ${id}::uuid, ${RUN}::uuid, ${kind}, now())`);
        await tx.rows(sql`
          insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
          values (${tenant}, ${user}, ${id}::uuid, 1, ${table}, jsonb_build_object('id', ${row}::text), null, '{}')`);
      }
    });
    const read = (run: string, of = key) => database.withTenant(tenant, (tx) => readNight(tx, of, run));
    expect(await read(RUN)).toEqual({
      fused: 2,
      merged: 0,
      conflicts: 1,
      open: 1,
      connected: 1,
      reflected: 1,
      derived: [{ id: fused!.derivedId, content: 'Bicycles 0 to 2.', sources: 3 }],
      observations: [{ id: ids[7], content: 'Ana keeps bicycle number 7 in the shed', sources: 0 }],
    });
    expect((await read(RUN, { ...key, workspace: 'elsewhere' })).derived).toHaveLength(2);
    expect(await read(OTHER)).toMatchObject({ fused: 1, conflicts: 0, observations: [] });
    expect(await read(RUN, { ...key, user: 'nobody' })).toMatchObject({
      fused: 0,
      conflicts: 0,
      derived: [],
    });
  });
});
