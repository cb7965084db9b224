import {
  type Database,
  dropExpiredRepeats,
  forget,
  type KeptAnswer,
  keepAnswer,
  REPEAT_CUT_OFF_MS,
  REPEAT_KEPT_MS,
  releaseRepeat,
  reserveRepeat,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { newMemory, seedUser } from '../fixtures/memories.ts';

const AT = Date.UTC(2026, 4, 1, 12, 30);
const hash = (letter: string) => letter.repeat(64);
const of = (tenant: string, key: string) => ({ tenant, caller: 'operator', key: hash(key) });

describe.each(DATABASES)('repeated writes (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  type Given = { at?: number; request?: string; user?: string | null; caller?: string };
  const reserve = (
    tenant: string,
    key: string,
    { at = AT, request = '1', user = null, caller }: Given = {},
  ) =>
    database.withTenant(tenant, (tx) =>
      reserveRepeat(tx, {
        ...of(tenant, key),
        ...(caller === undefined ? {} : { caller }),
        requestHash: hash(request),
        user,
        at,
      }),
    );
  const keep = (tenant: string, key: string, answer: KeptAnswer | null, at = AT) =>
    database.withTenant(tenant, (tx) => keepAnswer(tx, { ...of(tenant, key), at, status: 201, answer }));
  const release = (tenant: string, key: string, at = AT) =>
    database.withTenant(tenant, (tx) => releaseRepeat(tx, { ...of(tenant, key), at }));

  it('are done once, and answered as the first time', async () => {
    expect(await reserve('t', 'a')).toEqual({ state: 'reserved' });
    expect(await reserve('t', 'a')).toEqual({ state: 'under_way' });
    expect(await reserve('t', 'a', { request: '2' })).toEqual({ state: 'other_request' });
    await keep('t', 'a', { body: { id: 7, list: [null] } });
    const answered = { state: 'answered', status: 201, answer: { body: { id: 7, list: [null] } } };
    expect(await reserve('t', 'a', { at: AT + REPEAT_KEPT_MS - 1 })).toEqual(answered);
    expect(await reserve('t', 'a', { request: '2' })).toEqual({ state: 'other_request' });
    expect(await reserve('t', 'a', { at: AT + REPEAT_KEPT_MS, request: '2' })).toEqual({ state: 'reserved' });
  });

  it('of other callers and tenants have keys of their own', async () => {
    expect(await reserve('t', 'b')).toEqual({ state: 'reserved' });
    expect(await reserve('t', 'b', { caller: 'a-token' })).toEqual({ state: 'reserved' });
    expect(await reserve('u', 'b')).toEqual({ state: 'reserved' });
  });

  it('are one, however many come at once', async () => {
    const states = await Promise.all(Array.from({ length: 8 }, () => reserve('t', 'c')));
    expect(states.map(({ state }) => state).sort()).toEqual(['reserved', ...Array(7).fill('under_way')]);
  });

  it('may be done again when the first was refused or failed', async () => {
    await reserve('t', 'd');
    await release('t', 'd');
    expect(await reserve('t', 'd', { request: '2' })).toEqual({ state: 'reserved' });
    // An answer that stands is not taken back by whoever comes late.
    await keep('t', 'd', { body: 1 });
    await release('t', 'd');
    expect(await reserve('t', 'd', { request: '2' })).toMatchObject({ state: 'answered' });
  });

  it('are taken over when the first was cut off, and its late answer is not kept', async () => {
    await reserve('t', 'e');
    const late = AT + REPEAT_CUT_OFF_MS;
    expect(await reserve('t', 'e', { at: late - 1 })).toEqual({ state: 'under_way' });
    expect(await reserve('t', 'e', { at: late, request: '2' })).toEqual({ state: 'other_request' });
    expect(await reserve('t', 'e', { at: late })).toEqual({ state: 'reserved' });
    await keep('t', 'e', { body: 'late' }, AT);
    await release('t', 'e', AT);
    expect(await reserve('t', 'e', { at: late })).toEqual({ state: 'under_way' });
    await keep('t', 'e', { body: 'second' }, late);
    expect(await reserve('t', 'e', { at: late })).toMatchObject({ answer: { body: 'second' } });
  });

  it('keep that they were done, where the answer is not to be kept', async () => {
    await reserve('t', 'f');
    await keep('t', 'f', null);
    expect(await reserve('t', 'f')).toEqual({ state: 'answered', status: 201, answer: null });
  });

  it('lose their answers when something of the user is forgotten, also while they are under way', async () => {
    const [tenant, gone, stays] = ['forgets', 'mara', 'olli'];
    for (const user of [gone, stays]) {
      await seedUser(database, { tenant, user, memories: [newMemory(user, 'one', 'tea')] });
    }
    const keys = { gone: '1', stays: '2', nobody: '3', going: '4', checked: '5' };
    await reserve(tenant, keys.gone, { user: gone });
    await reserve(tenant, keys.stays, { user: stays });
    await reserve(tenant, keys.nobody);
    await reserve(tenant, keys.going, { user: gone });
    for (const key of [keys.gone, keys.stays, keys.nobody]) await keep(tenant, key, { body: 'tea' });
    const forgetOne = (checkOnly: boolean) =>
      database
        .withTenant(tenant, (tx) =>
          tx.rows<{ id: string }>(
            sql`select id from slowwave.memories where tenant = ${tenant} and user_id = ${gone}`,
          ),
        )
        .then(([memory]) =>
          forget(database, {
            tenant,
            user: gone,
            target: { memory: memory!.id },
            at: AT,
            actor: 'x',
            checkOnly,
          }),
        );
    const answer = async (key: string, user: string | null) => {
      const found = await reserve(tenant, key, { user });
      return found.state === 'answered' ? found.answer : found.state;
    };
    await forgetOne(true);
    expect(await answer(keys.gone, gone)).toEqual({ body: 'tea' });
    await forgetOne(false);
    await keep(tenant, keys.going, { body: 'tea' });
    expect(await answer(keys.gone, gone)).toBeNull();
    expect(await answer(keys.nobody, null)).toBeNull();
    expect(await answer(keys.going, gone)).toBeNull();
    expect(await answer(keys.stays, stays)).toEqual({ body: 'tea' });
    await forget(database, {
      tenant,
      user: gone,
      target: { user: true },
      at: AT,
      actor: 'x',
      checkOnly: false,
    });
    expect(await answer(keys.gone, gone)).toBe('reserved');
  });

  it('are dropped when their time is over, whosever they are, the oldest first', async () => {
    await database.asDispatcher((tx) =>
      dropExpiredRepeats(tx, { at: AT + 9 * REPEAT_KEPT_MS, limit: 1_000 }),
    );
    for (const [tenant, key, at] of [
      ['t', 'a', AT],
      ['u', 'b', AT + 1],
      ['t', 'c', AT + 2],
      ['t', 'd', AT + 3],
    ] as const) {
      await reserve(tenant, key, { at });
    }
    const drop = (limit: number) =>
      database.asDispatcher((tx) => dropExpiredRepeats(tx, { at: AT + 2 + REPEAT_KEPT_MS, limit }));
    expect([await drop(2), await drop(2), await drop(2)]).toEqual([2, 1, 0]);
    expect(await reserve('t', 'd', { at: AT + 4 })).toEqual({ state: 'under_way' });
  });
});
