import {
  type Database,
  exchangeRate,
  PERMIT_WAIT_MS,
  type RateReport,
  type RateWish,
  RETRY_TOKENS,
  RETRY_TOKENS_KEPT,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';

const AT = Date.UTC(2026, 5, 15, 12);

/** Many connections at the same row: what only a server can show. */
describe('the rate of a model with several processes', () => {
  let fixture: DatabaseFixture;
  let database: Database;
  beforeAll(async () => {
    fixture = await serverFixture({ poolSize: 12 });
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const exchange = (model: string, wish: RateWish, report: RateReport = {}, at?: number) =>
    database.asDispatcher((tx) =>
      exchangeRate(tx, { provider: 'p', model, wish, report, ...(at === undefined ? {} : { at }) }),
    );
  const together = <T>(count: number, work: () => Promise<T>) =>
    Promise.all(Array.from({ length: count }, work));

  it('is made once by those who ask first at the same time, and loses nothing that they tell', async () => {
    await together(12, () => exchange('new', 'look', { calls: 5 }, AT));
    const [row] = await database.asOwner((tx) =>
      tx.rows<{ used: number }>(sql`select used from slowwave.model_rates where model = 'new'`),
    );
    expect(row!.used).toBeCloseTo(60);
  });

  it('is lowered once by many who are refused at the same time', async () => {
    await exchange('refused', 'look', { calls: 120 }, AT);
    const refusal = { begunMsAgo: 300, retryAfterMs: 1_000 };
    const answers = await together(12, () => exchange('refused', 'look', { refusal }, AT));
    expect(answers.filter(({ perMinute }) => perMinute === 60).length).toBeGreaterThanOrEqual(11);
    expect(await exchange('refused', 'look', {}, AT)).toMatchObject({ perMinute: 60, pausedMs: 1_000 });
  });

  it('gives no permit and no retry twice', async () => {
    await exchange('shared', 'look', { calls: 120, refusal: { begunMsAgo: 0, retryAfterMs: 0 } }, AT);
    await exchange('shared', 'look', { refusal: { begunMsAgo: 0, retryAfterMs: 0 } }, AT);
    const permits = await together(30, () => exchange('shared', 'permit', {}, AT));
    const waits = permits.filter(({ granted }) => granted).map(({ waitMs }) => Math.round(waitMs));
    // 60 a minute: one at once and one each second until nobody waits that long.
    expect(waits.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: PERMIT_WAIT_MS / 1_000 + 1 }, (_, i) => i * 1_000),
    );
    const retries = await together(30, () => exchange('shared', 'retry', {}, AT));
    expect(retries.filter(({ granted }) => granted)).toHaveLength(RETRY_TOKENS - RETRY_TOKENS_KEPT);
  });

  it('is nothing that a tenant’s own transactions reach', async () => {
    for (const statement of [
      sql`select 1 from slowwave.model_rates`,
      sql`delete from slowwave.model_rates`,
    ]) {
      await expect(database.withTenant('t', (tx) => tx.rows(statement))).rejects.toMatchObject({
        code: 'permission',
      });
    }
  });
});
