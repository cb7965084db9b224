import { PERMIT_WAIT_MS, RATE_LOOK_MS, type RateAnswer, type RateReport, RETRY_TOKENS } from '@slowwave/db';
import { createRandom, type LLMProvider, ModelError, type ModelErrorCode } from '@slowwave/fusion';
import { OFFLINE_MODEL } from '@slowwave/models';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../apps/worker/src/breaker.ts';
import { createPacing, type HeldBack, type RateBooks } from '../../apps/worker/src/pacing.ts';
import { openInScope } from '../fixtures/databases.ts';
import { createLimitedEndpoint } from '../fixtures/limited-endpoint.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { SHORT_ANSWER } from '../fixtures/short-answer.ts';
import { withVirtualBooks } from '../fixtures/virtual-books.ts';
import { createVirtualClock } from '../fixtures/virtual-clock.ts';
import { runsInScope } from '../scope.ts';

const MINUTE = 60_000;
const UNLIMITED: RateAnswer = {
  perMinute: null,
  pausedMs: 0,
  permitInMs: 0,
  retryTokens: RETRY_TOKENS,
  granted: true,
  waitMs: 0,
};
const failure = (code: ModelErrorCode, retryAfterMs?: number) =>
  new ModelError(code, { retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });

/** One process, whose books answer as the test says. */
function stage(more: { model?: string } = {}) {
  let now = 0;
  let calls = 0;
  let outcome: Error | null = null;
  let answer: RateAnswer | Error = UNLIMITED;
  const exchanged: [string, RateReport][] = [];
  const slept: number[] = [];
  const lost: unknown[] = [];
  const held: HeldBack['reason'][] = [];
  const books: RateBooks = {
    async exchange(_key, report, wish) {
      exchanged.push([wish, report]);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const inner: LLMProvider = {
    name: 'p',
    model: 'm',
    isAvailable: () => true,
    async complete() {
      calls += 1;
      now += 100;
      if (outcome) throw outcome;
      return SHORT_ANSWER;
    },
    ...more,
  };
  const pacing = createPacing({
    books,
    nowMs: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
    },
    random: () => 0,
    onLost: (error) => lost.push(error),
    onHeldBack: ({ reason }) => held.push(reason),
  });
  const provider = pacing.pace(inner);
  return {
    pacing,
    provider,
    inner,
    exchanged,
    slept,
    lost,
    held,
    calls: () => calls,
    ask: (signal?: AbortSignal) => provider.complete({ messages: [], ...(signal ? { signal } : {}) }),
    pass: (ms: number) => {
      now += ms;
    },
    nowMs: () => now,
    end: (next: Error | null) => {
      outcome = next;
    },
    books: (next: Partial<RateAnswer> | Error) => {
      answer = next instanceof Error ? next : { ...UNLIMITED, ...next };
    },
  };
}

describe('the pace of one process', () => {
  it('looks once in a few seconds while nobody objects, and tells then what it saw', async () => {
    const { ask, exchanged, pass, calls } = stage();
    await Promise.all([ask(), ask(), ask()]);
    for (let i = 0; i < 10; i++) await ask();
    expect(calls()).toBe(13);
    expect(exchanged).toEqual([['look', { calls: 0, answered: 0, retried: 0 }]]);
    pass(RATE_LOOK_MS);
    await ask();
    expect(exchanged[1]).toEqual(['look', { calls: 13, answered: 13, retried: 0 }]);
    expect(exchanged).toHaveLength(2);
  });

  it('tells of a refusal at once, how old its call is, and what was asked for', async () => {
    const { ask, exchanged, end } = stage();
    end(failure('rate_limited', 3_000));
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 3_000 });
    expect(exchanged[1]).toEqual([
      'look',
      { calls: 1, answered: 0, retried: 0, refusal: { begunMsAgo: 100, retryAfterMs: 3_000 } },
    ]);
    end(failure('overloaded'));
    await expect(ask()).rejects.toMatchObject({ code: 'overloaded' });
    expect(exchanged[2]![1]).toMatchObject({ failed: 1, refusal: { begunMsAgo: 100, retryAfterMs: null } });
  });

  it.each<[ModelErrorCode, boolean]>([
    ['server_error', true],
    ['timeout', true],
    ['network', true],
    ['auth', false],
    ['invalid_request', false],
    ['invalid_response', false],
    ['aborted', false],
  ])('takes %s for a failure of the endpoint: %s', async (code, told) => {
    const { ask, exchanged, end } = stage();
    end(failure(code));
    await expect(ask()).rejects.toMatchObject({ code });
    expect(exchanged.slice(1).map(([, report]) => report.failed)).toEqual(told ? [1] : []);
    expect(exchanged.some(([, report]) => report.refusal)).toBe(false);
  });

  it('takes a permit for each call once there is a limit, and waits for one that is near', async () => {
    const { ask, exchanged, books, slept, calls } = stage();
    books({ perMinute: 30, waitMs: 1_234.5 });
    await ask();
    expect(exchanged.map(([wish]) => wish)).toEqual(['look', 'permit']);
    expect([slept, calls()]).toEqual([[1_235], 1]);
    await ask();
    expect(exchanged[2]).toEqual(['permit', { calls: 0, answered: 1, retried: 0 }]);
  });

  it('takes a permit while the endpoint wants a pause, limited or not', async () => {
    const { ask, exchanged, books, slept } = stage();
    books({ pausedMs: 3_000, permitInMs: 3_000, waitMs: 3_000 });
    await ask();
    expect(exchanged.map(([wish]) => wish)).toEqual(['look', 'permit']);
    expect(slept).toEqual([3_000]);
  });

  it('asks nobody while the next permit is far, and says when it is there', async () => {
    const { ask, books, calls, held, exchanged } = stage();
    books({ perMinute: 1, granted: false, waitMs: 40_000 });
    await expect(ask()).rejects.toMatchObject({
      code: 'rate_limited',
      retryable: true,
      retryAfterMs: 40_000,
      unsent: true,
    });
    expect([calls(), held]).toEqual([0, ['rate']]);
    // The endpoint has not objected again.
    expect(exchanged.some(([, report]) => report.refusal || report.failed)).toBe(false);
  });

  it('does not ask the books again before a permit can be near', async () => {
    const { ask, books, exchanged, pass } = stage();
    books({ perMinute: 1, granted: false, waitMs: 9_000, permitInMs: 9_000 });
    for (let i = 0; i < 3; i++) await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
    // The look itself says that it is far.
    expect(exchanged.map(([wish]) => wish)).toEqual(['look']);
    pass(4_000);
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 9_000 });
    expect(exchanged.map(([wish]) => wish)).toEqual(['look', 'permit']);
  });

  it('gives up waiting when nobody waits for it any more', async () => {
    const { ask, books, calls } = stage();
    books({ perMinute: 30, waitMs: 1_000 });
    await expect(ask(AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted', unsent: true });
    expect(calls()).toBe(0);
  });

  it('goes on when the books cannot be reached, tells what it saw later, and does not ask them for each call', async () => {
    const { ask, books, lost, exchanged, pass, calls } = stage();
    books(new Error('away'));
    for (let i = 0; i < 3; i++) await ask();
    expect([calls(), lost.length]).toEqual([3, 1]);
    pass(RATE_LOOK_MS);
    await ask();
    expect([calls(), lost.length]).toEqual([4, 2]);
    books({});
    pass(RATE_LOOK_MS);
    await ask();
    expect(exchanged.at(-1)).toEqual(['look', { calls: 4, answered: 4, retried: 0 }]);
  });

  it('tells a job that waits whether a call would have to wait long', async () => {
    const { pacing, provider, books, pass } = stage();
    expect(await pacing.waitMs(provider)).toBe(0);
    pass(RATE_LOOK_MS);
    books({ perMinute: 10, permitInMs: PERMIT_WAIT_MS + 2_000 });
    expect(await pacing.waitMs(provider)).toBe(PERMIT_WAIT_MS + 2_000);
    pass(1_500);
    expect(await pacing.waitMs(provider)).toBe(PERMIT_WAIT_MS + 500);
    pass(500);
    expect(await pacing.waitMs(provider)).toBe(0);
  });

  it('holds a token while a retry lasts, and gives it back', async () => {
    const { pacing, provider, exchanged, pass, ask } = stage();
    const retry = await pacing.retry(provider);
    if ('waitMs' in retry) throw new Error('refused');
    expect(exchanged.at(-1)![0]).toBe('retry');
    retry.ended();
    pass(RATE_LOOK_MS);
    await ask();
    expect(exchanged.at(-1)![1]).toMatchObject({ retried: 1 });
  });

  it('remembers for a while that no retry may be made', async () => {
    const { pacing, provider, books, exchanged, pass, held } = stage();
    books({ granted: false, waitMs: 60_000, retryTokens: 4 });
    expect(await pacing.retry(provider)).toEqual({ waitMs: 60_000 });
    pass(1_000);
    expect(await pacing.retry(provider)).toEqual({ waitMs: 59_000 });
    expect([exchanged.length, held]).toEqual([1, ['retries', 'retries']]);
    pass(RATE_LOOK_MS);
    books({ granted: true });
    expect(await pacing.retry(provider)).toHaveProperty('ended');
  });

  it('says that an endpoint fails for everybody once half of its tokens are gone', async () => {
    const { pacing, provider, books, ask, end } = stage();
    expect(pacing.isFailing(provider)).toBe(false);
    end(failure('server_error'));
    for (const [retryTokens, failing] of [
      [RETRY_TOKENS / 2 + 1, false],
      [RETRY_TOKENS / 2, true],
    ] as const) {
      books({ retryTokens });
      await expect(ask()).rejects.toThrow();
      expect(pacing.isFailing(provider)).toBe(failing);
    }
  });

  it('isUnanswered: several calls that fail with no answer in between, says so until one is answered', async () => {
    const { pacing, provider, ask, end } = stage();
    const seen: boolean[] = [];
    for (const outcome of ['network', 'timeout', null, 'server_error', 'invalid_request'] as const) {
      end(outcome === null ? null : failure(outcome));
      await ask().catch(() => {});
      seen.push(pacing.isUnanswered(provider));
    }
    expect(seen).toEqual([false, true, false, false, false]);
  });

  it('leaves a model alone that is nobody', async () => {
    const { pacing, provider, inner, exchanged, ask } = stage({ model: OFFLINE_MODEL });
    expect(provider).toBe(inner);
    await ask();
    expect(await pacing.waitMs(provider)).toBe(0);
    expect(await pacing.retry(provider)).toHaveProperty('ended');
    expect(exchanged).toEqual([]);
  });

  it('says how fast each model may be asked', async () => {
    const { pacing, books } = stage();
    books({ perMinute: 12.5, pausedMs: 99.6, retryTokens: 18 });
    expect(await pacing.rates()).toEqual([
      { provider: 'p', model: 'm', perMinute: 12.5, pausedMs: 100, retryTokens: 18 },
    ]);
  });
});

