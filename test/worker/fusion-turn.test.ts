import { RETRY_TOKEN_MS, RETRY_TOKENS } from '@slowwave/db';
import { createRandom, type LLMProvider, ModelError } from '@slowwave/fusion';
import { JOB_DEFAULTS, MAX_POSTPONES } from '@slowwave/queue';
import { describe, expect, it } from 'vitest';
import { isBlameless, paceTurn, retryDelayMs } from '../../apps/worker/src/fusion-turn.ts';
import { createPacing, type Pacing } from '../../apps/worker/src/pacing.ts';
import { openInScope } from '../fixtures/databases.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { SHORT_ANSWER } from '../fixtures/short-answer.ts';
import { withVirtualBooks } from '../fixtures/virtual-books.ts';
import { createVirtualClock } from '../fixtures/virtual-clock.ts';

const MINUTE = 60_000;
const PROVIDER: LLMProvider = {
  name: 'p',
  model: 'm',
  isAvailable: () => true,
  complete: async () => SHORT_ANSWER,
};

describe('the turn of a fusion that waits', () => {
  const asked: string[] = [];
  const pacing = (more: Partial<Pacing> = {}): Pacing => ({
    pace: (inner) => inner,
    waitMs: async () => 0,
    retry: async () => {
      asked.push('retry');
      return { ended: () => asked.push('ended') };
    },
    isFailing: () => false,
    isUnanswered: () => false,
    rates: async () => [],
    ...more,
  });
  const turnOf = (
    pace: Pacing | undefined,
    of: { errorCode?: string | null; answer?: boolean; attempt?: number } = {},
  ) => {
    const { errorCode = 'provider_error_server_error', answer = false, attempt = 1 } = of;
    const stored = { text: '', stopReason: 'end_turn', inputTokens: 0, outputTokens: 0, model: 'm' };
    return paceTurn(pace, PROVIDER, { fusion: { errorCode, answer: answer ? stored : null }, attempt });
  };

  it.each<[string, Parameters<typeof turnOf>[1], boolean]>([
    ['whose call failed', {}, true],
    ['that was tried before in the queue', { errorCode: null, attempt: 2 }, true],
    ['that was only put off', { errorCode: 'rate_limited' }, false],
    ['that nobody has asked about', { errorCode: null }, false],
    ['that an answer was refused of', { errorCode: 'invalid_output' }, false],
    ['whose answer is paid for', { answer: true, attempt: 3 }, false],
  ])('takes of the budget of retries for one %s: %j, %s', async (_which, of, retries) => {
    asked.length = 0;
    const turn = await turnOf(pacing(), of);
    if (!('ended' in turn)) throw new Error('held back');
    turn.ended();
    expect(asked).toEqual(retries ? ['retry', 'ended'] : []);
  });

  it('waits for the rate before it asks for a retry, and not at all for what is paid for', async () => {
    asked.length = 0;
    const limited = pacing({ waitMs: async () => 7_000 });
    expect(await turnOf(limited)).toEqual({ rateLimitedMs: 7_000 });
    expect(asked).toEqual([]);
    expect(await turnOf(limited, { answer: true })).toHaveProperty('ended');
    expect(await turnOf(pacing({ retry: async () => ({ waitMs: 9_000 }) }))).toEqual({ noRetryMs: 9_000 });
    expect(await turnOf(undefined)).toHaveProperty('ended');
  });

  it('isBlameless: an endpoint that fails for everybody, blames no fusion', () => {
    const failing = pacing({ isFailing: () => true });
    const failed = { retryable: true, modelCode: 'server_error', postponed: 0 } as const;
    expect(isBlameless(failing, [PROVIDER], failed)).toBe(true);
    expect(isBlameless(failing, [PROVIDER], { ...failed, modelCode: 'invalid_response' })).toBe(false);
    expect(isBlameless(failing, [PROVIDER], { ...failed, retryable: false })).toBe(false);
    expect(isBlameless(pacing(), [PROVIDER], failed)).toBe(false);
    expect(isBlameless(undefined, [PROVIDER], failed)).toBe(false);
  });

  it('isBlameless: a model that answers nothing, blames no fusion that asks it, time-outs for a while only', () => {
    const judge = { ...PROVIDER, model: 'judge' };
    const silent = pacing({ isUnanswered: ({ model }) => model === 'judge' });
    const failed = { retryable: true, modelCode: 'network', postponed: MAX_POSTPONES } as const;
    expect(isBlameless(silent, [PROVIDER, judge], failed)).toBe(true);
    expect(isBlameless(silent, [PROVIDER], failed)).toBe(false);
    const slow = { ...failed, modelCode: 'timeout' } as const;
    expect(isBlameless(silent, [judge], { ...slow, postponed: 11 })).toBe(true);
    expect(isBlameless(silent, [judge], { ...slow, postponed: 12 })).toBe(false);
  });

  it('looks again later and later, within bounds, and not all at once', () => {
    expect(retryDelayMs(0, 0, () => 0)).toBe(7_500);
    expect(retryDelayMs(0, 0, () => 1)).toBe(12_500);
    expect(retryDelayMs(0, 3, () => 0.5)).toBe(40_000);
    expect(retryDelayMs(0, 1_000, () => 0.5)).toBe(5 * MINUTE);
    expect(retryDelayMs(110_000, 0, () => 0.5)).toBe(110_000);
  });
});

