import {
  ConflictRefused,
  type ConflictStore,
  createConflictStore,
  InputError,
  listConflicts,
} from '@slowwave/db';
import { CONFLICT_TYPES, type MemoryConflict, resolveConflicts } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { NOW, newMemory, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const tenant = 't';

/** What every store of conflicts does, on whatever database. */
describe.each(DATABASES)('the store of conflicts (%s)', (_name, open) => {
  let ids = 0;
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  const newId = () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`;

  async function seed(count = 3): Promise<{ user: string; notes: string[]; store: ConflictStore }> {
    const user = nextUser();
    const memories = Array.from({ length: count }, (_, i) =>
      newMemory(user, `m${i}`, `Ana lives in city ${i}.`),
    );
    await seedUser(database, { tenant, user, memories });
    const stored = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} order by id`,
    );
    const store = createConflictStore(database, { tenant, user, now: () => NOW });
    return { user, notes: stored.map(({ id }) => id), store };
  }
  const conflict = (a: string, b: string, more: Partial<MemoryConflict> = {}): MemoryConflict => ({
    id: newId(),
    noteIdA: a,
    noteIdB: b,
    type: 'contradictory',
    description: 'Two cities.',
    resolved: false,
    detectedAt: '2026-06-14T08:00:00.000Z',
    ...more,
  });
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => 'accepted',
      (error: unknown) =>
        error instanceof ConflictRefused || error instanceof InputError ? error.code : error,
    );

  it('gives back what was saved, in the order of the notes\u2019 ids', async () => {
    const { notes, store } = await seed();
    const [a, b, c] = notes as [string, string, string];
    const saved = [
      conflict(a, b),
      conflict(c, b, { type: 'ambiguous', detectedAt: '2026-06-13T08:00:00.000Z' }),
      conflict(c, a, {
        type: 'compatible',
        resolved: true,
        resolution: 'compatible - both retained',
        detectedAt: '2026-06-12T08:00:00.000Z',
      }),
    ];
    await store.saveConflicts(saved);
    expect(await store.getConflicts()).toEqual([
      saved[0],
      { ...saved[1], noteIdA: b, noteIdB: c },
      { ...saved[2], noteIdA: a, noteIdB: c },
    ]);
    expect(await store.getConflicts({ resolved: true })).toHaveLength(1);
    expect(await store.getConflicts({ resolved: false })).toHaveLength(2);
    expect((await store.getConflicts({ limit: 1 })).map(({ id }) => id)).toEqual([saved[0]!.id]);
  });

  it.each(CONFLICT_TYPES)('holds %s ones before and after they were settled by the code', async (type) => {
    const { notes, store } = await seed(2);
    const [a, b] = notes as [string, string];
    const found = conflict(a, b, { type });
    await store.saveConflicts([found]);
    expect(await store.getConflicts()).toEqual([found]);
    const settled = resolveConflicts([found]);
    await store.saveConflicts(settled);
    expect(await store.getConflicts()).toEqual(settled);
  });

  it('shows contradictory and ambiguous ones to people, and keeps the two out of fusion', async () => {
    const { user, notes, store } = await seed();
    const [a, b, c] = notes as [string, string, string];
    await rows(sql`update slowwave.memories set trust = 0.1 where id = ${b}::uuid`);
    await store.saveConflicts([conflict(a, b), conflict(a, c, { type: 'subsumes' })]);
    const listed = await inTenant((tx) => listConflicts(tx, { tenant, user, limit: 10 }));
    expect(
      listed
        .map(({ status, type, accuser, source }) => ({ status, type, accuser, source }))
        .sort((x, y) => x.status.localeCompare(y.status)),
    ).toEqual([
      { status: 'open', type: 'contradictory', accuser: b, source: 'consolidate' },
      { status: 'reported', type: 'subsumes', accuser: null, source: 'consolidate' },
    ]);
  });

  it('updates one of the same id, and leaves what was settled as it is', async () => {
    const { notes, store } = await seed(2);
    const [a, b] = notes as [string, string];
    const first = conflict(a, b, { type: 'ambiguous' });
    await store.saveConflicts([first]);
    await store.saveConflicts([{ ...first, type: 'contradictory', description: 'Surely.' }]);
    expect(await store.getConflicts()).toEqual([{ ...first, type: 'contradictory', description: 'Surely.' }]);
    expect(await store.resolveConflict(first.id, 'she moved')).toBe(true);
    await store.saveConflicts([first]);
    expect(await store.getConflicts()).toMatchObject([{ resolved: true, resolution: 'she moved' }]);
  });

  it('asks once about a pair: a second id for it, or two in one call, are the first', async () => {
    const { notes, store } = await seed(2);
    const [a, b] = notes as [string, string];
    const first = conflict(a, b);
    await store.saveConflicts([first]);
    await store.saveConflicts([
      conflict(b, a, { description: 'Again.' }),
      conflict(a, b, { description: 'Last.' }),
    ]);
    expect(await store.getConflicts()).toEqual([{ ...first, description: 'Last.' }]);
  });

  it('marks one as settled once, changes no memory, and can be taken back', async () => {
    const { user, notes, store } = await seed(2);
    const [a, b] = notes as [string, string];
    const saved = conflict(a, b);
    await store.saveConflicts([saved]);
    const before = await rows(sql`select xmin from slowwave.memories where user_id = ${user} order by id`);
    expect(await store.resolveConflict(saved.id.toUpperCase(), 'she moved')).toBe(true);
    expect(await store.resolveConflict(saved.id, 'again')).toBe(false);
    expect(await store.resolveConflict(newId(), 'unknown')).toBe(false);
    expect(await store.resolveConflict('no id', 'unknown')).toBe(false);
    expect(await store.getConflicts()).toEqual([{ ...saved, resolved: true, resolution: 'she moved' }]);
    expect(await rows(sql`select xmin from slowwave.memories where user_id = ${user} order by id`)).toEqual(
      before,
    );
    expect(
      await rows(sql`select c.table_name as "table", c.before->>'status' as before, c.after->>'status' as after
      from slowwave.changes c where c.user_id = ${user}`),
    ).toEqual([{ table: 'conflicts', before: 'open', after: 'resolved' }]);
  });

  it('is one user\u2019s: nobody else\u2019s notes, and nothing of anybody else', async () => {
    const [mine, other] = [await seed(), await seed()];
    const [a, b] = mine.notes as [string, string];
    await mine.store.saveConflicts([conflict(a, b)]);
    const theirs = await other.store.getConflicts();
    expect(theirs).toEqual([]);
    const [saved] = await mine.store.getConflicts();
    expect(await other.store.resolveConflict(saved!.id, 'mine')).toBe(false);
    expect(await refusal(other.store.saveConflicts([conflict(other.notes[0]!, a)]))).toBe('unknown_memory');
    const elsewhere = createConflictStore(database, { tenant: 'u', user: mine.user, now: () => NOW });
    expect(await elsewhere.getConflicts()).toEqual([]);
    expect(await refusal(elsewhere.saveConflicts([conflict(a, b)]))).toBe('unknown_memory');
    expect(await elsewhere.resolveConflict(saved!.id, 'mine')).toBe(false);
    expect(await mine.store.getConflicts()).toEqual([saved]);
  });

  it.each<[string, Partial<MemoryConflict>, string]>([
    ['an id that is none', { id: 'c1' }, 'invalid_text'],
    ['a note that is none', { noteIdA: 'n1' }, 'invalid_text'],
    ['an unknown note', { noteIdA: '00000000-0000-4000-8000-000000000000' }, 'unknown_memory'],
    ['an unknown type', { type: 'wrong' as 'ambiguous' }, 'not_allowed'],
    ['too long a description', { description: 'x'.repeat(2_001) }, 'too_long'],
    ['a description that no database takes', { description: 'a\0b' }, 'invalid_text'],
    ['a day that is none', { detectedAt: 'yesterday' }, 'invalid_time'],
  ])('refuses %s, and then all of the call', async (_case, more, code) => {
    const { notes, store } = await seed();
    const [a, b, c] = notes as [string, string, string];
    expect(await refusal(store.saveConflicts([conflict(b, c), conflict(a, b, more)]))).toBe(code);
    expect(await store.getConflicts()).toEqual([]);
  });

  it('refuses a note that disagrees with itself, too many, and a limit out of range', async () => {
    const { notes, store } = await seed();
    const [a, b] = notes as [string, string];
    expect(await refusal(store.saveConflicts([conflict(a, a)]))).toBe('not_allowed');
    expect(await refusal(store.saveConflicts(Array.from({ length: 1_001 }, () => conflict(a, b))))).toBe(
      'too_many',
    );
    expect(await refusal(store.getConflicts({ limit: 0 }))).toBe('out_of_range');
    expect(await refusal(store.saveConflicts([]))).toBe('accepted');
  });

  it('holds whatever sequence of saving and settling, as a map from pairs would', async () => {
    const { notes, store } = await seed(4);
    const pairs = notes.flatMap((a, i) => notes.slice(i + 1).map((b) => [a, b] as const));
    const known = new Map<string, { id: string; resolved: boolean }>();
    const step = fc.record({ pair: fc.nat(pairs.length - 1), settle: fc.boolean(), turned: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        for (const { pair, settle, turned } of steps) {
          const [a, b] = pairs[pair]!;
          const key = `${a} ${b}`;
          const found = known.get(key);
          if (settle) {
            const expected = found !== undefined && !found.resolved;
            expect(await store.resolveConflict(found?.id ?? newId(), 'done')).toBe(expected);
            if (found) found.resolved = true;
          } else {
            const saved = turned ? conflict(b, a) : conflict(a, b);
            await store.saveConflicts([saved]);
            if (!found) known.set(key, { id: saved.id, resolved: false });
          }
        }
        const stored = (await store.getConflicts()).map(({ id, resolved }) => ({ id, resolved }));
        const order = (x: { id: string }, y: { id: string }) => x.id.localeCompare(y.id);
        expect(stored.sort(order)).toEqual([...known.values()].sort(order));
      }),
      { numRuns: 10 },
    );
  });
});
