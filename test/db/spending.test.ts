import {
  type BudgetLimits,
  type CallEnd,
  type CallOwner,
  closeCall,
  type Database,
  ensureUsers,
  forget,
  lapseCalls,
  NO_LIMITS,
  newId,
  periodsOf,
  pruneCalls,
  readSpend,
  reserveCall,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { ownTwice } from '../fixtures/own-twice.ts';

const tenant = 't';
const HOLD_MS = 60_000;

const limit = (
  scope: keyof BudgetLimits,
  tokens: number | null,
  nanos: bigint | null = null,
): BudgetLimits => ({
  ...NO_LIMITS,
  [scope]: { tokens, nanos },
});

const ownerOf = (user: string, more: Partial<CallOwner> = {}): CallOwner => ({
  tenant,
  user,
  runId: null,
  tier: 'sleep',
  step: 'nrem',
  periods: periodsOf({ tier: 'sleep', timezone: 'UTC', at: NOW }),
  at: NOW,
  ...more,
});

const seed = (database: Database, users: readonly string[], of = tenant) =>
  database.withTenant(of, (tx) =>
    ensureUsers(
      tx,
      users.map((user) => ({ tenant: of, user })),
      NOW,
    ),
  );

function reserve(
  database: Database,
  owner: CallOwner,
  limits: BudgetLimits,
  call: { id?: string; tokens?: number; nanos?: bigint | null; holdMs?: number } = {},
) {
  const full = {
    id: newId(NOW),
    provider: 'fake',
    model: 'm',
    tokens: 100,
    nanos: 1_000n,
    holdMs: HOLD_MS,
    ...call,
  };
  return reserveCall(database, owner, full, limits);
}

const SETTLED = { state: 'settled', inputTokens: 30, outputTokens: 5, nanos: 350n } as const;

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

  it('equals a small model of it after any order of events, and is never passed', async () => {
    type Event =
      | { kind: 'reserve'; user: number; tokens: number }
      | { kind: 'end'; call: number; end: CallEnd };
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
            const call = calls[one.call];
            if (!call) continue;
            const isOpen =
              call.state === 'reserved' || (call.state === 'lapsed' && one.end.state !== 'lapsed');
            const closed = await database.withTenant(of, (tx) =>
              closeCall(tx, { tenant: of, ...call }, one.end),
            );
            expect(closed).toBe(isOpen);
            if (!isOpen) continue;
            call.state = one.end.state;
            call.used =
              one.end.state === 'settled'
                ? { tokens: one.end.inputTokens + one.end.outputTokens, nanos: one.end.nanos! }
                : one.end.state === 'lapsed'
                  ? { tokens: call.tokens, nanos: call.nanos }
                  : { tokens: 0, nanos: 0n };
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

describe('the ledger under two processes (server)', () => {
  const [{ database }, { database: other }] = ownTwice(tenant);

  it('lets through as many calls as fit, whoever asks and whenever they end', async () => {
    const users = Array.from({ length: 16 }, (_, i) => `user-${i}`);
    await seed(database, users);
    const limits = { ...limit('tenant_day', 1_000), overall_day: { tokens: 5_000, nanos: null } };
    const ask = async (user: string, i: number) => {
      const asking = i % 2 === 0 ? database : other;
      const id = newId(NOW + i);
      const got = await reserve(asking, ownerOf(user), limits, { id });
      // Some are settled at once by the other process, with all that was reserved.
      if (got.status === 'reserved' && i % 3 === 0) {
        const end: CallEnd = { state: 'settled', inputTokens: 90, outputTokens: 10, nanos: 1_000n };
        const closer = i % 2 === 0 ? other : database;
        await closer.withTenant(tenant, (tx) => closeCall(tx, { tenant, user, id }, end));
      }
      return got.status;
    };
    const asked = await Promise.all(Array.from({ length: 64 }, (_, i) => ask(users[i % users.length]!, i)));
    expect(asked.filter((status) => status === 'reserved')).toHaveLength(10);
    const { tenant_day, overall_day } = await database.withTenant(tenant, (tx) =>
      readSpend(tx, { tenant, user: users[0]!, periods: ownerOf(users[0]!).periods }),
    );
    expect(tenant_day.spent.tokens + tenant_day.reserved.tokens).toBe(1_000);
    expect(overall_day).toEqual(tenant_day);
  });

  it('lets one tenant take from the budget of all, and hides what it took', async () => {
    const limits = limit('overall_day', 5_000);
    await seed(database, ['zoe'], 'elsewhere');
    const owner = { ...ownerOf('zoe'), tenant: 'elsewhere' };
    const asked = await Promise.all(
      Array.from({ length: 45 }, (_, i) => reserve(i % 2 ? other : database, owner, limits)),
    );
    expect(asked.filter(({ status }) => status === 'reserved')).toHaveLength(40);
    expect(asked.find(({ status }) => status === 'refused')).toMatchObject({
      scope: 'overall_day',
      unit: 'tokens',
    });
  });
});