describe('the pace and the breaker', () => {
  function both() {
    const parts = stage();
    const breaker = createBreaker(parts.nowMs);
    const provider = breaker.guard(parts.provider);
    return { ...parts, breaker, ask: () => provider.complete({ messages: [] }) };
  }

  it('do not fight: a limit trips no breaker, and a refused key lowers no rate and takes no permit', async () => {
    const { ask, breaker, books, end, exchanged, calls, pass } = both();
    end(failure('rate_limited'));
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
    pass(RATE_LOOK_MS);
    books({ perMinute: 30, granted: false, waitMs: 20_000 });
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(breaker.state().open).toBe(false);
    books({ perMinute: 30 });
    end(failure('auth'));
    await expect(ask()).rejects.toMatchObject({ code: 'auth' });
    expect(breaker.state().open).toBe(true);
    const [told, made] = [exchanged.length, calls()];
    await expect(ask()).rejects.toMatchObject({ code: 'auth' });
    expect([exchanged.length, calls()]).toEqual([told, made]);
    expect(exchanged.filter(([, report]) => report.refusal)).toHaveLength(1);
    expect(exchanged.filter(([, report]) => report.failed)).toEqual([]);
  });

  it('let the call through that asks how the key is, as soon as a permit is there', async () => {
    const { ask, breaker, books, end, pass } = both();
    end(failure('auth'));
    await expect(ask()).rejects.toMatchObject({ code: 'auth' });
    pass(MINUTE);
    end(null);
    books({ perMinute: 1, granted: false, waitMs: 20_000 });
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
    // Neither refused again nor healed: the next call asks.
    expect(breaker.state()).toEqual({ open: false, leftMs: null });
    books({ perMinute: 1 });
    await expect(ask()).resolves.toBe(SHORT_ANSWER);
    await expect(ask()).resolves.toBe(SHORT_ANSWER);
  });
});

