import { ensureUsers, newId, pauseUser, quarantineUser, requestRun, type Transaction } from '@slowwave/db';
import type { BatchDeps } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { type BatchNight, batchNights } from '../fixtures/batch-nights.ts';
import { HOUR, MINUTE, type Stage } from '../fixtures/batches.ts';
import { countingDatabase } from '../fixtures/counted.ts';
import { DATABASES } from '../fixtures/databases.ts';

type Line = Record<string, unknown>;
type ModelCall = Parameters<NonNullable<BatchDeps['onCall']>>[0];

/** @param userOf the user whose question a result is of */
type Order = (lines: Line[], userOf: (line: Line) => string) => Line[];

const byUser: Order = (lines, userOf) => lines.toSorted((a, b) => (userOf(a) < userOf(b) ? -1 : 1));
const ORDERS: [string, Order][] = [
  ['user after user', byUser],
  ['the last user first', (lines, userOf) => byUser(lines, userOf).reverse()],
  [
    'in turn',
    (lines, userOf) =>
      [0, 1, 2].flatMap((rest) => byUser(lines, userOf).filter((_line, n) => n % 3 === rest)),
  ],
];

describe.each(DATABASES)('results of message batches, a page at a time (%s)', (_name, open) => {
  const { database, begin } = batchNights(open);

  /** So many users with so many questions each, which their provider has, and the order of its results. */
  async function sent(
    { stage, server, send }: BatchNight,
    clusters: readonly number[],
    order: Order = (lines) => lines,
  ): Promise<string[]> {
    const users: string[] = [];
    for (const count of clusters) {
      const user = await stage.seed({ clusters: count });
      await stage.night(user);
      users.push(user);
    }
    const asked = await database.withTenant(stage.tenant, (tx) =>
      tx.rows<{ id: string; user: string }>(sql`select id, user_id as "user" from slowwave.batch_requests`),
    );
    const askers = new Map<unknown, string>(asked.map(({ id, user }) => [id, user]));
    server.order = (lines) => order(lines, ({ custom_id }) => askers.get(custom_id)!);
    await send();
    stage.clock.at += MINUTE;
    return users;
  }

  /** What the tenant was billed for, its users together, and nothing is held back. */
  async function expectShared({ stage, server }: BatchNight, users: readonly string[]): Promise<void> {
    const { billed } = server;
    const spent = await Promise.all(users.map(async (user) => (await stage.spend(user)).user_day));
    const { tenant_day } = await stage.spend(users[0]!);
    const tokens =
      billed.inputTokens + billed.cacheReadTokens + billed.cacheWriteTokens + billed.outputTokens;
    expect(tenant_day).toEqual({
      spent: { tokens, nanos: billed.nanos },
      reserved: { tokens: 0, nanos: 0n },
    });
    expect(spent.reduce((sum, day) => sum + day.spent.tokens, 0)).toBe(tokens);
    expect(spent.reduce((sum, day) => sum + day.spent.nanos, 0n)).toBe(billed.nanos);
    for (const { reserved } of spent) expect(reserved).toEqual({ tokens: 0, nanos: 0n });
  }

  it.each(ORDERS)('are stored with their users, %s, and told of once', async (_name, order) => {
    const night = await begin();
    const { server, stage, states } = night;
    // Each comes twice, on one page or on two.
    const users = await sent(night, [3, 1, 2], (lines, userOf) =>
      order(lines, userOf)
        .flatMap((line, n) => (n % 2 ? [line, line] : [line]))
        .concat(lines),
    );
    const told: ModelCall[] = [];
    await stage.keeper({ pageSize: 3, onCall: (call) => told.push(call) }).beat();
    expect(await states()).toEqual(Array(6).fill('answered'));
    expect(told.map(({ outcome, batch }) => [outcome, batch])).toEqual(Array(6).fill(['answered', true]));
    expect(stage.jobs.map(({ user }) => user).sort()).toEqual([...users].sort());
    await expectShared(night, users);
    await stage.settle();
    expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 6 });
    for (const [n, user] of users.entries()) expect(await stage.derived(user)).toHaveLength([3, 1, 2][n]!);
    expect((await stage.batches())[0]).toMatchObject({ state: 'ended', unknown: 0 });
  });

  it('of one user are each what they are, in one page', async () => {
    const night = await begin();
    const { server, stage } = night;
    server.fate = (_request, index) => (index === 1 ? 'errored' : 'succeeded');
    const [user] = await sent(night, [4], (lines) =>
      lines.map((line, n) => (n === 2 ? { ...line, result: {} } : line)),
    );
    const rows = <Row extends object>(query: ReturnType<typeof sql>) =>
      database.withTenant(stage.tenant, (tx) => tx.rows<Row>(query));
    const calls = await rows<{ callId: string }>(
      sql`select call_id as "callId" from slowwave.batch_requests where user_id = ${user} order by id`,
    );
    await rows(sql`
        update slowwave.batch_requests set state = 'dropped'
        where id = (select id from slowwave.batch_requests where user_id = ${user} order by id limit 1)`);
    const told: string[] = [];
    await stage.keeper({ onCall: ({ outcome }) => told.push(outcome) }).beat();
    expect(
      await rows(sql`select state, answer is null as empty from slowwave.batch_requests order by id`),
    ).toEqual([
      { state: 'failed', empty: true },
      { state: 'failed', empty: true },
      { state: 'answered', empty: false },
    ]);
    // An answer that is no longer wanted has its price all the same.
    const booked = await rows<{ id: string; state: string; paid: boolean }>(
      sql`select id, state, cost_nanos > 0 as paid from slowwave.model_calls`,
    );
    expect(calls.map(({ callId }) => booked.find(({ id }) => id === callId))).toMatchObject([
      { state: 'settled', paid: true },
      { state: 'released', paid: false },
      { state: 'lapsed', paid: true },
      { state: 'settled', paid: true },
    ]);
    expect(told.sort()).toEqual(['answered', 'answered', 'errored', 'unreadable']);
    expect((await stage.spend(user!)).user_day.reserved).toEqual({ tokens: 0, nanos: 0n });
  });

  it('that no database takes as they are keep nobody from theirs', async () => {
    const night = await begin();
    const { stage, states } = night;
    const users = await sent(night, [1, 1], (lines) =>
      lines.map((line, n) => {
        if (n > 0) return line;
        const { result } = line as { result: { type: string; message: { content: { text: string }[] } } };
        const { message } = result;
        const text = `${message.content[0]!.text}\0 and half \uD800`;
        return {
          ...line,
          result: { ...result, message: { ...message, content: [{ type: 'text', text }] } },
        };
      }),
    );
    await stage.keeper().beat();
    expect(await states()).toEqual(['answered', 'answered']);
    await stage.settle();
    for (const user of users) expect(await stage.derived(user)).toHaveLength(1);
    await expectShared(night, users);
  });

  it('of one user are stored where the worker ends before those of the next', async () => {
    const night = await begin();
    const { server, stage } = night;
    const users = await sent(night, [2, 2], byUser);
    await stage.keeperEndingAt('after-result').beat();
    expect(
      await database.withTenant(stage.tenant, (tx) =>
        tx.rows(sql`select user_id as "user", state from slowwave.batch_requests order by 1, id`),
      ),
    ).toEqual(users.flatMap((user, n) => Array(2).fill({ user, state: n === 0 ? 'answered' : 'sent' })));
    const told: ModelCall[] = [];
    stage.clock.at += HOUR;
    await stage.keeper({ onCall: (call) => told.push(call) }).beat();
    expect(told).toHaveLength(2);
    await stage.settle();
    expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 4 });
    for (const user of users) expect(await stage.derived(user)).toHaveLength(2);
    await expectShared(night, users);
  });

  it('cost as many statements for four of one user as for one', async () => {
    async function count(clusters: number): Promise<number> {
      const night = await begin();
      await sent(night, [clusters]);
      const { database: counted, counts } = countingDatabase(database);
      await night.stage.keeper({ database: counted }).beat();
      expect(await night.states()).toEqual(Array(clusters).fill('answered'));
      return counts.statements;
    }
    expect(await count(4)).toBe(await count(1));
  });

  it('and calls that are let go cost a transaction for each user', async () => {
    async function count(clusters: readonly number[]): Promise<number> {
      const night = await begin();
      const { stage, server } = night;
      for (const many of clusters) await stage.night(await stage.seed({ clusters: many }));
      server.onCreate = [400];
      stage.clock.at += 6 * MINUTE;
      const { database: counted, counts } = countingDatabase(database);
      await stage.keeper({ database: counted }).beat();
      expect(new Set(await night.states())).toEqual(new Set(['failed']));
      return counts.transactions;
    }
    const one = await count([1]);
    expect(await count([3])).toBe(one);
    expect(await count([1, 2])).toBe(one + 1);
  });

  describe('the runs that go on with them', () => {
    /** Users whose questions in a batch that its provider does not know any more are asked directly. */
    async function lost(stage: Stage, users: readonly string[]): Promise<void> {
      const { tenant, clock } = stage;
      const at = sql`to_timestamp(${clock.at}::float8 / 1000)`;
      const batch = newId(clock.at);
      await database.withTenant(tenant, async (tx) => {
        await ensureUsers(
          tx,
          users.map((user) => ({ tenant, user })),
          clock.at,
        );
        await tx.rows(sql`
          insert into slowwave.model_batches (tenant, id, model, state, provider_id, created_at, look_at, deadline_at)
          values (${tenant}, ${batch}::uuid, 'm', 'submitted', ${`msgbatch_${batch}`}, ${at}, ${at}, ${at} + interval '1 day')`);
        await tx.rows(sql`
          insert into slowwave.batch_requests (tenant, user_id, id, batch_id, question, step, call_id, state, bytes, collected_at, deadline_at)
          select ${tenant}, u.id, gen_random_uuid(), ${batch}::uuid, q, 'nrem', gen_random_uuid(), 'failed', 0, ${at}, ${at} + interval '1 day'
          from slowwave.users u cross join (values ('a'), ('b')) as questions(q) where u.tenant = ${tenant}`);
      });
    }
    const named = (count: number): string[] => Array.from({ length: count }, (_, n) => `user-${n}`);
    const requestedOf = (stage: Stage) =>
      database.withTenant(stage.tenant, (tx) =>
        tx.rows<{ user: string; runId: string; why: string }>(sql`
          select t.user_id as "user", r.id as "runId", r.why from slowwave.user_tiers t
          join slowwave.runs r on r.tenant = t.tenant and r.user_id = t.user_id and r.id = t.requested_run and r.tier = t.tier
          where t.tier = 'sleep' and r.status = 'requested' order by 1`),
      );

    it('are asked for with as many statements for five hundred users as for three', async () => {
      async function count(users: number): Promise<number> {
        const { stage } = await begin();
        await lost(stage, named(users));
        const { database: counted, counts } = countingDatabase(database);
        await stage.keeper({ database: counted }).beat();
        expect(stage.jobs).toHaveLength(users);
        const requested = await requestedOf(stage);
        expect(requested).toHaveLength(users);
        const queued = new Map(stage.jobs.map(({ user, runId }) => [user, runId]));
        for (const { user, runId, why } of requested)
          expect([queued.get(user), why]).toEqual([runId, 'batch']);
        return counts.statements;
      }
      const three = await count(3);
      expect(await count(500)).toBe(three);
      expect(await count(501)).toBe(three + 1);
    });

    it('are none where sleep is paused, in quarantine, or where one was asked for already', async () => {
      const { stage } = await begin();
      const { tenant, clock } = stage;
      const users = ['asked', 'held', 'paused', 'plain'];
      await lost(stage, users);
      const of = (user: string) => ({ tenant, user });
      const inTenant = <T>(work: (tx: Transaction) => Promise<T>) => database.withTenant(tenant, work);
      const before = await inTenant((tx) => requestRun(tx, { ...of('asked'), tier: 'sleep', at: clock.at }));
      if (before.status !== 'requested') throw new Error(before.status);
      await inTenant((tx) => quarantineUser(tx, { ...of('held'), code: 'bad_rows', at: clock.at }));
      await inTenant((tx) => pauseUser(tx, { ...of('paused'), tiers: ['sleep'] }));
      await stage.keeper().beat();
      expect(stage.jobs.map(({ user }) => user)).toEqual(['plain']);
      expect(await requestedOf(stage)).toEqual([
        { user: 'asked', runId: before.runId, why: 'adhoc' },
        { user: 'plain', runId: stage.jobs[0]!.runId, why: 'batch' },
      ]);
    });
  });
});
