import { readConfig } from '@slowwave/config';
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './context.ts';
import { budgetOf, limitsOf } from './start-worker.ts';

it('takes the bounds of a job from the configuration, whose defaults are those of the code', () => {
  expect(limitsOf(readConfig({}), { kind: 'server' })).toEqual(DEFAULT_LIMITS);
  expect(limitsOf(readConfig({}), { kind: 'embedded' }).leaseMs).toBe(60_000);
  const limits = limitsOf(
    readConfig({
      SLOWWAVE_LEASE_SECONDS: '90',
      SLOWWAVE_REM_SEEDS: '3',
      SLOWWAVE_REM_TOKENS: '5000',
      SLOWWAVE_RETENTION_DAYS: '365',
      SLOWWAVE_REVIEW_DAYS: '3',
      SLOWWAVE_JOURNAL_RETENTION_DAYS: '11',
      SLOWWAVE_RUN_RETENTION_DAYS: '7',
      SLOWWAVE_QUARANTINE_AFTER: '9',
    }),
    { kind: 'embedded' },
  );
  expect(limits).toMatchObject({
    leaseMs: 90_000,
    retentionMs: 365 * 86_400_000,
    reviewMs: 3 * 86_400_000,
    journalRetentionMs: 11 * 86_400_000,
    runRetentionMs: 7 * 86_400_000,
    quarantineAfter: 9,
    embedBatch: 64,
  });
  expect(limits.steps.rem).toEqual({ ms: 300_000, tokens: 5000, items: 3 });
});

it('gives a step time for the answer to the last call that it may begin', () => {
  const env = { SLOWWAVE_NREM_SECONDS: '3600' };
  expect(limitsOf(readConfig(env), { kind: 'server' }).stepMs).toBe(3_660_000);
  const slow = {
    ...env,
    SLOWWAVE_MODEL_PROVIDER: 'openai',
    SLOWWAVE_MODEL: 'm',
    OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1',
    SLOWWAVE_MODEL_TIMEOUT_SECONDS: '600',
  };
  expect(limitsOf(readConfig(slow), { kind: 'server' }).stepMs).toBe(4_200_000);
});

it('holds calls for longer than an answer takes, and starts with no budget in money that could not be held', () => {
  const model = {
    SLOWWAVE_MODEL_PROVIDER: 'openai',
    SLOWWAVE_MODEL: 'm',
    SLOWWAVE_REM_MODEL: 'claude-haiku-5-5',
    OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1',
  };
  const limited = { ...model, SLOWWAVE_BUDGET_USER_DAY_DOLLARS: '1' };
  expect(budgetOf(readConfig(model)).holdMs).toBe(120_000);
  expect(
    budgetOf(readConfig({ ...model, SLOWWAVE_BUDGET_USER_DAY_TOKENS: '1' })).limits.user_day.tokens,
  ).toBe(1);
  expect(() => budgetOf(readConfig(limited))).toThrow(/SLOWWAVE_MODEL_PRICES: .* the price of m, /);
  expect(budgetOf(readConfig({ ...limited, SLOWWAVE_MODEL_PRICES: 'm=0/0' })).limits.user_day.nanos).toBe(
    10n ** 9n,
  );
});
