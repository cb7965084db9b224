import { sql } from 'drizzle-orm';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  exchangeRate,
  LEAST_PER_MINUTE,
  PERMIT_WAIT_MS,
  RATE_FORGOTTEN_MS,
  RATE_LOOK_MS,
  type RateReport,
  type RateWish,
  REFUSED_PAUSE_MAX_MS,
  REFUSED_PAUSE_MS,
  RETRY_TOKEN_MS,
  RETRY_TOKENS,
  RETRY_TOKENS_KEPT,
} from '../../packages/db/src/pacing/index.ts';
import { openInScope } from '../fixtures/databases.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const START = Date.UTC(2026, 5, 15, 12);
const MINUTE = 60_000;
const KEY = { provider: 'p', model: 'm' };

describe('the rate of a model', () => {
  const { database } = ownDatabase(openInScope);
  let now = START;
  beforeEach(async () => {
    now = START;
    await database.asOwner((tx) => tx.rows(sql`truncate slowwave.model_rates`));
  });

  const exchange = (wish: RateWish, report: RateReport = {}, key = KEY) =>
    database.asDispatcher((tx) => exchangeRate(tx, { ...key, report, wish, at: now }));
  const tell = (report: RateReport) => exchange('look', report);
  const refuse = (begunMsAgo = 0, retryAfterMs: number | null = null) =>
    tell({ refusal: { begunMsAgo, retryAfterMs } });
  /** A model that 60 calls of the last minute were too many for, and the pause after it. */
  async function lowered() {
    await tell({ calls: 60 });
    const answer = await refuse();
    now += REFUSED_PAUSE_MS;
    return answer;
  }

  it('is not limited while nobody objects', async () => {
    expect(await tell({ calls: 1_000, answered: 1_000 })).toEqual({
      perMinute: null,
      pausedMs: 0,
      permitInMs: 0,
      retryTokens: RETRY_TOKENS,
      granted: false,
      waitMs: 0,
    });
    expect(await exchange('permit')).toMatchObject({ granted: true, waitMs: 0, perMinute: null });
  });

  it('is halved by a refusal from what was really used in the last minute', async () => {
    await tell({ calls: 40 });
    expect(await tell({ calls: 20, refusal: { begunMsAgo: 0, retryAfterMs: null } })).toMatchObject({
      perMinute: 30,
      pausedMs: REFUSED_PAUSE_MS,
    });
    // Hardly anybody used what was allowed: it was less than that which was too much.
    now += 10 * MINUTE;
    for (let i = 0; i < 4; i++) await exchange('permit');
    const used = 3;
    await tell({ calls: 20 });
    expect((await refuse()).perMinute).toBeCloseTo((used + 20) / 2, 1);
  });

  it('is lowered once by all refusals of one episode, however many workers tell of it', async () => {
    await lowered();
    for (const begunMsAgo of [0, 1_000, 60_000]) {
      expect(await refuse(begunMsAgo)).toMatchObject({ perMinute: 30 });
    }
    // A call that was begun before the pause was over may take long to be refused.
    now += 20 * MINUTE;
    expect(await refuse(20 * MINUTE)).toMatchObject({ perMinute: 30 });
    now += RATE_LOOK_MS + REFUSED_PAUSE_MS;
    expect((await refuse(0)).perMinute).toBeLessThan(30);
  });

  it('is not lowered by refusals that are few among many calls, but waits where it was asked to', async () => {
    await tell({ calls: 1_000 });
    for (let i = 0; i < 9; i++) expect(await refuse()).toMatchObject({ perMinute: null, pausedMs: 0 });
    expect(await refuse(0, 2_000)).toMatchObject({ perMinute: 500, pausedMs: 2_000 });
    // Counted anew from there on.
    now += MINUTE;
    await tell({ calls: 1_000 });
    expect((await refuse()).perMinute).toBeGreaterThanOrEqual(500);
    now += 10 * MINUTE;
    await tell({ calls: 1_000 });
    const { perMinute } = await tell({});
    expect(await refuse(0, 2_000)).toMatchObject({ perMinute, pausedMs: 2_000 });
    expect(await exchange('permit')).toMatchObject({ granted: true, waitMs: 2_000 });
  });

  it('waits as it was asked to even where it is not limited', async () => {
    await tell({ calls: 1_000 });
    expect(await refuse(0, 60_000)).toMatchObject({ perMinute: null, pausedMs: 60_000 });
    expect(await exchange('permit')).toMatchObject({ granted: false, waitMs: 60_000 });
  });

  it('counts calls of which nobody knew when it was lowered', async () => {
    await lowered();
    now -= REFUSED_PAUSE_MS;
    expect((await tell({ calls: 40 })).perMinute).toBeCloseTo(50);
    now += RATE_LOOK_MS;
    expect((await tell({ calls: 40 })).perMinute).toBeCloseTo(50);
  });

  it('holds everybody back for as long as the endpoint asked, within bounds', async () => {
    await tell({ calls: 60 });
    expect(await refuse(0, 30_000)).toMatchObject({ pausedMs: 30_000 });
    // Whoever was asked to wait for less does not shorten it.
    expect(await refuse(0, 1_000)).toMatchObject({ pausedMs: 30_000 });
    expect(await exchange('permit')).toMatchObject({ granted: false, waitMs: 30_000 });
    now += 29_000;
    expect(await exchange('permit')).toMatchObject({ granted: true, waitMs: 1_000 });
    expect(await refuse(0, 1e12)).toMatchObject({ pausedMs: REFUSED_PAUSE_MAX_MS });
  });

  it('gives permits one after the other, promises those that are near and refuses the rest', async () => {
    await lowered();
    // 30 a minute: one each 2 s, and none was kept while all were paused but for the last 2 s.
    const answers = [];
    for (let i = 0; i < 5; i++) answers.push(await exchange('permit'));
    expect(answers.map(({ granted }) => granted)).toEqual([true, true, true, false, false]);
    expect(answers.map(({ waitMs }) => Math.round(waitMs))).toEqual([0, 2_000, 4_000, 6_000, 6_000]);
    now += 6_000 - PERMIT_WAIT_MS;
    expect(await exchange('permit')).toMatchObject({ granted: true });
    expect(await exchange('permit')).toMatchObject({ granted: false });
  });

  it('keeps no more permits than two seconds bring', async () => {
    await tell({ calls: 600 });
    for (let i = 0; i < 6; i++) await refuse();
    now += 10 * MINUTE;
    let atOnce = 0;
    while (atOnce < 100 && (await exchange('permit')).waitMs === 0) atOnce += 1;
    expect(atOnce).toBe(10);
  });

  it('rises by answers, slowly at first, and the faster the longer nobody objects', async () => {
    await lowered();
    const raised = async () => {
      const before = (await tell({})).perMinute!;
      return (await tell({ answered: Math.round(before) })).perMinute! - before;
    };
    const [first, second] = [await raised(), await raised()];
    expect(first).toBeCloseTo(6, 0);
    expect(second).toBeCloseTo(6, 0);
    now += 10 * MINUTE;
    expect(Math.round((await raised()) / 4)).toBe(6);
    // Without answers it does not rise: nobody knows whether more would be borne.
    const { perMinute } = await tell({});
    now += 10 * MINUTE;
    expect(await tell({})).toMatchObject({ perMinute });
  });

  it('is forgotten after a long quiet', async () => {
    await lowered();
    now = START + RATE_FORGOTTEN_MS - 1;
    expect((await tell({})).perMinute).toBe(30);
    now += 1;
    expect(await tell({})).toMatchObject({ perMinute: null, pausedMs: 0 });
    expect(await exchange('permit')).toMatchObject({ granted: true, waitMs: 0 });
    await tell({ calls: 9 });
    expect((await refuse()).perMinute).toBeCloseTo(5);
  });

  it('never falls below a few calls a minute, and lets one ask as soon as the pause is over', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await refuse()).toMatchObject({ perMinute: LEAST_PER_MINUTE });
      now += REFUSED_PAUSE_MS;
      expect(await exchange('permit')).toMatchObject({ granted: true, waitMs: 0 });
      expect(await exchange('permit')).toMatchObject({ granted: false });
      now += MINUTE;
    }
  });

  it('is each model’s own', async () => {
    await lowered();
    expect(await exchange('look', {}, { provider: 'p', model: 'n' })).toMatchObject({ perMinute: null });
    expect(await exchange('look', {}, { provider: 'q', model: 'm' })).toMatchObject({ perMinute: null });
  });

  it('does not run backwards when the clock does', async () => {
    await lowered();
    const before = await tell({ failed: 3 });
    now -= MINUTE;
    const after = await tell({});
    expect(after.retryTokens).toBe(before.retryTokens);
    expect(after.perMinute).toBe(before.perMinute);
  });

  it('goes by the clock of the database', async () => {
    const real = () => database.asDispatcher((tx) => exchangeRate(tx, { ...KEY, report: {}, wish: 'look' }));
    const [before] = await database.asOwner((tx) =>
      tx.rows<{ at: string }>(sql`select clock_timestamp()::text as at`),
    );
    await real();
    const [row] = await database.asOwner((tx) =>
      tx.rows<{ meanwhile: boolean }>(sql`
        select counted_at between ${before!.at}::timestamptz and clock_timestamp() as meanwhile from slowwave.model_rates`),
    );
    expect(row).toEqual({ meanwhile: true });
  });

  describe('its budget of retries', () => {
    it('is used up by failures, given back in part by answers, and a little by time', async () => {
      expect((await tell({ failed: 3 })).retryTokens).toBe(RETRY_TOKENS - 3);
      expect((await tell({ answered: 10 })).retryTokens).toBeCloseTo(RETRY_TOKENS - 2);
      expect((await tell({ answered: 1_000 })).retryTokens).toBe(RETRY_TOKENS);
      expect((await tell({ failed: 1_000 })).retryTokens).toBe(0);
      now += 3 * RETRY_TOKEN_MS;
      expect((await tell({})).retryTokens).toBeCloseTo(3);
    });

    it('allows as many retries at the same time as leave half of it', async () => {
      for (let left = RETRY_TOKENS - 1; left >= RETRY_TOKENS_KEPT; left--) {
        expect(await exchange('retry')).toMatchObject({ granted: true, retryTokens: left });
      }
      expect(await exchange('retry')).toMatchObject({ granted: false, waitMs: RETRY_TOKEN_MS });
      expect((await tell({ retried: 1 })).retryTokens).toBe(RETRY_TOKENS_KEPT + 1);
      expect(await exchange('retry')).toMatchObject({ granted: true });
    });

    it('lets one ask now and then while all calls fail', async () => {
      await tell({ failed: RETRY_TOKENS });
      const refused = await exchange('retry');
      expect(refused).toMatchObject({ granted: false, waitMs: (RETRY_TOKENS_KEPT + 1) * RETRY_TOKEN_MS });
      now += refused.waitMs;
      expect(await exchange('retry')).toMatchObject({ granted: true });
      expect(await exchange('retry')).toMatchObject({ granted: false });
      expect(await tell({ failed: 1, retried: 1 })).toMatchObject({ retryTokens: RETRY_TOKENS_KEPT });
    });
  });
});
