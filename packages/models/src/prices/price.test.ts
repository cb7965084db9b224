import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OFFLINE_MODEL } from '../offline.ts';
import { dollarsOfNanos, nanosOf } from './money.ts';
import { costOf, entryOf, priceOf } from './price.ts';
import { PRICE_TABLE, type PriceEntry } from './table.ts';
import { unpricedModels } from './unpriced.ts';

const NOVEMBER = Date.UTC(2026, 10, 22);
const tokens = fc.nat(10_000_000);

describe('the table of prices', () => {
  it('is data that can be read: each entry once, a real day, amounts that are dollars', () => {
    const names = PRICE_TABLE.map(({ model, from }) => `${model} ${from}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { model, from, input, output, cacheRead, cacheWrite, batchPercent } of PRICE_TABLE) {
      expect(new Date(from).toISOString().slice(0, 10), model).toBe(from);
      for (const amount of [input, output, cacheRead, cacheWrite])
        expect(nanosOf(amount)).toBeGreaterThan(0n);
      expect(batchPercent).toBeGreaterThan(0);
      expect(batchPercent).toBeLessThanOrEqual(100);
    }
  });

  it('knows a model by its name, by its name with the day of a release, and as the latest', () => {
    const haiku = priceOf({}, 'claude-haiku-5-5', NOVEMBER);
    expect(haiku).toEqual({
      input: 100_000_000n,
      output: 500_000_000n,
      cacheRead: 10_000_000n,
      cacheWrite: 125_000_000n,
      batchPercent: 50n,
    });
    expect(priceOf({}, 'claude-haiku-5-5-20261101', NOVEMBER)).toEqual(haiku);
    expect(priceOf({}, 'claude-haiku-5-5-latest')).toEqual(haiku);
    for (const unknown of [
      'claude-haiku-5',
      'claude-haiku-5-5-mini',
      'claude-haiku-5-5-2026',
      'constructor',
      '',
    ]) {
      expect(priceOf({}, unknown, NOVEMBER), unknown).toBeNull();
    }
  });

  it('takes a configured price before its own, and gives the offline model away', () => {
    const prices = { 'claude-haiku-5-5': { inputDollars: 3, outputDollars: 0.000001 } };
    expect(priceOf(prices, 'claude-haiku-5-5')).toMatchObject({ input: 3_000_000_000n, output: 1_000n });
    expect(costOf(priceOf({}, OFFLINE_MODEL)!, { inputTokens: 10 ** 9, outputTokens: 10 ** 9 })).toBe(0n);
  });
});

describe('the chosen models', () => {
  const anthropic = { provider: 'anthropic', apiKey: 'k', timeoutMs: 1, model: 'claude-haiku-5-5' } as const;

  it('are named once each where nobody knows their price', () => {
    expect(unpricedModels({ model: { provider: 'none' } }, {})).toEqual([]);
    const vectors = {
      embedder: 'openai',
      baseUrl: 'http://e',
      model: 'vectors',
      threshold: 0.5,
      timeoutMs: 1,
    } as const;
    expect(unpricedModels({ model: { provider: 'none' }, embedder: vectors }, {})).toEqual(['vectors']);
    const known = { vectors: { inputDollars: 0.02, outputDollars: 0 } };
    expect(unpricedModels({ model: anthropic, embedder: vectors }, known)).toEqual([]);
    expect(unpricedModels({ model: { provider: 'offline' } }, {})).toEqual([]);
    expect(unpricedModels({ model: anthropic, steps: { rem: { model: 'claude-sonnet-5-5' } } }, {})).toEqual(
      [],
    );
    const steps = {
      rem: { model: 'large' },
      nrem: { model: 'large' },
      fusion: { model: 'small' },
      insights: {},
    };
    expect(unpricedModels({ model: anthropic, steps }, {})).toEqual(['large', 'small']);
    expect(
      unpricedModels({ model: anthropic, steps }, { large: { inputDollars: 0, outputDollars: 0 } }),
    ).toEqual(['small']);
  });
});

describe('a price with a day', () => {
  const entry = (from: string): PriceEntry => ({ ...PRICE_TABLE[0]!, model: 'm', from });
  const table = [entry('2026-06-01'), entry('2025-01-01'), entry('2027-01-01')];

  it.each([
    ['2024-05-05T00:00:00Z', '2025-01-01'],
    ['2026-05-31T23:59:59.999Z', '2025-01-01'],
    ['2026-06-01T00:00:00Z', '2026-06-01'],
    ['2030-01-01T00:00:00Z', '2027-01-01'],
  ])('at %s is the one of %s', (at, from) => {
    expect(entryOf(table, 'm', Date.parse(at))?.from).toBe(from);
  });
});

describe('the cost of tokens', () => {
  const haiku = priceOf({}, 'claude-haiku-5-5')!;

  it('is exact to the nano-dollar', () => {
    expect(costOf(haiku, { inputTokens: 1, outputTokens: 1 })).toBe(600n);
    expect(costOf(haiku, { inputTokens: 1_000_000, outputTokens: 0, cacheReadTokens: 1_000_000 })).toBe(
      nanosOf('0.11'),
    );
    expect(costOf(haiku, { inputTokens: 2_000_000, outputTokens: 1_000_000, batch: true })).toBe(
      nanosOf('0.35'),
    );
    expect(dollarsOfNanos(nanosOf('0.000000001'))).toBe(1e-9);
    for (const wrong of ['', '1.', '.5', '-1', '1e3', '1.0000000001']) expect(() => nanosOf(wrong)).toThrow();
  });

  it('never rounds down, and adds up to within one nano-dollar for each call', () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, fc.nat(999_999), (a, b, output, micros) => {
        const price = priceOf({ m: { inputDollars: micros / 1e6, outputDollars: 1.234567 } }, 'm')!;
        const parts =
          costOf(price, { inputTokens: a, outputTokens: output }) +
          costOf(price, { inputTokens: b, outputTokens: 0 });
        const whole = costOf(price, { inputTokens: a + b, outputTokens: output });
        expect(parts >= whole && parts - whole <= 1n).toBe(true);
        expect(whole * 1_000_000n).toBeGreaterThanOrEqual(
          price.input * BigInt(a + b) + price.output * BigInt(output),
        );
      }),
    );
  });
});
