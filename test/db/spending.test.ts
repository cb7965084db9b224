import {
  type CallEnd,
  closeCall,
  closeCalls,
  forget,
  lapseCalls,
  NO_LIMITS,
  newId,
  periodsOf,
  pruneCalls,
  readSpend,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { limit, ownerOf, reserve, SETTLED, seed, tenant } from '../fixtures/ledger-calls.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

describe.each(DATABASES)('the ledger of model calls (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);
  const spend = (user: string) =>
    inTenant((tx) => readSpend(tx, { tenant, user, periods: ownerOf(user).periods }));
  const close = (user: string, id: string, end: CallEnd) =>
    inTenant((tx) => closeCall(tx, { tenant, user, id }, end));

  it('reserves in every period, and spends what was taken, once', async () => {
    const user = nextUser();
    await seed(database, [user]);
    const before = (await spend(user)).tenant_day;
    const limits = limit('overall_day', 10_000_000);
    const id = newId(NOW);
    expect(await reserve(database, ownerOf(user), limits, { id })).toEqual({ status: 'reserved' });
    const reserved = { spent: { tokens: 0, nanos: 0n }, reserved: { tokens: 100, nanos: 1_000n } };
    expect(await spend(user)).toMatchObject({
      user_night: reserved,
      user_day: reserved,
      overall_day: reserved,
    });
    expect(await close(user, id, SETTLED)).toBe(true);
    for (const again of [SETTLED, { state: 'released' }, { state: 'lapsed' }] as const) {
      expect(await close(user, id, again)).toBe(false);
    }
    const spent = { spent: { tokens: 35, nanos: 350n }, reserved: { tokens: 0, nanos: 0n } };
    const after = await spend(user);
    expect(after).toMatchObject({ user_night: spent, user_day: spent, overall_day: spent });
    expect(after.tenant_day.spent).toEqual({
      tokens: before.spent.tokens + 35,
      nanos: before.spent.nanos + 350n,
    });
    expect(after.tenant_day.reserved).toEqual(before.reserved);
  });

  it('counts no night by day, and one user for no other', async () => {
    const [user, other] = [nextUser(), nextUser()];
    await seed(database, [user, other]);
    const deep = {
      tier: 'deep',
      step: 'fusion',
      periods: periodsOf({ tier: 'deep', timezone: 'UTC', at: NOW }),
    } as const;
    await reserve(database, ownerOf(user, deep), NO_LIMITS);
    expect(await spend(user)).toMatchObject({
      user_day: { reserved: { tokens: 100 } },
      user_night: { reserved: { tokens: 0 } },
    });
    expect(await spend(other)).toMatchObject({ user_day: { reserved: { tokens: 0 } } });
  });

  it.each([
    ['user_night', 'tokens', limit('user_night', 250)],
    ['user_day', 'tokens', limit('user_day', 250)],
    ['user_day', 'dollars', limit('user_day', null, 2_999n)],
    ['user_night', 'dollars', { ...limit('user_day', 250), user_night: { tokens: null, nanos: 2_500n } }],
  ] as const)(
    'refuses what would pass the budget of a %s in %s, and reserves nothing then',
    async (scope, unit, limits) => {
      const user = nextUser();
      await seed(database, [user]);
      for (let i = 0; i < 2; i += 1)
        expect((await reserve(database, ownerOf(user), limits)).status).toBe('reserved');
      const { user_night, user_day } = ownerOf(user).periods;
      const renewsAt =
        limits.user_day.tokens !== null && scope === 'user_night'
          ? Math.max(user_night!.renewsAt, user_day.renewsAt)
          : { user_night: user_night!, user_day }[scope].renewsAt;
      const before = await spend(user);
      expect(await reserve(database, ownerOf(user), limits)).toEqual({
        status: 'refused',
        scope,
        unit,
        renewsAt,
      });
      expect(await spend(user)).toEqual(before);
      // A smaller one fits still, to the token.
      const rest = { tokens: 50, nanos: 1n };
      expect((await reserve(database, ownerOf(user), limits, rest)).status).toBe('reserved');
    },
  );

  it('is whole again in the next period', async () => {
    const user = nextUser();
    await seed(database, [user]);
    const limits = limit('user_day', 100);
    await reserve(database, ownerOf(user), limits);
    const refused = await reserve(database, ownerOf(user), limits);
    if (refused.status !== 'refused') throw new Error('not refused');
    const at = refused.renewsAt;
    const next = ownerOf(user, { at, periods: periodsOf({ tier: 'sleep', timezone: 'UTC', at }) });
    expect((await reserve(database, next, limits)).status).toBe('reserved');
  });

  it('counts a call of which nobody hears in full, until somebody does', async () => {
    const user = nextUser();
    await seed(database, [user]);
    const [left, fresh] = [newId(NOW), newId(NOW + 1)];
    await reserve(database, ownerOf(user), NO_LIMITS, { id: left, holdMs: -1 });
    await reserve(database, ownerOf(user), NO_LIMITS, { id: fresh });
    expect(await inTenant((tx) => lapseCalls(tx, { tenant, user }))).toBe(1);
    expect(await inTenant((tx) => lapseCalls(tx, { tenant, user }))).toBe(0);
    const lapsed = { spent: { tokens: 100, nanos: 1_000n }, reserved: { tokens: 100, nanos: 1_000n } };
    expect((await spend(user)).user_day).toEqual(lapsed);
    expect(await close(user, left, SETTLED)).toBe(true);
    expect((await spend(user)).user_day.spent).toEqual({ tokens: 35, nanos: 350n });
    expect(
      await rows(
        sql`select state, cost_nanos::text as cost from slowwave.model_calls where user_id = ${user} order by id`,
      ),
    ).toEqual([
      { state: 'settled', cost: '350' },
      { state: 'reserved', cost: '0' },
    ]);
  });

  it('removes what is older than its retention, and no call that is still open', async () => {
    const user = nextUser();
    await seed(database, [user]);
    const [closed, left] = [newId(NOW), newId(NOW)];
    await reserve(database, ownerOf(user), NO_LIMITS, { id: closed });
    await close(user, closed, SETTLED);
    await reserve(database, ownerOf(user), NO_LIMITS, { id: left });
    const prune = (before: number) => inTenant((tx) => pruneCalls(tx, { tenant, user, before, limit: 10 }));
    expect(await prune(NOW)).toBe(0);
    expect((await spend(user)).user_day.spent.tokens).toBe(35);
    expect(await prune(NOW + 3 * DAY)).toBe(1);
    expect(await rows(sql`select id from slowwave.model_calls where user_id = ${user}`)).toEqual([
      { id: left },
    ]);
    expect((await spend(user)).user_day.spent.tokens).toBe(0);
    // Its periods are gone: closing it says nothing of them, and the tenant has it nevertheless.
    expect(await close(user, left, SETTLED)).toBe(true);
  });

  it('forgets the calls of a user, and not that money was spent', async () => {
    const user = nextUser();
    await seed(database, [user]);
    const id = newId(NOW);
    await reserve(database, ownerOf(user), NO_LIMITS, { id });
    await close(user, id, SETTLED);
    const { tenant_day } = await spend(user);
    await forget(database, { tenant, user, target: { user: true }, at: NOW, actor: null });
    expect(await rows(sql`select 1 from slowwave.model_calls where user_id = ${user}`)).toEqual([]);
    expect(await spend(user)).toMatchObject({ tenant_day, user_day: { spent: { tokens: 0 } } });
    expect(await close(user, id, SETTLED)).toBe(false);
    await expect(reserve(database, ownerOf(user), NO_LIMITS)).rejects.toMatchObject({ code: 'constraint' });
  });

  it('counts in full what is under way when its user is forgotten, and holds nothing back for it', async () => {
    const [user, id] = [nextUser(), newId(NOW)];
    await seed(database, [user]);
    const before = (await spend(user)).tenant_day;
    await reserve(database, ownerOf(user), NO_LIMITS, { id });
    await forget(database, { tenant, user, target: { user: true }, at: NOW, actor: null });
    expect(await close(user, id, SETTLED)).toBe(false);
    expect((await spend(user)).tenant_day).toEqual({
      spent: { tokens: before.spent.tokens + 100, nanos: before.spent.nanos + 1_000n },
      reserved: before.reserved,
    });
  });

  it('closes several calls of several days together, each with what came of it, and one that is named twice once', async () => {
    const user = nextUser();
    await seed(database, [user]);
    const limits = limit('overall_day', 10_000_000);
    // A day of no other test.
    const next = NOW + 20 * DAY;
    const later = ownerOf(user, {
      at: next,
      periods: periodsOf({ tier: 'sleep', timezone: 'UTC', at: next }),
    });
    const deep = { tier: 'deep', periods: periodsOf({ tier: 'deep', timezone: 'UTC', at: NOW }) } as const;
    const [settled, released, lapsed, daily, other] = Array.from({ length: 5 }, () => newId(NOW)) as [
      string,
      string,
      string,
      string,
      string,
    ];
    for (const id of [settled, lapsed]) await reserve(database, ownerOf(user), limits, { id });
    await reserve(database, ownerOf(user, deep), limits, { id: daily });
    await reserve(database, later, NO_LIMITS, { id: released });
    await reserve(database, later, limits, { id: other });
    const before = await inTenant((tx) => readSpend(tx, { tenant, user, periods: later.periods }));
    expect(before.overall_day.reserved.tokens).toBe(100);
    const ends = [
      { id: other, end: SETTLED },
      { id: settled, end: { ...SETTLED, cacheReadTokens: 20, cacheWriteTokens: 4 } },
      { id: released, end: { state: 'released' } },
      { id: lapsed, end: { state: 'lapsed' } },
      { id: daily, end: SETTLED },
      { id: settled, end: { ...SETTLED, inputTokens: 90 } },
      { id: newId(NOW), end: SETTLED },
    ] as const;
    const closeAll = () => inTenant((tx) => closeCalls(tx, { tenant, user }, ends));
    expect(await closeAll()).toBe(5);
    expect(await closeAll()).toBe(0);
    const nothing = { tokens: 0, nanos: 0n };
    expect(await spend(user)).toMatchObject({
      user_day: { spent: { tokens: 170, nanos: 1_700n }, reserved: nothing },
      user_night: { spent: { tokens: 135, nanos: 1_350n }, reserved: nothing },
    });
    expect(await inTenant((tx) => readSpend(tx, { tenant, user, periods: later.periods }))).toMatchObject({
      user_day: { spent: { tokens: 35, nanos: 350n }, reserved: nothing },
      user_night: { spent: { tokens: 35, nanos: 350n }, reserved: nothing },
      tenant_day: { spent: { tokens: 35, nanos: 350n }, reserved: nothing },
      overall_day: { spent: { tokens: 35, nanos: 350n }, reserved: nothing },
    });
    expect(
      await rows(sql`
        select state, input_tokens::int as input, cache_read_tokens::int as found, cache_write_tokens::int as put from slowwave.model_calls
        where id = ${settled}::uuid`),
    ).toEqual([{ state: 'settled', input: 30, found: 20, put: 4 }]);
  });

  it('equals a small model of it after any order of events, and is never passed', async () => {
    type Event =
      | { kind: 'reserve'; user: number; tokens: number }
      | { kind: 'end'; call: number; end: CallEnd }
      | { kind: 'ends'; user: number; ends: { call: number; end: CallEnd }[] };
    const end = fc.oneof(
      fc.record({
        state: fc.constant('settled' as const),
        inputTokens: fc.nat(30),
        outputTokens: fc.nat(30),
        nanos: fc.bigInt({ min: 0n, max: 900n }),
      }),
      fc.constant({ state: 'released' as const }),
      fc.constant({ state: 'lapsed' as const }),
    );
    const event: fc.Arbitrary<Event> = fc.oneof(
      fc.record({
        kind: fc.constant('reserve' as const),
        user: fc.nat(1),
        tokens: fc.integer({ min: 60, max: 90 }),
      }),
      fc.record({ kind: fc.constant('end' as const), call: fc.nat(20), end }),
      fc.record({
        kind: fc.constant('ends' as const),
        user: fc.nat(1),
        ends: fc.uniqueArray(fc.record({ call: fc.nat(20), end }), { selector: ({ call }) => call }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
        const of = `p-${newId(NOW)}`;
        const users = ['ana', 'ben'];
        await seed(database, users, of);
        const limits = { ...limit('user_day', 200), tenant_day: { tokens: 300, nanos: 3_000n } };
        const calls: {
          id: string;
          user: string;
          tokens: number;
          nanos: bigint;
          state: string;
          used: { tokens: number; nanos: bigint };
        }[] = [];
        const sum = (user: string | null, state: (s: string) => boolean) =>
          calls
            .filter((call) => (user === null || call.user === user) && state(call.state))
            .reduce(
              (total, { state: s, used, tokens, nanos }) =>
                s === 'reserved'
                  ? { tokens: total.tokens + tokens, nanos: total.nanos + nanos }
                  : { tokens: total.tokens + used.tokens, nanos: total.nanos + used.nanos },
              { tokens: 0, nanos: 0n },
            );
        for (const one of events) {
          if (one.kind === 'reserve') {
            const user = users[one.user]!;
            const nanos = BigInt(one.tokens) * 10n;
            const id = newId(NOW);
            const all = () => true;
            const fits =
              sum(user, all).tokens + one.tokens <= 200 &&
              sum(null, all).tokens + one.tokens <= 300 &&
              sum(null, all).nanos + nanos <= 3_000n;
            const got = await reserve(database, { ...ownerOf(user), tenant: of }, limits, {
              id,
              tokens: one.tokens,
              nanos,
            });
            expect(got.status).toBe(fits ? 'reserved' : 'refused');
            if (fits)
              calls.push({
                id,
                user,
                tokens: one.tokens,
                nanos,
                state: 'reserved',
                used: { tokens: 0, nanos: 0n },
              });
          } else {
            // One by one as any worker does, or all that are given of one user together.
            const given = one.kind === 'end' ? [one] : one.ends;
            const owner = one.kind === 'end' ? calls[one.call]?.user : users[one.user]!;
            const ended = given.flatMap(({ call, end: how }) => {
              const found = calls[call];
              return found && found.user === owner ? [{ call: found, end: how }] : [];
            });
            const isOpen = ({ call, end: how }: (typeof ended)[number]) =>
              call.state === 'reserved' || (call.state === 'lapsed' && how.state !== 'lapsed');
            const open = ended.filter(isOpen);
            const [first] = ended;
            if (!first) continue;
            const closed = await database.withTenant<boolean | number>(of, (tx) =>
              one.kind === 'end'
                ? closeCall(tx, { tenant: of, ...first.call }, first.end)
                : closeCalls(
                    tx,
                    { tenant: of, user: first.call.user },
                    ended.map(({ call, end: how }) => ({ id: call.id, end: how })),
                  ),
            );
            expect(closed).toBe(one.kind === 'end' ? open.length === 1 : open.length);
            for (const { call, end: how } of open) {
              call.state = how.state;
              call.used =
                how.state === 'settled'
                  ? { tokens: how.inputTokens + how.outputTokens, nanos: how.nanos! }
                  : how.state === 'lapsed'
                    ? { tokens: call.tokens, nanos: call.nanos }
                    : { tokens: 0, nanos: 0n };
            }
          }
          const at = ownerOf('').periods;
          for (const user of users) {
            const got = await database.withTenant(of, (tx) =>
              readSpend(tx, { tenant: of, user, periods: at }),
            );
            const expected = (who: string | null) => ({
              spent: sum(who, (state) => state !== 'reserved'),
              reserved: sum(who, (state) => state === 'reserved'),
            });
            expect(got).toMatchObject({
              user_day: expected(user),
              user_night: expected(user),
              tenant_day: expected(null),
            });
          }
          expect(sum(null, () => true).tokens).toBeLessThanOrEqual(300);
        }
      }),
      { numRuns: 12 },
    );
  });
});
