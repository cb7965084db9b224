import { costOf, createOfflineProvider, OFFLINE_MODEL, priceOf } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stormFacts } from '../../../fault/invariants/facts.ts';
import { bookCall } from '../../../fixtures/booked-call.ts';
import { runTier, seedPerson } from '../../../fixtures/tier-runs.ts';
import { HOST, openStage, type Stage, signIn } from '../../harness.ts';

const DAY_MS = 86_400_000;
const MODEL = 'claude-haiku-5-5';

describe('the overview', () => {
  let stage: Stage;
  let textOf: (tenant: string) => Promise<string>;
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  beforeAll(async () => {
    stage = await openStage();
    const { producer } = stage.newProducer();
    const headers = { ...HOST, ...(await signIn(producer)) };
    textOf = async (tenant) => {
      const { body } = await producer.app.inject({ url: `/dashboard?tenant=${tenant}`, headers });
      return body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    };
  });
  afterAll(() => stage.dispose());

  it('shows what calls really cost: one of a batch whose question was in the cache, at that price', async () => {
    const of = { tenant: 'acme', user: 'ana' };
    await seedPerson(stage.database, of);
    const price = priceOf({}, MODEL)!;
    const [input, cached, output] = [20_000_000, 80_000_000, 10_000_000];
    const full = costOf(price, { inputTokens: input + cached, outputTokens: output });
    const use = { inputTokens: input, cacheReadTokens: cached, outputTokens: output, batch: true };
    const nanos = costOf(price, use);
    const read = { inputTokens: input + cached, cacheReadTokens: cached, outputTokens: output };
    const bound = { tokens: 200_000_000, nanos: full };
    const direct = { state: 'settled', inputTokens: 10, outputTokens: 5, nanos: 1_000_000_000n } as const;
    await bookCall(stage.database, {
      ...of,
      at: today,
      model: MODEL,
      bound,
      batch: true,
      end: { state: 'settled', ...read, nanos },
    });
    await bookCall(stage.database, { ...of, at: today - DAY_MS, model: 'large', bound, end: direct });
    // Longer ago than the card goes back.
    await bookCall(stage.database, { ...of, at: today - 7 * DAY_MS, model: 'old', bound, end: direct });
    expect([full, nanos]).toEqual([15_000_000_000n, 3_900_000_000n]);
    const text = await textOf('acme');
    expect(text).toContain('Tokens today 110M 1 call, cost $3.90');
    expect(text).toContain('110M tokens, $4.90');
    expect(text).toContain('Cost today $3.90 Cost in 7 days $4.90');
    expect(text).toContain(`${MODEL} 1 call, 100M in, 10M out, $3.90 large 1 call, 10 in, 5 out, $1.00`);
    expect(text).not.toContain('$15.00');
    expect(text).not.toContain(' old ');
  });

  it('does not count what is not known as nothing', async () => {
    const of = { tenant: 'dark', user: 'ana' };
    await seedPerson(stage.database, of);
    const end = { state: 'settled', inputTokens: 40, outputTokens: 20, nanos: null } as const;
    await bookCall(stage.database, {
      ...of,
      at: today,
      model: 'ours',
      bound: { tokens: 60, nanos: null },
      end,
    });
    const text = await textOf('dark');
    expect(text).toContain('Tokens today 60 1 call, cost not known');
    expect(text).toContain('60 tokens, cost not known');
    expect(text).toContain('Cost in 7 days not known');
    expect(text).toContain('No price was known for ours ; SLOWWAVE_MODEL_PRICES');
  });

  it('tells the answers of the offline model, which take no tokens, from none at all', async () => {
    const [of, at] = [{ tenant: 'offline', user: 'ana' }, Date.now()];
    await seedPerson(stage.database, { ...of, chains: stormFacts(of, [4], at), at });
    await runTier(stage.database, { ...of, tier: 'deep', at }, { provider: createOfflineProvider() });
    const text = await textOf('offline');
    expect(text).toContain('Tokens today 0 1 answer without any');
    expect(text).toContain(`${OFFLINE_MODEL} 1 answer, no tokens and no cost`);
    expect(text).not.toContain('No model answered');
    expect(await textOf('nobody')).toContain('No model answered in these days');
  });
});
