import { randomBytes } from 'node:crypto';
import {
  beginSending,
  collectRequest,
  countForgets,
  forget,
  NO_LIMITS,
  newId,
  periodsOf,
  setTenantSettings,
} from '@slowwave/db';
import { BATCH_FAILPOINTS, reachSteps, TIER_STEPS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type BatchesServer, startBatchesServer } from '../fakes/batches-server.ts';
import { createStage, DEADLINE, HOUR, MINUTE, MODEL, type Stage } from '../fixtures/batches.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { columnsHolding } from '../fixtures/search.ts';

/** A word that no other test has, in no part. */
const newCanary = (): string =>
  [...randomBytes(12).toString('hex')]
    .map((digit) => 'bcdfghjklmnpqrst'[Number.parseInt(digit, 16)])
    .join('');

describe.each(DATABASES)('message batches (%s)', { timeout: 60_000 }, (_name, open) => {
  const { database } = ownDatabase(open, 'x');
  let server: BatchesServer;
  let stage: Stage;
  let serial = 0;
  let canary = '';

  beforeEach(async () => {
    await server?.stop();
    server = await startBatchesServer(() => stage.clock.at);
    canary = newCanary();
    stage = createStage(database, server, `t${++serial}`);
    // Whoever looks at batches looks at those of all tenants: none of another test is to be among them.
    await database.asOwner(async (tx) => {
      await tx.rows(sql`delete from slowwave.batch_requests`);
      await tx.rows(sql`delete from slowwave.model_batches`);
    });
  });
  afterAll(() => server?.stop());

  const states = async () => (await stage.requests()).map(({ state }) => state);
  /** The books say what the vendor's own count says, to the token and the nano-dollar, and hold nothing back. */
  async function expectBilled(user: string): Promise<void> {
    const { billed } = server;
    const { tenant_day, user_night } = await stage.spend(user);
    const tokens =
      billed.inputTokens + billed.cacheReadTokens + billed.cacheWriteTokens + billed.outputTokens;
    expect(tenant_day).toEqual({
      spent: { tokens, nanos: billed.nanos },
      reserved: { tokens: 0, nanos: 0n },
    });
    expect(user_night).toEqual(tenant_day);
  }

  it('let a night wait, cost half, and be applied by the run that follows', async () => {
    // A cache would make it cheaper still, either way.
    stage = createStage(database, server, `t${++serial}`, { promptCache: false });
    const user = await stage.seed({ clusters: 2 });
    const { run, step } = await stage.night(user);
    expect(run).toMatchObject({ status: 'completed', report: { spend: { calls: 0, batched: 2 } } });
    expect(step('nrem').counts).toMatchObject({
      clusters: { committed: 0, deferred: 2 },
      stopped: null,
      usage: { calls: 0, batched: 2 },
    });
    expect(step('rem')).toMatchObject({ status: 'skipped', reason: 'waits_for_batch' });
    expect(await states()).toEqual(['collected', 'collected']);
    expect(server.counts.create).toBe(0);

    const runs = await stage.settle();
    expect(runs[0]!.run).toMatchObject({ status: 'completed', why: 'batch' });
    expect(runs[0]!.step('nrem').counts).toMatchObject({ clusters: { committed: 2 }, usage: { calls: 2 } });
    expect(await stage.derived(user)).toHaveLength(2);
    expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 2 });
    await expectBilled(user);
    expect(await stage.requests()).toEqual([]);

    // The same directly costs twice as much and comes to the same.
    const [twice, before] = [await stage.seed({ clusters: 2 }), server.billed.nanos];
    await stage.night(twice, { collect: false });
    expect(server.billed).toMatchObject({ directCalls: 2 });
    expect(await stage.derived(twice)).toHaveLength(2);
    expect(Math.abs(Number(server.billed.nanos - 2n * before - before))).toBeLessThanOrEqual(4);
  });

  it('move no due time, and are not asked for where somebody waits or only looks', async () => {
    const user = await stage.seed();
    const dueOf = async () => {
      const [row] = await database.withTenant(stage.tenant, (tx) =>
        tx.rows<{ due: number }>(sql`
          select date_part('epoch', due_at) as due from slowwave.user_tiers where user_id = ${user} and tier = 'sleep'`),
      );
      return row!.due;
    };
    await stage.night(user);
    const due = await dueOf();
    await stage.settle();
    expect(await dueOf()).toBe(due);

    const other = await stage.seed();
    const preview = await stage.night(other, { preview: true });
    expect(preview.step('nrem').counts).toMatchObject({ clusters: { previewed: 1 } });
    const third = await stage.seed();
    await stage.night(third, { why: 'adhoc' });
    expect(server.billed.directCalls).toBe(2);
    expect(await stage.derived(third)).toHaveLength(1);
    expect(await stage.requests()).toEqual([]);
  });

  it('keep what is asked about from being fused otherwise, and go on with it as it was asked about', async () => {
    const user = await stage.seed();
    server.hold = true;
    await stage.night(user);
    stage.clock.at += 6 * MINUTE;
    await stage.keeper().beat();
    // Deep finds the same memories, and a second night the same cluster: nobody asks again.
    const deep = await stage.night(user, { tier: 'deep' });
    expect(deep.step('fusion').counts).toMatchObject({ clusters: { skipped: 1 } });
    const again = await stage.night(user);
    expect(again.step('nrem').counts).toMatchObject({ clusters: { deferred: 1 }, usage: { batched: 1 } });
    const asked = await stage.night(user, { why: 'adhoc' });
    expect(asked.step('nrem').counts).toMatchObject({ clusters: { deferred: 1 } });
    expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 0 });
    await server.release();
    // Meanwhile it would be planned differently: what waits goes on as it was.
    await database.withTenant(stage.tenant, (tx) =>
      tx.rows(sql`delete from slowwave.relations where user_id = ${user}`),
    );
    await stage.settle();
    expect(await stage.derived(user)).toHaveLength(1);
    expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 1 });
    await expectBilled(user);
  });

  it('are of no use to a memory that changed meanwhile: it is planned anew', async () => {
    const user = await stage.seed();
    await stage.night(user);
    await database.withTenant(stage.tenant, (tx) =>
      tx.rows(sql`
        update slowwave.memories set content = content || ' now', content_hash = repeat('a', 64), version = version + 1
        where user_id = ${user} and external_id = 'c0-0'`),
    );
    await stage.settle();
    expect(await stage.requests()).toEqual([]);
    expect(await stage.derived(user)).toHaveLength(1);
    expect(server.billed.batchedCalls).toBe(2);
    await expectBilled(user);
  });

  describe('a worker that ends', () => {
    // Those of a keeper; a question is put down by the run itself.
    it.each(BATCH_FAILPOINTS.filter((place) => place !== 'after-collect'))(
      '%s: every question is paid for once and applied once',
      async (place) => {
        const user = await stage.seed({ clusters: 3 });
        await stage.night(user);
        stage.clock.at += 6 * MINUTE;
        const ending = stage.keeperEndingAt(place);
        await ending.beat();
        stage.clock.at += MINUTE;
        await ending.beat();
        await stage.settle();
        expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 3 });
        expect(await stage.derived(user)).toHaveLength(3);
        await expectBilled(user);
        expect(await stage.requests()).toEqual([]);
      },
    );

    it('after-collect: the question waits, and is not written down again', async () => {
      const user = await stage.seed({ clusters: 2 });
      const gone = new AbortController();
      const onCollect = () => {
        gone.abort(new Error('gone'));
        return new Promise<void>(() => {});
      };
      await expect(stage.night(user, { onCollect, signal: gone.signal })).rejects.toThrow();
      expect(await states()).toEqual(['collected']);
      await stage.night(user);
      expect(await states()).toEqual(['collected', 'collected']);
      await stage.settle();
      expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 2 });
      expect(await stage.derived(user)).toHaveLength(2);
      await expectBilled(user);
    });

    it.each(['after-model', 'after-memo'] as const)(
      '%s of an answer that came: it is used by the next one',
      async (place) => {
        const user = await stage.seed({ clusters: 2 });
        await stage.night(user);
        stage.clock.at += 6 * MINUTE;
        await stage.keeper().beat();
        stage.clock.at += MINUTE;
        await stage.keeper().beat();
        const gone = new AbortController();
        const { tierSteps, failpoints } = reached((name) => {
          if (name !== place) return;
          gone.abort(new Error('gone'));
          return new Promise<void>(() => {});
        });
        await expect(stage.night(user, { signal: gone.signal, failpoints, tierSteps })).rejects.toThrow();
        await stage.settle();
        expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 2 });
        expect(await stage.derived(user)).toHaveLength(2);
        await expectBilled(user);
      },
    );
  });

  describe('a batch that is sent', () => {
    it('and of which nobody heard is found in the list, and not sent again', async () => {
      const user = await stage.seed();
      server.onCreate = ['drop'];
      server.hold = true;
      await stage.night(user);
      stage.clock.at += 6 * MINUTE;
      await stage.keeper().beat();
      expect((await stage.batches())[0]).toMatchObject({ state: 'sending' });
      // While it runs nobody can tell whose it is: it is waited for.
      stage.clock.at += 20 * MINUTE;
      await stage.keeper().beat();
      expect((await stage.batches())[0]).toMatchObject({ state: 'sending' });
      await server.release();
      await stage.settle();
      expect(server.counts.create).toBe(1);
      expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 1 });
      expect(await stage.derived(user)).toHaveLength(1);
      await expectBilled(user);
    });

    it('and did not arrive is sent again, once the list has shown it', async () => {
      const user = await stage.seed();
      server.onCreate = ['deny'];
      await stage.night(user);
      stage.clock.at += 6 * MINUTE;
      await stage.keeper().beat();
      stage.clock.at += MINUTE;
      await stage.keeper().beat();
      expect([server.counts.create, server.counts.list]).toEqual([1, 0]);
      await stage.settle();
      expect(server.counts.create).toBe(2);
      expect(server.billed).toMatchObject({ directCalls: 0, batchedCalls: 1 });
      await expectBilled(user);
    });

    it.each([
      [429, 0],
      [401, 0],
      [529, 0],
      [413, 1],
      [400, 1],
    ])('and refused with %i is asked directly %i times', async (status, direct) => {
      const user = await stage.seed();
      server.onCreate = [status];
      await stage.night(user);
      await stage.settle();
      expect(server.billed).toMatchObject({ directCalls: direct, batchedCalls: 1 - direct });
      expect(await stage.derived(user)).toHaveLength(1);
      await expectBilled(user);
    });

    it('by two at once is sent once', async () => {
      const user = await stage.seed({ clusters: 2 });
      await stage.night(user);
      stage.clock.at += 6 * MINUTE;
      await Promise.all([stage.keeper().beat(), stage.keeper().beat(), stage.keeper().beat()]);
      stage.clock.at += MINUTE;
      await Promise.all([stage.keeper().beat(), stage.keeper().beat()]);
      expect(server.counts).toMatchObject({ create: 1, results: 1 });
      await stage.settle();
      expect(await stage.derived(user)).toHaveLength(2);
      await expectBilled(user);
    });

    it('is begun once, whoever comes again', async () => {
      await stage.night(await stage.seed());
      const [{ id, model }] = (await database.withTenant(stage.tenant, (tx) =>
        tx.rows(sql`select id, model from slowwave.model_batches`),
      )) as [{ id: string; model: string }];
      const { tenant, clock } = stage;
      const begin = () =>
        database.withTenant(tenant, (tx) =>
          beginSending(
            tx,
            { tenant, id, model, at: clock.at },
            {
              limits: { requests: 9, bytes: 1_000_000 },
              until: clock.at,
              deadlineAt: clock.at + DEADLINE,
              isLate: false,
            },
          ),
        );
      expect(await begin()).toMatchObject({ status: 'send', requests: [{ id: expect.any(String) }] });
      expect(await begin()).toEqual({ status: 'gone' });
      expect(await stage.batches()).toMatchObject([{ state: 'sending', requests: 1 }]);
    });

    it('waits for enough questions or long enough, and holds so many and no more', async () => {
      const settings = { minCalls: 2, waitMs: 5 * MINUTE, deadlineMs: DEADLINE };
      const keeper = stage.keeper({ settings, limits: { requests: 2, bytes: 1_000_000 } });
      await stage.night(await stage.seed());
      await keeper.beat();
      expect(server.counts.create).toBe(0);
      await stage.night(await stage.seed({ clusters: 2 }));
      stage.clock.at += 10_000;
      await keeper.beat();
      expect(server.batches.map(({ requests }) => requests.length)).toEqual([2]);
      stage.clock.at += 6 * MINUTE;
      await keeper.beat();
      expect(server.batches.map(({ requests }) => requests.length)).toEqual([2, 1]);
      const ids = server.batches.flatMap(({ requests }) => requests.map(({ custom_id }) => custom_id));
      expect(new Set(ids).size).toBe(3);
    });
  });

  describe('results', () => {
    it('that failed, expired or were cancelled are asked for directly, and cost nothing in the batch', async () => {
      const user = await stage.seed({ clusters: 4 });
      server.fate = (_request, index) => (['errored', 'expired', 'succeeded', 'canceled'] as const)[index]!;
      await stage.night(user);
      await stage.settle();
      expect(server.billed).toMatchObject({ directCalls: 3, batchedCalls: 1 });
      expect(server.counts.create).toBe(1);
      expect(await stage.derived(user)).toHaveLength(4);
      await expectBilled(user);
    });

    it('of nobody, and lines that are none, are counted and nothing else', async () => {
      const user = await stage.seed();
      const strange = [
        { custom_id: newId(NOW), result: { type: 'succeeded' } },
        { custom_id: '../../etc', result: { type: 'expired' } },
        { nothing: true },
      ];
      server.order = (lines) => [...strange, ...lines, ...lines];
      await stage.night(user);
      await stage.settle();
      expect((await stage.batches())[0]).toMatchObject({ state: 'ended', unknown: 3 });
      expect(await stage.derived(user)).toHaveLength(1);
      await expectBilled(user);
    });

    it('that cannot be read, or never come, count in full and are asked for directly', async () => {
      const user = await stage.seed({ clusters: 2 });
      server.order = ([first]) => [{ ...first, result: { type: 'succeeded', message: { text: canary } } }];
      await stage.night(user);
      const { reserved } = (await stage.spend(user)).tenant_day;
      await stage.settle();
      expect(server.billed.directCalls).toBe(2);
      const { tenant_day } = await stage.spend(user);
      expect(tenant_day.reserved).toEqual({ tokens: 0, nanos: 0n });
      expect(tenant_day.spent.tokens).toBeGreaterThan(reserved.tokens);
      expect(await stage.derived(user)).toHaveLength(2);
      expect(stage.log.join('')).not.toContain(canary);
    });

    it('past the deadline are not waited for: the batch is cancelled and the questions are asked directly', async () => {
      const user = await stage.seed({ clusters: 2 });
      server.hold = true;
      await stage.night(user);
      stage.clock.at += 6 * MINUTE;
      await stage.keeper().beat();
      stage.clock.at += DEADLINE;
      await stage.settle({ rounds: 3 });
      expect(server.counts.cancel).toBe(1);
      expect(server.billed).toMatchObject({ directCalls: 2, batchedCalls: 0 });
      expect(await stage.derived(user)).toHaveLength(2);
      await server.release();
      await stage.settle();
      expect(server.billed).toMatchObject({ directCalls: 2, batchedCalls: 0 });
      await expectBilled(user);
    });

    it('that a batch never gave up are asked for directly once it is too late to send it', async () => {
      const user = await stage.seed();
      await stage.night(user);
      stage.clock.at += DEADLINE + MINUTE;
      await stage.settle();
      expect(server.counts.create).toBe(0);
      expect(server.billed).toMatchObject({ directCalls: 1 });
      await expectBilled(user);
    });

    it('that no run uses are gone after some days', async () => {
      const user = await stage.seed();
      await stage.night(user);
      stage.clock.at += 6 * MINUTE;
      await stage.keeper().beat();
      stage.clock.at += MINUTE;
      await stage.keeper().beat();
      expect(await states()).toEqual(['answered']);
      stage.clock.at += 3 * DAY + MINUTE;
      await stage.keeper().beat();
      expect([await stage.requests(), await stage.batches()]).toEqual([[], []]);
    });
  });

  describe('texts', () => {
    const forgetOne = (user: string) =>
      forget(database, {
        tenant: stage.tenant,
        user,
        target: { memory: 'c0-0' },
        at: stage.clock.at,
        actor: null,
      });
    const places = async () => (await columnsHolding(database, canary)).map(String).join(' ');

    it('stand in the tables of batches and of memories, and nowhere else, as long as they are needed', async () => {
      const user = await stage.seed({ canary });
      await stage.night(user);
      const [waiting] = await stage.requests();
      expect(waiting!.body).toContain(canary);
      stage.clock.at += 6 * MINUTE;
      await stage.keeper().beat();
      expect(await stage.requests()).toMatchObject([{ state: 'sent', body: null }]);
      stage.clock.at += MINUTE;
      await stage.keeper().beat();
      const [answered] = await stage.requests();
      expect(answered).toMatchObject({ state: 'answered', body: null });
      expect(answered!.answer).toContain(canary);
      expect(JSON.stringify(stage.jobs)).not.toContain(canary);
      await stage.settle();
      expect(await stage.requests()).toEqual([]);
      expect(stage.log.join('')).not.toContain(canary);
    });

    it.each(['collected', 'sent', 'answered'] as const)(
      'of somebody of whom something is forgotten while they are %s come back in nothing',
      async (state) => {
        const user = await stage.seed({ canary });
        await stage.night(user);
        if (state !== 'collected') {
          stage.clock.at += 6 * MINUTE;
          await stage.keeper().beat();
        }
        if (state === 'answered') {
          stage.clock.at += MINUTE;
          await stage.keeper().beat();
        }
        expect(await states()).toEqual([state]);
        for (const memory of ['c0-0', 'c0-1', 'c0-2']) {
          await forget(database, {
            tenant: stage.tenant,
            user,
            target: { memory },
            at: stage.clock.at,
            actor: null,
          });
        }
        expect(await places()).toBe('');
        await stage.settle();
        expect(await places()).toBe('');
        expect(await stage.requests()).toEqual([]);
        expect(await stage.derived(user)).toEqual([]);
        expect(server.billed.batchedCalls).toBe(state === 'collected' ? 0 : 1);
        await expectBilled(user);
      },
    );

    it('that were read before something was forgotten are not written down after it', async () => {
      const user = await stage.seed({ canary, clusters: 2 });
      let forgotten = false;
      await stage.night(user, {
        async onCollect() {
          if (!forgotten) await forgetOne(user);
          forgotten = true;
        },
      });
      expect(await stage.requests()).toEqual([]);
      expect((await stage.spend(user)).tenant_day.reserved.tokens).toBe(0);
    });

    it('of texts that were read before something was forgotten reserve nothing and wait for nothing', async () => {
      const user = await stage.seed();
      const { tenant } = stage;
      const at = stage.clock.at;
      const forgets = () => database.withTenant(tenant, (tx) => countForgets(tx, { tenant, user }));
      const before = await forgets();
      await forgetOne(user);
      const collect = (read: number, n: number) =>
        collectRequest(
          database,
          {
            tenant,
            user,
            runId: null,
            step: 'nrem',
            tier: 'sleep',
            at,
            periods: periodsOf({ tier: 'sleep', timezone: 'UTC', at }),
          },
          {
            call: { id: newId(at), provider: 'p', model: MODEL, tokens: 9, nanos: 9n, holdMs: HOUR },
            limits: NO_LIMITS,
            request: { question: `q${n}`, body: '{}', forgets: read, deadlineAt: at + HOUR },
          },
        );
      expect(await collect(before, 1)).toEqual({ status: 'forgotten' });
      expect(await stage.requests()).toEqual([]);
      expect(await collect(await forgets(), 2)).toEqual({ status: 'collected' });
    });

    it('of a user who goes are gone, and what is under way counts in full for the others', async () => {
      const user = await stage.seed({ canary });
      await stage.night(user);
      stage.clock.at += 6 * MINUTE;
      await stage.keeper().beat();
      const { reserved } = (await stage.spend(user)).tenant_day;
      await forget(database, {
        tenant: stage.tenant,
        user,
        target: { user: true },
        at: stage.clock.at,
        actor: null,
      });
      expect(await stage.requests()).toEqual([]);
      expect((await stage.spend(user)).tenant_day).toEqual({
        spent: reserved,
        reserved: { tokens: 0, nanos: 0n },
      });
      await stage.settle();
      expect((await stage.batches())[0]).toMatchObject({ state: 'ended', unknown: 1 });
      expect(await places()).toBe('');
    });
  });

  describe('a tenant that wants none', () => {
    const forbid = (batches: boolean) =>
      database.withTenant(stage.tenant, (tx) =>
        setTenantSettings(tx, { tenant: stage.tenant, at: stage.clock.at, batches }),
      );

    it('is asked for directly', async () => {
      const user = await stage.seed();
      await forbid(false);
      await stage.night(user);
      expect(await stage.derived(user)).toHaveLength(1);
      expect([server.billed.directCalls, server.counts.create]).toEqual([1, 0]);
      await expectBilled(user);
      await forbid(true);
      await stage.night(await stage.seed());
      expect(await states()).toEqual(['collected']);
    });

    it('has nothing sent that was collected before', async () => {
      const user = await stage.seed();
      await stage.night(user);
      await forbid(false);
      await stage.settle();
      expect([server.billed.directCalls, server.counts.create]).toEqual([1, 0]);
      expect(await stage.derived(user)).toHaveLength(1);
      await expectBilled(user);
    });
  });

  it('reserve what they can cost, at half the price, and collect nothing that a budget does not allow', async () => {
    const user = await stage.seed({ clusters: 3 });
    const free = await stage.seed();
    await stage.night(free);
    const one = (await stage.spend(free)).user_day.reserved;
    const budgets = { ...NO_LIMITS, user_day: { tokens: null, nanos: one.nanos + one.nanos / 2n } };
    const { run, step } = await stage.night(user, { budgets });
    expect(run).toMatchObject({
      status: 'completed',
      report: { refusal: { scope: 'user_day', unit: 'dollars' } },
    });
    expect(step('nrem').counts).toMatchObject({ stopped: 'budget', usage: { batched: 1 } });
    expect((await stage.spend(user)).user_day.reserved.nanos).toBeLessThanOrEqual(budgets.user_day.nanos);
    expect(await states()).toEqual(['collected', 'collected']);
    expect(server.billed.directCalls).toBe(0);
  });
});

/** Steps whose models and answers come by their failpoints, as a worker has them. */
function reached(at: (name: string) => Promise<void> | undefined) {
  const failpoints = (name: string) => at(name);
  return { failpoints, tierSteps: reachSteps(failpoints, TIER_STEPS) };
}
