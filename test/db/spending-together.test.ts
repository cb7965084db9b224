import { type CallEnd, closeCall, closeCalls, NO_LIMITS, newId, periodsOf, readSpend } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { LATER, limit, ownerOf, reserve, SETTLED, seed, tenant } from '../fixtures/ledger-calls.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { ownTwice } from '../fixtures/own-twice.ts';
import { until } from '../fixtures/wait.ts';

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

  it('holds up nobody else while a call waits for its user, who is about to go', async () => {
    await seed(database, ['going', 'staying']);
    // Their rows are there already: only the user is still to be waited for.
    for (const user of ['going', 'staying']) await reserve(other, ownerOf(user, LATER), NO_LIMITS);
    let [go, hold] = [() => {}, () => {}];
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const going = database.withTenant(tenant, async (tx) => {
      await tx.rows(sql`select 1 from slowwave.users where tenant = ${tenant} and id = 'going' for update`);
      hold();
      await gone;
    });
    await held;
    const waiting = reserve(other, ownerOf('going', LATER), NO_LIMITS);
    const others: Promise<void>[] = [];
    try {
      await until('a call that waits', async () => {
        const [row] = await database.asOwner((tx) =>
          tx.rows<{ waiting: number }>(sql`
            select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
        );
        return row!.waiting > 0;
      });
      let done = false;
      const beside = reserve(database, ownerOf('staying', LATER), NO_LIMITS).then(() => {
        done = true;
      });
      others.push(beside);
      await until('the call of another user', () => done);
    } finally {
      go();
      await Promise.all([going, ...others]);
    }
    expect(await waiting).toEqual({ status: 'reserved' });
  });

  it('closes calls of the same days for many users at once, and counts each', async () => {
    const of = 'closing';
    const users = Array.from({ length: 8 }, (_, i) => `user-${i}`);
    await seed(database, users, of);
    const limits = limit('overall_day', 10_000_000);
    const days = [NOW + 7 * DAY, NOW + 8 * DAY, NOW + 9 * DAY];
    const ownerAt = (user: string, at: number) => ({
      ...ownerOf(user, { at, periods: periodsOf({ tier: 'sleep', timezone: 'UTC', at }) }),
      tenant: of,
    });
    const calls = new Map<string, string[]>();
    for (const [i, user] of users.entries()) {
      // Each begins with another day, so that their calls stand in another order.
      const turned = [...days.slice(i % 3), ...days.slice(0, i % 3)];
      const ids = turned.map(() => newId(NOW));
      for (const [n, at] of turned.entries())
        await reserve(database, ownerAt(user, at), limits, { id: ids[n]! });
      calls.set(user, ids);
    }
    await Promise.all(
      users.map((user, i) =>
        (i % 2 ? other : database).withTenant(of, (tx) =>
          closeCalls(
            tx,
            { tenant: of, user },
            calls.get(user)!.map((id) => ({ id, end: SETTLED })),
          ),
        ),
      ),
    );
    for (const at of days) {
      const { periods } = ownerAt(users[0]!, at);
      const read = await database.withTenant(of, (tx) =>
        readSpend(tx, { tenant: of, user: users[0]!, periods }),
      );
      const all = { spent: { tokens: 8 * 35, nanos: 8n * 350n }, reserved: { tokens: 0, nanos: 0n } };
      expect(read).toMatchObject({ tenant_day: all, overall_day: all });
    }
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
