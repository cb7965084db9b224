import {
  editMemory,
  LINEAGE_NODES_MAX,
  type LineageBranch,
  lineageOf,
  mergeDuplicates,
  pruneMemories,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { fuseMembers, membersOf, seedBicycles } from '../fixtures/fused.ts';
import { DAY, NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

describe.each(DATABASES)('lineage (%s)', (_name, open) => {
  const tenant = 't';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  const of = (user: string, id: string, depth?: number) =>
    inTenant((tx) => lineageOf(tx, { tenant, user, id, ...(depth === undefined ? {} : { depth }) }));
  const ids = (branches: LineageBranch[]) => branches.map((branch) => branch.id).sort();
  const partsOf = ({ parts }: Pick<LineageBranch, 'parts'>) =>
    parts.toSorted((one, other) => one.status.localeCompare(other.status));
  const fused = async (count: number, covered: number) => {
    const user = nextUser();
    const made = await seedBicycles(database, { tenant, user, count });
    const members = await membersOf(database, made.scope);
    const fusion = await fuseMembers(database, made.scope, members, {
      coveredIds: members.slice(0, covered).map((member) => member.id),
      metadata: { sourceIds: members.slice(0, covered).map((member) => member.id) },
      trust: 0.4,
    });
    return { user, ...made, ...fusion! };
  };

  it('tells what a memory is made of and what was made of it, with origin, trust and fusion', async () => {
    const { user, ids: sources, key, request, derivedId } = await fused(3, 2);
    const derived = (await of(user, derivedId))!;
    expect(derived).toMatchObject({
      id: derivedId,
      state: 'here',
      memoryType: 'derived',
      isLatest: true,
      origin: 'user',
      learnedFrom: 'consolidation',
      trust: 0.4,
      fusion: { key, kind: 'fusion', status: 'applied', runId: null },
      parts: [],
      madeInto: [],
      truncated: false,
    });
    expect(ids(derived.madeOf)).toEqual(sources.slice(0, 2).sort());
    expect(derived.madeOf[0]).toMatchObject({
      how: 'derives',
      memoryType: 'superseded',
      isLatest: false,
      supersededBy: derivedId,
      trust: 0.8,
      content: expect.stringContaining('bicycle'),
      next: [],
    });
    expect(partsOf(derived.madeOf[0]!)).toMatchObject([
      { key, status: 'applied', superseded: true },
      { key: request, status: 'closed', superseded: false },
    ]);
    const source = (await of(user, 'm0'))!;
    expect(source.madeInto).toMatchObject([{ id: derivedId, how: 'derives' }]);
    expect((await of(user, 'm2'))!).toMatchObject({
      parts: [{ key: request, status: 'closed', superseded: false }],
      madeOf: [],
      madeInto: [],
    });
  });

  it('goes on over several steps, as far as it is asked to', async () => {
    const { user, scope, ids: sources, derivedId } = await fused(3, 3);
    // A derived memory is no source of its own accord; once somebody has made it regular it may be.
    await rows(
      sql`update slowwave.memories set memory_type = 'regular' where user_id = ${user} and id = ${derivedId}`,
    );
    await seedUser(database, { tenant, user, memories: [newMemory(user, 'x', 'Ana keeps a tandem')] });
    const second = await fuseMembers(database, scope, await membersOf(database, scope));
    const top = (await of(user, second!.derivedId))!;
    const middle = top.madeOf.find((branch) => branch.id === derivedId)!;
    expect(top.madeOf).toHaveLength(2);
    expect(ids(middle.next)).toEqual(sources.toSorted());
    const shallow = (await of(user, second!.derivedId, 1))!;
    expect(shallow.madeOf.every((branch) => branch.next.length === 0)).toBe(true);
    expect((await of(user, second!.derivedId, 0))!.madeOf).toEqual([]);
    expect((await of(user, sources[0]!))!.madeInto).toMatchObject([
      { id: derivedId, next: [{ id: second!.derivedId, next: [] }] },
    ]);
  });

  it('marks what was undone, what is cold, forgotten or gone', async () => {
    const { user, ids: sources, key, request, derivedId } = await fused(4, 3);
    await undo(database, { tenant, user, target: { fusion: key }, at: NOW, actor: null });
    expect(await of(user, derivedId)).toBeNull();
    const source = (await of(user, 'm0'))!;
    expect(source.madeInto).toEqual([]);
    expect(partsOf(source)).toMatchObject([
      { key: request, status: 'closed', superseded: false },
      { key, status: 'undone', superseded: false },
    ]);

    const other = await fused(3, 3);
    const at = NOW + 100 * DAY;
    await inTenant((tx) =>
      pruneMemories(tx, { tenant, user: other.user, at, runId: null, retentionMs: 30 * DAY, limit: 2 }),
    );
    const [left] = await rows<{ id: string }>(sql`
      select id from slowwave.memories where user_id = ${other.user} and memory_type = 'superseded'`);
    await rows(sql`delete from slowwave.memories where user_id = ${other.user} and id = ${left!.id}`);
    await rows(sql`insert into slowwave.tombstones values (${tenant}, ${other.user}, ${left!.id}, now())`);
    const states = (await of(other.user, other.derivedId))!.madeOf.map(({ state, content }) => [
      state,
      content !== null,
    ]);
    expect(states.sort()).toEqual([
      ['cold', true],
      ['cold', true],
      ['forgotten', false],
    ]);
    await rows(sql`delete from slowwave.tombstones where user_id = ${other.user}`);
    expect((await of(other.user, other.derivedId))!.madeOf.map(({ state }) => state).sort()).toEqual([
      'cold',
      'cold',
      'gone',
    ]);
    expect(sources).toHaveLength(4);
  });

  it('knows merges and edits', async () => {
    const user = nextUser();
    const { scope, ids: made } = await seedBicycles(database, { tenant, user, count: 2 });
    const [keep, drop] = await membersOf(database, scope);
    await mergeDuplicates(database, scope, [{ keep: keep!, drop: drop! }]);
    expect(await of(user, made[0]!)).toMatchObject({
      madeOf: [{ id: made[1], how: 'updates' }],
      fusion: { kind: 'merge' },
    });
    expect(await of(user, made[1]!)).toMatchObject({ madeInto: [{ id: made[0], how: 'updates' }] });

    const other = await fused(3, 3);
    await inTenant((tx) =>
      editMemory(tx, {
        tenant,
        user: other.user,
        id: other.derivedId,
        at: NOW,
        actor: 'eva',
        content: 'Ana has three',
      }),
    );
    const edited = (await of(other.user, other.derivedId))!;
    expect(edited).toMatchObject({ memoryType: 'regular', learnedFrom: 'correction', fusion: null });
    expect(edited.madeOf.map(({ how }) => how)).toEqual(['edited', 'edited', 'edited']);
  });

  it('never runs in a circle, and stops at its bound', async () => {
    const user = nextUser();
    const count = LINEAGE_NODES_MAX + 20;
    await seedUser(database, {
      tenant,
      user,
      memories: Array.from({ length: count }, (_, i) => newMemory(user, `m${i}`, `memory ${i}`)),
    });
    await rows(sql`
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select ${tenant}, ${user}, a.id, b.id, 'DERIVES', 0.95, now() from slowwave.memories a, slowwave.memories b
      where a.user_id = ${user} and b.user_id = ${user} and a.external_id = 'm0' and b.external_id <> 'm0'
      union all
      select ${tenant}, ${user}, b.id, a.id, 'DERIVES', 0.95, now() from slowwave.memories a, slowwave.memories b
      where a.user_id = ${user} and b.user_id = ${user} and a.external_id = 'm0' and b.external_id = 'm1'`);
    const found = (await of(user, 'm0'))!;
    expect(found.truncated).toBe(true);
    expect(found.madeOf.length).toBeLessThanOrEqual(LINEAGE_NODES_MAX);
    const circle = (await of(user, 'm1'))!;
    expect(circle.madeOf[0]!.next.map((branch) => branch.id)).not.toContain(circle.id);
  });

  it('is nobody else’s', async () => {
    const { user, derivedId } = await fused(3, 3);
    expect(await of('somebody-else', derivedId)).toBeNull();
    expect(
      await database.withTenant('other', (tx) => lineageOf(tx, { tenant: 'other', user, id: derivedId })),
    ).toBeNull();
    expect(await of(user, 'none')).toBeNull();
  });
});
