import { beginSending, listBatchesToLookAt, type ModelBatch, newId, takeLook } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { batchNights } from '../fixtures/batch-nights.ts';
import { DEADLINE, MINUTE } from '../fixtures/batches.ts';
import { countingDatabase } from '../fixtures/counted.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';

describe.each(DATABASES)('message batches at their provider (%s)', (_name, open) => {
  const { database, begin } = batchNights(open);

  describe('a batch that is sent', () => {
    it('and of which nobody heard is found in the list, and not sent again', async () => {
      const { server, stage, expectBilled, send } = await begin();
      const user = await stage.seed();
      server.onCreate = ['drop'];
      server.hold = true;
      await stage.night(user);
      await send();
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

    it('and of which nobody heard is found wherever its results stand, a page at a time', async () => {
      const { server, stage, expectBilled, send } = await begin();
      const user = await stage.seed();
      server.onCreate = ['drop'];
      const line = (custom_id: string) => ({ custom_id, result: { type: 'expired' } });
      const strange = [{}, line('../../etc'), line(newId(NOW)), line("'"), line(newId(NOW)), line('0')];
      server.order = (lines) => [...strange, ...lines, ...strange];
      await stage.night(user);
      await send();
      stage.clock.at += 20 * MINUTE;
      const { database: counted, counts } = countingDatabase(database);
      await stage.keeper({ pageSize: 2, database: counted }).beat();
      expect((await stage.batches())[0]).toMatchObject({ state: 'submitted' });
      // Three names of nobody come before it: it is on the second page, and no other is asked about.
      expect(counts.byText('select id, user_id as "user" from slowwave.batch_requests')).toBe(2);
      await stage.settle();
      expect(server.counts.create).toBe(1);
      expect(await stage.derived(user)).toHaveLength(1);
      await expectBilled(user);
    });

    it('and did not arrive is sent again, once the list has shown it', async () => {
      const { server, stage, expectBilled, send } = await begin();
      const user = await stage.seed();
      server.onCreate = ['deny'];
      await stage.night(user);
      await send();
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
      const { server, stage, expectBilled } = await begin();
      const user = await stage.seed();
      server.onCreate = [status];
      await stage.night(user);
      await stage.settle();
      expect(server.billed).toMatchObject({ directCalls: direct, batchedCalls: 1 - direct });
      expect(await stage.derived(user)).toHaveLength(1);
      await expectBilled(user);
    });

    it('by two at once is sent once', async () => {
      const { server, stage, expectBilled } = await begin();
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

    it('is looked at by one of two that found it in the same list', async () => {
      const { stage } = await begin();
      await stage.night(await stage.seed());
      stage.clock.at += 6 * MINUTE;
      const { tenant, clock } = stage;
      const [listed] = (await database
        .asDispatcher((tx) => listBatchesToLookAt(tx, { at: clock.at, limit: 100 }))
        .then((all) => all.filter((batch) => batch.tenant === tenant))) as [ModelBatch];
      const { id, state } = listed;
      const look = () =>
        database.withTenant(tenant, (tx) =>
          takeLook(tx, { tenant, id, state, at: clock.at, until: clock.at + MINUTE }),
        );
      expect(await look()).toMatchObject({ id, looks: listed.looks + 1 });
      expect(await look()).toBeNull();
    });

    it('is begun once, whoever comes again', async () => {
      const { stage } = await begin();
      await stage.night(await stage.seed());
      const [{ id, model }] = (await database.withTenant(stage.tenant, (tx) =>
        tx.rows(sql`select id, model from slowwave.model_batches`),
      )) as [{ id: string; model: string }];
      const { tenant, clock } = stage;
      const beginAgain = () =>
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
      expect(await beginAgain()).toMatchObject({ status: 'send', requests: [{ id: expect.any(String) }] });
      expect(await beginAgain()).toEqual({ status: 'gone' });
      expect(await stage.batches()).toMatchObject([{ state: 'sending', requests: 1 }]);
    });

    it('waits for enough questions or long enough, and holds so many and no more', async () => {
      const { server, stage } = await begin();
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
      const { server, stage, expectBilled } = await begin();
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
      const { server, stage, expectBilled } = await begin();
      const user = await stage.seed();
      const strange = [
        { custom_id: newId(NOW), result: { type: 'succeeded' } },
        { custom_id: '../../etc', result: { type: 'expired' } },
        { custom_id: 'no-uuid', result: { type: 'expired' } },
        { nothing: true },
      ];
      server.order = (lines) => [...strange, ...lines, ...lines];
      await stage.night(user);
      await stage.settle();
      expect((await stage.batches())[0]).toMatchObject({ state: 'ended', unknown: 4 });
      expect(await stage.derived(user)).toHaveLength(1);
      await expectBilled(user);
    });

    it('that cannot be read, or never come, count in full and are asked for directly', async () => {
      const { server, stage, canary } = await begin();
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
      const { server, stage, expectBilled, send } = await begin();
      const user = await stage.seed({ clusters: 2 });
      server.hold = true;
      await stage.night(user);
      await send();
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
      const { server, stage, expectBilled } = await begin();
      const user = await stage.seed();
      await stage.night(user);
      stage.clock.at += DEADLINE + MINUTE;
      await stage.settle();
      expect(server.counts.create).toBe(0);
      expect(server.billed).toMatchObject({ directCalls: 1 });
      await expectBilled(user);
    });

    it('that no run uses are gone after some days', async () => {
      const { stage, states, sendAndStore } = await begin();
      const user = await stage.seed();
      await stage.night(user);
      await sendAndStore();
      expect(await states()).toEqual(['answered']);
      stage.clock.at += 3 * DAY + MINUTE;
      await stage.keeper().beat();
      expect([await stage.requests(), await stage.batches()]).toEqual([[], []]);
    });
  });
});