describe('many workers before one endpoint', { timeout: 1_800_000 }, () => {
  const { database } = ownDatabase(openInScope);

  const SETTLED_MS = 15 * MINUTE;
  const RAISED_MS = 30 * MINUTE;
  const END_MS = 60 * MINUTE;

  interface Scene {
    processes: number;
    callers: number;
    limit: number;
    raisedBy: number;
    code: 'rate_limited' | 'overloaded';
    tells: boolean;
    latencyMs: number;
  }

  async function play(scene: Scene) {
    const clock = createVirtualClock();
    const limitAt = (nowMs: number) => (nowMs < RAISED_MS ? scene.limit : scene.limit * scene.raisedBy);
    const { provider, answeredAtMs, refusedAtMs } = createLimitedEndpoint(clock, {
      ...scene,
      limitAt,
      latencyMs: () => scene.latencyMs,
    });
    const lastAnswers: number[] = [];
    const random = createRandom(JSON.stringify(scene));
    const exchanges = await withVirtualBooks(database, clock, async (books) => {
      for (let process = 0; process < scene.processes; process++) {
        const { nowMs, sleep } = clock;
        const paced = createPacing({ books, nowMs, sleep, random }).pace(provider);
        for (let caller = 0; caller < scene.callers; caller++) {
          const index = lastAnswers.push(0) - 1;
          clock.spawn(async () => {
            await sleep(index * 37);
            while (nowMs() < END_MS) {
              try {
                await paced.complete({ messages: [] });
                lastAnswers[index] = nowMs();
              } catch (error) {
                if (!(error instanceof ModelError)) throw error;
                await sleep((error.retryAfterMs ?? 1_000) + index);
              }
            }
          });
        }
      }
      await clock.ended();
      return books.exchanges();
    });
    const between = (at: readonly number[], from: number, to: number) =>
      at.filter((ms) => ms >= from && ms < to).length;
    const perMinute = (from: number, to: number) => between(answeredAtMs, from, to) / ((to - from) / MINUTE);
    return {
      refusedShare: refusedAtMs.length / (refusedAtMs.length + answeredAtMs.length),
      settled: perMinute(SETTLED_MS, RAISED_MS) / scene.limit,
      raised: perMinute(RAISED_MS + SETTLED_MS, END_MS) / (scene.limit * scene.raisedBy),
      hungriest: Math.min(...lastAnswers),
      exchangesPerCall: exchanges / (answeredAtMs.length + refusedAtMs.length),
    };
  }

  it('are refused seldom, use most of what it bears, follow it when it bears more, and all go on', async () => {
    const scenes = fc.record<Scene>({
      processes: fc.integer({ min: 1, max: 5 }),
      callers: fc.integer({ min: 2, max: 6 }),
      limit: fc.integer({ min: 10, max: 40 }),
      raisedBy: fc.integer({ min: 2, max: 3 }),
      code: fc.constantFrom('rate_limited', 'overloaded'),
      tells: fc.boolean(),
      latencyMs: fc.integer({ min: 200, max: 1_500 }),
    });
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const seen = await play(scene);
        if (process.env.SHOW) console.log(JSON.stringify({ ...scene, ...seen }));
        expect(seen.refusedShare).toBeLessThan(0.1);
        expect(seen.settled).toBeGreaterThan(0.55);
        expect(seen.settled).toBeLessThanOrEqual(1.05);
        expect(seen.raised).toBeGreaterThan(0.55);
        expect(seen.hungriest).toBeGreaterThan(END_MS - 10 * MINUTE);
      }),
      { numRuns: Number(process.env.PACING_RUNS ?? runsInScope({ change: 1, rest: 3 })) },
    );
  });
});
