import { readUsageRoute } from '@slowwave/api';
import { ensureUsers } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BookedCall, bookCall } from '../../fixtures/booked-call.ts';
import { callerOf } from '../declared.ts';
import { HOST, openStage, type Stage, signIn, tokenFor } from '../harness.ts';

const DAY_MS = 86_400_000;

describe('usage', () => {
  let stage: Stage;
  let made: ReturnType<Stage['newProducer']>;
  let call: Awaited<ReturnType<typeof callerOf>>;
  const now = Date.now();
  const today = Math.floor(now / DAY_MS) * DAY_MS;

  beforeAll(async () => {
    stage = await openStage();
    made = stage.newProducer();
    call = await callerOf(made.producer);
    for (const [tenant, user] of [
      ['acme', 'ana'],
      ['acme', 'ben'],
      ['umbra', 'ana'],
    ] as const) {
      await stage.database.withTenant(tenant, (tx) => ensureUsers(tx, [{ tenant, user }], now));
    }
    const bound = { tokens: 500, nanos: 1_000_000n };
    const book = (call: Pick<BookedCall, 'tenant' | 'user' | 'model'> & Partial<BookedCall>) =>
      bookCall(stage.database, { at: today, bound, ...call });
    const settled = (inputTokens: number, outputTokens: number, nanos: bigint) =>
      ({ state: 'settled', inputTokens, outputTokens, nanos }) as const;
    const [ana, ben] = [
      { tenant: 'acme', user: 'ana' },
      { tenant: 'acme', user: 'ben' },
    ];
    await book({ ...ana, model: 'small', end: settled(100, 20, 3_000n) });
    await book({ ...ana, at: today - DAY_MS, model: 'large', end: settled(10, 2, 900_000n) });
    await book({ ...ana, model: 'small', end: { state: 'released' } });
    await book({ ...ben, model: 'ours', bound: { tokens: 500, nanos: null } });
    await book({ tenant: 'umbra', user: 'ana', model: 'small', end: settled(7, 7, 7n) });
  });
  afterAll(() => stage.dispose());

  it('is told by day, model, step and user, and of one user alone', async () => {
    const { body } = await call(readUsageRoute, { query: { tenant: 'acme' } });
    // Nothing of it came in batches, or from a cache.
    const plain = { batchedCalls: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const paid = { ...plain, heldTokens: 0, unpricedCalls: 0 };
    const unknown = {
      ...plain,
      calls: 1,
      inputTokens: 0,
      outputTokens: 0,
      heldTokens: 500,
      costDollars: 0,
      unpricedCalls: 1,
    };
    const total = {
      ...plain,
      calls: 3,
      inputTokens: 110,
      outputTokens: 22,
      heldTokens: 500,
      costDollars: 0.000903,
      unpricedCalls: 1,
    };
    const small = { calls: 1, inputTokens: 100, outputTokens: 20, costDollars: 0.000003, ...paid };
    const large = { calls: 1, inputTokens: 10, outputTokens: 2, costDollars: 0.0009, ...paid };
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
    expect(body).toEqual({
      tenant: 'acme',
      user: null,
      since: today - 6 * DAY_MS,
      total,
      days: [
        { day: dayOf(today - DAY_MS), ...large },
        { day: dayOf(today), ...small, calls: 2, heldTokens: 500, unpricedCalls: 1 },
      ],
      models: [
        { model: 'large', ...large },
        { model: 'small', ...small },
        { model: 'ours', ...unknown },
      ],
      steps: [{ step: 'fusion', ...total }],
      users: [
        { user: 'ana', calls: 2, inputTokens: 110, outputTokens: 22, costDollars: 0.000903, ...paid },
        { user: 'ben', ...unknown },
      ],
    });
    const mine = await call(readUsageRoute, { query: { tenant: 'acme', user: 'ana', days: '1' } });
    expect(mine.body).toMatchObject({ user: 'ana', since: today, total: small, users: [{ user: 'ana' }] });
    const nobody = await call(readUsageRoute, { query: { tenant: 'acme', user: 'nobody' } });
    expect(nobody.body).toMatchObject({
      total: { calls: 0, costDollars: 0 },
      days: [],
      models: [],
      users: [],
    });
  });

  it('stands on the page of a user', async () => {
    const headers = { ...HOST, ...(await signIn(made.producer)) };
    const textOf = async (user: string) => {
      const { body } = await made.producer.app.inject({
        url: `/dashboard/users/${user}?tenant=acme`,
        headers,
      });
      return body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    };
    expect(await textOf('ana')).toContain('large 1 call, 10 in, 2 out, less than $0.01');
    expect(await textOf('ben')).toContain('ours 1 call, 0 in, 0 out, cost not known');
  });

  it('is a tenant’s own', async () => {
    const { authorization } = await tokenFor(stage.database, { tenant: 'umbra', role: 'read' });
    const { body } = await call(readUsageRoute, { headers: { authorization }, query: {} });
    expect(body).toMatchObject({ tenant: 'umbra', total: { calls: 1, inputTokens: 7 } });
  });
});
