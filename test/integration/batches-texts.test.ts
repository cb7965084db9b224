import { collectRequest, countForgets, forget, NO_LIMITS, newId, periodsOf } from '@slowwave/db';
import { describe, expect, it } from 'vitest';
import { batchNights } from '../fixtures/batch-nights.ts';
import { HOUR, MINUTE, MODEL, type Stage } from '../fixtures/batches.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { columnsHolding } from '../fixtures/search.ts';

describe.each(DATABASES)('the texts of message batches (%s)', (_name, open) => {
  const { database, begin } = batchNights(open);

  const forgetOne = (stage: Stage, user: string) =>
    forget(database, {
      tenant: stage.tenant,
      user,
      target: { memory: 'c0-0' },
      at: stage.clock.at,
      actor: null,
    });
  const places = async (canary: string) => (await columnsHolding(database, canary)).map(String).join(' ');

  it('stand in the tables of batches and of memories, and nowhere else, as long as they are needed', async () => {
    const { stage, canary, send } = await begin();
    const user = await stage.seed({ canary });
    await stage.night(user);
    const [waiting] = await stage.requests();
    expect(waiting!.body).toContain(canary);
    await send();
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
      const night = await begin();
      const { server, stage, canary, states, expectBilled } = night;
      const user = await stage.seed({ canary });
      await stage.night(user);
      if (state === 'sent') await night.send();
      if (state === 'answered') await night.sendAndStore();
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
      expect(await places(canary)).toBe('');
      await stage.settle();
      expect(await places(canary)).toBe('');
      expect(await stage.requests()).toEqual([]);
      expect(await stage.derived(user)).toEqual([]);
      expect(server.billed.batchedCalls).toBe(state === 'collected' ? 0 : 1);
      await expectBilled(user);
    },
  );

  it('that were read before something was forgotten are not written down after it', async () => {
    const { stage, canary } = await begin();
    const user = await stage.seed({ canary, clusters: 2 });
    let forgotten = false;
    await stage.night(user, {
      async onCollect() {
        if (!forgotten) await forgetOne(stage, user);
        forgotten = true;
      },
    });
    expect(await stage.requests()).toEqual([]);
    expect((await stage.spend(user)).tenant_day.reserved.tokens).toBe(0);
  });

  it('of texts that were read before something was forgotten reserve nothing and wait for nothing', async () => {
    const { stage } = await begin();
    const user = await stage.seed();
    const { tenant } = stage;
    const at = stage.clock.at;
    const forgets = () => database.withTenant(tenant, (tx) => countForgets(tx, { tenant, user }));
    const before = await forgets();
    await forgetOne(stage, user);
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
    const { stage, canary, send } = await begin();
    const user = await stage.seed({ canary });
    await stage.night(user);
    await send();
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
    expect(await places(canary)).toBe('');
  });
});
