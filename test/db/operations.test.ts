import {
  confirmMemory,
  createMemoryStore,
  demoteMemory,
  explainMemory,
  InputError,
  MemoryRefused,
  type ProminenceChange,
  setProminence,
} from '@slowwave/db';
import {
  bandOf,
  CATEGORIES,
  crossingTime,
  type DecayParams,
  prominenceAt,
  rateOf,
  stabilityOf,
} from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commitStatement } from '../fixtures/commit-statement.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { clusterOf, DAY, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

type Operation = { kind: 'confirm' } | { kind: 'set'; value: number } | { kind: 'demote'; factor: number };

/** The rules of the operations, written out once more. */
function applied(before: DecayParams, operation: Operation, at: number): DecayParams {
  const p = prominenceAt(before, at);
  switch (operation.kind) {
    case 'confirm':
      return {
        ...before,
        peak: p + 0.3 * (1 - p),
        anchorAt: at,
        demotion: 1,
        confirmations: before.confirmations + 1,
      };
    case 'set':
      return { ...before, peak: operation.value, anchorAt: at, demotion: 1 };
    case 'demote':
      return {
        ...before,
        demotion: before.demotion && Math.max(1e-9, before.demotion * operation.factor),
      };
  }
}

describe.each(DATABASES)('operations on a memory (%s)', (_name, open) => {
  const tenant = 't';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  const seed = async (memories: (user: string) => ReturnType<typeof newMemory>[]) => {
    const user = nextUser();
    await seedUser(database, { tenant, user, memories: memories(user) });
    return user;
  };
  const perform = (
    user: string,
    id: string,
    operation: Operation,
    at = NOW,
  ): Promise<ProminenceChange | null> =>
    inTenant((tx) => {
      const input = { tenant, user, id, at };
      if (operation.kind === 'confirm') return confirmMemory(tx, input);
      if (operation.kind === 'set') return setProminence(tx, { ...input, value: operation.value });
      return demoteMemory(tx, { ...input, factor: operation.factor });
    });
  const lightDue = async (user: string): Promise<number> => {
    const [row] = await rows<{ due: number }>(sql`
      select date_part('epoch', due_at) * 1000 as due from slowwave.user_tiers where user_id = ${user} and tier = 'light'`);
    return row!.due;
  };
  const setLight = (user: string, due: number, attempt: number | null = null) =>
    rows(sql`
      update slowwave.user_tiers set due_at = to_timestamp(${due}::float8 / 1000),
        last_attempt_at = to_timestamp(${attempt}::float8 / 1000)
      where user_id = ${user} and tier = 'light'`);
  const supersede = async (user: string): Promise<void> => {
    const scope = scopeOf(tenant, user);
    const store = createMemoryStore(database, scope);
    const { candidates } = await store.loadCandidates({ minProminence: 0, maxProminence: 1, minAgeMs: 0 });
    const claim = await store.claimFusion(clusterOf(candidates));
    expect(claim.status).toBe('claimed');
    const result = await commitStatement(database, scope, { key: claim.key, members: candidates });
    expect(result.status).toBe('applied');
  };

  const params: fc.Arbitrary<DecayParams> = fc.record({
    category: fc.constantFrom(...CATEGORIES),
    memoryType: fc.constantFrom('dynamic_profile' as const, 'regular' as const, 'derived' as const),
    importance: fc.integer({ min: 1, max: 10 }),
    confirmations: fc.integer({ min: 0, max: 1000 }),
    peak: fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1, noNaN: true })),
    anchorAt: fc.integer({ min: NOW - 2000 * DAY, max: NOW + DAY }),
    demotion: fc.oneof(fc.constantFrom(0, 1e-9), fc.double({ min: 1e-9, max: 1, noNaN: true })),
  });
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    fc.constant({ kind: 'confirm' as const }),
    fc
      .oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1, noNaN: true }))
      .map((value) => ({ kind: 'set' as const, value })),
    fc.double({ min: 1e-6, max: 0.999, noNaN: true }).map((factor) => ({ kind: 'demote' as const, factor })),
  );

  it('computes in SQL what the formula in TypeScript says, before and after', async () => {
    const user = await seed((of) => [newMemory(of, 'a', 'Ana likes jazz')]);
    await fc.assert(
      fc.asyncProperty(params, operation, fc.integer({ min: 0, max: 500 }), async (before, change, days) => {
        await rows(sql`
          update slowwave.memories set category = ${before.category}, memory_type = ${before.memoryType},
            importance = ${before.importance}, confirmations = ${before.confirmations}, peak = ${before.peak},
            anchor_at = to_timestamp(${before.anchorAt}::float8 / 1000), demotion = ${before.demotion}
          where user_id = ${user}`);
        const at = NOW + days * DAY;
        const result = await perform(user, 'a', change, at);
        const after = applied(before, change, at);
        expect(result!.before).toBeCloseTo(prominenceAt(before, at), 9);
        expect(result!.after).toBeCloseTo(prominenceAt(after, at), 9);
        const [stored] = await rows<DecayParams>(sql`
          select peak, demotion, confirmations, round(date_part('epoch', anchor_at) * 1000) as "anchorAt"
          from slowwave.memories where user_id = ${user}`);
        expect(stored!.peak).toBeCloseTo(after.peak, 9);
        expect(stored!.demotion).toBeCloseTo(after.demotion, 9);
        expect(stored!.confirmations).toBe(after.confirmations);
        expect(stored!.anchorAt).toBe(after.anchorAt);
        const ahead = [0.8, 0.5, 0.1, 0.05]
          .map((threshold) => crossingTime(after, threshold) ?? Number.POSITIVE_INFINITY)
          .filter((crossing) => crossing > at + 1000 && Number.isFinite(crossing));
        if (ahead.length === 0) expect(result!.nextCrossingAt ?? 0).toBeLessThan(at + 2000);
        else expect(result!.nextCrossingAt! - Math.min(...ahead)).toBeLessThan(1000);
      }),
      { numRuns: 150 },
    );
  });

  it('leaves version and content alone and journals the changed columns only', async () => {
    const user = await seed((of) => [newMemory(of, 'a', 'Ana likes jazz')]);
    await perform(user, 'a', { kind: 'demote', factor: 0.5 });
    await perform(user, 'a', { kind: 'confirm' }, NOW + DAY);
    await perform(user, 'a', { kind: 'set', value: 0.9 }, NOW + 2 * DAY);
    const [memory] = await rows<{ version: number; latest: boolean }>(
      sql`select version, is_latest as latest from slowwave.memories where user_id = ${user}`,
    );
    expect(memory).toEqual({ version: 1, latest: true });
    const journal = await rows<{ kind: string; before: object; after: object; key: { id: string } }>(sql`
      select s.kind, c.before, c.after, c.row_key as key from slowwave.changes c
      join slowwave.change_sets s on s.user_id = c.user_id and s.id = c.change_set_id
      where c.user_id = ${user} order by s.created_at`);
    expect(journal.map(({ kind, after }) => [kind, Object.keys(after).sort()])).toEqual([
      ['prominence', ['demotion', 'updated_at']],
      ['prominence', ['anchor_at', 'confirmations', 'demotion', 'peak', 'updated_at']],
      ['prominence', ['anchor_at', 'demotion', 'peak', 'updated_at']],
    ]);
    expect(journal[0]).toMatchObject({ before: { demotion: 1 }, after: { demotion: 0.5 } });
    expect(journal[1]).toMatchObject({
      before: { demotion: 0.5, confirmations: 0 },
      after: { demotion: 1, confirmations: 1 },
    });
  });

  it('finds a memory by our id and by the writer’s, and nobody else’s', async () => {
    const user = await seed((of) => [newMemory(of, 'a', 'Ana likes jazz')]);
    const other = await seed((of) => [newMemory(of, 'b', 'Ben likes rock')]);
    const [row] = await rows<{ id: string }>(sql`select id from slowwave.memories where user_id = ${user}`);
    expect((await perform(user, row!.id, { kind: 'confirm' }))?.id).toBe(row!.id);
    expect((await perform(user, 'a', { kind: 'confirm' }))?.id).toBe(row!.id);
    expect(await perform(other, row!.id, { kind: 'confirm' })).toBeNull();
    expect(await perform(user, 'b', { kind: 'confirm' })).toBeNull();
    const elsewhere = await database.withTenant('another', (tx) =>
      confirmMemory(tx, { tenant: 'another', user, id: row!.id, at: NOW }),
    );
    expect(elsewhere).toBeNull();
  });

  it('refuses what was superseded, naming its successor, and writes nothing', async () => {
    const user = await seed((of) => [newMemory(of, 'a', 'Ana likes jazz'), newMemory(of, 'b', 'Ana sings')]);
    await supersede(user);
    const [source] = await rows<{ successor: string }>(
      sql`select superseded_by as successor from slowwave.memories where user_id = ${user} and external_id = 'a'`,
    );
    const state = () =>
      rows(
        sql`select m.xmin::text as x, (select count(*)::int from slowwave.changes c where c.user_id = m.user_id) as n from slowwave.memories m where user_id = ${user} and external_id = 'a'`,
      );
    const before = await state();
    for (const kind of [
      { kind: 'confirm' },
      { kind: 'set', value: 0.5 },
      { kind: 'demote', factor: 0.5 },
    ] as const) {
      const error = await perform(user, 'a', kind).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(MemoryRefused);
      expect(error).toMatchObject({ code: 'superseded', memory: 'a', retryable: false });
      expect((error as Error).message).toContain(source!.successor);
      expect((error as Error).message).not.toContain('jazz');
    }
    expect(await state()).toEqual(before);
  });

  it('refuses to fade the static profile, whose confirmation counts all the same', async () => {
    const user = await seed((of) => [newMemory(of, 'a', 'Ana', { memoryType: 'static_profile' })]);
    await expect(perform(user, 'a', { kind: 'set', value: 0.5 })).rejects.toMatchObject({
      code: 'static_profile',
    });
    await expect(perform(user, 'a', { kind: 'demote', factor: 0.5 })).rejects.toMatchObject({
      code: 'static_profile',
    });
    expect(await perform(user, 'a', { kind: 'confirm' })).toMatchObject({
      before: 1,
      after: 1,
      nextCrossingAt: null,
    });
  });

  it('refuses values out of bounds before it looks', async () => {
    for (const value of [-0.1, 1.1, Number.NaN]) {
      await expect(perform('nobody', 'a', { kind: 'set', value })).rejects.toBeInstanceOf(InputError);
    }
    for (const factor of [0, 1, -1, Number.NaN]) {
      await expect(perform('nobody', 'a', { kind: 'demote', factor })).rejects.toMatchObject({
        code: 'out_of_range',
        field: 'factor',
      });
    }
  });

  it('stays above the least factor that the table takes', async () => {
    const user = await seed((of) => [newMemory(of, 'a', 'Ana likes jazz')]);
    for (let i = 0; i < 3; i++) await perform(user, 'a', { kind: 'demote', factor: 1e-6 });
    await perform(user, 'a', { kind: 'set', value: 1e-300 });
    const [row] = await rows<{ peak: number }>(
      sql`select peak from slowwave.memories where user_id = ${user}`,
    );
    expect(row!.peak).toBe(1e-9);
  });

  describe('the light tier', () => {
    const event = (of: string) => [newMemory(of, 'a', 'Ana sold the boat', { category: 'event' })];

    it('comes by when the memory crosses next, not later and not sooner', async () => {
      const user = await seed(event);
      await setLight(user, NOW + 300 * DAY);
      const changed = await perform(user, 'a', { kind: 'set', value: 0.9 });
      expect(changed!.nextCrossingAt).toBeGreaterThan(NOW);
      expect(Math.abs((await lightDue(user)) - changed!.nextCrossingAt!)).toBeLessThan(2);
      await setLight(user, NOW + DAY / 2);
      await perform(user, 'a', { kind: 'set', value: 0.9 });
      expect(await lightDue(user)).toBe(NOW + DAY / 2);
    });

    it('is still owed a try that failed, and a run under way sees the change at its end', async () => {
      const user = await seed(event);
      await setLight(user, NOW - DAY, NOW - 1000);
      await perform(user, 'a', { kind: 'set', value: 0.9 });
      expect(await lightDue(user)).toBe(NOW);
      await setLight(user, NOW - DAY, NOW + 5000);
      await perform(user, 'a', { kind: 'set', value: 0.9 });
      expect(await lightDue(user)).toBe(NOW + 5001);
    });

    it('is not woken for an archived memory', async () => {
      const user = await seed(event);
      await rows(
        sql`update slowwave.memories set archived_at = to_timestamp(${NOW}::float8 / 1000) where user_id = ${user}`,
      );
      await setLight(user, NOW + 300 * DAY);
      await perform(user, 'a', { kind: 'set', value: 0.9 });
      expect(await lightDue(user)).toBe(NOW + 300 * DAY);
    });
  });

  it('counts every one of many confirmations at once', async () => {
    const user = await seed((of) => [newMemory(of, 'a', 'Ana likes jazz')]);
    await Promise.all(Array.from({ length: 8 }, () => perform(user, 'a', { kind: 'confirm' })));
    const [row] = await rows<{ confirmations: number; peak: number }>(
      sql`select confirmations, peak from slowwave.memories where user_id = ${user}`,
    );
    expect(row!.confirmations).toBe(8);
    // Each one added three tenths of what was missing after the one before.
    const start = prominenceAt(
      {
        category: 'fact',
        memoryType: 'regular',
        importance: 5,
        confirmations: 0,
        peak: 0.75,
        anchorAt: NOW - 90 * DAY,
        demotion: 1,
      },
      NOW,
    );
    expect(row!.peak).toBeCloseTo(1 - (1 - start) * 0.7 ** 8, 9);
  });

  describe('explaining', () => {
    const explain = (id: string, user?: string, at = NOW) =>
      inTenant((tx) => explainMemory(tx, { tenant, user, id, at }));

    it('tells the terms, which make up the prominence, and every stored crossing', async () => {
      const user = await seed((of) => [
        newMemory(of, 'fact', 'Ana lives in Porto', { importance: 9, documentDate: NOW - 100 * DAY }),
        newMemory(of, 'old', 'Ana saw a film', { category: 'event', documentDate: NOW - 20 * DAY }),
      ]);
      await perform(user, 'fact', { kind: 'demote', factor: 0.9 });
      const fact = (await explain('fact', user))!;
      const { rate, stability, floor, ageDays, demotion } = fact.terms;
      expect(fact.terms).toMatchObject({ rate: 0.99, stability: 1, floor: 0.2, ageDays: 100, demotion: 0.9 });
      expect(fact.prominence).toBeCloseTo(
        demotion * (floor + (fact.params.peak - floor) * rate ** (Math.max(0, ageDays - 1) / stability)),
        12,
      );
      expect(fact.crossings.map(({ threshold, state }) => [threshold, state])).toEqual([
        [0.8, 'past'],
        [0.5, 'past'],
        [0.1, 'never'],
        [0.05, 'never'],
      ]);
      expect(fact.nextCrossingAt).toBeNull();
      expect(fact).toMatchObject({
        user,
        externalId: 'fact',
        content: 'Ana lives in Porto',
        version: 1,
        band: bandOf(fact.prominence),
        recalls: { count: 0, lastAt: null },
        supersededBy: null,
      });
      const event = (await explain('old', user))!;
      expect(event.terms.rate).toBe(rateOf('event', 'regular'));
      expect(event.terms.stability).toBe(stabilityOf(0));
      // Importance 5 begins at 0.75: below 0.8 from the start.
      expect(event.crossings[0]).toEqual({ threshold: 0.8, at: null, state: 'past' });
      expect(event.crossings.map((crossing) => crossing.state)).toEqual(['past', 'past', 'ahead', 'ahead']);
      expect(event.nextCrossingAt).toBe(event.crossings[2]!.at);
      expect(Math.abs(event.nextCrossingAt! - crossingTime(event.params, 0.1)!)).toBeLessThan(2);
    });

    it('tells the history and the lineage, one step either way', async () => {
      const user = await seed((of) => [
        newMemory(of, 'a', 'Ana likes jazz'),
        newMemory(of, 'b', 'Ana sings'),
      ]);
      await perform(user, 'a', { kind: 'demote', factor: 0.5 }, NOW - 2 * DAY);
      await perform(user, 'a', { kind: 'confirm' }, NOW - DAY);
      await supersede(user);
      const source = (await explain('a', user))!;
      expect(source.history.map(({ kind }) => kind)).toEqual(['fusion', 'prominence', 'prominence']);
      expect(source.history[2]).toMatchObject({
        at: NOW - 2 * DAY,
        before: { demotion: 1 },
        after: { demotion: 0.5 },
      });
      expect(source.history[2]!.after).not.toHaveProperty('peak');
      expect(source.history[1]!.after).toMatchObject({ anchorAt: NOW - DAY, confirmations: 1, demotion: 1 });
      expect(source.history[0]).toMatchObject({
        before: { memoryType: 'regular' },
        after: { memoryType: 'superseded' },
      });
      expect(source.history[0]!.fusionKey).toMatch(/^[0-9a-f]{64}$/);
      const derived = (await explain(source.supersededBy!, user))!;
      expect(source.derived).toEqual([
        { id: derived.id, externalId: null, memoryType: 'derived', isLatest: true },
      ]);
      expect(derived.sources.map(({ externalId, isLatest }) => [externalId, isLatest]).sort()).toEqual([
        ['a', false],
        ['b', false],
      ]);
      expect(derived.history).toMatchObject([{ kind: 'fusion', before: null, after: { peak: 0.4 } }]);
    });

    it('looks across the users of the tenant, and asks whose when several have that name', async () => {
      const name = `only-${nextUser()}`;
      const user = await seed((of) => [
        newMemory(of, name, 'Ana likes jazz'),
        newMemory(of, 'same', 'Ana sings'),
      ]);
      const other = await seed((of) => [newMemory(of, 'same', 'Ben likes rock')]);
      const found = (await explain(name))!;
      expect(found.user).toBe(user);
      expect((await explain(found.id))!.externalId).toBe(name);
      await expect(explain('same')).rejects.toMatchObject({ code: 'ambiguous', memory: 'same' });
      expect((await explain('same', other))!.content).toBe('Ben likes rock');
      expect(await explain(name, other)).toBeNull();
      expect(await explain('nothing of that name')).toBeNull();
      const elsewhere = await database.withTenant('another', (tx) =>
        explainMemory(tx, { tenant: 'another', id: found.id, at: NOW }),
      );
      expect(elsewhere).toBeNull();
    });

    it('prefers an id to a name that looks like one', async () => {
      const user = await seed((of) => [newMemory(of, 'a', 'Ana likes jazz')]);
      const { id } = (await explain('a', user))!;
      const other = await seed((of) => [newMemory(of, id, 'Ben likes rock')]);
      expect((await explain(id))!.user).toBe(user);
      expect((await explain(id, other))!.content).toBe('Ben likes rock');
    });

    it('writes nothing', async () => {
      const user = await seed((of) => [newMemory(of, 'a', 'Ana likes jazz')]);
      const state = () =>
        rows(sql`select xmin::text as x, access_count from slowwave.memories where user_id = ${user}`);
      const before = await state();
      await explain('a', user);
      expect(await state()).toEqual(before);
    });
  });
});