describe('an endpoint that fails for ten minutes', { timeout: 600_000 }, () => {
  const USERS = 1_000;
  const PROCESSES = 4;
  const OUTAGE_MS = 10 * MINUTE;
  const { database } = ownDatabase(openInScope);

  it('is asked no more than once by each run and a few times besides, and everything is done afterwards', async () => {
    const clock = createVirtualClock();
    const random = createRandom('outage');
    const tally = { calls: 0, duringOutage: 0, attempts: 0, done: 0, failed: 0, returned: 0, doneAtMs: 0 };
    const endpoint: LLMProvider = {
      ...PROVIDER,
      async complete() {
        tally.calls += 1;
        const down = clock.nowMs() < OUTAGE_MS;
        if (down) tally.duringOutage += 1;
        await clock.sleep(down ? 300 : 2_000);
        if (down) throw new ModelError('server_error', { retryable: true, status: 500 });
        return SHORT_ANSWER;
      },
    };
    await withVirtualBooks(database, clock, async (books) => {
      const { nowMs, sleep } = clock;
      const processes = Array.from({ length: PROCESSES }, () => {
        const pacing = createPacing({ books, nowMs, sleep, random });
        return { pacing, provider: pacing.pace(endpoint) };
      });
      const ask = (provider: LLMProvider) =>
        provider.complete({ messages: [] }).then(
          () => null,
          (error: unknown) => {
            if (error instanceof ModelError) return error;
            throw error;
          },
        );
      const attempts = JOB_DEFAULTS.attempts.fusions;

      /** The life of one cluster: asked about in a run, and then in the queue, as a fusion job does. */
      async function fuse(user: number): Promise<void> {
        // Runs begin all through the outage.
        await sleep(user * 500);
        const { pacing, provider } = processes[user % PROCESSES]!;
        if ((await ask(provider)) === null) {
          tally.done += 1;
          return;
        }
        let postponed = 0;
        for (let attempt = 1; ; ) {
          const fusion = { answer: null, errorCode: 'provider_error_server_error' };
          const turn = await paceTurn(pacing, provider, { fusion, attempt });
          if ('rateLimitedMs' in turn) {
            await sleep(turn.rateLimitedMs);
            continue;
          }
          let waitMs = 'noRetryMs' in turn ? turn.noRetryMs : 0;
          if ('ended' in turn) {
            const error = await ask(provider);
            const blameless =
              error && isBlameless(pacing, [provider], { retryable: true, modelCode: error.code, postponed });
            turn.ended();
            if (error === null) {
              tally.done += 1;
              tally.doneAtMs = nowMs();
              return;
            }
            if (!blameless) {
              tally.attempts += 1;
              if (attempt >= attempts) {
                tally.failed += 1;
                return;
              }
              attempt += 1;
              await sleep(random() * 1_000 * 2 ** attempt);
              continue;
            }
            waitMs = 0;
          }
          if (postponed >= MAX_POSTPONES) {
            tally.returned += 1;
            return;
          }
          await sleep(retryDelayMs(waitMs, postponed, random));
          postponed += 1;
        }
      }
      for (let user = 0; user < USERS; user++) clock.spawn(() => fuse(user));
      await clock.ended();
    });
    if (process.env.SHOW) console.log(JSON.stringify(tally));
    expect(tally).toMatchObject({ done: USERS, failed: 0, returned: 0 });
    // Without a budget it would have been up to seven times for each user.
    const retries = RETRY_TOKENS + OUTAGE_MS / RETRY_TOKEN_MS;
    expect(tally.duringOutage).toBeLessThanOrEqual(USERS + retries);
    expect(tally.calls).toBeLessThanOrEqual(2 * USERS + retries);
    // Only those who failed before it was clear that all fail.
    expect(tally.attempts).toBeLessThanOrEqual(RETRY_TOKENS / 2);
    expect(tally.doneAtMs).toBeLessThan(OUTAGE_MS + 20 * MINUTE);
  });
});
