import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from './index.ts';

const mistakesOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
};

describe('operating settings', () => {
  it('make no spans, count no cost and call no private address unless told to', () => {
    const { tracing, prices, webhooks } = readConfig({});
    expect([tracing, prices, webhooks]).toEqual([null, {}, { privateAddresses: false }]);
  });

  it('add the path of traces to the collector, with or without a slash at its end', () => {
    const env = { SLOWWAVE_TRACING: 'otlp' };
    expect(readConfig(env).tracing).toEqual({ url: 'http://localhost:4318/v1/traces' });
    const elsewhere = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/base/' };
    expect(readConfig(elsewhere).tracing).toEqual({ url: 'https://collector.example/base/v1/traces' });
  });

  it('read prices by model, and say the form of one that cannot be read', () => {
    const env = { SLOWWAVE_MODEL_PRICES: 'small=0.25/1.25, vendor/large=15/75' };
    expect(readConfig(env).prices).toEqual({
      small: { inputDollars: 0.25, outputDollars: 1.25 },
      'vendor/large': { inputDollars: 15, outputDollars: 75 },
    });
    for (const wrong of ['small', 'small=1', 'small=1/-2', 'small=a/b', '=1/2']) {
      const told = mistakesOf({ SLOWWAVE_MODEL_PRICES: `good=1/2,${wrong}` });
      expect(told).toHaveLength(1);
      expect(told[0]).toMatch(/^SLOWWAVE_MODEL_PRICES: expected name=input\/output/);
    }
  });
});

describe('budgets', () => {
  const NONE = { tokens: null, nanos: null };

  it('bound the tokens of a user unless they are set, and money is exact', () => {
    expect(readConfig({}).budgets).toEqual({
      user_night: { tokens: 150_000, nanos: null },
      user_day: { tokens: 400_000, nanos: null },
      tenant_day: NONE,
      overall_day: NONE,
    });
    const { budgets } = readConfig({
      SLOWWAVE_BUDGET_USER_NIGHT_TOKENS: '0',
      SLOWWAVE_BUDGET_TENANT_DAY_DOLLARS: '0.1',
      SLOWWAVE_BUDGET_OVERALL_DAY_DOLLARS: '1000000',
    });
    expect(budgets).toMatchObject({
      user_night: { tokens: 0, nanos: null },
      tenant_day: { tokens: null, nanos: 100_000_000n },
      overall_day: { tokens: null, nanos: 1_000_000_000_000_000n },
    });
  });

  it('are switched off one by one by the word none', () => {
    const { budgets } = readConfig({
      SLOWWAVE_BUDGET_USER_NIGHT_TOKENS: 'none',
      SLOWWAVE_BUDGET_TENANT_DAY_DOLLARS: ' none ',
    });
    expect(budgets).toMatchObject({ user_night: NONE, user_day: { tokens: 400_000 }, tenant_day: NONE });
  });

  it('say their form', () => {
    expect(
      mistakesOf({
        SLOWWAVE_BUDGET_USER_DAY_DOLLARS: '-1',
        SLOWWAVE_BUDGET_USER_DAY_TOKENS: '1.5',
        SLOWWAVE_BUDGET_USER_NIGHT_TOKENS: 'nothing',
        SLOWWAVE_REM_SEEDS: 'none',
      }),
    ).toEqual([
      'SLOWWAVE_REM_SEEDS: expected a whole number from 1 to 24',
      'SLOWWAVE_BUDGET_USER_NIGHT_TOKENS: expected a whole number from 0 to 1000000000000, or none',
      'SLOWWAVE_BUDGET_USER_DAY_TOKENS: expected a whole number from 0 to 1000000000000, or none',
      'SLOWWAVE_BUDGET_USER_DAY_DOLLARS: expected a number from 0 to 1000000, or none',
    ]);
  });
});
