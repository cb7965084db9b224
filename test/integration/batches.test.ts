import { NO_LIMITS, setTenantSettings } from '@slowwave/db';
import { BATCH_FAILPOINTS, reachSteps, TIER_STEPS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { batchNights } from '../fixtures/batch-nights.ts';
import { MINUTE, type Stage } from '../fixtures/batches.ts';
import { DATABASES } from '../fixtures/databases.ts';

describe.each(DATABASES)('message batches (%s)', (_name, open) => {
  const { database, begin } = batchNights(open);

  it('let a night wait, cost half, and be applied by the run that follows', async () => {
    // A cache would make it cheaper still, either way.
    const { server, stage, states, expectBilled } = await begin({ promptCache: false });
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
    const { server, stage } = await begin();
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
    const { server, stage, expectBilled, send } = await begin();
    const user = await stage.seed();
    server.hold = true;
    await stage.night(user);
    await send();
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
    const { server, stage, expectBilled } = await begin();
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
        const { server, stage, expectBilled } = await begin();
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
      const { server, stage, states, expectBilled } = await begin();
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
        const { server, stage, expectBilled, sendAndStore } = await begin();
        const user = await stage.seed({ clusters: 2 });
        await stage.night(user);
        await sendAndStore();
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

  describe('a tenant that wants none', () => {
    const forbid = (stage: Stage, batches: boolean) =>
      database.withTenant(stage.tenant, (tx) =>
        setTenantSettings(tx, { tenant: stage.tenant, at: stage.clock.at, batches }),
      );

    it('is asked for directly', async () => {
      const { server, stage, states, expectBilled } = await begin();
      const user = await stage.seed();
      await forbid(stage, false);
      await stage.night(user);
      expect(await stage.derived(user)).toHaveLength(1);
      expect([server.billed.directCalls, server.counts.create]).toEqual([1, 0]);
      await expectBilled(user);
      await forbid(stage, true);
      await stage.night(await stage.seed());
      expect(await states()).toEqual(['collected']);
    });

    it('has nothing sent that was collected before', async () => {
      const { server, stage, expectBilled } = await begin();
      const user = await stage.seed();
      await stage.night(user);
      await forbid(stage, false);
      await stage.settle();
      expect([server.billed.directCalls, server.counts.create]).toEqual([1, 0]);
      expect(await stage.derived(user)).toHaveLength(1);
      await expectBilled(user);
    });
  });

  it('reserve what they can cost, at half the price, and collect nothing that a budget does not allow', async () => {
    const { server, stage, states } = await begin();
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
